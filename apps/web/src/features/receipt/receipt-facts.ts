// What a receipt says of each table that a result was made from, decided here and rendered elsewhere. A run that is not finished shows what was pinned and what is known so far.
import type { Progress } from '@lake/core/api/wire.ts'
import type { ScanReport, TableReceipt } from '@lake/core/flight/receipt.ts'
import { tableLabel } from '../../api/table-name.ts'
import { pinsOfReceipt } from '../../link/link.ts'
import { infoOf, progressOf, type RunState } from '../../query-run/run-state.ts'
import type { TableVersion } from '../../sql/at-versions.ts'
import { totalBytesText } from '../../scan/scan-words.ts'
import { ageText, bytesText, countedText, countText, instantText, shortId } from '../../ui/format-quantity.ts'

/** Tables of the closing receipt, or as pinned while there is none. */
export function tablesOf(state: RunState): readonly TableReceipt[] {
  if (state.kind === 'finished') return state.receipt.tables
  return infoOf(state)?.tables ?? []
}

/** Tells the lines of a receipt apart: a table stands in it once for each version and metadata table that was asked for. */
export function receiptKey(table: TableReceipt): string {
  return JSON.stringify([tableLabel(table), table.snapshotId, table.requested])
}

/** The snapshots that were pinned, as a statement writes them; those that it says itself are left out. */
export const versionsOf = (tables: readonly TableReceipt[]): TableVersion[] =>
  pinsOfReceipt(tables).map(({ namespace, table, snapshotId }) => ({
    namespace: namespace.join('.'),
    table,
    snapshotId,
  }))

export function snapshotLabel(table: TableReceipt): string {
  return table.snapshotId === null ? 'no snapshot' : shortId(table.snapshotId)
}

/** What one table contributed, in the order of the receipt line. */
export function tableFacts(table: TableReceipt, now: number): string[] {
  const facts: string[] = []
  if (table.operation !== null) facts.push(table.operation)
  if (table.committedAtMs !== null) facts.push(`committed ${ageText(now - table.committedAtMs)}`)
  const { scan } = table
  if (scan?.isMetadataOnly === true) facts.push('answered by manifests')
  else if (scan !== null) {
    facts.push(`${countText(scan.filesRead)}/${countedText(scan.filesTotal, 'file')}`)
    facts.push(readBytesText(table, scan))
  }
  return facts
}

const readBytesText = (table: TableReceipt, scan: ScanReport): string =>
  `${bytesText(scan.bytesRead)} of ${totalBytesText(table, scan)}`

/** Figures of a running read, or of one that ended early. */
function progressFacts(progress: Progress): string[] {
  return [
    `${countText(progress.filesRead)}/${countedText(progress.filesPlanned, 'file')}`,
    bytesText(progress.bytesRead),
  ]
}

/** Rows and seconds of the whole statement. */
export function totalFacts(state: RunState, rowCount: number, elapsedText: string): string[] {
  const progress = progressOf(state)
  const read = progress !== null && state.kind !== 'planning' ? progressFacts(progress) : []
  return [...read, countedText(rowCount, 'row'), elapsedText]
}

/** A label and value for each fact of the panel; values can be copied. */
export function panelFacts(table: TableReceipt): [label: string, value: string][] {
  const { scan } = table
  const facts: [string, string][] = [
    ['snapshot id', table.snapshotId ?? 'none: the table has no snapshot'],
    ['ref', table.ref ?? (table.isCurrent ? 'current' : 'none')],
    ['current', table.isCurrent ? 'yes, at planning' : 'no: an older snapshot'],
    ['committed', table.committedAtMs === null ? 'never' : instantText(table.committedAtMs)],
    ['operation', table.operation ?? 'not said'],
    ['schema id', String(table.schemaId)],
    ['table uuid', table.tableUuid ?? 'none'],
  ]
  if (scan !== null)
    facts.push(
      ['manifests', readOf(scan.manifestsRead, scan.manifestsTotal)],
      ['files', readOf(scan.filesRead, scan.filesTotal)],
      ['files planned', countText(scan.filesPlanned)],
      ...deleteFacts(scan),
      ['row groups', readOf(scan.rowGroupsRead, scan.rowGroupsTotal)],
      ['bytes', readBytesText(table, scan)],
      ['requests', countText(scan.requests)],
    )
  return facts
}

/** Only where there are any: most tables have none. */
function deleteFacts({ deleteFilesRead = 0, deleteFilesPlanned = 0 }: ScanReport): [string, string][] {
  return deleteFilesPlanned === 0 ? [] : [['delete files', readOf(deleteFilesRead, deleteFilesPlanned)]]
}

function readOf(read: number, total: number): string {
  return `${countText(read)} read, ${countText(Math.max(0, total - read))} skipped`
}
