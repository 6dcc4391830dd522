// The order in which rows are shown: a sort by one column, as a list of row numbers. The rows themselves are never moved.
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { visitRows } from '../../query-run/visit-rows.ts'
import { SORT_ROWS_MAX } from '../../limits.ts'
import type { ResultColumn } from './grid-columns.ts'
import { compareKeys, keyReader, type SortKey } from './sort-key.ts'

export interface Sort {
  column: number
  isDescending: boolean
}

/**
 * Rows in the order of one column; equal ones keep their order, NULL comes last either way.
 * @param rowsOrCount which rows, or how many from the first
 * @returns null for more than SORT_ROWS_MAX rows, which the engine sorts better
 */
export async function sortedRows(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  rowsOrCount: Uint32Array | number,
  sort: Sort,
  signal: AbortSignal,
): Promise<Uint32Array | null> {
  const count = typeof rowsOrCount === 'number' ? rowsOrCount : rowsOrCount.length
  if (count > SORT_ROWS_MAX) return null
  const rows =
    typeof rowsOrCount === 'number' ? Uint32Array.from({ length: count }, (_, i) => i) : rowsOrCount
  const keyAt = keyReader(buffer, columns, sort.column)
  const keys: SortKey[] = []
  await visitRows(buffer, rows, (row) => keys.push(keyAt(row)), signal)
  const order = Uint32Array.from(rows.keys())
  const sign = sort.isDescending ? -1 : 1
  order.sort((a, b) => {
    const left = keys[a] ?? null
    const right = keys[b] ?? null
    const isNullInvolved = left === null || right === null
    return compareKeys(left, right) * (isNullInvolved ? 1 : sign) || a - b
  })
  return order.map((i) => rows[i] ?? 0)
}
