// The shown rows of a result: all as they came, or filtered and sorted over what is loaded. Nothing is reordered while
// rows are arriving.
import { useEffect, useState } from 'react'
import { SORT_ROWS_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { countedText, countText } from '../../ui/format-quantity.ts'
import type { ResultColumn } from './grid-columns.ts'
import type { GridView } from './grid-view.ts'
import { matchingRows, sortedRows, type Sort } from './row-order.ts'

interface RowOrderInput {
  buffer: ResultBuffer
  columns: readonly ResultColumn[]
  /** Columns that are searched, by index. */
  shown: readonly number[]
  rowCount: number
  isArriving: boolean
  sort: Sort | null
  search: string
  isFilter: boolean
}

export interface RowOrder {
  /** Row numbers in shown order; null: all rows as they came. */
  rows: Uint32Array | null
  /** Shown places of rows that hold the search; null without a search. */
  matches: Uint32Array | null
  isTooLargeToSort: boolean
  /** What is shown is still the order before. */
  isPending: boolean
}

const PLAIN: RowOrder = { rows: null, matches: null, isTooLargeToSort: false, isPending: false }

async function orderOf(input: RowOrderInput, signal: AbortSignal): Promise<RowOrder> {
  const { buffer, columns, shown, sort, search, isFilter } = input
  const found = search === '' ? null : await matchingRows(buffer, columns, shown, search, signal)
  const base = found !== null && isFilter ? found : null
  const sorted =
    sort === null ? null : await sortedRows(buffer, columns, base ?? buffer.rowCount, sort, signal)
  const rows = sorted ?? base
  const isTooLargeToSort = sort !== null && sorted === null
  const order = { rows, isTooLargeToSort, isPending: false }
  if (found === null) return { ...order, matches: null }
  if (rows === null) return { ...order, matches: found }
  const isFound = new Set(found)
  const places: number[] = []
  rows.forEach((row, place) => {
    if (isFound.has(row)) places.push(place)
  })
  return { ...order, matches: Uint32Array.from(places) }
}

export function useRowOrder(input: RowOrderInput): RowOrder {
  const [made, setMade] = useState<{ key: string; order: RowOrder }>({ key: '', order: PLAIN })
  const { buffer, columns, shown, rowCount, isArriving, sort, search, isFilter } = input
  const isPlain = isArriving || (sort === null && search === '')
  const shownKey = shown.join()
  const key = JSON.stringify([shownKey, rowCount, sort, search, isFilter])
  useEffect(() => {
    if (isPlain) return
    const abort = new AbortController()
    const make = async () => {
      const next = await orderOf(
        { buffer, columns, shown, rowCount, isArriving, sort, search, isFilter },
        abort.signal,
      )
      if (!abort.signal.aborted) setMade({ key, order: next })
    }
    // An order that is no longer wanted ends by its signal.
    make().catch(() => undefined)
    return () => abort.abort()
    // `key` holds all that decides; lists and objects in it are new each time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isPlain, buffer, columns, key])
  if (isPlain) return PLAIN
  return made.key === key ? made.order : { ...made.order, matches: null, isPending: true }
}

/** In words, where the shown rows are not the rows as they came; else empty. */
export function arrangementText(
  view: GridView,
  order: RowOrder,
  columns: readonly ResultColumn[],
  rowCount: number,
  isWhole: boolean,
) {
  if (order.isPending) return 'arranging…'
  const parts: string[] = []
  if (order.isTooLargeToSort)
    parts.push(`not sorted: more than ${countText(SORT_ROWS_MAX)} rows are for ORDER BY`)
  else if (view.sort !== null && order.rows !== null)
    parts.push(
      `sorted by ${columns[view.sort.column]?.name ?? ''} ${view.sort.isDescending ? 'descending' : 'ascending'}`,
    )
  if (order.rows !== null && order.rows.length < rowCount)
    parts.push(`${countText(order.rows.length)} of ${countedText(rowCount, 'row')} shown`)
  if (parts.length > 0 && !isWhole) parts.push('over the loaded rows only')
  return parts.join(' · ')
}
