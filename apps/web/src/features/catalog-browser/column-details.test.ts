import { expect, it } from 'vitest'
import type { ColumnNode } from '@lake/core/api/contract.ts'
import type { ColumnStatistics, TableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { columnDetails, type ColumnDetailsOf } from './column-details.ts'

const all = (count: number) => ({ count, fileCount: 2 })
const column: ColumnNode = {
  id: 6,
  name: 'wear',
  type: 'double',
  isRequired: false,
  doc: 'Wear of the gripper',
  initialDefault: '0.5',
  writeDefault: null,
  children: [],
}
const figures: ColumnStatistics = {
  fieldId: 6,
  name: 'wear',
  type: 'double',
  bytes: all(1_234_567),
  values: all(200),
  nulls: all(1),
  nans: { count: 3, fileCount: 1 },
  lower: { text: '0', mayBeCut: false, fileCount: 2 },
  upper: { text: 'a'.repeat(16), mayBeCut: true, fileCount: 1 },
  distinct: { count: '9007199254740993', snapshotId: '7' },
}
const statistics = {
  table: { snapshotId: '8' },
  dataFileCount: 2,
  deletes: { positionFileCount: 1, vectorCount: 0, positionCount: 5, equalityFileCount: 0 },
} as TableStatisticsResponse
const details = (given: Partial<ColumnDetailsOf>) =>
  columnDetails({
    column,
    isKey: true,
    history: ['schema 1: renamed', 'schema 2: widened'],
    hasDistinct: true,
    statistics,
    figures,
    totalBytes: 2_469_134,
    ...given,
  }).map(({ label, text, note, isValue = false }) => [label, text, note ?? '', isValue])

it('[TP3] a column opens to every figure with what it is of, values whole', () => {
  expect(details({})).toEqual([
    ['type', 'double', 'may be NULL', true],
    ['doc', 'Wear of the gripper', '', false],
    ['identifies', 'part of what tells rows apart, as the writers promise', '', false],
    ['default before', '0.5', 'in rows from before the column was added', true],
    ['default now', 'NULL', 'where writers are given nothing', true],
    ['NULL', '0.5%', '1 NULL of 200 values, in all 2 data files', false],
    ['NaN', '≥ 3', '3 NaNs of 200 values, in 1 of 2 data files; the others do not say', false],
    [
      'distinct',
      '≈ 9,007,199,254,740,993',
      'different values, estimated by a sketch of snapshot 7, an earlier one',
      false,
    ],
    ['least', '0', 'in all 2 data files', true],
    [
      'greatest',
      'a'.repeat(16),
      'in 1 of 2 data files; the others do not say; text may be cut, so no value need be this one: all are ≤ it',
      true,
    ],
    [
      'size',
      '1.2 MB',
      '1,234,567 bytes in storage, 50.0% of what the columns take; in all 2 data files',
      false,
    ],
    [
      'deleted rows',
      expect.stringMatching(/^1 position delete file takes away at most 5 rows\. Counts include those rows/),
      '',
      false,
    ],
    ['history', 'schema 1: renamed\nschema 2: widened', '', false],
  ])
})

it('[TP3] what nothing says is said to be so', () => {
  const nothing = { count: 0, fileCount: 0 }
  const silent = { ...figures, bytes: nothing, values: nothing, nulls: nothing, nans: null }
  const told = details({
    column: { ...column, doc: null, initialDefault: null },
    isKey: false,
    history: [],
    figures: { ...silent, lower: null, upper: null, distinct: null },
  })
  expect(told.map(([label, text]) => [label, text]).slice(1, 6)).toEqual([
    ['NULL', 'no data file counts them'],
    ['distinct', 'no sketch of this column'],
    ['least', 'no data file says it'],
    ['greatest', 'no data file says it'],
    ['size', 'no data file says it'],
  ])
  expect(details({ figures: undefined, history: [], isKey: false }).at(-1)).toEqual([
    'figures',
    'the manifests have none of this column',
    '',
    false,
  ])
  const parts = { ...column, children: [column] }
  expect(details({ column: parts, figures: undefined, history: [] }).at(-1)?.[1]).toMatch(
    /^those of its parts/,
  )
  expect(details({ statistics: undefined, history: [] }).map(([label]) => label)).not.toContain('NULL')
})
