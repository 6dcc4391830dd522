// History and saved queries in this browser: IndexedDB behind an external store. Everything is in memory too, so that
// reading never waits; where the browser keeps nothing, the lists last as long as the page.
import { useSyncExternalStore } from 'react'
import { SAVED_QUERIES_MAX } from '../limits.ts'
import type { QueryRun } from '../query-run/query-run.ts'
import { boundHistory, entryOfRun, type HistoryEntry, type SavedQuery } from './history.ts'

const DATABASE = 'lake.workbench'

interface Records {
  history: readonly HistoryEntry[]
  saved: readonly SavedQuery[]
}
type StoreName = keyof Records

let records: Records = { history: [], saved: [] }
const listeners = new Set<() => void>()

function publish(change: Partial<Records>): void {
  records = { ...records, ...change }
  for (const listener of listeners) listener()
}

function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open(DATABASE, 1)
      request.addEventListener('upgradeneeded', () => {
        request.result.createObjectStore('history', { keyPath: 'id' })
        request.result.createObjectStore('saved', { keyPath: 'id' })
      })
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => resolve(null))
    } catch {
      // Forbidden storage throws at once.
      resolve(null)
    }
  })
}

let opening: Promise<IDBDatabase | null> | null = null
const database = () => (opening ??= openDatabase())

function readAll<T>(store: IDBObjectStore): Promise<T[]> {
  return new Promise((resolve) => {
    const request = store.getAll()
    request.addEventListener('success', () => resolve(request.result as T[]))
    request.addEventListener('error', () => resolve([]))
  })
}

async function write(name: StoreName, change: (store: IDBObjectStore) => void): Promise<void> {
  const db = await database()
  if (db === null) return
  try {
    change(db.transaction(name, 'readwrite').objectStore(name))
  } catch {
    // A database that was closed under us keeps no more; the page goes on.
    opening = null
  }
}

/** Reads what earlier pages left. Once, at the start. */
export async function loadRecords(): Promise<void> {
  const db = await database()
  if (db === null) return
  const transaction = db.transaction(['history', 'saved'], 'readonly')
  const [history, saved] = await Promise.all([
    readAll<HistoryEntry>(transaction.objectStore('history')),
    readAll<SavedQuery>(transaction.objectStore('saved')),
  ])
  const known = new Set(records.history.map(({ id }) => id))
  const all = [...records.history, ...history.filter(({ id }) => !known.has(id))]
  publish({
    history: boundHistory(all.toSorted((a, b) => b.startedAtMs - a.startedAtMs)),
    saved: saved.toSorted((a, b) => b.savedAtMs - a.savedAtMs),
  })
}

/** Adds a run that has ended to the history. */
export function recordRun(run: QueryRun): void {
  const entry = entryOfRun(run, crypto.randomUUID())
  if (entry === null) return
  const all = [entry, ...records.history]
  const kept = boundHistory(all)
  publish({ history: kept })
  void write('history', (store) => {
    store.put(entry)
    for (const { id } of all.slice(kept.length)) store.delete(id)
  })
}

/** Saves a query, or replaces what was saved from the same tab. @returns false when there are too many */
export function saveQuery(query: SavedQuery): boolean {
  const others = records.saved.filter(({ id }) => id !== query.id)
  if (others.length >= SAVED_QUERIES_MAX) return false
  publish({ saved: [query, ...others] })
  void write('saved', (store) => store.put(query))
  return true
}

export function deleteSaved(id: string): void {
  publish({ saved: records.saved.filter((query) => query.id !== id) })
  void write('saved', (store) => store.delete(id))
}

export function clearHistory(): void {
  publish({ history: [] })
  void write('history', (store) => store.clear())
}

export const useRecords = (): Records =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => records,
  )
