// The running account of a statement: what has been read and sent so far, per table and in all.
import type { Progress } from '@lake/core/api/wire.ts'
import type { ScanReport } from '@lake/core/flight/receipt.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { ScanPlan } from './plan-scan.ts'

/** What reading one data file took. */
export interface FileRead {
  readonly rowGroupsTotal: number
  readonly rowGroupsRead: number
  readonly bytesRead: number
  readonly requests: number
}

export interface RunProgress {
  readonly rowCount: number
  readonly bytesRead: number
  addRows(rowCount: number): void
  addFile(tableIndex: number, read: FileRead): void
  /** Delete files, or deletion vectors, that were read together. */
  addDeleteFiles(
    tableIndex: number,
    fileCount: number,
    read: { readonly bytesRead: number; readonly requests: number },
  ): void
  elapsedMs(): number
  message(phase: Progress['phase']): Progress
  scanReport(tableIndex: number): ScanReport
}

export function createRunProgress(
  tables: readonly { readonly plan: ScanPlan }[],
  startedAtMs: number,
  clock: Clock,
): RunProgress {
  const reads = tables.map(() => ({
    filesRead: 0,
    deleteFilesRead: 0,
    rowGroupsTotal: 0,
    rowGroupsRead: 0,
    bytesRead: 0,
    requests: 0,
  }))
  const filesPlanned = tables.reduce((sum, { plan }) => sum + plan.tasks.length, 0)
  const bytesPlanned = tables.reduce((sum, { plan }) => sum + plan.neededBytes, 0)
  let rowCount = 0
  const sum = (key: 'filesRead' | 'bytesRead'): number => reads.reduce((total, read) => total + read[key], 0)
  const elapsedMs = (): number => Math.max(0, clock.nowMs() - startedAtMs)

  return {
    get rowCount() {
      return rowCount
    },
    get bytesRead() {
      return sum('bytesRead')
    },
    addRows(count) {
      rowCount += count
    },
    addFile(tableIndex, read) {
      const total = reads[tableIndex]
      if (!total) return
      total.filesRead += 1
      total.rowGroupsTotal += read.rowGroupsTotal
      total.rowGroupsRead += read.rowGroupsRead
      total.bytesRead += read.bytesRead
      total.requests += read.requests
    },
    addDeleteFiles(tableIndex, fileCount, { bytesRead, requests }) {
      const total = reads[tableIndex]
      if (!total) return
      total.deleteFilesRead += fileCount
      total.bytesRead += bytesRead
      total.requests += requests
    },
    elapsedMs,
    message(phase) {
      const read = { filesRead: sum('filesRead'), filesPlanned, bytesRead: sum('bytesRead'), bytesPlanned }
      return { kind: 'progress', phase, ...read, rowCount, elapsedMs: elapsedMs() }
    },
    scanReport(tableIndex) {
      const read = reads[tableIndex]
      const plan = tables[tableIndex]?.plan
      if (!read || !plan) throw new RangeError(`no table ${tableIndex}`)
      return { ...plan.report, ...read }
    },
  }
}
