// The arrangement of each tab's result, kept in local storage: for the same columns it comes back with the next run.
import { useMemo, useState } from 'react'
import { GRID_VIEWS_KEPT_MAX } from '../../limits.ts'
import type { ResultColumn } from './grid-columns.ts'
import { viewOfStored, type GridView } from './grid-view.ts'
import type { Sort } from './row-order.ts'

const STORAGE_KEY = 'lake.grid-views.v1'

type Stored = Record<string, unknown>

function readStored(): Stored {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : {}
  } catch {
    // Unreadable or forbidden storage holds nothing.
    return {}
  }
}

/** A tab's view belongs to its columns by name and type; other columns start afresh. */
const keyOf = (tabId: string, columns: readonly ResultColumn[]): string =>
  JSON.stringify([tabId, columns.map(({ name, sqlType }) => [name, sqlType])])

function store(key: string, view: GridView): void {
  const { [key]: _replaced, ...others } = readStored()
  const kept = Object.entries(others).slice(-GRID_VIEWS_KEPT_MAX + 1)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries([...kept, [key, view]])))
  } catch {
    // The arrangement then lasts as long as the result.
  }
}

/**
 * The arrangement and its setter.
 * @param sort of this very result, where it was looked at before; a new answer comes in its own order
 */
export function useGridView(
  tabId: string,
  columns: readonly ResultColumn[],
  sort: Sort | null,
): [GridView, (change: (view: GridView) => GridView) => void] {
  const key = keyOf(tabId, columns)
  const [state, setState] = useState<{ key: string; view: GridView } | null>(null)
  const stored = useMemo(
    () => ({ ...viewOfStored(readStored()[key], columns.length), sort }),
    [key, columns.length, sort],
  )
  const view = state?.key === key ? state.view : stored
  const change = (apply: (view: GridView) => GridView) => {
    const next = apply(view)
    setState({ key, view: next })
    store(key, next)
  }
  return [view, change]
}
