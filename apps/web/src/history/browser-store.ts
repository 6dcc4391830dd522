// History and saved queries in this browser: IndexedDB behind an external store. Everything is in memory too, so that
// reading never waits; where the browser keeps nothing, the lists last as long as the page.
//
// A run is written down when it starts, so that one whose page goes away is known to the next page.
import { useSyncExternalStore } from 'react'
import type { IDBPDatabase } from 'idb'
import { SAVED_QUERIES_MAX } from '../limits.ts'
import type { QueryRun } from '../query-run/query-run.ts'
import { openWindowIds, windowId } from '../storage/window-life.ts'
import { forgetDatabase, workbenchDatabase } from '../storage/workbench-database.ts'
import { boundHistory, entryOfRun, leftEntries, type HistoryEntry, type SavedQuery } from './history.ts'

interface Records {
  history: readonly HistoryEntry[]
  saved: readonly SavedQuery[]
}
type StoreName = keyof Records

interface Change {
  put?: readonly (HistoryEntry | SavedQuery)[]
  deletedIds?: readonly string[]
  isCleared?: boolean
}

/** Saved queries as this window writes them, for the others: a list that is older than the disk would write over it. */
interface SavedChange {
  put?: SavedQuery
  deletedId?: string
}
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('lake.saved')
channel?.addEventListener('message', (event: MessageEvent<SavedChange>) => {
  const { put, deletedId = put?.id } = event.data
  const others = records.saved.filter(({ id }) => id !== deletedId)
  publish({ saved: put === undefined ? others : [put, ...others] })
})

function tellOthers(change: SavedChange): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  channel?.postMessage(change)
}

let records: Records = { history: [], saved: [] }
const listeners = new Set<() => void>()
const entryIds = new WeakMap<QueryRun, string>()

function publish(change: Partial<Records>): void {
  records = { ...records, ...change }
  for (const listener of listeners) listener()
}

/** @returns whether it is stored */
async function write(name: StoreName, { put = [], deletedIds = [], isCleared }: Change): Promise<boolean> {
  try {
    const transaction = (await workbenchDatabase()).transaction(name, 'readwrite')
    const { store } = transaction
    const requests = [
      ...(isCleared === true ? [store.clear()] : []),
      ...put.map((record) => store.put(record)),
      ...deletedIds.map((id) => store.delete(id)),
    ]
    transaction.commit()
    for (const request of requests) request.catch(() => undefined)
    await transaction.done
    return true
  } catch (error) {
    // One that was closed under us is opened anew by the next write.
    if (error instanceof DOMException && error.name === 'InvalidStateError') forgetDatabase()
    return false
  }
}

async function readRecords(db: IDBPDatabase): Promise<Records> {
  const transaction = db.transaction(['history', 'saved'], 'readonly')
  const [history, saved] = await Promise.all([
    transaction.objectStore('history').getAll() as Promise<HistoryEntry[]>,
    transaction.objectStore('saved').getAll() as Promise<SavedQuery[]>,
  ])
  return { history, saved }
}

/** Reads what earlier pages left. Once, at the start; without storage the lists begin empty. */
export async function loadRecords(): Promise<void> {
  try {
    const { history, saved } = await readRecords(await workbenchDatabase())
    const left = new Map(leftEntries(history, await openWindowIds()).map((entry) => [entry.id, entry]))
    const known = new Set(records.history.map(({ id }) => id))
    const all = history.filter(({ id }) => !known.has(id)).map((entry) => left.get(entry.id) ?? entry)
    publish({
      history: boundHistory([...records.history, ...all].toSorted((a, b) => b.startedAtMs - a.startedAtMs)),
      saved: saved.toSorted((a, b) => b.savedAtMs - a.savedAtMs),
    })
    if (left.size > 0) void write('history', { put: [...left.values()] })
  } catch {
    // Why nothing can be kept is said once, for the tabs.
  }
}

/** Adds a run to the history, or says how it ended. */
export function recordRun(run: QueryRun): void {
  const id = entryIds.get(run) ?? crypto.randomUUID()
  entryIds.set(run, id)
  const entry = entryOfRun(run, id, windowId)
  if (entry === null) return
  const all = [entry, ...records.history.filter((other) => other.id !== id)]
  const kept = boundHistory(all)
  publish({ history: kept })
  void write('history', { put: [entry], deletedIds: all.slice(kept.length).map((other) => other.id) })
}

/**
 * Saves a query, or replaces what was saved from the same tab.
 *
 * @returns false when there are too many; else whether it is stored
 */
export function saveQuery(query: SavedQuery): false | Promise<boolean> {
  const others = records.saved.filter(({ id }) => id !== query.id)
  if (others.length >= SAVED_QUERIES_MAX) return false
  publish({ saved: [query, ...others] })
  tellOthers({ put: query })
  return write('saved', { put: [query] })
}

export function deleteSaved(id: string): void {
  publish({ saved: records.saved.filter((query) => query.id !== id) })
  tellOthers({ deletedId: id })
  void write('saved', { deletedIds: [id] })
}

export function clearHistory(): void {
  publish({ history: [] })
  void write('history', { isCleared: true })
}

export const useRecords = (): Records =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => records,
  )
