// Exact text of any Arrow value, read from the raw buffers: `Vector.get()` rounds timestamps and drops decimal points.
// Null is null and every other value is a string, so that NULL, '' and 'NULL' stay apart. Columns are addressed by
// index, never by name: names may repeat.
import {
  DataType,
  DateUnit,
  IntervalUnit,
  Precision,
  TimeUnit,
  Type,
  Vector,
  type Data,
  type Field,
} from 'apache-arrow'
import { FIELD_TYPE_KEY } from '../api/wire-keys.ts'
import { formatDate } from '../iceberg/civil-time.ts'
import { formatWkt } from '../iceberg/wkt.ts'
import {
  bigintOfWords,
  decimalText,
  doubleText,
  floatText,
  halfToNumber,
  hexText,
  uuidText,
} from './number-text.ts'
import {
  date32Text,
  intervalText,
  timestampText,
  timeText,
  zonedTimestampText,
  type OffsetSecondsAt,
} from './temporal-text.ts'
import { isNested, nestedText, type NestedForm } from './nested-text.ts'

/** How a column is read. `sqlType` is the engine's spelling; it tells a UUID from other binary. */
export interface TextOptions {
  sqlType: string
  /** At most about this many characters of long text or binary; whole values when absent. */
  charsMax?: number
  /** Of the zone in which timestamps that have one are written; UTC when absent. */
  offsetSecondsAt?: OffsetSecondsAt | undefined
}

const UNITS_PER_SECOND: Record<TimeUnit, bigint> = {
  [TimeUnit.SECOND]: 1n,
  [TimeUnit.MILLISECOND]: 1_000n,
  [TimeUnit.MICROSECOND]: 1_000_000n,
  [TimeUnit.NANOSECOND]: 1_000_000_000n,
}

const decoder = new TextDecoder()

/** Bytes of a variable-length value, cut to `bytesMax`. */
function bytesAt(data: Data, index: number, bytesMax = Number.POSITIVE_INFINITY): Uint8Array {
  const start = Number(data.valueOffsets[index])
  const end = Number(data.valueOffsets[index + 1])
  return (data.values as Uint8Array).subarray(start, Math.min(end, start + bytesMax))
}

function binaryText(bytes: Uint8Array, { sqlType, charsMax }: TextOptions): string {
  if (sqlType === 'UUID' && bytes.length === 16) return uuidText(bytes)
  // What is no geometry after all is shown as what it is.
  return (sqlType === 'GEOMETRY' ? formatWkt(bytes, charsMax) : undefined) ?? hexText(bytes)
}

function dictionaryText(data: Data, index: number, options: TextOptions): string | null {
  let key = Number(data.values[index])
  for (const chunk of data.dictionary?.data ?? []) {
    if (key < chunk.length) return cellText(chunk, key, options)
    key -= chunk.length
  }
  return null
}

function intervalCellText(data: Data, index: number): string {
  const words = data.values as Int32Array
  const { unit } = data.type as DataType & { unit: IntervalUnit }
  if (unit === IntervalUnit.YEAR_MONTH) return intervalText(words[index] ?? 0, 0, 0n)
  if (unit === IntervalUnit.DAY_TIME)
    return intervalText(0, words[index * 2] ?? 0, BigInt(words[index * 2 + 1] ?? 0) * 1_000_000n)
  const low = BigInt((words[index * 4 + 2] ?? 0) >>> 0)
  const high = BigInt(words[index * 4 + 3] ?? 0)
  return intervalText(words[index * 4] ?? 0, words[index * 4 + 1] ?? 0, (high << 32n) | low)
}

function floatCellText(data: Data, index: number): string {
  const value = Number(data.values[index])
  switch ((data.type as DataType & { precision: Precision }).precision) {
    case Precision.HALF:
      return floatText(halfToNumber(value))
    case Precision.SINGLE:
      return floatText(value)
    case Precision.DOUBLE:
      return doubleText(value)
  }
}

function decimalCellText(data: Data, index: number): string {
  const { bitWidth, scale } = data.type as DataType & { bitWidth: number; scale: number }
  const wordCount = bitWidth / 32
  return decimalText(bigintOfWords(data.values as Uint32Array, index * wordCount, wordCount), scale)
}

