// Text of dates, times, timestamps and intervals, as the engine itself would write them (CAST … AS VARCHAR), from the
// raw integers. Calendar arithmetic is done on whole days, so years beyond 9999 and before 1 are right.
// A timestamp without zone is never shifted; one with zone is shown in UTC, or with the offset asked for, and says so.
import { formatDate } from '../iceberg/civil-time.ts'

const pad = (value: number | bigint, width: number): string => String(value).padStart(width, '0')

const DATE_INFINITY = 2_147_483_647

/** Date32, with the engine's two infinities. */
export function date32Text(days: number): string {
  if (days === DATE_INFINITY) return 'infinity'
  if (days === -DATE_INFINITY) return '-infinity'
  return formatDate(days)
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

/** Seconds that a zone is ahead of UTC at an instant; null where no calendar reaches it. */
export type OffsetSecondsAt = (ms: number) => number | null

/** A timestamp with zone as it reads where `offsetSecondsAt` is from, with the offset of that moment; UTC without it. */
export function zonedTimestampText(
  raw: bigint,
  unitsPerSecond: bigint,
  offsetSecondsAt: OffsetSecondsAt | undefined,
): string {
  const isFinite = raw !== INT64_MAX && raw !== -INT64_MAX
  const offset = isFinite ? offsetSecondsAt?.(Number((raw * 1_000n) / unitsPerSecond)) : null
  if (offset === null || offset === undefined || offset === 0) return timestampText(raw, unitsPerSecond, true)
  return timestampText(raw + BigInt(offset) * unitsPerSecond, unitsPerSecond, false) + offsetText(offset)
}

/** A timestamp from its raw count of units since the epoch; `hasZone` appends `+00`. */
export function timestampText(value: bigint, unitsPerSecond: bigint, hasZone: boolean): string {
  if (value === INT64_MAX) return 'infinity'
  if (value === -INT64_MAX) return '-infinity'
  const unitsPerDay = 86_400n * unitsPerSecond
  let timeOfDay = value % unitsPerDay
  if (timeOfDay < 0n) timeOfDay += unitsPerDay
  const date = formatDate(Number((value - timeOfDay) / unitsPerDay))
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
