// Partition transforms: parsing, application and result types. Source: Iceberg table spec, "Partition Transforms" and
// appendix B. All time transforms are in UTC and round down, also before 1970. What cannot be computed is `undefined`,
// and then nothing is concluded from it.
import { civilFromDays, floorDivide } from './civil-time.ts'
import { encodeSignedBigEndian } from './literal-bytes.ts'
import { murmur3 } from './murmur3.ts'
import type { LiteralValue, PrimitiveType } from './types.ts'
import { encodeUtf8 } from './utf8.ts'

export type Transform =
  | { readonly kind: 'identity' | 'void' | 'year' | 'month' | 'day' | 'hour' }
  | { readonly kind: 'bucket'; readonly bucketCount: number }
  | { readonly kind: 'truncate'; readonly width: number }
  /** A transform of a later version, or a malformed one. */
  | { readonly kind: 'unknown' }

const PARAMETERIZED = /^(bucket|truncate)\[\s*(\d{1,10})\s*\]$/
const INT_MAX = 2n ** 31n - 1n
const LONG_MAX = 2n ** 63n - 1n
const MICROS_PER_DAY = 86_400_000_000n
const HOURS_PER_DAY = 24n
const EPOCH_YEAR = 1_970

/** Parses a transform's text, such as `bucket[16]`. Never throws: what is not known is kind `unknown`. */
export function parseTransform(text: string): Transform {
  const lower = text.toLowerCase()
  switch (lower) {
    case 'identity':
    case 'void':
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
      return { kind: lower }
    default: {
      const match = PARAMETERIZED.exec(lower)
      const parameter = Number(match?.[2] ?? '0')
      if (!match || parameter < 1 || parameter > Number(INT_MAX)) return { kind: 'unknown' }
      return match[1] === 'bucket'
        ? { kind: 'bucket', bucketCount: parameter }
        : { kind: 'truncate', width: parameter }
    }
  }
}

/** Type of the transform's values; undefined where it does not apply to the source type. */
export function transformResultType(transform: Transform, source: PrimitiveType): PrimitiveType | undefined {
  switch (transform.kind) {
    case 'identity':
    case 'void':
      return source
    case 'bucket':
      return isHashable(source) ? { kind: 'int' } : undefined
    case 'truncate':
      return isTruncatable(source) ? source : undefined
    case 'year':
    case 'month':
      return isDated(source) ? { kind: 'int' } : undefined
    case 'day':
      return isDated(source) ? { kind: 'date' } : undefined
    case 'hour':
      return isDated(source) && source.kind !== 'date' ? { kind: 'int' } : undefined
    case 'unknown':
      return undefined
    default:
      return transform satisfies never
  }
}

/**
 * The partition value of a column's value; null for null.
 * @returns undefined where the transform is unknown, does not apply, or its result leaves the result type's range
 */
export function applyTransform(
  transform: Transform,
  source: PrimitiveType,
  value: LiteralValue | null,
): LiteralValue | null | undefined {
  if (transform.kind === 'unknown' || !transformResultType(transform, source)) return undefined
  if (value === null || transform.kind === 'void') return null
  switch (transform.kind) {
    case 'identity':
      return value
    case 'bucket': {
      const hash = hashLiteral(source, value)
      return hash === undefined ? undefined : BigInt((hash & 0x7fff_ffff) % transform.bucketCount)
    }
    case 'truncate':
      return truncateLiteral(source, value, transform.width)
    default: {
      if (typeof value !== 'bigint') return undefined
      const result = applyTimeTransform(transform.kind, source, value)
      return result !== undefined && result >= -INT_MAX - 1n && result <= INT_MAX ? result : undefined
    }
  }
}

/** The bucket transform's hash, a signed 32-bit integer; undefined for types that have none. */
export function hashLiteral(type: PrimitiveType, value: LiteralValue): number | undefined {
  if (!isHashable(type)) return undefined
  if (typeof value === 'string') return murmur3(encodeUtf8(value))
  if (value instanceof Uint8Array) return murmur3(value)
  if (typeof value !== 'bigint') return undefined
  if (type.kind === 'decimal') return murmur3(encodeSignedBigEndian(value))
  const isNanos = type.kind === 'timestamp_ns' || type.kind === 'timestamptz_ns'
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, isNanos ? floorDivide(value, 1_000n) : value, true)
  return murmur3(bytes)
}

function truncateLiteral(type: PrimitiveType, value: LiteralValue, width: number): LiteralValue | undefined {
  if (typeof value === 'string') return truncateText(value, width)
  if (value instanceof Uint8Array) return value.slice(0, width)
  if (typeof value !== 'bigint') return undefined
  const divisor = BigInt(width)
  const truncated = floorDivide(value, divisor) * divisor
  const min = type.kind === 'int' ? -INT_MAX - 1n : -LONG_MAX - 1n
  return type.kind !== 'decimal' && truncated < min ? undefined : truncated
}

/** The first `length` code points. */
export function truncateText(text: string, length: number): string {
  // No more code points than UTF-16 units.
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('')
}

function applyTimeTransform(
  kind: 'year' | 'month' | 'day' | 'hour',
  source: PrimitiveType,
  value: bigint,
): bigint | undefined {
  const unitsPerDay = unitsPerDayOf(source)
  if (kind === 'hour') return floorDivide(value * HOURS_PER_DAY, unitsPerDay)
  const days = floorDivide(value, unitsPerDay)
  if (kind === 'day') return days
  const { year, month } = civilFromDays(Number(days))
  return BigInt(kind === 'year' ? year - EPOCH_YEAR : (year - EPOCH_YEAR) * 12 + month - 1)
}

function unitsPerDayOf(type: PrimitiveType): bigint {
  if (type.kind === 'date') return 1n
  return type.kind === 'timestamp_ns' || type.kind === 'timestamptz_ns'
    ? MICROS_PER_DAY * 1_000n
    : MICROS_PER_DAY
}

/**
 * False for partition values that writers are known to get by overflow: Java's truncate wraps below the type's least
 * value, and hours wrap for years beyond 246953. Order says nothing of such a value.
 */
export function isReliablePartitionValue(
  transform: Transform,
  source: PrimitiveType,
  value: LiteralValue,
): boolean {
  if (typeof value !== 'bigint') return true
  if (transform.kind === 'hour') return value > -1_700_000_000n && value < 1_700_000_000n
  if (transform.kind !== 'truncate' || (source.kind !== 'int' && source.kind !== 'long')) return true
  const width = BigInt(transform.width)
  const isWrapped = (max: bigint): boolean => value > max - width && value <= max
  return !isWrapped(INT_MAX) && !(source.kind === 'long' && isWrapped(LONG_MAX))
}

function isDated(type: PrimitiveType): boolean {
  return type.kind === 'date' || type.kind.startsWith('timestamp')
}

function isTruncatable(type: PrimitiveType): boolean {
  return ['int', 'long', 'decimal', 'string', 'binary'].includes(type.kind)
}

function isHashable(type: PrimitiveType): boolean {
  return (
    isDated(type) ||
    isTruncatable(type) ||
    type.kind === 'time' ||
    type.kind === 'uuid' ||
    type.kind === 'fixed'
  )
}
