// Where tabs are kept: one record each in IndexedDB, and a channel on which windows tell each other what they wrote.
import { forgetDatabase, workbenchDatabase } from '../../storage/workbench-database.ts'
import { changesBetween, parseOldTabs, tabsOfStored, type TabChanges } from './tab-changes.ts'
import type { TabsState } from './tabs-state.ts'

const OLD_KEY = 'lake.tabs.v1'
const ACTIVE_KEY = 'lake.active-tab'
const LAYOUT_ID = 'tabs'

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('lake.tabs')

/** What other windows have written, as they write it. */
export function onTabsWritten(listener: (changes: TabChanges) => void): void {
  channel?.addEventListener('message', (event: MessageEvent<TabChanges>) => listener(event.data))
}

/**
 * Writes changes and tells other windows. The writes are begun before this returns to the event loop when the database is
 * open, so that they reach the disk also from a page that is going away.
 *
 * @param isUrgent waits until they are on the disk, not only with the operating system
 * @throws StorageError and what IndexedDB throws
 */
export async function writeTabs({ put, removedIds, layout }: TabChanges, isUrgent: boolean): Promise<void> {
  const db = await workbenchDatabase()
  try {
    const durability = isUrgent ? 'strict' : 'relaxed'
    const transaction = db.transaction(['tabs', 'layout'], 'readwrite', { durability })
    const tabs = transaction.objectStore('tabs')
    const requests = [
      ...put.map((tab) => tabs.put(tab)),
      ...removedIds.map((id) => tabs.delete(id)),
      transaction.objectStore('layout').put({ id: LAYOUT_ID, ...layout }),
    ]
    transaction.commit()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    channel?.postMessage({ put, removedIds, layout })
    // Why it failed is known to the transaction; its requests only say that it was aborted.
    for (const request of requests) request.catch(() => undefined)
    await transaction.done
  } catch (error) {
    // One that was closed under us is opened anew by the next write.
    if (error instanceof DOMException && error.name === 'InvalidStateError') forgetDatabase()
    throw error
  }
}

function fromSession(): string | null {
  try {
    return sessionStorage.getItem(ACTIVE_KEY)
  } catch {
    return null
  }
}

/** Which tab this window shows, for its reload: other windows show others. */
export function rememberActive(id: string): void {
  try {
    sessionStorage.setItem(ACTIVE_KEY, id)
  } catch {
    // The last active one of all windows is shown then.
  }
}

function takeOldTabs(): TabsState | null {
  try {
    return parseOldTabs(localStorage.getItem(OLD_KEY))
  } catch {
    return null
  }
}

/** What earlier pages left; null where they left nothing. @throws StorageError and what IndexedDB throws */
export async function readTabsOnce(nowMs: number): Promise<TabsState | null> {
  const db = await workbenchDatabase()
  const transaction = db.transaction(['tabs', 'layout'], 'readonly')
  const [stored, layout] = await Promise.all([
    transaction.objectStore('tabs').getAll() as Promise<unknown[]>,
    transaction.objectStore('layout').get(LAYOUT_ID) as Promise<unknown>,
  ])
  const found = tabsOfStored(stored, layout, fromSession())
  if (found !== null) return found
  const old = takeOldTabs()
  if (old === null) return null
  await writeTabs(changesBetween(null, old, nowMs), true)
  localStorage.removeItem(OLD_KEY)
  return old
}
