// Which loaded rows are shown and in which order: a filter by text and a sort by one column, as a list of row numbers.
// Works in slices, so that the page stays alive; the rows themselves are never moved.
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { ROW_SLICE_MS, SORT_ROWS_MAX } from '../../limits.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'
import { compareKeys, keyReader, type SortKey } from './sort-key.ts'

export interface Sort {
  column: number
  isDescending: boolean
}

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

/** Calls `visit` for each row from 0, giving the page a turn now and then. */
export async function forEachRow(
  rowCount: number,
  visit: (row: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let sliceStart = performance.now()
  for (let row = 0; row < rowCount; row++) {
    visit(row)
    if ((row & 255) !== 0 || performance.now() - sliceStart < ROW_SLICE_MS) continue
    await nextTask()
    signal.throwIfAborted()
    sliceStart = performance.now()
  }
}

/** Rows in which a shown column holds the text, whatever its case. NULL holds nothing. */
export async function matchingRows(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  shown: readonly number[],
  search: string,
  signal: AbortSignal,
): Promise<Uint32Array> {
  const wanted = search.toLowerCase()
  const rows: number[] = []
  await forEachRow(
    buffer.rowCount,
    (row) => {
      const isMatch = shown.some((column) =>
        (textAt(buffer, columns, column, row) ?? '').toLowerCase().includes(wanted),
      )
      if (isMatch) rows.push(row)
    },
    signal,
  )
  return Uint32Array.from(rows)
}

/**
 * Rows in the order of one column; equal ones keep their order, NULL comes last either way.
 * @returns null for more than SORT_ROWS_MAX rows, which the engine sorts better
 */
export async function sortedRows(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  rows: Uint32Array,
  sort: Sort,
  signal: AbortSignal,
): Promise<Uint32Array | null> {
  if (rows.length > SORT_ROWS_MAX) return null
  const keyAt = keyReader(buffer, columns, sort.column)
  const keys: SortKey[] = []
  await forEachRow(rows.length, (i) => keys.push(keyAt(rows[i] ?? 0)), signal)
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
