// The tabs as an external store that survives whatever ends the page: every change is written shortly after it is made,
// and at once when the page is hidden or left. Where nothing can be written the store works on, and says that it is not
// saved and why. Windows that are open at once show the same tabs.
import { useSyncExternalStore } from 'react'
import { TAB_SAVE_DELAY_MS, TABS_OPEN_MAX } from '../../limits.ts'
import type { Parameter } from '../../sql/parameters.ts'
import { keepStorage, storageFaultOf, type StorageFault } from '../../storage/workbench-database.ts'
import { say } from '../../ui/notice.ts'
import { changesBetween, isNothing, takeOver, type TabChanges } from './tab-changes.ts'
import {
  activateTab,
  closeTab,
  editTab,
  initialTabs,
  openTab,
  pinTable,
  reopenTab,
  setParameter,
  type Tab,
  type TabPin,
  type TabsState,
} from './tabs-state.ts'
import { onTabsWritten, readTabsOnce, rememberActive, writeTabs } from './tabs-storage.ts'

export type SaveStatus = 'saved' | 'saving' | StorageFault

export interface TabsSnapshot {
  tabs: TabsState
  saveStatus: SaveStatus
}

/** What another window did to tabs that this one shows. */
export interface RemoteChange {
  /** Texts that are not what this window had. */
  texts: readonly Tab[]
  closedIds: readonly string[]
}

const newId = (): string => crypto.randomUUID()

let snapshot: TabsSnapshot = { tabs: initialTabs(newId()), saveStatus: 'saved' }
/** What is stored, as far as this window knows. */
let saved: TabsState | null = null
const listeners = new Set<() => void>()
const remoteListeners = new Set<(change: RemoteChange) => void>()
let saveTimer: ReturnType<typeof setTimeout> | null = null

function publish(next: TabsSnapshot): void {
  if (next.tabs.activeId !== snapshot.tabs.activeId) rememberActive(next.tabs.activeId)
  snapshot = next
  for (const listener of listeners) listener()
}

/** Takes up what earlier pages left. Once, before the first use. */
export async function loadTabs(): Promise<void> {
  try {
    const found = await readTabsOnce(Date.now())
    if (found !== null) publish({ ...snapshot, tabs: (saved = found) })
  } catch (error) {
    publish({ ...snapshot, saveStatus: storageFaultOf(error) })
  }
  // Also where there was nothing: another window may be at another tab when this one is reloaded.
  rememberActive(snapshot.tabs.activeId)
  onTabsWritten(applyRemote)
}

/** Writes what is pending now. @param isUrgent the person asked for it */
export async function saveTabsNow(isUrgent = false): Promise<void> {
  if (saveTimer !== null) clearTimeout(saveTimer)
  saveTimer = null
  const before = saved
  const after = snapshot.tabs
  if (isUrgent) keepStorage()
  if (before === after && !isUrgent) return
  saved = after
  try {
    await writeTabs(changesBetween(before, after, Date.now()), isUrgent)
    if (snapshot.tabs === after) publish({ ...snapshot, saveStatus: 'saved' })
  } catch (error) {
    // The next change tries again with everything since what was stored last.
    saved = before
    publish({ ...snapshot, saveStatus: storageFaultOf(error) })
  }
}

function change(tabs: TabsState): void {
  if (tabs === snapshot.tabs) return
  saveTimer ??= setTimeout(() => void saveTabsNow(), TAB_SAVE_DELAY_MS)
  publish({ tabs, saveStatus: 'saving' })
}

/** @returns whether there is another tab open now; where there are too many, that is said */
function changeToMore(tabs: TabsState): boolean {
  const isOpened = tabs !== snapshot.tabs
  if (!isOpened && snapshot.tabs.open.length >= TABS_OPEN_MAX)
    say(`${TABS_OPEN_MAX} queries are open: close one first.`, 'warn')
  change(tabs)
  return isOpened
}

function applyRemote(theirs: TabChanges): void {
  const before = snapshot.tabs
  const { mine, saved: known } = takeOver({ mine: before, saved }, theirs, newId)
  saved = known
  if (isNothing(changesBetween(before, mine, 0)) && mine.activeId === before.activeId) return
  const texts = mine.open.filter((tab) => before.open.some(({ id, sql }) => id === tab.id && sql !== tab.sql))
  const openIds = new Set(mine.open.map(({ id }) => id))
  const closedIds = before.open.map(({ id }) => id).filter((id) => !openIds.has(id))
  publish({ ...snapshot, tabs: mine })
  for (const listener of remoteListeners) listener({ texts, closedIds })
}

/** @returns how to stop listening */
export function onRemoteChange(listener: (change: RemoteChange) => void): () => void {
  remoteListeners.add(listener)
  return () => remoteListeners.delete(listener)
}

addEventListener('pagehide', () => void saveTabsNow())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void saveTabsNow()
})

export const tabActions = {
  /** @returns the id of the new tab; null where too many are open */
  open: (tab: Partial<Omit<Tab, 'id'>> = {}): string | null => {
    const id = newId()
    return changeToMore(openTab(snapshot.tabs, { ...tab, id })) ? id : null
  },
  close: (id: string) => change(closeTab(snapshot.tabs, id, newId())),
  reopen: () => void changeToMore(reopenTab(snapshot.tabs, crypto.randomUUID())),
  activate: (id: string) => change(activateTab(snapshot.tabs, id)),
  rename: (id: string, title: string) => change(editTab(snapshot.tabs, id, { title })),
  /** The tab's text is that of a saved query from now on. */
  bindSaved: (id: string, savedId: string, title: string) =>
    change(editTab(snapshot.tabs, id, { savedId, title })),
  unpin: (id: string) => change(editTab(snapshot.tabs, id, { pins: [], linked: undefined })),
  pin: (
    id: string,
    table: Pick<TabPin, 'namespace' | 'table'>,
    commit: Pick<TabPin, 'snapshotId' | 'committedAtMs'> | null,
  ) => change(pinTable(snapshot.tabs, id, table, commit)),
  setParameter: (id: string, given: Parameter) => change(setParameter(snapshot.tabs, id, given)),
  setSql: (id: string, sql: string) => {
    // A text that another window wrote comes back from the editor as it is.
    if (snapshot.tabs.open.find((tab) => tab.id === id)?.sql !== sql)
      change(editTab(snapshot.tabs, id, { sql }))
  },
}

export const readTabs = (): TabsSnapshot => snapshot

/** @returns how to stop listening */
export function onTabs(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTabs = (): TabsSnapshot => useSyncExternalStore(onTabs, () => snapshot)

export function activeTab(tabs: TabsState): Tab {
  const tab = tabs.open.find((other) => other.id === tabs.activeId) ?? tabs.open[0]
  return tab ?? { id: tabs.activeId, title: '', sql: '', pins: [] }
}
