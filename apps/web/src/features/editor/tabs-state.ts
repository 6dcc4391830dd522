// The open tabs and the recently closed ones, as a value with pure changes. Closing asks nothing because nothing is
// lost: a closed tab keeps its text and can be reopened. There is always at least one open tab.
import { TABS_CLOSED_KEPT_MAX, TABS_OPEN_MAX } from '../../limits.ts'

export interface Tab {
  id: string
  title: string
  sql: string
}

export interface TabsState {
  open: readonly Tab[]
  activeId: string
  /** Most recently closed last. */
  closed: readonly Tab[]
}

const nextTitle = (tabs: readonly Tab[]): string => {
  const taken = new Set(tabs.map((tab) => tab.title))
  let number = 1
  while (taken.has(`Query ${number}`)) number += 1
  return `Query ${number}`
}

export function initialTabs(id: string): TabsState {
  return { open: [{ id, title: 'Query 1', sql: '' }], activeId: id, closed: [] }
}

/** Opens a tab beside the active one; at TABS_OPEN_MAX nothing happens. */
export function openTab(state: TabsState, tab: { id: string; title?: string; sql?: string }): TabsState {
  if (state.open.length >= TABS_OPEN_MAX) return state
  const opened: Tab = { id: tab.id, title: tab.title ?? nextTitle(state.open), sql: tab.sql ?? '' }
  const at = state.open.findIndex((other) => other.id === state.activeId) + 1
  return { ...state, open: state.open.toSpliced(at, 0, opened), activeId: opened.id }
}

/** Closes a tab; `freshId` names the empty one that replaces the last. */
export function closeTab(state: TabsState, id: string, freshId: string): TabsState {
  const at = state.open.findIndex((tab) => tab.id === id)
  const tab = state.open[at]
  if (tab === undefined) return state
  const open = state.open.toSpliced(at, 1)
  const closed = tab.sql.trim() === '' ? state.closed : [...state.closed, tab].slice(-TABS_CLOSED_KEPT_MAX)
  if (open.length === 0) return { ...initialTabs(freshId), closed }
  const neighbour = open[Math.min(at, open.length - 1)]
  return { open, closed, activeId: state.activeId === id && neighbour ? neighbour.id : state.activeId }
}

export function reopenTab(state: TabsState): TabsState {
  const tab = state.closed.at(-1)
  if (tab === undefined || state.open.length >= TABS_OPEN_MAX) return state
  return { open: [...state.open, tab], activeId: tab.id, closed: state.closed.slice(0, -1) }
}

export function activateTab(state: TabsState, id: string): TabsState {
  return state.open.some((tab) => tab.id === id) ? { ...state, activeId: id } : state
}

export function editTab(state: TabsState, id: string, change: Partial<Omit<Tab, 'id'>>): TabsState {
  return { ...state, open: state.open.map((tab) => (tab.id === id ? { ...tab, ...change } : tab)) }
}

const isTab = (value: unknown): value is Tab =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'title' in value &&
  'sql' in value &&
  typeof value.id === 'string' &&
  typeof value.title === 'string' &&
  typeof value.sql === 'string'

/** Reads stored tabs; null for anything that is not a usable state, so that a fresh one is used. */
export function parseTabs(text: string | null): TabsState | null {
  try {
    const value = JSON.parse(text ?? 'null') as {
      open?: unknown
      closed?: unknown
      activeId?: unknown
    } | null
    const open = Array.isArray(value?.open) ? value.open.filter(isTab) : []
    const first = open[0]
    if (first === undefined) return null
    const closed = Array.isArray(value?.closed) ? value.closed.filter(isTab) : []
    const activeId = open.some((tab) => tab.id === value?.activeId) ? String(value?.activeId) : first.id
    return { open, activeId, closed }
  } catch {
    // Storage may hold anything; what is unreadable is not ours to keep.
    return null
  }
}

/**
 * Tabs of this window and of another one that saved since: the other's tabs are taken over, not lost.
 * `knownIds` holds every id this window has ever shown, so that a tab closed here does not come back.
 */
export function mergeTabs(
  mine: TabsState,
  stored: TabsState | null,
  knownIds: ReadonlySet<string>,
): TabsState {
  const others = (stored?.open ?? []).filter((tab) => !knownIds.has(tab.id))
  return others.length === 0 ? mine : { ...mine, open: [...mine.open, ...others] }
}