function scalarText(data: Data, index: number, options: TextOptions): string | null {
  const { type } = data
  if (DataType.isTimestamp(type)) {
    const raw = (data.values as BigInt64Array)[index] ?? 0n
    const unitsPerSecond = UNITS_PER_SECOND[type.unit]
    return type.timezone
      ? zonedTimestampText(raw, unitsPerSecond, options.offsetSecondsAt)
      : timestampText(raw, unitsPerSecond, false)
  }
  if (DataType.isDate(type))
    return type.unit === DateUnit.DAY
      ? date32Text(Number(data.values[index]))
      : formatDate(Math.floor(Number((data.values as BigInt64Array)[index]) / 86_400_000))
  if (DataType.isTime(type))
    return timeText(BigInt((data.values as Int32Array)[index] ?? 0), UNITS_PER_SECOND[type.unit])
  if (DataType.isDuration(type)) {
    const scale = 1_000_000_000n / UNITS_PER_SECOND[type.unit]
    return intervalText(0, 0, ((data.values as BigInt64Array)[index] ?? 0n) * scale)
  }
  if (DataType.isFixedSizeBinary(type)) {
    const bytes = (data.values as Uint8Array).subarray(index * type.byteWidth, (index + 1) * type.byteWidth)
    return binaryText(bytes, options)
  }
  // Views of text and binary hold nothing that the library's own reader gets wrong.
  const value: unknown = new Vector([data]).get(index)
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? binaryText(value, options) : '(a value of a type that is not shown)'
}

const BARE = new Set<Type>([Type.Int, Type.Float, Type.Decimal, Type.Bool, Type.Null])

/** For reading and copying, not for JSON.parse: numbers keep all digits, and keys that are no text stand unquoted. */
const READABLE: NestedForm = {
  valueText(data, index, sqlType) {
    const text = cellText(data, index, { sqlType })
    if (text === null) return 'null'
    const type = data.type as { typeId: Type; dictionary?: { typeId: Type } }
    const kind = type.typeId === Type.Dictionary ? (type.dictionary?.typeId ?? Type.Utf8) : type.typeId
    return BARE.has(kind) || isNested(kind) ? text : JSON.stringify(text)
  },
  keyText: (data, index, sqlType) => READABLE.valueText(data, index, sqlType),
}

/** Text of row `index` of one column's data; null for NULL. */
export function cellText(data: Data, index: number, options: TextOptions): string | null {
  if (data.typeId === Type.Null || !data.getValid(index)) return null
  switch (data.typeId as Type) {
    case Type.Int:
      return String(data.values[index])
    case Type.Float:
      return floatCellText(data, index)
    case Type.Decimal:
      return decimalCellText(data, index)
    case Type.Bool: {
      const bit = data.offset + index
      return ((data.values[bit >> 3] ?? 0) >> (bit & 7)) & 1 ? 'true' : 'false'
    }
    case Type.Utf8:
    case Type.LargeUtf8:
      return decoder.decode(bytesAt(data, index, options.charsMax && options.charsMax * 4))
    case Type.Binary:
    case Type.LargeBinary:
      return binaryText(
        bytesAt(data, index, options.sqlType === 'GEOMETRY' ? undefined : options.charsMax),
        options,
      )
    case Type.Dictionary:
      return dictionaryText(data, index, options)
    case Type.Interval:
      return intervalCellText(data, index)
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList:
    case Type.Struct:
    case Type.Map:
      return nestedText(data, index, READABLE)
    default:
      return scalarText(data, index, options)
  }
}

const NUMERIC = new Set<Type>([Type.Int, Type.Float, Type.Decimal])

/** The engine's spelling of a column's type, or Arrow's where the stream names none. */
export function sqlTypeOf(field: Field): string {
  return field.metadata.get(FIELD_TYPE_KEY) ?? String(field.type)
}

/** Numbers align right; all else left. */
export function isNumeric(field: Field): boolean {
  return NUMERIC.has(field.type.typeId as Type) || sqlTypeOf(field) === 'UHUGEINT'
}
