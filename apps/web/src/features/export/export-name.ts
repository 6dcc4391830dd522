// The name of an exported file: the statement, then the table and snapshot that it was made from.
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'

export type ExportFormat = ExportTarget['format']

const TITLE_CHARS_MAX = 60

/** Letters, digits and dashes of any script; what file systems take nowhere is left out. */
function plain(text: string): string {
  const words = text.normalize('NFC').match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  return Array.from(words.join('-')).slice(0, TITLE_CHARS_MAX).join('').replace(/-$/, '')
}

/** `revenue-by-day_orders-6361481734010172.csv`, with `_and-2-more` where there are other tables. */
export function exportFileName(
  title: string,
  tables: readonly Pick<TableReceipt, 'table' | 'snapshotId'>[],
  format: ExportFormat,
): string {
  const [first, ...others] = tables
  const parts = [plain(title) || 'result']
  if (first !== undefined)
    parts.push(first.snapshotId === null ? plain(first.table) : `${plain(first.table)}-${first.snapshotId}`)
  if (others.length > 0) parts.push(`and-${others.length}-more`)
  return `${parts.join('_')}.${format}`
}
