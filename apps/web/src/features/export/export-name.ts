// The name of an exported file: the statement, then the table and snapshot that it was made from.
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { plainName } from '../../ui/plain-name.ts'

export type ExportFormat = ExportTarget['format']

/** `revenue-by-day_orders-6361481734010172.csv`, with `_and-2-more` where there are other tables. */
export function exportFileName(
  title: string,
  tables: readonly Pick<TableReceipt, 'table' | 'snapshotId'>[],
  format: ExportFormat,
): string {
  const [first, ...others] = tables
  const parts = [plainName(title) || 'result']
  if (first !== undefined)
    parts.push(
      first.snapshotId === null ? plainName(first.table) : `${plainName(first.table)}-${first.snapshotId}`,
    )
  if (others.length > 0) parts.push(`and-${others.length}-more`)
  return `${parts.join('_')}.${format}`
}
