import { expect, test } from 'vitest'
import type { EstimateResponse, TableEstimate } from '@lake/core/api/contract.ts'
import { estimateLine, refusalWords } from './estimate-words.ts'

const table: TableEstimate = {
  namespace: ['sales'],
  table: 'orders',
  tableUuid: null,
  snapshotId: '1',
  committedAtMs: 0,
  operation: 'append',
  schemaId: 0,
  summary: {},
  ref: 'main',
  isCurrent: true,
  metadataAgeMs: 0,
  isStale: false,
  scan: {
    manifestsTotal: 1,
    manifestsRead: 1,
    filesTotal: 1_200,
    filesPlanned: 38,
    filesRead: 0,
    rowGroupsTotal: 0,
    rowGroupsRead: 0,
    bytesTotal: 6_800_000_000,
    bytesRead: 0,
    requests: 0,
    isMetadataOnly: false,
  },
  rowsMax: 3_100_000,
  bytesNeeded: 214_000_000,
  isUpperBound: false,
  columnsTotal: 61,
  columns: [
    { name: 'payload', bytes: 180_000_000 },
    { name: 'id', bytes: 34_000_000 },
  ],
  unfilteredPartitionColumns: ['day'],
}
const estimate = (...tables: TableEstimate[]): EstimateResponse => ({
  tables,
  bytesNeeded: tables.reduce((sum, { bytesNeeded }) => sum + bytesNeeded, 0),
  bytesMax: 1_000_000_000,
  rowsLimit: null,
})

test('[WP4] one line says files, rows, bytes and columns', () => {
  expect(estimateLine(estimate(table))).toBe(
    '38 of 1,200 files · 3,100,000 rows at most · 214 MB of 6.8 GB · 2 of 61 columns',
  )
  expect(estimateLine({ ...estimate(table), rowsLimit: 100 })).toMatch(/reading ends after 100 rows$/)
  expect(estimateLine(estimate({ ...table, isUpperBound: true }))).toMatch(/up to 214 MB/)
  expect(estimateLine(estimate(table, table))).toBe('2 tables · 76 of 2,400 files · 428 MB')
  expect(estimateLine(estimate())).toBe('reads no table')
  expect(estimateLine(estimate({ ...table, scan: { ...table.scan!, isMetadataOnly: true } }))).toBe(
    'answered by manifests',
  )
})

test('[WP5] a statement that would be refused says so with the cheapest ways out', () => {
  expect(refusalWords(estimate(table))).toBeNull()
  expect(refusalWords({ ...estimate(table), bytesMax: 100_000_000 })).toBe(
    '214 MB, over the limit of 100 MB: filter on day, or leave out payload (84 %)',
  )
  const narrow = { ...table, columns: [{ name: 'payload', bytes: 1 }], unfilteredPartitionColumns: [] }
  expect(refusalWords({ ...estimate(narrow), bytesMax: 1 })).toBe('214 MB, over the limit of 1 B')
})
