import { describe, expect, it } from 'vitest'
import { zoneOffsetSeconds } from './time-zone.ts'

const at = (iso: string) => Date.parse(iso)

describe('zoneOffsetSeconds', () => {
  it.each([
    ['UTC', '2025-01-03T08:49:50Z', 0],
    ['Europe/Berlin', '2025-01-03T08:49:50.999Z', 3_600],
    ['Europe/Berlin', '2025-07-03T08:49:50Z', 7_200],
    ['Europe/Berlin', '2025-03-30T00:59:59Z', 3_600],
    ['Europe/Berlin', '2025-03-30T01:00:00Z', 7_200],
    ['Asia/Kolkata', '2025-01-03T23:49:50Z', 19_800],
    ['America/New_York', '1969-12-31T23:59:59.500Z', -18_000],
    ['Asia/Tokyo', '-000100-01-01T00:00:00Z', 33_539],
  ])('%s at %s', (zone, iso, seconds) => expect(zoneOffsetSeconds(zone, at(iso))).toBe(seconds))

  it('is not known beyond the calendar', () => {
    expect(zoneOffsetSeconds('Asia/Tokyo', 9e15)).toBeNull()
    expect(zoneOffsetSeconds('Asia/Tokyo', Number.NaN)).toBeNull()
  })
})
