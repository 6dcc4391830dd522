// An Avro schema as the columns that a Parquet file of the same data would have, and the decoding of records into them. So
// all rules of finding, typing and filling columns (parquet/) hold for both formats alike.
// Source: Iceberg table spec, appendix A "Avro". Unions other than with null, and unknown logical types, are refused.
import { decodeUtf8, encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { readItems } from '../metadata/avro-decoder.ts'
import type { AvroCursor } from '../metadata/avro-decoder.ts'
import type { AvroField, AvroType } from '../metadata/avro-schema.ts'
import type { Annotation } from '../parquet/annotation.ts'
import type { MadeValue } from '../parquet/made-chunk.ts'
import type { PhysicalType, Repetition, SchemaNode } from '../parquet/parquet-metadata.ts'
import { parquetUnsupported } from '../parquet/thrift.ts'

export type ValueDecoder = (cursor: AvroCursor) => MadeValue

export interface AvroColumn {
  readonly node: SchemaNode
  readonly decode: ValueDecoder
}

interface Place {
  readonly name: string
  readonly fieldId: number | undefined
  readonly repetition: Repetition
}

const INT_MIN = -(2 ** 31)
const INT_MAX = 2 ** 31 - 1
const NONE: Annotation = { kind: 'none' }

/** Columns in the order of the record's fields. @throws AppError TABLE_UNSUPPORTED */
export function avroColumns(fields: readonly AvroField[]): {
  columns: readonly AvroColumn[]
  leafCount: number
} {
  const builder = new ColumnBuilder()
  return { columns: fields.map((field) => builder.field(field)), leafCount: builder.leafCount }
}

class ColumnBuilder {
  leafCount = 0

  field({ name, fieldId, type }: AvroField): AvroColumn {
    return this.#nullable(type, { name, fieldId })
  }

  #nullable(type: AvroType, place: Omit<Place, 'repetition'>): AvroColumn {
    if (type.kind !== 'union') return this.#value(type, { ...place, repetition: 'required' })
    const others = type.branches.filter(({ kind }) => kind !== 'null')
    const [only] = others
    if (only === undefined || others.length > 1) throw parquetUnsupported('a union of types in an Avro file')
    const isOptional = others.length < type.branches.length
    const column = this.#value(only, { ...place, repetition: isOptional ? 'optional' : 'required' })
    const { branches } = type
    return {
      node: column.node,
      decode: (cursor) => {
        const branch = branches[cursor.readCount('index')]
        if (branch === undefined) throw cursor.corrupt('has an index outside of its choices')
        return branch === only ? column.decode(cursor) : null
      },
    }
  }

  #value(type: AvroType, place: Place): AvroColumn {
    switch (type.kind) {
      case 'record': {
        const children = type.fields.map((field) => this.field(field))
        return {
          node: group(
            place,
            NONE,
            children.map(({ node }) => node),
          ),
          decode: (cursor) => children.map(({ decode }) => decode(cursor)),
        }
      }
      case 'array':
        return type.logicalType === 'map' ? this.#pairs(type, place) : this.#list(type, place)
      case 'map':
        return this.#textMap(type, place)
      case 'union':
        throw parquetUnsupported('a union in a union of an Avro file')
      default: {
        const { physicalType, annotation, lengthBytes, decode } = leafOf(type)
        const leaf = { index: this.leafCount, physicalType, lengthBytes }
        this.leafCount += 1
        return { node: { ...place, annotation, leaf, children: [] }, decode }
      }
    }
  }

  #list(type: Extract<AvroType, { kind: 'array' }>, place: Place): AvroColumn {
    const element = this.#nullable(type.items, { name: 'element', fieldId: undefined })
    const repeated = group({ name: 'list', fieldId: undefined, repetition: 'repeated' }, NONE, [element.node])
    return {
      node: group(place, { kind: 'list' }, [repeated]),
      decode: (cursor) => {
        const items: MadeValue[] = []
        readItems(cursor, type.items.bytesMin, () => items.push([element.decode(cursor)]))
        return [items]
      },
    }
  }

  #pairs(type: Extract<AvroType, { kind: 'array' }>, place: Place): AvroColumn {
    const { items } = type
    const [first, second] = items.kind === 'record' ? items.fields : []
    if (items.kind !== 'record' || items.fields.length !== 2 || first?.name !== 'key' || !second) {
      throw parquetUnsupported('a map of an unknown shape in an Avro file')
    }
    const key = this.#nullable(first.type, { name: 'key', fieldId: first.fieldId })
    const value = this.#nullable(second.type, { name: 'value', fieldId: second.fieldId })
    return mapColumn(place, key, value, (cursor, take) => {
      readItems(cursor, items.bytesMin, () => {
        take([key.decode(cursor), value.decode(cursor)])
      })
    })
  }

  #textMap(type: Extract<AvroType, { kind: 'map' }>, place: Place): AvroColumn {
    const text: AvroType = {
      kind: 'string',
      logicalType: undefined,
      decimal: undefined,
      bytesMin: 1,
      nodeCount: 1,
    }
    const key = this.#nullable(text, { name: 'key', fieldId: undefined })
    const value = this.#nullable(type.values, { name: 'value', fieldId: undefined })
    return mapColumn(place, key, value, (cursor, take) => {
      readItems(cursor, 1 + type.values.bytesMin, () => {
        take([key.decode(cursor), value.decode(cursor)])
      })
    })
  }
}

