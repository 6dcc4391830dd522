// The tabs as an external store that survives a reload: saved to local storage shortly after each change and at once
// when the page is hidden. Where storage is full or forbidden, the store works on and says that it is not saved.
import { useSyncExternalStore } from 'react'
import { TAB_SAVE_DELAY_MS } from '../../limits.ts'
import type { Parameter } from '../../sql/parameters.ts'
import {
  activateTab,
  closeTab,
  editTab,
  initialTabs,
  mergeTabs,
  openTab,
  parseTabs,
  pinTable,
  reopenTab,
  setParameter,
  type Tab,
  type TabPin,
  type TabsState,
} from './tabs-state.ts'

const STORAGE_KEY = 'lake.tabs.v1'
export type SaveStatus = 'saved' | 'saving' | 'unsaved'

export interface TabsSnapshot {
  tabs: TabsState
  saveStatus: SaveStatus
}

const newId = (): string => crypto.randomUUID()

function readStored(): TabsState | null {
  try {
    return parseTabs(localStorage.getItem(STORAGE_KEY))
  } catch {
    // Storage may be forbidden altogether; the session then starts empty.
    return null
  }
}

let snapshot: TabsSnapshot = { tabs: readStored() ?? initialTabs(newId()), saveStatus: 'saved' }
const knownIds = new Set([...snapshot.tabs.open, ...snapshot.tabs.closed].map((tab) => tab.id))
const listeners = new Set<() => void>()
let saveTimer: ReturnType<typeof setTimeout> | null = null

function publish(next: TabsSnapshot): void {
  snapshot = next
  for (const tab of next.tabs.open) knownIds.add(tab.id)
  for (const listener of listeners) listener()
}

/** Writes what is pending now. */
export function saveTabsNow(): void {
  if (saveTimer === null) return
  clearTimeout(saveTimer)
  saveTimer = null
  try {
    const tabs = mergeTabs(snapshot.tabs, readStored(), knownIds)
    localStorage.setItem(STORAGE_KEY, JSON.stringify(tabs))
    publish({ tabs, saveStatus: 'saved' })
  } catch {
    publish({ ...snapshot, saveStatus: 'unsaved' })
  }
}

function change(tabs: TabsState): void {
  if (tabs === snapshot.tabs) return
  saveTimer ??= setTimeout(saveTabsNow, TAB_SAVE_DELAY_MS)
  publish({ tabs, saveStatus: 'saving' })
}

addEventListener('pagehide', saveTabsNow)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') saveTabsNow()
})

export const tabActions = {
  /** @returns the id of the new tab */
  open: (tab: Partial<Omit<Tab, 'id'>> = {}): string => {
    const id = newId()
    change(openTab(snapshot.tabs, { ...tab, id }))
    return id
  },
  close: (id: string) => change(closeTab(snapshot.tabs, id, newId())),
  reopen: () => change(reopenTab(snapshot.tabs)),
  activate: (id: string) => change(activateTab(snapshot.tabs, id)),
  rename: (id: string, title: string) => change(editTab(snapshot.tabs, id, { title })),
  unpin: (id: string) => change(editTab(snapshot.tabs, id, { pins: [], linked: undefined })),
  pin: (
    id: string,
    table: Pick<TabPin, 'namespace' | 'table'>,
    commit: Pick<TabPin, 'snapshotId' | 'committedAtMs'> | null,
  ) => change(pinTable(snapshot.tabs, id, table, commit)),
  setParameter: (id: string, given: Parameter) => change(setParameter(snapshot.tabs, id, given)),
  setSql: (id: string, sql: string) => change(editTab(snapshot.tabs, id, { sql })),
}

export const readTabs = (): TabsSnapshot => snapshot

export const useTabs = (): TabsSnapshot =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => snapshot,
  )

export function activeTab(tabs: TabsState): Tab {
  const tab = tabs.open.find((other) => other.id === tabs.activeId) ?? tabs.open[0]
  return tab ?? { id: tabs.activeId, title: '', sql: '', pins: [] }
}
