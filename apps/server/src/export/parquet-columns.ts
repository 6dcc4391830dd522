// How each Arrow column is written in Parquet, and its values as the writer takes them: 64-bit integers and unscaled
// decimals as bigint, text and binary as their bytes. Nothing passes through a number that does not hold it.
//
// An Arrow decimal of 38 digits is also how the engine's HUGEINT travels; a value beyond 38 digits is refused. Timestamps
// of seconds become milliseconds. Types without a twin are text, as in Arrow. Geometries are WKB.
import { DataType, Precision, TimeUnit, type Data, type Field, type Struct } from 'apache-arrow'
import type { ColumnSource, ParquetWriter } from 'hyparquet-writer'
import { bigintOfWords } from '@lake/core/values/number-text.ts'
import { listBounds } from '@lake/core/values/nested-text.ts'
import { formatLimit } from './format-limit.ts'

type SchemaElement = ParquetWriter['schema'][number]
type Value = unknown
type ReadValue = (data: Data, index: number) => Value

export interface ParquetColumn {
  /** The column and what is under it, depth first. */
  readonly elements: readonly SchemaElement[]
  readonly read: ReadValue
  /** Whether the writer orders its values as readers of statistics do. */
  readonly hasStatistics: boolean
}

const DECIMAL_BYTES = 16
const INT64_MAX = 9_223_372_036_854_775_807n

interface Leaf {
  readonly element: Omit<SchemaElement, 'name'>
  readonly read: ReadValue
  readonly hasStatistics?: boolean
}

const rawValue: ReadValue = (data, index) => (data.values as ArrayLike<unknown>)[index]
const rawBigint: ReadValue = (data, index) => (data.values as BigInt64Array)[index]

const bytesAt: ReadValue = (data, index) =>
  (data.values as Uint8Array).subarray(Number(data.valueOffsets[index]), Number(data.valueOffsets[index + 1]))

function integerLeaf(bitWidth: number, isSigned: boolean): Leaf {
  const type = bitWidth === 64 ? 'INT64' : 'INT32'
  const isPlain = isSigned && bitWidth >= 32
  const converted = `${isSigned ? '' : 'U'}INT_${bitWidth}` as NonNullable<SchemaElement['converted_type']>
  return {
    element: { type, ...(isPlain ? {} : { converted_type: converted }) },
    read: rawValue,
    hasStatistics: isSigned,
  }
}

function decimalLeaf(precision: number, scale: number): Leaf {
  const read = (data: Data, index: number): bigint => bigintOfWords(data.values as Uint32Array, index * 4, 4)
  const decimal = { converted_type: 'DECIMAL', precision, scale } as const
  if (precision <= 9) return { element: { type: 'INT32', ...decimal }, read }
  if (precision <= 18) return { element: { type: 'INT64', ...decimal }, read }
  const bound = 10n ** BigInt(precision)
  return {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: DECIMAL_BYTES, ...decimal },
    read(data, index) {
      const unscaled = read(data, index)
      if (unscaled < bound && unscaled > -bound) return unscaled
      throw formatLimit(
        'parquet',
        'digits',
        `A number has more than ${precision} digits, which a Parquet decimal cannot hold; cast the column to VARCHAR`,
        precision,
      )
    },
  }
}

const PARQUET_UNIT = {
  [TimeUnit.SECOND]: 'MILLIS',
  [TimeUnit.MILLISECOND]: 'MILLIS',
  [TimeUnit.MICROSECOND]: 'MICROS',
  [TimeUnit.NANOSECOND]: 'NANOS',
} as const

function secondsToMillis(data: Data, index: number): bigint {
  const seconds = (data.values as BigInt64Array)[index] ?? 0n
  // The engine's infinities are the greatest numbers of every unit.
  if (seconds === INT64_MAX || seconds === -INT64_MAX) return seconds
  const millis = seconds * 1_000n
  if (BigInt.asIntN(64, millis) === millis) return millis
  throw formatLimit('parquet', 'range', 'A timestamp is beyond what Parquet holds in milliseconds')
}

function timeLeaf(unit: TimeUnit, name: 'TIME' | 'TIMESTAMP', isAdjustedToUTC: boolean): Leaf {
  const logical_type = { type: name, isAdjustedToUTC, unit: PARQUET_UNIT[unit] } as const
  const isSeconds = name === 'TIMESTAMP' && unit === TimeUnit.SECOND
  return {
    element: { type: 'INT64', logical_type },
    read: isSeconds ? secondsToMillis : rawBigint,
    hasStatistics: true,
  }
}

