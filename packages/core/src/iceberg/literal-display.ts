// Values as plain text, without quotes and type: what DuckDB reads back as exactly this value when it casts the text.
// Also the words of partition values for people, which hide that a month is a count of months.
import { assertNever } from '../assert.ts'
import { floorDivide, formatDate, formatTimeOfDay, NANOS_PER_DAY } from './civil-time.ts'
import { formatDecimal, formatUuid } from './literal.ts'
import type { Transform } from './transform.ts'
import type { LiteralValue, PrimitiveType } from './types.ts'

const NANOS_PER_MICRO = 1_000n
const EPOCH_YEAR = 1_970n
const MONTHS_PER_YEAR = 12n
const HOURS_PER_DAY = 24n

/** The text of a value; types without literals (variant, geometry, unknown) get JavaScript's. */
export function formatLiteral(type: PrimitiveType, value: LiteralValue): string {
  switch (type.kind) {
    case 'float':
    case 'double':
      return Object.is(value, -0) ? '-0.0' : String(value)
    case 'decimal':
      return formatDecimal(value as bigint, type.scale)
    case 'date':
      return formatDate(Number(value))
    case 'time':
      return formatTimeOfDay((value as bigint) * NANOS_PER_MICRO, 6)
    case 'timestamp':
      return formatMoment((value as bigint) * NANOS_PER_MICRO, 6)
    case 'timestamptz':
      return `${formatMoment((value as bigint) * NANOS_PER_MICRO, 6)}+00`
    case 'timestamp_ns':
      return formatMoment(value as bigint, 9)
    case 'timestamptz_ns':
      return `${formatMoment(value as bigint, 9)}+00`
    case 'uuid':
      return formatUuid(value as Uint8Array)
    case 'fixed':
    case 'binary':
      return formatBlob(value as Uint8Array)
    case 'boolean':
    case 'int':
    case 'long':
    case 'string':
    case 'unknown':
    case 'variant':
    case 'geometry':
    case 'geography':
      return String(value)
    default:
      return assertNever(type)
  }
}

const BYTE_TEXTS = Array.from(
  { length: 256 },
  (_byte, value) => `\\x${value.toString(16).padStart(2, '0').toUpperCase()}`,
)

/** Every byte as `\xAB`, which DuckDB casts to a BLOB. */
function formatBlob(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += BYTE_TEXTS[byte]
  return text
}

/** A partition value for people: `2024`, `2024-03`, `2024-03-01-13` for year, month and hour; the value elsewhere. */
export function formatPartitionValue(transform: Transform, type: PrimitiveType, value: LiteralValue): string {
  if (typeof value !== 'bigint') return formatLiteral(type, value)
  switch (transform.kind) {
    case 'year':
      return padYear(EPOCH_YEAR + value)
    case 'month': {
      const years = floorDivide(value, MONTHS_PER_YEAR)
      return `${padYear(EPOCH_YEAR + years)}-${padTwo(value - years * MONTHS_PER_YEAR + 1n)}`
    }
    case 'day':
      return formatDate(Number(value))
    case 'hour': {
      const days = floorDivide(value, HOURS_PER_DAY)
      return `${formatDate(Number(days))}-${padTwo(value - days * HOURS_PER_DAY)}`
    }
    default:
      return formatLiteral(type, value)
  }
}

const padYear = (year: bigint): string => String(year).padStart(4, '0')
const padTwo = (value: bigint): string => String(value).padStart(2, '0')

function formatMoment(nanos: bigint, fractionDigits: 6 | 9): string {
  const days = floorDivide(nanos, NANOS_PER_DAY)
  return `${formatDate(Number(days))} ${formatTimeOfDay(nanos - days * NANOS_PER_DAY, fractionDigits)}`
}
