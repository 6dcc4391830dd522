// Tabs as they are stored, one record each, and what two windows tell each other. A window writes and tells what it has
// changed and nothing else, so that it never overwrites what another one did meanwhile. No storage here.
import { TABS_CLOSED_KEPT_MAX } from '../../limits.ts'
import { initialTabs, tabsOf, type Tab, type TabsState } from './tabs-state.ts'

export interface StoredTab extends Tab {
  /** Null while it is open. */
  closedAtMs: number | null
}

/** Order of the open tabs, and the one that was last active in any window. */
export interface TabLayout {
  openIds: readonly string[]
  activeId: string
}

export interface TabChanges {
  put: readonly StoredTab[]
  removedIds: readonly string[]
  layout: TabLayout
}

/** What is to be written after `before` was; null: nothing was. Tabs are compared by identity. */
export function changesBetween(before: TabsState | null, after: TabsState, nowMs: number): TabChanges {
  const openBefore = new Set(before?.open)
  const closedBefore = new Set(before?.closed)
  const kept = new Set([...after.open, ...after.closed].map(({ id }) => id))
  return {
    put: [
      ...after.open.filter((tab) => !openBefore.has(tab)).map((tab) => ({ ...tab, closedAtMs: null })),
      ...after.closed
        .map((tab, place) => ({ tab, closedAtMs: nowMs + place }))
        .filter(({ tab }) => !closedBefore.has(tab))
        .map(({ tab, closedAtMs }) => ({ ...tab, closedAtMs })),
    ],
    removedIds: [...openBefore, ...closedBefore].map(({ id }) => id).filter((id) => !kept.has(id)),
    layout: { openIds: after.open.map(({ id }) => id), activeId: after.activeId },
  }
}

export const isNothing = ({ put, removedIds }: TabChanges): boolean => put.length + removedIds.length === 0

const closedAtOf = (value: unknown): number | null => {
  const closedAtMs = (value as { closedAtMs?: unknown } | null)?.closedAtMs
  return typeof closedAtMs === 'number' ? closedAtMs : null
}

function layoutOf(value: unknown): TabLayout {
  const { openIds, activeId } = (value ?? {}) as Partial<Record<keyof TabLayout, unknown>>
  return {
    openIds: Array.isArray(openIds) ? openIds.filter((id) => typeof id === 'string') : [],
    activeId: typeof activeId === 'string' ? activeId : '',
  }
}

/** The tabs that were stored; null where there is no open one. A tab that no layout names comes last, and is not lost. */
export function tabsOfStored(
  stored: readonly unknown[],
  layout: unknown,
  activeId: string | null,
): TabsState | null {
  const { openIds, activeId: lastActiveId } = layoutOf(layout)
  const placeOf = ({ id }: Tab) => (openIds.includes(id) ? openIds.indexOf(id) : openIds.length)
  const open = tabsOf(stored.filter((value) => closedAtOf(value) === null)).sort(
    (a, b) => placeOf(a) - placeOf(b),
  )
  const closed = stored
    .filter((value) => closedAtOf(value) !== null)
    .sort((a, b) => (closedAtOf(a) ?? 0) - (closedAtOf(b) ?? 0))
  const wanted = [activeId, lastActiveId].find((id) => open.some((tab) => tab.id === id))
  const first = open[0]
  if (first === undefined) return null
  return { open, activeId: wanted ?? first.id, closed: tabsOf(closed).slice(-TABS_CLOSED_KEPT_MAX) }
}

/** Tabs as the workbench kept them in local storage until it had a database; null for anything else. */
export function parseOldTabs(text: string | null): TabsState | null {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<Record<keyof TabsState, unknown>> | null
    const open = tabsOf(value?.open)
    const first = open[0]
    if (first === undefined) return null
    const activeId = open.find(({ id }) => id === value?.activeId)?.id ?? first.id
    return { open, activeId, closed: tabsOf(value?.closed) }
  } catch {
    // Storage may hold anything; what is unreadable is not ours to keep.
    return null
  }
}

export interface Windows {
  /** What this window shows. */
  mine: TabsState
  /** What it has written or taken over last; null: nothing. */
  saved: TabsState | null
}

const insertTab = (open: readonly Tab[], tab: Tab, { openIds }: TabLayout): readonly Tab[] => {
  const before = openIds[openIds.indexOf(tab.id) - 1]
  const at = open.findIndex(({ id }) => id === before) + 1
  return open.toSpliced(at === 0 ? open.length : at, 0, tab)
}

function withTab(state: TabsState, tab: Tab, closedAtMs: number | null, layout: TabLayout): TabsState {
  const closed = state.closed.filter(({ id }) => id !== tab.id)
  if (closedAtMs !== null)
    return {
      ...state,
      open: state.open.filter(({ id }) => id !== tab.id),
      closed: [...closed, tab].slice(-TABS_CLOSED_KEPT_MAX),
    }
  const isKnown = state.open.some(({ id }) => id === tab.id)
  const open = isKnown
    ? state.open.map((other) => (other.id === tab.id ? tab : other))
    : insertTab(state.open, tab, layout)
  return { ...state, open, closed }
}

function withoutTab(state: TabsState, id: string): TabsState {
  const isOther = (tab: Tab) => tab.id !== id
  return { ...state, open: state.open.filter(isOther), closed: state.closed.filter(isOther) }
}

/** There is always an open tab, and the active one is open. */
function settled(state: TabsState, before: TabsState, freshId: string): TabsState {
  if (state.open.some(({ id }) => id === state.activeId)) return state
  const place = before.open.findIndex(({ id }) => id === before.activeId)
  const next = state.open[Math.min(Math.max(place, 0), state.open.length - 1)]
  if (next !== undefined) return { ...state, activeId: next.id }
  return { ...initialTabs(freshId), closed: state.closed }
}

/**
 * Takes over what another window changed. Where this window has a text of the same tab that it has not written yet, its
 * own stays, and the other's is kept among the closed tabs: neither is lost.
 */
export function takeOver(windows: Windows, theirs: TabChanges, freshId: () => string): Windows {
  let { mine } = windows
  let saved = windows.saved ?? { open: [], activeId: '', closed: [] }
  const isUnwritten = (id: string) => {
    const tab = mine.open.find((other) => other.id === id)
    return tab !== undefined && !saved.open.includes(tab)
  }
  for (const { closedAtMs, ...tab } of theirs.put) {
    const isConflict = isUnwritten(tab.id) && mine.open.find(({ id }) => id === tab.id)?.sql !== tab.sql
    saved = withTab(saved, tab, closedAtMs, theirs.layout)
    if (!isConflict) mine = withTab(mine, tab, closedAtMs, theirs.layout)
    else if (tab.sql.trim() !== '') {
      const copy = { ...tab, id: freshId(), savedId: undefined, title: `${tab.title} (other window)` }
      mine = { ...mine, closed: [...mine.closed, copy].slice(-TABS_CLOSED_KEPT_MAX) }
    }
  }
  for (const id of theirs.removedIds) {
    if (!isUnwritten(id)) mine = withoutTab(mine, id)
    saved = withoutTab(saved, id)
  }
  return { mine: settled(mine, windows.mine, freshId()), saved }
}
