import { describe, expect, it } from 'vitest'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import { ApiError } from '../../api/api-error.ts'
import { panelFacts, snapshotLabel, tableFacts } from './receipt-facts.ts'

const table: TableReceipt = {
  namespace: ['analytics'],
  table: 'episodes',
  tableUuid: null,
  snapshotId: '6361234567890120172',
  committedAtMs: 1_000_000,
  operation: 'append',
  schemaId: 0,
  summary: {},
  ref: 'main',
  isCurrent: true,
  metadataAgeMs: 0,
  isStale: false,
  scan: {
    manifestsTotal: 12,
    manifestsRead: 2,
    filesTotal: 1200,
    filesPlanned: 38,
    filesRead: 38,
    rowGroupsTotal: 76,
    rowGroupsRead: 40,
    bytesTotal: 214_000_000,
    bytesRead: 2_100_000,
    requests: 51,
    isMetadataOnly: false,
  },
}
const info: FlightInfoResponse = {
  statementId: 's',
  schema: [],
  ticket: 't',
  expiresAtMs: 0,
  tables: [table],
}

describe('a receipt', () => {
  it('says what one table contributed', () => {
    expect(snapshotLabel(table)).toBe('6361…0172')
    expect(tableFacts(table, 1_000_000 + 14 * 60_000)).toEqual([
      'append',
      'committed 14 min ago',
      '38/1,200 files',
      '2.1 MB of more than 214 MB',
    ])
  })

  it('says how sure it is of the bytes that it did not read', () => {
    const bytesOf = (changed: Partial<TableReceipt>): string | undefined =>
      tableFacts({ ...table, ...changed }, 0).at(-1)
    const scan = { ...table.scan!, manifestsRead: 12 }
    expect(bytesOf({ scan })).toBe('2.1 MB of 214 MB')
    expect(bytesOf({ summary: { 'total-files-size': '6800000000' } })).toBe('2.1 MB of ~6.8 GB')
    expect(bytesOf({ summary: { 'total-files-size': '5' } })).toBe('2.1 MB of more than 214 MB')
  })

  it('counts what was skipped', () => {
    expect(panelFacts(table)).toContainEqual(['files', '38 read, 1,162 skipped'])
  })

  it('names a table without a snapshot', () => {
    expect(snapshotLabel({ ...table, snapshotId: null })).toBe('no snapshot')
  })
})

describe('exactness', () => {
  const receipt = { statementId: 's', tables: [], rowCount: 3, elapsedMs: 1, engine: 'e' }
  it('calls only a finished run exact', () => {
    expect(exactnessOf({ kind: 'finished', info, receipt }, 3).text).toBe('exact')
    const larger = { ...receipt, rowCount: 1200 }
    expect(exactnessOf({ kind: 'finished', info, receipt: larger }, 3).text).toBe('first 3 rows of 1,200')
    expect(exactnessOf({ kind: 'reading', info, progress: null }, 3).text).toBe('reading')
  })

  it('says what a stop and a failure kept', () => {
    expect(exactnessOf({ kind: 'stopped', info, progress: null, isConfirmed: true }, 1).text).toBe(
      'cancelled after 1 row',
    )
    const error = new ApiError('STREAM_INCOMPLETE', 'x')
    expect(exactnessOf({ kind: 'failed', info, progress: null, error }, 1200).text).toBe(
      'incomplete · 1,200 rows',
    )
  })
})
