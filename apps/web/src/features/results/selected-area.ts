// The selected cells: which rows and columns, as they are shown. A range, whole rows, whole columns; where nothing is
// selected, everything that is shown.
import type { GridSelection } from '@glideapps/glide-data-grid'

export interface SelectedArea {
  /** Shown rows, from 0. */
  rows: () => Iterable<number>
  rowCount: number
  /** Shown columns, from 0. */
  columns: readonly number[]
  isEverything: boolean
}

function* numbersFrom(start: number, count: number): Generator<number> {
  for (let i = start; i < start + count; i++) yield i
}

export function selectedArea(selection: GridSelection, columnCount: number, rowCount: number): SelectedArea {
  const columns = [...numbersFrom(0, columnCount)]
  if (selection.current !== undefined) {
    const { x, y, width, height } = selection.current.range
    return {
      rows: () => numbersFrom(y, height),
      rowCount: height,
      columns: [...numbersFrom(x, width)],
      isEverything: false,
    }
  }
  if (selection.rows.length > 0)
    return { rows: () => selection.rows, rowCount: selection.rows.length, columns, isEverything: false }
  const isColumns = selection.columns.length > 0
  return {
    rows: () => numbersFrom(0, rowCount),
    rowCount,
    columns: isColumns ? selection.columns.toArray() : columns,
    isEverything: !isColumns,
  }
}
