// What was run and what was saved, as values: how entries are made, bounded and searched. No storage here.
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { HISTORY_CHARS_MAX, HISTORY_ENTRIES_MAX } from '../limits.ts'
import type { QueryRun } from '../query-run/query-run.ts'
import { infoOf, type RunState } from '../query-run/run-state.ts'
import type { Parameter } from '../sql/parameters.ts'

/** A table that a statement read, as its receipt had it. */
export type HistoryTable = Pick<
  TableReceipt,
  'namespace' | 'table' | 'snapshotId' | 'committedAtMs' | 'requested'
>

export interface HistoryEntry {
  id: string
  sql: string
  startedAtMs: number
  elapsedMs: number
  /** `left`: its page went away while it ran, and so the server ended it. */
  outcome: 'running' | 'finished' | 'failed' | 'stopped' | 'left'
  rowCount: number
  /** Code of the failure; null where there was none. */
  errorCode: string | null
  tables: readonly HistoryTable[]
  parameters?: readonly Parameter[] | undefined
  /** The tab that it ran in, and the window of that: both may be gone. */
  tabId?: string | undefined
  windowId?: string | undefined
  /** It goes on without its page. */
  isBackground?: boolean | undefined
}

export interface SavedQuery {
  /** Of the tab that it was saved from first, or its own: a tab that is opened from it has it as `savedId`. */
  id: string
  title: string
  sql: string
  parameters?: readonly Parameter[] | undefined
  savedAtMs: number
}

/** A tab, as far as it can be saved. */
type SavedTab = Omit<SavedQuery, 'savedAtMs'> & { savedId?: string | undefined }

/** Which saved query a tab is, whether or not there is one yet. */
export const savedIdOf = ({ id, savedId = id }: Pick<SavedTab, 'id' | 'savedId'>): string => savedId

/** Ids of the tabs that are not as they were saved last; one that was never saved is none of them. */
export function changedSinceSaved(
  tabs: readonly SavedTab[],
  saved: readonly SavedQuery[],
): ReadonlySet<string> {
  const byId = new Map(saved.map((query) => [query.id, query]))
  const isChanged = (tab: SavedTab): boolean => {
    const query = byId.get(savedIdOf(tab))
    if (query === undefined) return false
    const parametersOf = ({ parameters = [] }: Pick<SavedQuery, 'parameters'>) => JSON.stringify(parameters)
    return query.sql !== tab.sql || query.title !== tab.title || parametersOf(query) !== parametersOf(tab)
  }
  return new Set(tabs.filter(isChanged).map(({ id }) => id))
}

function outcomeOf(state: RunState): HistoryEntry['outcome'] {
  return state.kind === 'finished' || state.kind === 'failed' || state.kind === 'stopped'
    ? state.kind
    : 'running'
}

/** The entry of a run as it stands; null for one that only opens a kept or a stored result, which runs nothing. */
export function entryOfRun(run: QueryRun, id: string, windowId: string): HistoryEntry | null {
  const { source, snapshot } = run
  const { state, startedAtMs, endedAtMs, rowCount } = snapshot
  if (source.background?.kind === 'open' || snapshot.storedAtMs !== null) return null
  const tables = state.kind === 'finished' ? state.receipt.tables : (infoOf(state)?.tables ?? [])
  return {
    id,
    sql: source.sql,
    parameters: source.parameters,
    tabId: source.tabId,
    windowId,
    isBackground: source.background !== undefined,
    startedAtMs,
    elapsedMs: Math.max(0, (endedAtMs ?? startedAtMs) - startedAtMs),
    outcome: outcomeOf(state),
    rowCount,
    errorCode: state.kind === 'failed' ? state.error.code : null,
    tables: tables.map(({ namespace, table, snapshotId, committedAtMs, requested }) => ({
      namespace,
      table,
      snapshotId,
      committedAtMs,
      requested,
    })),
  }
}

/** Entries of windows that are gone: what ran in them was left, unless it goes on without them. */
export function leftEntries(
  entries: readonly HistoryEntry[],
  openWindowIds: ReadonlySet<string>,
): HistoryEntry[] {
  return entries
    .filter(({ outcome, windowId = '' }) => outcome === 'running' && !openWindowIds.has(windowId))
    .map((entry) => ({ ...entry, outcome: 'left' }))
}

/** What was run last in a tab; null where nothing is known. */
export const lastOfTab = (entries: readonly HistoryEntry[], tabId: string): HistoryEntry | null =>
  entries.find((entry) => entry.tabId === tabId) ?? null

/** What was answered last, each text once. */
export function recentQueries(entries: readonly HistoryEntry[], count: number): HistoryEntry[] {
  const bySql = new Map<string, HistoryEntry>()
  for (const entry of entries)
    if (entry.outcome === 'finished' && !bySql.has(entry.sql)) bySql.set(entry.sql, entry)
  return [...bySql.values()].slice(0, count)
}

/** The tables that were read last, each once. */
export function recentTables(entries: readonly HistoryEntry[], count: number): HistoryTable[] {
  const byKey = new Map<string, HistoryTable>()
  for (const table of entries.flatMap(({ tables }) => tables)) {
    const key = tableKey(table.namespace, table.table)
    if (!byKey.has(key)) byKey.set(key, table)
  }
  return [...byKey.values()].slice(0, count)
}

/** The newest entries that fit the bounds, newest first; the newest one always does. */
export function boundHistory(
  entries: readonly HistoryEntry[],
  entriesMax = HISTORY_ENTRIES_MAX,
  charsMax = HISTORY_CHARS_MAX,
): readonly HistoryEntry[] {
  let charCount = 0
  const end = entries.findIndex(({ sql }, i) => {
    charCount += sql.length
    return i > 0 && (i >= entriesMax || charCount > charsMax)
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** Entries whose text or tables hold every word of the search, in their order. */
export function searchEntries<T extends { sql: string; title?: string; tables?: readonly HistoryTable[] }>(
  entries: readonly T[],
  search: string,
): readonly T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter(({ sql, title = '', tables = [] }) => {
    const names = tables.map(({ namespace, table }) => [...namespace, table].join('.')).join(' ')
    const text = `${title}\n${sql}\n${names}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
