// Going through the rows of a result, for whoever counts, sorts, searches, draws or compares them. A row that is not in
// memory is brought there first, so nobody takes one for NULL; and the page has a turn now and then.
import { ROW_SLICE_MS } from '../limits.ts'
import type { ResultBuffer } from './result-buffer.ts'

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

/** Row numbers, end exclusive. */
export interface RowRange {
  start: number
  end: number
}

/**
 * Calls `visit` for each of the rows, which is in memory then.
 *
 * @param rows row numbers in the order of the visits, a range of them, or how many from the first
 * @throws what bringing a row fails with, and what `signal` was aborted with
 */
export async function visitRows(
  buffer: ResultBuffer,
  rows: Uint32Array | readonly number[] | RowRange | number,
  visit: (row: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const range = typeof rows === 'number' ? { start: 0, end: rows } : 'start' in rows ? rows : null
  const list = range === null ? (rows as Uint32Array) : []
  const count = range === null ? list.length : range.end - range.start
  let sliceStartMs = performance.now()
  // Rows that are known to be here, until somebody else has had a turn.
  let here = { rowStart: 0, rowEnd: 0 }
  for (let place = 0; place < count; place += 1) {
    const row = range === null ? (list[place] ?? 0) : range.start + place
    if (row < here.rowStart || row >= here.rowEnd) {
      if (buffer.isAway(row)) await buffer.bring(row, signal)
      here = buffer.stretchOf(row)
    }
    visit(row)
    if ((place & 255) !== 0 || performance.now() - sliceStartMs < ROW_SLICE_MS) continue
    await nextTask()
    signal.throwIfAborted()
    sliceStartMs = performance.now()
    here = { rowStart: 0, rowEnd: 0 }
  }
}