function leafOf(type: DataType): Leaf {
  if (DataType.isBool(type))
    return {
      element: { type: 'BOOLEAN' },
      read(data, index) {
        const bit = data.offset + index
        return (((data.values as Uint8Array)[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0
      },
    }
  if (DataType.isInt(type)) return integerLeaf(type.bitWidth, type.isSigned)
  if (DataType.isFloat(type))
    return { element: { type: type.precision === Precision.SINGLE ? 'FLOAT' : 'DOUBLE' }, read: rawValue }
  if (DataType.isDecimal(type)) return decimalLeaf(type.precision, type.scale)
  if (DataType.isDate(type))
    return { element: { type: 'INT32', converted_type: 'DATE' }, read: rawValue, hasStatistics: true }
  if (DataType.isTime(type)) return timeLeaf(type.unit, 'TIME', false)
  if (DataType.isTimestamp(type)) return timeLeaf(type.unit, 'TIMESTAMP', Boolean(type.timezone))
  if (DataType.isUtf8(type)) return { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, read: bytesAt }
  if (DataType.isBinary(type)) return { element: { type: 'BYTE_ARRAY' }, read: bytesAt }
  if (DataType.isFixedSizeBinary(type)) {
    const { byteWidth } = type
    return {
      element: {
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: byteWidth,
        ...(byteWidth === 16 ? { logical_type: { type: 'UUID' } as const } : {}),
      },
      read: (data, index) => (data.values as Uint8Array).subarray(index * byteWidth, (index + 1) * byteWidth),
    }
  }
  throw formatLimit('parquet', 'type', `Parquet has no twin of one of the types`)
}

const orNull =
  (read: ReadValue): ReadValue =>
  (data, index) =>
    data.getValid(index) ? read(data, index) : null

function structColumn(name: string, type: DataType, repetition: 'OPTIONAL' | 'REQUIRED'): ParquetColumn {
  const { children: fields } = type as unknown as { children: Field[] }
  const children = fields.map((field) => parquetColumn(field.name, field.type as DataType))
  const read: ReadValue = (data, index) => {
    const value: Record<string, Value> = Object.create(null) as Record<string, Value>
    for (const [i, field] of fields.entries()) {
      const child = data.children[i]
      value[field.name] = child ? children[i]?.read(child, index) : null
    }
    return value
  }
  const group: SchemaElement = { name, repetition_type: repetition, num_children: fields.length }
  return {
    elements: [group, ...children.flatMap(({ elements }) => elements)],
    read: repetition === 'REQUIRED' ? read : orNull(read),
    hasStatistics: false,
  }
}

function listColumn(name: string, type: DataType): ParquetColumn {
  const [itemField] = (type as unknown as { children: Field[] }).children
  const item = parquetColumn('element', itemField?.type as DataType)
  return {
    elements: [
      { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...item.elements,
    ],
    read: orNull((data, index) => {
      const [start, end] = listBounds(data, index)
      const items = data.children[0]
      return items ? Array.from({ length: end - start }, (_, i) => item.read(items, start + i)) : []
    }),
    hasStatistics: false,
  }
}

function mapColumn(name: string, type: DataType): ParquetColumn {
  const [entries] = (type as unknown as { children: Field[] }).children
  const [keyField, valueField] = (entries as unknown as Field<Struct>).type.children
  const key = parquetColumn('key', keyField?.type as DataType, 'REQUIRED')
  const value = parquetColumn('value', valueField?.type as DataType)
  return {
    elements: [
      { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'MAP' },
      { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
      ...key.elements,
      ...value.elements,
    ],
    read: orNull((data, index) => {
      const [start, end] = listBounds(data, index)
      const [keys, values] = data.children[0]?.children ?? []
      if (keys === undefined || values === undefined) return []
      return Array.from({ length: end - start }, (_, i) => ({
        key: key.read(keys, start + i),
        value: value.read(values, start + i),
      }))
    }),
    hasStatistics: false,
  }
}

export function parquetColumn(
  name: string,
  type: DataType,
  repetition: 'OPTIONAL' | 'REQUIRED' = 'OPTIONAL',
): ParquetColumn {
  if (DataType.isStruct(type)) return structColumn(name, type, repetition)
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) return listColumn(name, type)
  if (DataType.isMap(type)) return mapColumn(name, type)
  const { element, read, hasStatistics = false } = leafOf(type)
  return {
    elements: [{ name, repetition_type: repetition, ...element }],
    read: repetition === 'REQUIRED' ? read : orNull(read),
    hasStatistics,
  }
}

/** Values of a column over batches, made when the writer asks for them, so that one column's are held at a time. */
export function columnSource(
  name: string,
  { read, hasStatistics }: ParquetColumn,
  parts: readonly Data[],
): ColumnSource {
  return {
    name,
    statistics: hasStatistics,
    offsetIndex: false,
    get data() {
      const values: Value[] = []
      for (const data of parts)
        for (let index = 0; index < data.length; index += 1) values.push(read(data, index))
      return values
    },
  }
}
