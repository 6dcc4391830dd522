// Decoding of Avro binary data by decoders compiled once per schema. Source: Apache Avro specification, "Binary Encoding".
// Every read is checked against the end of the bytes, so malformed input throws TABLE_CORRUPT and allocates no more than
// a small multiple of its own size.
import { AppError } from '@lake/core/errors.ts'
import { decodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { LIMITS } from '../limits.ts'
import type { AvroType } from './avro-schema.ts'

/**
 * A decoded value: null, boolean, number (int, float, double, a long within ±2^53), bigint (a larger long), string,
 * Uint8Array (bytes, fixed; copied), AvroRecord, an array, or a Map (a map, or an array of key-value records).
 */
export type AvroValue = unknown

/** A record's values by `fieldKey`: the field id where the schema has one, the name otherwise. */
export type AvroRecord = Readonly<Record<string, AvroValue>>

export type AvroDecoder = (cursor: AvroCursor) => AvroValue

/** Never a key that could meet a prototype's, such as `__proto__`. */
export function fieldKey(fieldId: number | undefined, name: string): string {
  return fieldId === undefined ? `name:${name}` : `id:${fieldId}`
}

/** How many more items of zero bytes there may be. They cost no input, so their number is bounded by itself. */
export interface EmptyItems {
  leftCount: number
}

/** A position in bytes that hold Avro data. */
export class AvroCursor {
  readonly bytes: Uint8Array
  readonly #path: string
  readonly #view: DataView
  position = 0
  /** Keys of lists of key-value pairs to keep; undefined keeps all. Others are passed over without being decoded. */
  pairKeys: ReadonlySet<AvroValue> | undefined
  /** Of a file: the cursors of its blocks share one. */
  emptyItems: EmptyItems = { leftCount: LIMITS.avroEmptyItemsMax }

  /** @param path names the file in messages */
  constructor(bytes: Uint8Array, path: string) {
    // A Buffer's `slice` would not copy, and so keep the whole block alive for one bound.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#path = path
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get remaining(): number {
    return this.bytes.length - this.position
  }

  corrupt(what: string): AppError {
    return new AppError('TABLE_CORRUPT', `Avro file ${this.#path} ${what}`)
  }

  takeEmptyItems(count: number): void {
    this.emptyItems.leftCount -= count
    if (this.emptyItems.leftCount < 0) throw this.corrupt('has more items than bytes')
  }

  /** Moves past `length` bytes and returns where they began. */
  advance(length: number): number {
    if (length < 0 || length > this.remaining) throw this.corrupt('is truncated')
    const start = this.position
    this.position += length
    return start
  }

  readByte(): number {
    return this.bytes[this.advance(1)] ?? 0
  }

  /** A zigzag varint of up to 64 bits: a number where it is exact, a bigint otherwise. */
  readLong(): number | bigint {
    let value = 0
    let scale = 1
    for (let index = 0; index < 7; index += 1) {
      const byte = this.readByte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      scale *= 128
    }
    return this.#readLongTail(BigInt(value))
  }

  #readLongTail(low: bigint): number | bigint {
    let raw = low
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.readByte()
      raw |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) {
        const value = BigInt.asIntN(64, (raw >> 1n) ^ -(raw & 1n))
        return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
      }
    }
    throw this.corrupt('has an integer of more than 64 bits')
  }

  /** An integer that is a length, a count or an index. */
  readCount(what: string): number {
    const count = this.readLong()
    if (typeof count !== 'number') throw this.corrupt(`has an impossible ${what}`)
    return count
  }

  readBytes(): Uint8Array {
    const length = this.readCount('length')
    const start = this.advance(length)
    return this.bytes.slice(start, start + length)
  }

  readString(): string {
    const length = this.readCount('length')
    const start = this.advance(length)
    const text = decodeUtf8(this.bytes.subarray(start, start + length))
    if (text === undefined) throw this.corrupt('has text that is not UTF-8')
    return text
  }

  readFloat(): number {
    return this.#view.getFloat32(this.advance(4), true)
  }

  readDouble(): number {
    return this.#view.getFloat64(this.advance(8), true)
  }
}

/** Compiles the decoder of a type. */
export function compileAvroDecoder(type: AvroType): AvroDecoder {
  switch (type.kind) {
    case 'null':
      return () => null
    case 'boolean':
      return (cursor) => cursor.readByte() !== 0
    case 'int':
    case 'long':
      return (cursor) => cursor.readLong()
    case 'float':
      return (cursor) => cursor.readFloat()
    case 'double':
      return (cursor) => cursor.readDouble()
    case 'bytes':
      return (cursor) => cursor.readBytes()
    case 'string':
      return (cursor) => cursor.readString()
    case 'fixed':
      return (cursor) => {
        const start = cursor.advance(type.sizeBytes)
        return cursor.bytes.slice(start, start + type.sizeBytes)
      }
    case 'enum':
      return (cursor) => pick(type.symbols, cursor)
    case 'union':
      return compileUnion(type.branches.map(compileAvroDecoder))
    case 'array':
      return compileArray(type.items)
    case 'map':
      return compileMap(type.values)
    case 'record':
      return compileRecord(type)
    default:
      return type satisfies never
  }
}

