import { describe, expect, it } from 'vitest'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { commitRhythm, rhythmText } from './commit-rhythm.ts'
import { movedSince } from './moved-since.ts'

const MINUTE = 60_000
const every = (minutes: number, count: number, jitter: (i: number) => number = () => 0) =>
  Array.from({ length: count }, (_, i) => (i * minutes + jitter(i)) * MINUTE)

describe('commitRhythm', () => {
  it.each([
    [every(15, 10), 135 + 14, 'usually every 15 min; last 14 min ago — on time'],
    [every(15, 10).toReversed(), 135 + 145, 'usually every 15 min; last 2 h ago — late by 2 h 10 min'],
    [every(1_440, 8), 7 * 1_440 + 60, 'usually every 24 h; last 1 h ago — on time'],
    [every(60, 12, (i) => (i % 3) * 5), 660 + 30, 'usually every 1 h 5 min; last 20 min ago — on time'],
  ])('says how often and how long ago', (times, nowMinutes, expected) => {
    const now = nowMinutes * MINUTE
    const rhythm = commitRhythm(times, now)
    expect(rhythm === null ? null : rhythmText(rhythm, now)).toBe(expected)
  })

  it('[FR1] gives no verdict for few or irregular commits', () => {
    expect(commitRhythm([], 0)).toBeNull()
    expect(commitRhythm(every(15, 4), 1e9)).toBeNull()
    expect(
      commitRhythm(
        [0, 1, 100, 101, 5_000, 5_001, 90_000].map((at) => at * MINUTE),
        1e10,
      ),
    ).toBeNull()
    expect(commitRhythm([5, 5, 5, 5, 5, 5, 5], 10)).toBeNull()
  })

  it('is not confused by a clock that is behind', () => {
    expect(commitRhythm(every(15, 10), 0)?.lateByMs).toBe(0)
  })
})

describe('movedSince', () => {
  const snapshot = (snapshotId: string, parentSnapshotId: string | null, rows?: string) =>
    ({
      snapshotId,
      parentSnapshotId,
      summary: rows === undefined ? {} : { 'total-records': rows },
    }) as SnapshotInfo
  const snapshots = [
    snapshot('4', '3', '9007199254741093'),
    snapshot('3', '2'),
    snapshot('2', '1', '9007199254740993'),
    snapshot('9', '1'),
  ]
  const table = { currentSnapshotId: '4', snapshots }

  it('[FR2] counts the commits between, and the rows exactly', () => {
    expect(movedSince(table, '4')).toEqual({ kind: 'same' })
    expect(movedSince(table, '2')).toEqual({ kind: 'commits', count: 2, rowDelta: 100n })
    expect(movedSince(table, '3')).toEqual({ kind: 'commits', count: 1, rowDelta: null })
  })

  it('[FR2] says when the snapshot is no ancestor', () => {
    expect(movedSince(table, '9')).toEqual({ kind: 'other' })
    expect(movedSince({ ...table, currentSnapshotId: null }, '4')).toEqual({ kind: 'other' })
    expect(movedSince({ currentSnapshotId: null, snapshots: [] }, null)).toEqual({ kind: 'same' })
  })

  it('ends where parents form a ring', () => {
    const ring = [snapshot('1', '2'), snapshot('2', '1')]
    expect(movedSince({ currentSnapshotId: '1', snapshots: ring }, '7')).toEqual({ kind: 'other' })
  })
})
