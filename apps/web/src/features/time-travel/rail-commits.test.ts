import { describe, expect, it } from 'vitest'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { RAIL_COMMITS_MAX } from '../../limits.ts'
import { placeOf, railOf } from './rail-commits.ts'
import { commitText, offRailText, standText } from './rail-words.ts'

const snapshot = (id: string, parent: string | null, summary: Record<string, string> = {}): SnapshotInfo => ({
  snapshotId: id,
  parentSnapshotId: parent,
  sequenceNumber: '0',
  committedAtMs: Number(id) * 1_000,
  operation: 'append',
  schemaId: 0,
  summary,
})

describe('railOf', () => {
  it('[TV1] follows parents to what is current, and counts what lies aside', () => {
    const snapshots = [
      snapshot('4', '2', { 'added-records': '99', 'deleted-records': '1' }),
      snapshot('3', '2'),
      snapshot('2', '1', { 'added-records': '9' }),
      snapshot('1', null),
    ]
    const rail = railOf({
      currentSnapshotId: '4',
      snapshots,
      refs: [
        { name: 'main', kind: 'branch', snapshotId: '4' },
        { name: 'q3', kind: 'tag', snapshotId: '2' },
      ],
    })
    expect(rail.commits.map(({ snapshotId, refs }) => [snapshotId, refs])).toEqual([
      ['1', []],
      ['2', ['q3']],
      ['4', ['main']],
    ])
    expect(rail.commits.map(({ height }) => Math.round(height * 100))).toEqual([0, 50, 100])
    expect([rail.olderIds.size, rail.asideCount]).toEqual([0, 1])
    expect(offRailText(rail, '3')).toBe('snapshot 3, aside of what is current')
  })

  it('[TV1] ends where a parent has expired or parents form a ring', () => {
    expect(
      railOf({ currentSnapshotId: '9', snapshots: [snapshot('9', '8')], refs: [] }).commits,
    ).toHaveLength(1)
    const ring = [snapshot('2', '1'), snapshot('1', '2')]
    expect(railOf({ currentSnapshotId: '2', snapshots: ring, refs: [] }).commits).toHaveLength(2)
    expect(railOf({ currentSnapshotId: null, snapshots: ring, refs: [] })).toEqual({
      commits: [],
      olderIds: new Set(),
      asideCount: 2,
    })
  })

  it('[TV1] shows the newest of many, and says of an older one that it is older', () => {
    const many = Array.from({ length: RAIL_COMMITS_MAX + 5 }, (_, i) =>
      snapshot(String(i + 1), i === 0 ? null : String(i)),
    )
    const rail = railOf({ currentSnapshotId: String(many.length), snapshots: many, refs: [] })
    expect(rail.commits).toHaveLength(RAIL_COMMITS_MAX)
    expect([rail.commits[0]?.snapshotId, [...rail.olderIds]]).toEqual(['6', ['1', '2', '3', '4', '5']])
    expect(offRailText(rail, '2')).toBe('snapshot 2, older than the 200 commits shown')
  })
})

it('places commits evenly, the only one at the end', () => {
  expect([placeOf(0, 3), placeOf(1, 3), placeOf(2, 3), placeOf(0, 1)]).toEqual([0, 0.5, 1, 1])
})

it('[TV2] says in words what a commit did and how far back it is', () => {
  const [commit] = railOf({
    currentSnapshotId: '7',
    snapshots: [snapshot('7', null, { 'added-records': '1204', 'deleted-records': '3' })],
    refs: [{ name: 'q3', kind: 'tag', snapshotId: '7' }],
  }).commits
  expect(commitText(commit!)).toBe('append +1,204 −3 rows · q3')
  expect(standText(commit!, 0)).toBe('current, committed 1970-01-01 00:00:07 UTC')
  expect(standText(commit!, 2)).toBe('as of 1970-01-01 00:00:07 UTC, 2 commits before current')
})