function pick<T>(choices: readonly T[], cursor: AvroCursor): T {
  const choice = choices[cursor.readCount('index')]
  if (choice === undefined) throw cursor.corrupt('has an index outside of its choices')
  return choice
}

function compileUnion(decoders: readonly AvroDecoder[]): AvroDecoder {
  return (cursor) => pick(decoders, cursor)(cursor)
}

function compileRecord(type: Extract<AvroType, { readonly kind: 'record' }>): AvroDecoder {
  const fields = type.fields.map(({ fieldId, name, type: fieldType }) => ({
    key: fieldKey(fieldId, name),
    decode: compileAvroDecoder(fieldType),
  }))
  return (cursor) => {
    const record: Record<string, AvroValue> = {}
    for (const { key, decode } of fields) record[key] = decode(cursor)
    return record
  }
}

function compileArray(items: AvroType): AvroDecoder {
  const setPair = compilePair(items)
  if (setPair) {
    return (cursor) => {
      const map = new Map<AvroValue, AvroValue>()
      readItems(cursor, items.bytesMin, () => {
        setPair(cursor, map)
      })
      return map
    }
  }
  const decode = compileAvroDecoder(items)
  return (cursor) => {
    const values: AvroValue[] = []
    readItems(cursor, items.bytesMin, () => values.push(decode(cursor)))
    return values
  }
}

type PairDecoder = (cursor: AvroCursor, map: Map<AvroValue, AvroValue>) => void

/** Some writers make the pairs optional: a null pair is left out. Undefined where the items are no pairs. */
function compilePair(items: AvroType): PairDecoder | undefined {
  if (items.kind === 'union') {
    const decoders = items.branches.map((branch) =>
      branch.kind === 'null' ? () => undefined : compilePair(branch),
    )
    const known = decoders.filter((decoder) => decoder !== undefined)
    const hasPair = items.branches.some(({ kind }) => kind === 'record')
    return known.length < decoders.length || !hasPair
      ? undefined
      : (cursor, map) => {
          pick(known, cursor)(cursor, map)
        }
  }
  const pair = items.kind === 'record' ? asKeyValue(items.fields) : undefined
  if (!pair) return undefined
  const [decodeFirst, decodeSecond] = [compileAvroDecoder(pair.first), compileAvroDecoder(pair.second)]
  const passSecond = compilePass(pair.second)
  return (cursor, map) => {
    const first = decodeFirst(cursor)
    const { pairKeys } = cursor
    if (!pair.isKeyFirst) {
      const key = decodeSecond(cursor)
      if (!pairKeys || pairKeys.has(key)) map.set(key, first)
    } else if (!pairKeys || pairKeys.has(first)) {
      map.set(first, decodeSecond(cursor))
    } else {
      passSecond(cursor)
    }
  }
}

/** Moves past a value; bounds are not copied for that. */
function compilePass(type: AvroType): (cursor: AvroCursor) => void {
  if (type.kind === 'bytes' || type.kind === 'string') {
    return (cursor) => {
      cursor.advance(cursor.readCount('length'))
    }
  }
  return compileAvroDecoder(type)
}

/** Iceberg writes maps whose keys are not text as arrays of records with a key and a value. */
function asKeyValue(
  fields: readonly { readonly name: string; readonly type: AvroType }[],
): { readonly first: AvroType; readonly second: AvroType; readonly isKeyFirst: boolean } | undefined {
  const [first, second] = fields
  if (!first || !second || fields.length !== 2) return undefined
  const isKeyFirst = first.name === 'key' && second.name === 'value'
  const isValueFirst = first.name === 'value' && second.name === 'key'
  return isKeyFirst || isValueFirst ? { first: first.type, second: second.type, isKeyFirst } : undefined
}

function compileMap(values: AvroType): AvroDecoder {
  const decode = compileAvroDecoder(values)
  return (cursor) => {
    const map = new Map<AvroValue, AvroValue>()
    readItems(cursor, 1 + values.bytesMin, () => map.set(cursor.readString(), decode(cursor)))
    return map
  }
}

/** Reads the blocks of an array or a map. A negative count is followed by the block's size, which is not needed. */
export function readItems(cursor: AvroCursor, itemBytesMin: number, readItem: () => void): void {
  for (;;) {
    let count = cursor.readCount('item count')
    if (count === 0) return
    if (count < 0) {
      count = -count
      cursor.readCount('block size')
    }
    if (itemBytesMin === 0) cursor.takeEmptyItems(count)
    else if (count * itemBytesMin > cursor.remaining) throw cursor.corrupt('has more items than bytes')
    for (let index = 0; index < count; index += 1) readItem()
  }
}
