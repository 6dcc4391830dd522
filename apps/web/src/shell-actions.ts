// What keys, menus and panes of the shell do to the open queries.
import type { RefObject } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { activeTab, readTabs, saveTabsNow, tabActions } from './features/editor/tabs-store.ts'
import { saveQuery } from './history/browser-store.ts'
import { savedIdOf, type SavedQuery } from './history/history.ts'
import type { StatementLink } from './link/link.ts'
import { say } from './ui/notice.ts'

/**
 * Saves the text of the open tab under its name. Saving again replaces it, also in a tab that was opened from it.
 * @param isCopy as a query of its own, which the tab is from then on
 */
export async function saveActiveTab(isCopy = false): Promise<void> {
  const tab = activeTab(readTabs().tabs)
  if (tab.sql.trim() === '') {
    say('There is no text to save yet.')
    return
  }
  const title = isCopy ? `${tab.title} (copy)` : tab.title
  const id = isCopy ? crypto.randomUUID() : savedIdOf(tab)
  const stored = saveQuery({ id, title, sql: tab.sql, parameters: tab.parameters, savedAtMs: Date.now() })
  if (stored !== false && isCopy) tabActions.bindSaved(tab.id, id, title)
  const written = saveTabsNow(true)
  if (stored === false) say('There are too many saved queries: delete some first.', 'warn')
  else if (await stored) say(`Saved as “${title}”.`)
  else say('Kept until this page is closed: the browser did not store it.', 'warn')
  await written
}

/** Shows the query beside the one that is shown, round at the ends. */
export function stepTab(step: 1 | -1): void {
  const { open, activeId } = readTabs().tabs
  const at = open.findIndex(({ id }) => id === activeId)
  const next = open[(at + step + open.length) % open.length]
  if (next !== undefined) tabActions.activate(next.id)
  navigate('/')
}

/** In the tab that has it, with what was changed there since, else in a new one. */
export function openSaved(query: SavedQuery): void {
  const { id: savedId, title, sql, parameters } = query
  const open = readTabs().tabs.open.find((tab) => savedIdOf(tab) === savedId)
  if (open === undefined) tabActions.open({ title, sql, parameters, savedId })
  else tabActions.activate(open.id)
  navigate('/')
}

/** In a tab of its own. */
export const openStatement = ({ title, sql, pins, parameters }: StatementLink) => {
  tabActions.open({ title, sql, pins, parameters })
  navigate('/')
}

/**
 * Puts a text where the cursor is, and the cursor behind it.
 * @param isElsewhere the editor is not shown: it takes the place of the page that is, to which a first click led
 */
export function insertSql(editor: RefObject<EditorHandle | null>, sql: string, isElsewhere: boolean): void {
  const insert = (): void => {
    const tab = activeTab(readTabs().tabs)
    if (editor.current === null) tabActions.setSql(tab.id, tab.sql + sql)
    else editor.current.insert(sql)
  }
  if (isElsewhere) {
    navigate('/', { replace: true })
    // Once it is shown, so that it can take the focus.
    setTimeout(insert)
  } else insert()
}
