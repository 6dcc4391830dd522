// Dates and times as text and as counts from 1970-01-01, in bigint throughout: `Date` would lose micros and nanos.
// Proleptic Gregorian calendar with astronomical years (0 is 1 BC), as in Iceberg and in DuckDB. No zones but fixed offsets.

export const NANOS_PER_DAY = 86_400_000_000_000n
const NANOS_PER_SECOND = 1_000_000_000n
/** Beyond the years that 32 bits of days hold. */
const YEAR_MAX = 5_900_000

export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

/** Integer division that rounds down, also for negative numbers. */
export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor !== 0n && dividend < 0n !== divisor < 0n ? quotient - 1n : quotient
}

/** Days from 1970-01-01. The day may exceed its month; callers check it. */
export function daysFromCivil({ year, month, day }: CivilDate): number {
  // Eras of 400 years that begin on 1 March, so that the leap day comes last (Howard Hinnant's days_from_civil).
  const shiftedYear = month <= 2 ? year - 1 : year
  const era = Math.floor(shiftedYear / 400)
  const yearOfEra = shiftedYear - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  }
}

export interface ParsedMoment {
  /** Days from 1970-01-01. */
  readonly days: number
  /** Nanoseconds of the day as written. */
  readonly nanosOfDay: bigint
  /** Offset east of UTC; undefined where none is written. */
  readonly offsetSeconds: number | undefined
}

const MOMENT =
  /^(-?\d{4,7})-(\d{1,2})-(\d{1,2})( \(BC\))?(?:[ T](\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,12})?)?) ?(Z|UTC|[+-]\d{2}(?::?\d{2}(?::\d{2})?)?)?)?$/i
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,12}))?)?$/

/** Parses `YYYY-MM-DD`, with a time of day and an offset where written; undefined for anything else. */
export function parseMoment(text: string): ParsedMoment | undefined {
  const match = MOMENT.exec(text.trim())
  if (!match) return undefined
  const writtenYear = Number(match[1])
  const year = match[4] === undefined ? writtenYear : 1 - writtenYear
  const date = { year, month: Number(match[2]), day: Number(match[3]) }
  if (Math.abs(year) > YEAR_MAX || date.month < 1 || date.month > 12 || date.day < 1) return undefined
  const days = daysFromCivil(date)
  if (civilFromDays(days).day !== date.day) return undefined
  const nanosOfDay = match[5] === undefined ? 0n : parseNanosOfDay(match[5])
  const offsetSeconds = match[6] === undefined ? undefined : parseOffsetSeconds(match[6])
  return nanosOfDay === undefined ? undefined : { days, nanosOfDay, offsetSeconds }
}

/** Parses `HH:MM[:SS[.fraction]]`; undefined for anything else, or where the fraction is finer than a nanosecond. */
export function parseNanosOfDay(text: string): bigint | undefined {
  const match = TIME.exec(text.trim())
  if (!match) return undefined
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')]
  const fraction = (match[4] ?? '').padEnd(9, '0')
  if (hour > 23 || minute > 59 || second > 59 || Number(fraction.slice(9)) !== 0) return undefined
  return BigInt(hour * 3_600 + minute * 60 + second) * NANOS_PER_SECOND + BigInt(fraction.slice(0, 9))
}

function parseOffsetSeconds(text: string): number {
  if (/^(?:z|utc)$/i.test(text)) return 0
  const digits = text.slice(1).replaceAll(':', '').padEnd(6, '0')
  const seconds =
    Number(digits.slice(0, 2)) * 3_600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4))
  return text.startsWith('-') ? -seconds : seconds
}

/** `2024-01-31`; years before 1 as DuckDB writes and reads them: `0044-03-15 (BC)`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days)
  const shownYear = year > 0 ? year : 1 - year
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${String(shownYear).padStart(4, '0')}-${two(month)}-${two(day)}${year > 0 ? '' : ' (BC)'}`
}

/** `01:02:03` with as many digits of a fraction as asked for (6 or 9), none when the fraction is zero. */
export function formatTimeOfDay(nanosOfDay: bigint, fractionDigits: 6 | 9): string {
  const seconds = Number(nanosOfDay / NANOS_PER_SECOND)
  const two = (value: number): string => String(value).padStart(2, '0')
  const clock = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const fraction = String(nanosOfDay % NANOS_PER_SECOND)
    .padStart(9, '0')
    .slice(0, fractionDigits)
  return Number(fraction) === 0 ? clock : `${clock}.${fraction}`
}
