// The open tabs and the recently closed ones, as a value with pure changes. Closing asks nothing because nothing is
// lost: a closed tab keeps its text and can be reopened. There is always at least one open tab.
import { requestedPin, type RequestedPin } from '@lake/core/api/contract.ts'
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import { savedIdOf } from '../../history/history.ts'
import { PARAMETERS_MAX, TABS_CLOSED_KEPT_MAX, TABS_OPEN_MAX } from '../../limits.ts'
import { parameterList, type Parameter } from '../../sql/parameters.ts'

export interface TabPin extends RequestedPin {
  committedAtMs: number
}

export interface Tab {
  id: string
  title: string
  sql: string
  /** Snapshots that this tab reads instead of the current ones; none: it reads what is current. */
  pins: readonly TabPin[]
  /** Values of the text's `$name`s; those of names that it had before are kept too. */
  parameters?: readonly Parameter[] | undefined
  /** The answer that the tab's link was made from, and the statement it belongs to. */
  linked?: LinkedAnswer | undefined
  /** The saved query that the tab was opened from; without one it is saved under its own id. */
  savedId?: string | undefined
}

export interface LinkedAnswer {
  sql: string
  fingerprint: string
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
  return { open: [{ id, title: 'Query 1', sql: '', pins: [] }], activeId: id, closed: [] }
}

/** Opens a tab beside the active one; at TABS_OPEN_MAX nothing happens. */
export function openTab(state: TabsState, tab: Partial<Tab> & { id: string }): TabsState {
  if (state.open.length >= TABS_OPEN_MAX) return state
  const { id, title = nextTitle(state.open), sql = '', pins = [], parameters, linked, savedId } = tab
  const opened: Tab = { id, title, sql, pins, parameters, linked, savedId }
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

/** One saved query has one tab: where another has it by now, the reopened one is saved as `freshSavedId`. */
export function reopenTab(state: TabsState, freshSavedId: string): TabsState {
  const tab = state.closed.at(-1)
  if (tab === undefined || state.open.length >= TABS_OPEN_MAX) return state
  const isTaken = state.open.some((other) => savedIdOf(other) === savedIdOf(tab))
  const reopened = isTaken ? { ...tab, savedId: freshSavedId } : tab
  return { open: [...state.open, reopened], activeId: tab.id, closed: state.closed.slice(0, -1) }
}

/** Reads one table of a tab at a snapshot, or, without one, as it is now; other pins stay. */
export function pinTable(
  state: TabsState,
  id: string,
  { namespace, table }: Pick<TabPin, 'namespace' | 'table'>,
  commit: Pick<TabPin, 'snapshotId' | 'committedAtMs'> | null,
): TabsState {
  const tab = state.open.find((open) => open.id === id)
  if (tab === undefined) return state
  const isOther = (pin: TabPin): boolean => tableKey(pin.namespace, pin.table) !== tableKey(namespace, table)
  const others = tab.pins.filter(isOther)
  const pin = commit && {
    namespace,
    table,
    snapshotId: commit.snapshotId,
    committedAtMs: commit.committedAtMs,
  }
  const pins = pin === null ? others : [...others, pin]
  return editTab(state, id, { pins, linked: undefined })
}

/** Gives a `$name` of a tab its value. */
export function setParameter(state: TabsState, id: string, given: Parameter): TabsState {
  const others = state.open
    .find((tab) => tab.id === id)
    ?.parameters?.filter(({ name }) => name !== given.name)
    .slice(-(PARAMETERS_MAX - 1))
  return editTab(state, id, { parameters: [...(others ?? []), given] })
}

export function activateTab(state: TabsState, id: string): TabsState {
  return state.open.some((tab) => tab.id === id) ? { ...state, activeId: id } : state
}

export function editTab(state: TabsState, id: string, change: Partial<Omit<Tab, 'id'>>): TabsState {
  return { ...state, open: state.open.map((tab) => (tab.id === id ? { ...tab, ...change } : tab)) }
}

function pinsOf(values: unknown): TabPin[] {
  if (!Array.isArray(values)) return []
  return values.flatMap((value: { committedAtMs?: unknown }) => {
    const pin = requestedPin.safeParse(value)
    const committedAtMs = pin.success ? value.committedAtMs : undefined
    return pin.success && typeof committedAtMs === 'number' ? [{ ...pin.data, committedAtMs }] : []
  })
}

function linkedOf(value: unknown): LinkedAnswer | undefined {
  const { sql, fingerprint } = (value ?? {}) as Partial<Record<keyof LinkedAnswer, unknown>>
  return typeof sql === 'string' && typeof fingerprint === 'string' ? { sql, fingerprint } : undefined
}

/** Those of the values that are tabs; storage may hold anything. */
export function tabsOf(values: unknown): Tab[] {
  if (!Array.isArray(values)) return []
  return values.flatMap((value: Partial<Record<keyof Tab, unknown>> | null) => {
    const { id, title, sql, pins, parameters, linked } = value ?? {}
    const isTab = typeof id === 'string' && typeof title === 'string' && typeof sql === 'string'
    if (!isTab) return []
    const { data } = parameterList.safeParse(parameters)
    const savedId = typeof value?.savedId === 'string' ? value.savedId : undefined
    return [{ id, title, sql, pins: pinsOf(pins), parameters: data, linked: linkedOf(linked), savedId }]
  })
}
