import { makeData, TimestampMicrosecond } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { cellText } from '@lake/core/values/cell-text.ts'
import { zoneOffsetSeconds } from '../../ui/time-zone.ts'

describe('time zones', () => {
  const raw = BigInt(Date.parse('2025-03-30T01:00:00Z')) * 1_000n + 123_456n
  const at = (value: bigint, zone: string, timezone: string | null = 'UTC') => {
    const type = new TimestampMicrosecond(timezone)
    const data = makeData({ type, length: 1, data: BigInt64Array.of(value) })
    return cellText(data, 0, { sqlType: '', offsetSecondsAt: (ms) => zoneOffsetSeconds(zone, ms) })
  }

  it('[RW4] shift only timestamps that have a zone, and always say the offset', () => {
    expect(at(raw, 'UTC')).toBe('2025-03-30 01:00:00.123456+00')
    expect(at(raw, 'Europe/Berlin')).toBe('2025-03-30 03:00:00.123456+02')
    expect(at(raw - 1_000_000n, 'Europe/Berlin')).toBe('2025-03-30 01:59:59.123456+01')
    expect(at(raw, 'Asia/Kolkata')).toBe('2025-03-30 06:30:00.123456+05:30')
    expect(at(raw, 'America/New_York')).toBe('2025-03-29 21:00:00.123456-04')
    expect(at(raw, 'Europe/Berlin', null)).toBe('2025-03-30 01:00:00.123456')
  })

  it('leave infinities and what no calendar reaches in UTC', () => {
    expect(at(9_223_372_036_854_775_807n, 'Asia/Tokyo')).toBe('infinity')
    expect(at(9_223_000_000_000_000_000n, 'Asia/Tokyo')).toMatch(/\+00$/)
  })
})
