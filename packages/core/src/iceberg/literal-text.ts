// Parsing of the text of SQL constants, type by type; `literal.ts` chooses. Undefined where the text is not exactly a
// value of the type.
import { NANOS_PER_DAY, parseMoment, parseNanosOfDay } from './civil-time.ts'

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/
const DIGITS_MAX = 400
const NANOS_PER_MICRO = 1_000n
const NANOS_PER_SECOND = 1_000_000_000n
const LONG_MAX = 2n ** 63n - 1n
const INT_MAX = 2n ** 31n - 1n

/** Parses a number, also with an exponent, into `value * 10^scale`, within `[min, max]`. */
export function parseDecimal(
  text: string,
  options: { readonly scale: number; readonly min: bigint; readonly max: bigint },
): bigint | undefined {
  const match = DECIMAL.exec(text.trim())
  if (!match) return undefined
  const [whole, fraction] = [match[2] ?? '', match[3] ?? '']
  const digits = whole + fraction
  if (digits.length === 0 || digits.length > DIGITS_MAX) return undefined
  const shift = Number(match[4] ?? '0') - fraction.length + options.scale
  if (Math.abs(shift) > DIGITS_MAX) return Number(digits) === 0 ? 0n : undefined
  const magnitude = shiftDecimal(BigInt(digits), shift)
  if (magnitude === undefined) return undefined
  const value = match[1] === '-' ? -magnitude : magnitude
  return value < options.min || value > options.max ? undefined : value
}

function shiftDecimal(digits: bigint, shift: number): bigint | undefined {
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  return digits % divisor === 0n ? digits / divisor : undefined
}

/** Parses a floating-point number, rounded to the nearest; text beyond the type's range is undefined. */
export function parseNumber(text: string, kind: 'float' | 'double'): number | undefined {
  const trimmed = text.trim()
  if (/^[+-]?nan$/i.test(trimmed)) return Number.NaN
  const infinity = /^([+-]?)inf(?:inity)?$/i.exec(trimmed)
  if (infinity) return infinity[1] === '-' ? -Infinity : Infinity
  if (!DECIMAL.test(trimmed) || !/\d/.test(trimmed)) return undefined
  const value = kind === 'float' ? Math.fround(Number(trimmed)) : Number(trimmed)
  return Number.isFinite(value) ? value : undefined
}

/** Microseconds of the day. */
export function parseTimeMicros(text: string): bigint | undefined {
  const nanos = parseNanosOfDay(text)
  return nanos === undefined || nanos % NANOS_PER_MICRO !== 0n ? undefined : nanos / NANOS_PER_MICRO
}

export type MomentKind = 'date' | 'timestamp' | 'timestamptz' | 'timestamp_ns' | 'timestamptz_ns'

/** Days, micros or nanos from 1970-01-01, as the type counts. */
export function parseMomentAs(kind: MomentKind, text: string): bigint | undefined {
  const moment = parseMoment(text)
  if (!moment) return undefined
  const hasZone = kind === 'timestamptz' || kind === 'timestamptz_ns'
  if (moment.offsetSeconds !== undefined && !hasZone) return undefined
  const offset = BigInt(moment.offsetSeconds ?? 0) * NANOS_PER_SECOND
  const nanos = BigInt(moment.days) * NANOS_PER_DAY + moment.nanosOfDay - offset
  if (kind === 'date') return divideExactly(nanos, NANOS_PER_DAY, INT_MAX)
  return divideExactly(nanos, kind.endsWith('_ns') ? 1n : NANOS_PER_MICRO, LONG_MAX)
}

function divideExactly(nanos: bigint, unit: bigint, max: bigint): bigint | undefined {
  const value = nanos / unit
  return nanos % unit !== 0n || value > max || value < -max - 1n ? undefined : value
}

/** Parses a blob as DuckDB prints it: printable ASCII as itself, other bytes as `\xAB`. */
export function parseDuckDbBlob(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') {
      const hex = /^x([0-9a-f]{2})$/i.exec(text.slice(index + 1, index + 4))
      if (!hex?.[1]) return undefined
      bytes.push(Number.parseInt(hex[1], 16))
      index += 3
    } else {
      const unit = text.charCodeAt(index)
      if (unit > 127) return undefined
      bytes.push(unit)
    }
  }
  return Uint8Array.from(bytes)
}
