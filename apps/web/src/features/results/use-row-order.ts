// The shown rows of a result: all as they came, or those that were found, sorted over what is loaded. Nothing is reordered
// while rows are arriving.
import { useEffect, useMemo, useState } from 'react'
import { SORT_ROWS_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'
import { displayText, type ResultColumn } from './grid-columns.ts'
import type { GridView } from './grid-view.ts'
import { sortedRows, type Sort } from './row-order.ts'
import type { CellValue } from './row-search.ts'
import type { FoundRows } from './use-matches.ts'

interface RowOrderInput {
  buffer: ResultBuffer
  columns: readonly ResultColumn[]
  rowCount: number
  isArriving: boolean
  sort: Sort | null
  found: FoundRows
  /** Only rows that were found are shown. */
  isFilter: boolean
}

export interface RowOrder {
  /** Row numbers in shown order; null: all rows as they came. */
  rows: Uint32Array | null
  /** Shown places of rows that were found; null without a search, or before it has found any. */
  matches: Uint32Array | null
  isSorted: boolean
  isTooLargeToSort: boolean
  /** What is shown is still the order before. */
  isPending: boolean
}

interface Sorted {
  base: Uint32Array | null
  rowCount: number
  sort: Sort
  /** Null: too many to sort. */
  rows: Uint32Array | null
}

/** `base`, or all rows, in order; null without a sort, undefined where there are too many rows. */
function useSorted(
  { buffer, columns, rowCount, isArriving, sort }: RowOrderInput,
  base: Uint32Array | null,
): { rows: Uint32Array | null | undefined; isPending: boolean } {
  const [made, setMade] = useState<Sorted | null>(null)
  const isWanted = sort !== null && !isArriving
  useEffect(() => {
    if (!isWanted) return
    const abort = new AbortController()
    const make = async () => {
      const rows = await sortedRows(buffer, columns, base ?? rowCount, sort, abort.signal)
      if (!abort.signal.aborted) setMade({ base, rowCount, sort, rows })
    }
    // An order that is no longer wanted ends by its signal.
    make().catch(() => undefined)
    return () => abort.abort()
  }, [isWanted, buffer, columns, base, rowCount, sort])
  if (!isWanted) return { rows: null, isPending: false }
  const isMade = made?.sort === sort && made.base === base && made.rowCount === rowCount
  if (!isMade) return { rows: made?.rows ?? base, isPending: true }
  return { rows: made.rows ?? undefined, isPending: false }
}

/** Where the found rows are shown. @param base the found rows, where only they are shown */
function placesOf(
  rows: Uint32Array | null,
  found: Uint32Array | null,
  base: Uint32Array | null,
): Uint32Array | null {
  if (found === null || rows === null) return found
  if (rows === base) return Uint32Array.from(rows.keys())
  const isFound = new Set(found)
  const places: number[] = []
  rows.forEach((row, place) => {
    if (isFound.has(row)) places.push(place)
  })
  return Uint32Array.from(places)
}

export function useRowOrder(input: RowOrderInput): RowOrder {
  const { found, isFilter } = input
  const foundRows = found.matches?.rows ?? null
  const base = isFilter ? foundRows : null
  const sorted = useSorted(input, base)
  const rows = sorted.rows ?? base
  const isPending = found.isPending || sorted.isPending
  const matches = useMemo(
    () => (isPending ? null : placesOf(rows, foundRows, base)),
    [isPending, rows, foundRows, base],
  )
  return useMemo(
    () => ({
      rows,
      matches,
      isSorted: sorted.rows instanceof Uint32Array,
      isTooLargeToSort: sorted.rows === undefined,
      isPending,
    }),
    [rows, matches, sorted.rows, isPending],
  )
}

interface Arrangement {
  view: GridView
  order: RowOrder
  columns: readonly ResultColumn[]
  rowCount: number
  only: CellValue | null
  /** Every row of the answer is here and was looked at. */
  isWhole: boolean
}

const ONLY_CHARS_MAX = 60

const onlyText = ({ column, text }: CellValue, columns: readonly ResultColumn[]): string => {
  const value = text === null ? 'NULL' : `“${visibleText(displayText(text, ONLY_CHARS_MAX))}”`
  return `where ${visibleName(columns[column]?.name ?? '')} is ${value}`
}

/** In words, where the shown rows are not the rows as they came; else empty. */
export function arrangementText({ view, order, columns, rowCount, only, isWhole }: Arrangement): string {
  if (order.isPending) return 'arranging…'
  const parts: string[] = []
  if (order.isTooLargeToSort)
    parts.push(`not sorted: more than ${countText(SORT_ROWS_MAX)} rows are for ORDER BY`)
  else if (view.sort !== null && order.isSorted) {
    const name = visibleName(columns[view.sort.column]?.name ?? '')
    parts.push(`sorted by ${name} ${view.sort.isDescending ? 'descending' : 'ascending'}`)
  }
  if (order.rows !== null && (order.rows.length < rowCount || only !== null))
    parts.push(`${countText(order.rows.length)} of ${countedText(rowCount, 'row')} shown`)
  if (only !== null) parts.push(onlyText(only, columns))
  if (parts.length > 0 && !isWhole) parts.push('over the loaded rows only')
  return parts.join(' · ')
}
