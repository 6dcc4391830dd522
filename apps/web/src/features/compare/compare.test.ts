import { describe, expect, it } from 'vitest'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { commitsBetween } from './commits-between.ts'
import { fileChangesSql, partitionText, totalChange, type PartitionChange } from './file-changes.ts'

describe('commitsBetween', () => {
  const snapshot = (snapshotId: string, parentSnapshotId: string | null) =>
    ({ snapshotId, parentSnapshotId }) as SnapshotInfo
  const snapshots = [snapshot('4', '2'), snapshot('3', '2'), snapshot('2', '1'), snapshot('1', null)]

  it('[TV5] lists the commits that lead from one to the other', () => {
    expect(commitsBetween(snapshots, '1', '4')?.map(({ snapshotId }) => snapshotId)).toEqual(['4', '2'])
    expect(commitsBetween(snapshots, '4', '4')).toEqual([])
  })

  it('[TV5] tells where there is no way', () => {
    expect(commitsBetween(snapshots, '3', '4')).toBeNull()
    expect(commitsBetween(snapshots, '4', '1')).toBeNull()
    expect(commitsBetween([snapshot('1', '2'), snapshot('2', '1')], '7', '1')).toBeNull()
  })
})

it('[TV5] names both snapshots in the statement, whole, and quotes what needs it', () => {
  const sql = fileChangesSql(
    { namespace: ['a.b'], table: 'Order lines' },
    { older: '-1', newer: '9007199254740993' },
    false,
  )
  expect(sql).toContain('FROM iceberg."a.b"."Order lines$files" AT (VERSION => -1)')
  expect(sql).toContain('AT (VERSION => 9007199254740993)')
  expect(sql).not.toContain(', partition\n')
})

it('sums changes exactly', () => {
  const change = (rows: bigint): PartitionChange => ({
    partition: "{'day': 2026-09-01}",
    filesAdded: 1n,
    filesRemoved: 0n,
    rowsAdded: rows,
    rowsRemoved: 0n,
    bytesAdded: 0n,
    bytesRemoved: 0n,
    deleteFilesAdded: 0n,
    deleteFilesRemoved: 2n,
  })
  expect(totalChange([change(9_007_199_254_740_993n), change(1n)])).toMatchObject({
    rowsAdded: 9_007_199_254_740_994n,
    filesAdded: 2n,
    deleteFilesRemoved: 4n,
  })
  expect(partitionText("{'day': 2026-09-01}")).toBe('day = 2026-09-01')
  expect(partitionText(null)).toBe('whole table')
})
