// The one IndexedDB of the workbench: tabs, history, saved queries. Opens it, and says in one word why it cannot be
// written to. What is in a store is known to those who own it, not here.
import { openDB, type IDBPDatabase } from 'idb'
import { DATABASE_OPEN_MS_MAX } from '../limits.ts'

const NAME = 'lake.workbench'
const VERSION = 2

/** `held`: another window shows an older workbench and must be closed or reloaded first. */
export type StorageFault = 'full' | 'forbidden' | 'held' | 'failed'

class StorageError extends Error {
  readonly fault: StorageFault
  constructor(fault: StorageFault, cause?: unknown) {
    super(`browser storage: ${fault}`, { cause })
    this.fault = fault
  }
}

export function storageFaultOf(error: unknown): StorageFault {
  if (error instanceof StorageError) return error.fault
  return error instanceof DOMException && error.name === 'QuotaExceededError' ? 'full' : 'failed'
}

let opening: Promise<IDBPDatabase> | null = null

/** The next use opens it anew. */
export function forgetDatabase(): void {
  opening = null
}

/** Forbidden storage throws at once or rejects, as the browser likes. */
const opened = async (): Promise<IDBPDatabase> =>
  await openDB(NAME, VERSION, {
    upgrade(db, oldVersion) {
      if (oldVersion < 1) {
        db.createObjectStore('history', { keyPath: 'id' })
        db.createObjectStore('saved', { keyPath: 'id' })
      }
      db.createObjectStore('tabs', { keyPath: 'id' })
      db.createObjectStore('layout', { keyPath: 'id' })
    },
    // Another window wants a newer version: this one's next use waits for it.
    blocking(_current, _blocked, event) {
      ;(event.target as IDBDatabase).close()
      forgetDatabase()
    },
    terminated: forgetDatabase,
  })

async function open(): Promise<IDBPDatabase> {
  const { promise: held, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new StorageError('held')), DATABASE_OPEN_MS_MAX)
  try {
    return await Promise.race([opened(), held])
  } catch (error) {
    throw error instanceof StorageError ? error : new StorageError('forbidden', error)
  } finally {
    clearTimeout(timer)
  }
}

/** @throws StorageError, within DATABASE_OPEN_MS_MAX */
export function workbenchDatabase(): Promise<IDBPDatabase> {
  opening ??= open().catch((error: unknown) => {
    opening = null
    throw error
  })
  return opening
}

/** Asks the browser not to clear what is kept when the disk runs full. Some ask the person, so only after a wish to save. */
export function keepStorage(): void {
  void navigator.storage?.persist?.().catch(() => undefined)
}