function mapColumn(
  place: Place,
  key: AvroColumn,
  value: AvroColumn,
  read: (cursor: AvroCursor, take: (pair: MadeValue) => void) => void,
): AvroColumn {
  const entry: Place = { name: 'key_value', fieldId: undefined, repetition: 'repeated' }
  return {
    node: group(place, { kind: 'map' }, [group(entry, NONE, [key.node, value.node])]),
    decode: (cursor) => {
      const pairs: MadeValue[] = []
      read(cursor, (pair) => pairs.push(pair))
      return [pairs]
    },
  }
}

function group(place: Place, annotation: Annotation, children: readonly SchemaNode[]): SchemaNode {
  return { ...place, annotation, leaf: undefined, children }
}

interface LeafColumn {
  readonly physicalType: PhysicalType
  readonly annotation: Annotation
  readonly lengthBytes: number | undefined
  readonly decode: ValueDecoder
}

type LeafType = Exclude<AvroType, { kind: 'record' | 'array' | 'map' | 'union' }>

function leafOf(type: LeafType): LeafColumn {
  switch (type.kind) {
    case 'boolean':
      return leaf('BOOLEAN', plain(type.logicalType), (cursor) => cursor.readByte() !== 0)
    case 'int':
      return leaf('INT32', intAnnotation(type.logicalType), readInt)
    case 'long':
      return leaf('INT64', longAnnotation(type.logicalType), (cursor) => BigInt(cursor.readLong()))
    case 'float':
      return leaf('FLOAT', plain(type.logicalType), (cursor) => cursor.readFloat())
    case 'double':
      return leaf('DOUBLE', plain(type.logicalType), (cursor) => cursor.readDouble())
    case 'string':
      return leaf('BYTE_ARRAY', { kind: 'string' }, readText)
    case 'bytes': {
      const annotation: Annotation = type.decimal
        ? { kind: 'decimal', ...type.decimal }
        : plain(type.logicalType)
      return leaf('BYTE_ARRAY', annotation, (cursor) => cursor.readBytes())
    }
    case 'fixed':
      return fixedLeaf(type)
    case 'enum':
      return leaf('BYTE_ARRAY', { kind: 'string' }, (cursor) => {
        const symbol = type.symbols[cursor.readCount('index')]
        if (symbol === undefined) throw cursor.corrupt('has an index outside of its choices')
        return encodeUtf8(symbol)
      })
    case 'null':
      throw parquetUnsupported('a column of nulls in an Avro file')
  }
}

function leaf(physicalType: PhysicalType, annotation: Annotation, decode: ValueDecoder): LeafColumn {
  return { physicalType, annotation, lengthBytes: undefined, decode }
}

function fixedLeaf(type: Extract<LeafType, { kind: 'fixed' }>): LeafColumn {
  const { sizeBytes, decimal, logicalType } = type
  const annotation: Annotation = decimal
    ? { kind: 'decimal', ...decimal }
    : logicalType === 'uuid'
      ? { kind: 'uuid' }
      : plain(logicalType)
  return {
    physicalType: 'FIXED_LEN_BYTE_ARRAY',
    annotation,
    lengthBytes: sizeBytes,
    decode: (cursor) => {
      const start = cursor.advance(sizeBytes)
      return cursor.bytes.slice(start, start + sizeBytes)
    },
  }
}

function plain(logicalType: string | undefined): Annotation {
  return logicalType === undefined ? NONE : { kind: 'other', name: `Avro ${logicalType}` }
}

function intAnnotation(logicalType: string | undefined): Annotation {
  if (logicalType === 'date') return { kind: 'date' }
  if (logicalType === 'time-millis') return { kind: 'time', unit: 'millis', isUtc: false }
  return plain(logicalType)
}

/** Whether it is in UTC is for the table's type to say, as in Parquet. */
function longAnnotation(logicalType: string | undefined): Annotation {
  if (logicalType === 'time-micros') return { kind: 'time', unit: 'micros', isUtc: false }
  const moment = /^(local-)?timestamp-(millis|micros|nanos)$/.exec(logicalType ?? '')
  if (moment)
    return {
      kind: 'timestamp',
      unit: moment[2] as 'millis' | 'micros' | 'nanos',
      isUtc: moment[1] === undefined,
    }
  return plain(logicalType)
}

function readInt(cursor: AvroCursor): number {
  const value = cursor.readLong()
  if (typeof value !== 'number' || value < INT_MIN || value > INT_MAX) {
    throw cursor.corrupt('has an int of more than 32 bits')
  }
  return value
}

function readText(cursor: AvroCursor): Uint8Array {
  const bytes = cursor.readBytes()
  if (decodeUtf8(bytes) === undefined) throw cursor.corrupt('has text that is not UTF-8')
  return bytes
}
