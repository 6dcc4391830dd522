// The zone in which times that have one are shown: UTC unless the person chooses another. Times without a zone are
// never shifted. The offset is always written, so a shown time means the same instant everywhere.
import { useSyncExternalStore } from 'react'
import { ZONE_OFFSETS_KEPT_MAX } from '../limits.ts'

const STORAGE_KEY = 'lake.time-zone'
const listeners = new Set<() => void>()

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    // The browser does not know the zone.
    return false
  }
}

function readZone(): string {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return stored !== null && isZone(stored) ? stored : 'UTC'
  } catch {
    // Without storage it is UTC.
    return 'UTC'
  }
}

let current = readZone()

export function chooseZone(zone: string): void {
  current = zone
  try {
    localStorage.setItem(STORAGE_KEY, zone)
  } catch {
    // The choice then lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export const useZone = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )

const FORMAT_MS_MAX = 8_640_000_000_000_000
const QUARTER_MS = 900_000
const formats = new Map<string, Intl.DateTimeFormat>()
const offsets = new Map<string, number>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}

function readOffset(zone: string, ms: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year')
  const shown = new Date(0)
  shown.setUTCFullYear(year, part('month') - 1, part('day'))
  shown.setUTCHours(part('hour'), part('minute'), part('second'))
  return Math.round((shown.getTime() - Math.floor(ms / 1_000) * 1_000) / 1_000)
}

/** Seconds that a zone is ahead of UTC at an instant; null where no calendar of the browser reaches it. */
export function zoneOffsetSeconds(zone: string, ms: number): number | null {
  if (zone === 'UTC') return 0
  if (!(Math.abs(ms) < FORMAT_MS_MAX)) return null
  // Offsets change at quarters of an hour.
  const key = `${zone} ${Math.floor(ms / QUARTER_MS)}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  if (offsets.size >= ZONE_OFFSETS_KEPT_MAX) offsets.clear()
  const offset = readOffset(zone, ms)
  offsets.set(key, offset)
  return offset
}
