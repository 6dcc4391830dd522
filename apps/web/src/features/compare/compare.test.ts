import { describe, expect, it } from 'vitest'
import type { ColumnNode, SnapshotInfo } from '@lake/core/api/contract.ts'
import { commitsBetween } from './commits-between.ts'
import { fileChangesSql, partitionText, totalChange, type PartitionChange } from './file-changes.ts'
import { changeText, schemaChanges } from './schema-changes.ts'

const column = (id: number, name: string, changes: Partial<ColumnNode> = {}): ColumnNode => ({
  id,
  name,
  type: 'long',
  isRequired: false,
  doc: null,
  initialDefault: null,
  writeDefault: null,
  children: [],
  ...changes,
})

describe('[TV4] columns are followed by field id', () => {
  it('so a rename is a rename, and a dropped name that came back is another column', () => {
    const changes = schemaChanges(
      [column(1, 'id', { type: 'int' }), column(2, 'x'), column(3, 'gone', { isRequired: true })],
      [column(1, 'id'), column(2, 'y', { isRequired: true }), column(4, 'gone', { type: 'string' })],
    )
    expect(changes.map((change) => `${change.path}: ${changeText(change)}`)).toEqual([
      'id: type int → long',
      'y: renamed, was x',
      'y: required now',
      'gone: added, string',
      'gone: dropped, was long',
    ])
  })

  it('inside of nested columns too', () => {
    const address = (...children: ColumnNode[]) => [column(1, 'address', { type: 'struct', children })]
    expect(
      schemaChanges(address(column(2, 'zip')), address(column(2, 'postcode'), column(3, 'city'))),
    ).toEqual([
      { kind: 'renamed', fieldId: 2, path: 'address.postcode', detail: 'zip' },
      { kind: 'added', fieldId: 3, path: 'address.city', detail: 'long' },
    ])
    expect(schemaChanges(address(), address())).toEqual([])
  })
})

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
