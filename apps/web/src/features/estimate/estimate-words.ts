// An estimate in words: the line beside Run, and what would make a statement that is too large smaller.
import type { EstimateResponse, TableEstimate } from '@lake/core/api/contract.ts'
import { totalBytesText } from '../../scan/scan-words.ts'
import { bytesText, countedText, countText } from '../../ui/format-quantity.ts'

function tableWords(table: TableEstimate): string {
  const { scan, rowsMax, bytesNeeded, isUpperBound, columns, columnsTotal } = table
  if (table.metadataTable !== undefined) return 'metadata only'
  if (scan === null || scan.filesTotal === 0) return 'no data files'
  if (scan.isMetadataOnly) return scan.filesPlanned === 0 ? 'no file can match' : 'answered by manifests'
  return [
    `${countText(scan.filesPlanned)} of ${countedText(scan.filesTotal, 'file')}`,
    `${countedText(rowsMax, 'row')} at most`,
    `${isUpperBound ? 'up to ' : ''}${bytesText(bytesNeeded)} of ${totalBytesText(table, scan)}`,
    `${countText(columns.length)} of ${countedText(columnsTotal, 'column')}`,
  ].join(' · ')
}

/** One line for the whole statement; of several tables their sums. */
export function estimateLine({ tables, bytesNeeded, rowsLimit }: EstimateResponse): string {
  const [only] = tables
  if (only === undefined) return 'reads no table'
  const limit = rowsLimit === null ? '' : ` · reading ends after ${countedText(rowsLimit, 'row')}`
  // A LIMIT without a filter takes the first files alone.
  if (tables.length === 1) return tableWords({ ...only, bytesNeeded }) + limit
  const sum = (of: (table: TableEstimate) => number): number =>
    tables.reduce((total, table) => total + of(table), 0)
  const planned = sum(({ scan }) => scan?.filesPlanned ?? 0)
  const total = sum(({ scan }) => scan?.filesTotal ?? 0)
  return [
    `${countText(tables.length)} tables`,
    `${countText(planned)} of ${countedText(total, 'file')}`,
    `${tables.some(({ isUpperBound }) => isUpperBound) ? 'up to ' : ''}${bytesText(bytesNeeded)}`,
  ].join(' · ')
}

/** Shares of the bytes from which leaving a column out is worth saying. */
const LARGE_SHARE = 0.2

/** Why the statement would be refused, and the cheapest ways out; null where it would not. */
export function refusalWords(estimate: EstimateResponse): string | null {
  const { bytesNeeded, bytesMax, tables } = estimate
  if (bytesNeeded <= bytesMax) return null
  const largest = tables.toSorted((left, right) => right.bytesNeeded - left.bytesNeeded)[0]
  const fixes = largest === undefined ? [] : fixesOf(largest, bytesNeeded)
  const advice = fixes.length === 0 ? '' : `: ${fixes.join(', or ')}`
  return `${bytesText(bytesNeeded)}, over the limit of ${bytesText(bytesMax)}${advice}`
}

function fixesOf({ unfilteredPartitionColumns, columns }: TableEstimate, bytesNeeded: number): string[] {
  const [column] = columns
  const share = column?.bytes == null ? 0 : column.bytes / bytesNeeded
  const isWorthIt = column !== undefined && columns.length > 1 && share >= LARGE_SHARE
  return [
    ...(unfilteredPartitionColumns.length > 0
      ? [`filter on ${unfilteredPartitionColumns.slice(0, 3).join(' or ')}`]
      : []),
    ...(isWorthIt ? [`leave out ${column.name} (${Math.round(share * 100)} %)`] : []),
  ]
}
