// Quantities for people: counts, bytes, durations, ages and instants. Always en-US digits and UTC, so that two people
// who look at the same receipt read the same words.

const counts = new Intl.NumberFormat('en-US')

export const countText = (count: number | bigint): string => counts.format(count)

export const countedText = (count: number, unit: string): string =>
  `${countText(count)} ${unit}${count === 1 ? '' : 's'}`

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Decimal units, two or three digits: 2.1 MB. */
export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? 'B'}`
}

/** 240 ms, 1.9 s, 2 min 05 s. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(seconds / 3_600)} h ${String(Math.floor((seconds % 3_600) / 60)).padStart(2, '0')} min`
}

/** 14 min ago; `just now` below ten seconds and for clocks that disagree. */
export function ageText(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1_000)
  if (seconds < 10) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ago`
  return `${countText(Math.floor(seconds / 86_400))} days ago`
}

/** 2026-09-01 09:12:33 UTC */
export function instantText(ms: number): string {
  const iso = new Date(ms).toISOString()
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`
}

/** 6361…0172: enough to recognise; the whole id is a click away. */
export function shortId(id: string): string {
  return id.length <= 11 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`
}
