// How a person has arranged a result: order, hiding, pinning and widths of columns, and the sort. A value with pure
// changes; columns are known by their index in the result.
import type { Sort } from './row-order.ts'

export interface GridView {
  /** Every column once, in the order of the person. */
  order: readonly number[]
  hidden: readonly number[]
  /** At the left, always in view. */
  pinned: readonly number[]
  /** CSS pixels, of columns that were resized. */
  widths: Readonly<Record<number, number>>
  sort: Sort | null
}

export function initialView(columnCount: number): GridView {
  return { order: [...Array(columnCount).keys()], hidden: [], pinned: [], widths: {}, sort: null }
}

/** Shown columns: pinned ones first, each part in order. At least one is always shown. */
export function shownColumns(view: GridView): number[] {
  const shown = view.order.filter((column) => !view.hidden.includes(column))
  const pinned = shown.filter((column) => view.pinned.includes(column))
  return [...pinned, ...shown.filter((column) => !view.pinned.includes(column))]
}

export const pinnedCount = (view: GridView): number =>
  shownColumns(view).filter((column) => view.pinned.includes(column)).length

const toggled = (list: readonly number[], column: number): readonly number[] =>
  list.includes(column) ? list.filter((other) => other !== column) : [...list, column]

/** Hides or shows a column; the last shown one stays. */
export function toggleHidden(view: GridView, column: number): GridView {
  const next = { ...view, hidden: toggled(view.hidden, column) }
  return shownColumns(next).length === 0 ? view : next
}

export const togglePinned = (view: GridView, column: number): GridView => ({
  ...view,
  pinned: toggled(view.pinned, column),
})

/** Moves a shown column to another shown place. */
export function moveColumn(view: GridView, from: number, to: number): GridView {
  const shown = shownColumns(view)
  const column = shown[from]
  if (column === undefined) return view
  const moved = shown.toSpliced(from, 1).toSpliced(to, 0, column)
  return { ...view, order: [...moved, ...view.order.filter((other) => !moved.includes(other))] }
}

/** What was kept, or the initial view where it does not fit a result of so many columns. */
export function viewOfStored(value: unknown, columnCount: number): GridView {
  const initial = initialView(columnCount)
  const { order, hidden, pinned, widths, sort } = (value ?? {}) as Partial<Record<keyof GridView, unknown>>
  const areColumns = (list: unknown): list is number[] =>
    Array.isArray(list) && list.every((column) => initial.order.includes(column as number))
  if (!areColumns(order) || new Set(order).size !== columnCount || !areColumns(hidden) || !areColumns(pinned))
    return initial
  if (hidden.length >= columnCount) return initial
  const entries = Object.entries((widths ?? {}) as Record<string, unknown>).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= 40 && entry[1] <= 2_000,
  )
  const { column, isDescending } = (sort ?? {}) as Partial<Sort>
  const isSort = typeof isDescending === 'boolean' && column !== undefined && initial.order.includes(column)
  return {
    order,
    hidden,
    pinned,
    widths: Object.fromEntries(entries),
    sort: isSort ? { column, isDescending } : null,
  }
}
