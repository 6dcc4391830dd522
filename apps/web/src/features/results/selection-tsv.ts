// The selected cells as text. Rows, columns and a range are three kinds of selection; each is read from the buffer
// whole and exact.
import type { GridSelection } from '@glideapps/glide-data-grid'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'
import { tsvOf } from './tsv.ts'

function* numbersFrom(start: number, count: number): Generator<number> {
  for (let i = start; i < start + count; i++) yield i
}

/** Rows and columns that are selected; null where nothing is. */
function selected(selection: GridSelection, columnCount: number, rowCount: number) {
  if (selection.current !== undefined) {
    const { x, y, width, height } = selection.current.range
    return { rows: () => numbersFrom(y, height), columns: [...numbersFrom(x, width)] }
  }
  if (selection.rows.length > 0)
    return { rows: () => selection.rows[Symbol.iterator](), columns: [...numbersFrom(0, columnCount)] }
  if (selection.columns.length > 0)
    return { rows: () => numbersFrom(0, rowCount), columns: selection.columns.toArray() }
  return null
}

/** @returns null when nothing is selected; `tooLarge` when the text would pass COPY_CHARS_MAX */
export function selectionTsv(
  selection: GridSelection,
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
): { text: string } | 'tooLarge' | null {
  const area = selected(selection, columns.length, buffer.rowCount)
  if (area === null) return null
  function* lines() {
    for (const row of area?.rows() ?? [])
      yield (area?.columns ?? []).map((column) => textAt(buffer, columns, column, row) ?? null)
  }
  const text = tsvOf(lines())
  return text === null ? 'tooLarge' : { text }
}
