// A list that is asked for page by page: its orders are worked out once each, and a page is cut out of one. Pure.
import { sortInSteps } from '../../concurrency/sort-in-steps.ts'
import { STEP_ITEMS, type Steps } from '@lake/core/scan/steps.ts'

export interface RowList<Row, Sort extends string> {
  readonly rows: readonly Row[]
  /**
   * @param isWanted rows that are left out otherwise
   * @param onRow is told each wanted row, of all pages
   */
  page(
    request: {
      readonly sort: Sort
      readonly order: 'asc' | 'desc'
      readonly offset: number
      readonly limit: number
    },
    isWanted: (row: Row) => boolean,
    onRow: (row: Row) => void,
  ): Steps<{ readonly rowCount: number; readonly rows: Row[] }>
}

/** @param comparisons for each sort; rows that it finds equal are in the list's own order, whichever way it goes */
export function createRowList<Row, Sort extends string>(
  rows: readonly Row[],
  comparisons: Readonly<Record<Sort, (left: Row, right: Row) => number>>,
): RowList<Row, Sort> {
  const orders = new Map<string, Uint32Array>()
  return {
    rows,
    *page({ sort, order, offset, limit }, isWanted, onRow) {
      const key = `${sort} ${order}`
      const compare = comparisons[sort]
      const sign = order === 'asc' ? 1 : -1
      const indexes =
        orders.get(key) ??
        (yield* sortInSteps(
          rows.length,
          (left, right) => sign * compare(rows[left] as Row, rows[right] as Row),
        ))
      orders.set(key, indexes)
      const page: Row[] = []
      let rowCount = 0
      for (let at = 0; at < indexes.length; at += 1) {
        const row = rows[indexes[at] as number] as Row
        if (at % STEP_ITEMS === STEP_ITEMS - 1) yield
        if (!isWanted(row)) continue
        if (rowCount >= offset && page.length < limit) page.push(row)
        rowCount += 1
        onRow(row)
      }
      return { rowCount, rows: page }
    },
  }
}

/** Whether a path or a partition holds a text, in any case. */
export function createTextFilter(
  find: string | undefined,
): (path: string, partition: string | null) => boolean {
  const wanted = find?.trim().toLowerCase() ?? ''
  if (wanted === '') return () => true
  return (path, partition) =>
    path.toLowerCase().includes(wanted) || partition?.toLowerCase().includes(wanted) === true
}
