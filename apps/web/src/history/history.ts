// What was run and what was saved, as values: how entries are made, bounded and searched. No storage here.
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { HISTORY_CHARS_MAX, HISTORY_ENTRIES_MAX } from '../limits.ts'
import type { QueryRun } from '../query-run/query-run.ts'
import { infoOf } from '../query-run/run-state.ts'
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
  outcome: 'finished' | 'failed' | 'stopped'
  rowCount: number
  /** Code of the failure; null where there was none. */
  errorCode: string | null
  tables: readonly HistoryTable[]
  parameters?: readonly Parameter[] | undefined
}

export interface SavedQuery {
  /** Id of the tab that it was saved from: saving again replaces it. */
  id: string
  title: string
  sql: string
  parameters?: readonly Parameter[] | undefined
  savedAtMs: number
}

/** The entry of a run that has ended; null for one that has not. */
export function entryOfRun(run: QueryRun, id: string): HistoryEntry | null {
  const { state, startedAtMs, endedAtMs, rowCount } = run.snapshot
  // To open a kept result is not to run a statement.
  if (
    run.source.background?.kind === 'open' ||
    endedAtMs === null ||
    (state.kind !== 'finished' && state.kind !== 'failed' && state.kind !== 'stopped')
  )
    return null
  const tables = state.kind === 'finished' ? state.receipt.tables : (infoOf(state)?.tables ?? [])
  return {
    id,
    sql: run.source.sql,
    parameters: run.source.parameters,
    startedAtMs,
    elapsedMs: Math.max(0, endedAtMs - startedAtMs),
    outcome: state.kind,
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
