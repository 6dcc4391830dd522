// Text of dates, times, timestamps and intervals, as the engine itself would write them (CAST … AS VARCHAR), from the
// raw integers. Calendar arithmetic is done on whole days, so years beyond 9999 and before 1 are right.
// A timestamp without zone is never shifted; one with zone is shown in UTC, or in the zone asked for, and says so.
import { zoneOffsetSeconds } from '../../ui/time-zone.ts'

const pad = (value: number | bigint, width: number): string => String(value).padStart(width, '0')

const DAYS_PER_ERA = 146_097

/** Days since 1970-01-01 to `yyyy-mm-dd`, with ` (BC)` for years before 1. Proleptic Gregorian. */
export function dateText(days: number): string {
  // Howard Hinnant's civil_from_days: eras of 400 years that start on 1 March.
  const shifted = days + 719_468
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const shownYear = year > 0 ? year : 1 - year
  return `${pad(shownYear, 4)}-${pad(month, 2)}-${pad(day, 2)}${year > 0 ? '' : ' (BC)'}`
}

const DATE_INFINITY = 2_147_483_647

/** Date32, with the engine's two infinities. */
export function date32Text(days: number): string {
  if (days === DATE_INFINITY) return 'infinity'
  if (days === -DATE_INFINITY) return '-infinity'
  return dateText(days)
}

/** `hh:mm:ss` and the fraction without trailing zeros. `unitsPerSecond` is 1, 1e3, 1e6 or 1e9. */
export function timeText(value: bigint, unitsPerSecond: bigint): string {
  const seconds = value / unitsPerSecond
  const fraction = value % unitsPerSecond
  const clock = `${pad(seconds / 3_600n, 2)}:${pad((seconds / 60n) % 60n, 2)}:${pad(seconds % 60n, 2)}`
  if (fraction === 0n) return clock
  const digits = pad(fraction, unitsPerSecond.toString().length - 1).replace(/0+$/, '')
  return `${clock}.${digits}`
}

const INT64_MAX = 9_223_372_036_854_775_807n

/** `+02`, `-05:30`, and with seconds where a zone had them. */
function offsetText(seconds: number): string {
  const distance = Math.abs(seconds)
  const parts = [Math.floor(distance / 3_600), Math.floor(distance / 60) % 60, distance % 60]
  while (parts.length > 1 && parts.at(-1) === 0) parts.pop()
  return (seconds < 0 ? '-' : '+') + parts.map((part) => pad(part, 2)).join(':')
}

/** A timestamp with zone as it reads in `zone`, with the offset of that moment. */
export function zonedTimestampText(raw: bigint, unitsPerSecond: bigint, zone: string): string {
  const isFinite = raw !== INT64_MAX && raw !== -INT64_MAX
  const offset = isFinite ? zoneOffsetSeconds(zone, Number((raw * 1_000n) / unitsPerSecond)) : null
  if (offset === null || offset === 0) return timestampText(raw, unitsPerSecond, true)
  return timestampText(raw + BigInt(offset) * unitsPerSecond, unitsPerSecond, false) + offsetText(offset)
}

/** A timestamp from its raw count of units since the epoch; `hasZone` appends `+00`. */
export function timestampText(value: bigint, unitsPerSecond: bigint, hasZone: boolean): string {
  if (value === INT64_MAX) return 'infinity'
  if (value === -INT64_MAX) return '-infinity'
  const unitsPerDay = 86_400n * unitsPerSecond
  let timeOfDay = value % unitsPerDay
  if (timeOfDay < 0n) timeOfDay += unitsPerDay
  const date = dateText(Number((value - timeOfDay) / unitsPerDay))
  const bc = date.endsWith(' (BC)') ? ' (BC)' : ''
  const day = bc === '' ? date : date.slice(0, -bc.length)
  return `${day}${bc} ${timeText(timeOfDay, unitsPerSecond)}${hasZone ? '+00' : ''}`
}

const counted = (count: number, unit: string): string => `${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`

/** Months, days and nanoseconds of an interval are independent; a zero interval is `00:00:00`. */
export function intervalText(months: number, days: number, nanoseconds: bigint): string {
  const parts: string[] = []
  const years = Math.trunc(months / 12)
  if (years !== 0) parts.push(counted(years, 'year'))
  if (months % 12 !== 0) parts.push(counted(months % 12, 'month'))
  if (days !== 0) parts.push(counted(days, 'day'))
  if (nanoseconds !== 0n || parts.length === 0) {
    const clock = timeText(nanoseconds < 0n ? -nanoseconds : nanoseconds, 1_000_000_000n)
    parts.push(nanoseconds < 0n ? `-${clock}` : clock)
  }
  return parts.join(' ')
}
