// Everything that the palette can find, from where it is kept: tables and columns that were listed or opened, tabs,
// saved and earlier queries, commands. Names come from the query cache, so opening the palette asks the server nothing
// but the lists of tables that are not known yet.
import type { TableResponse, TablesResponse } from '@lake/core/api/contract.ts'
import { quoteIdentifier } from '@lake/core/iceberg/identifiers.ts'
import { loadNamespaces, loadTableNames, queryClient } from './api/query-client.ts'
import { namespaceText, type TableName } from './api/table-name.ts'
import { tabActions, type TabsSnapshot } from './features/editor/tabs-store.ts'
import type { PaletteItem } from './features/palette/rank-items.ts'
import type { HistoryEntry, SavedQuery } from './history/history.ts'
import { PALETTE_HISTORY_MAX } from './limits.ts'
import type { Command } from './ui/commands.ts'
import { ageText } from './ui/format-quantity.ts'

export interface PaletteSources {
  commands: readonly Command[]
  tabs: TabsSnapshot['tabs']
  history: readonly HistoryEntry[]
  saved: readonly SavedQuery[]
  openTable: (name: TableName) => void
  insert: (text: string) => void
  openSaved: (query: SavedQuery) => void
  showQueries: () => void
}

/** Lists the tables of all namespaces, where the deployment lists. A list that cannot be had is left out. */
export async function loadAllTableNames(): Promise<void> {
  const namespaces = await loadNamespaces()
  await Promise.allSettled(namespaces.map((levels) => loadTableNames(levels)))
}

function tableItems(openTable: PaletteSources['openTable']): PaletteItem[] {
  const lists = queryClient.getQueriesData<TablesResponse>({ queryKey: ['tables'] })
  return lists.flatMap(([, list]) =>
    (list?.tables ?? []).map((table): PaletteItem => {
      const namespace = list?.namespace ?? []
      return {
        id: `table ${JSON.stringify([namespace, table])}`,
        kind: 'table',
        title: table,
        detail: namespaceText(namespace),
        run: () => openTable({ namespace, table }),
      }
    }),
  )
}

function columnItems(insert: PaletteSources['insert']): PaletteItem[] {
  const tables = queryClient.getQueriesData<TableResponse>({ queryKey: ['table'] })
  return tables.flatMap(([, table]) => {
    const schema = table?.schemas.find(({ schemaId }) => schemaId === table.currentSchemaId)
    const owner = table === undefined ? '' : [...table.namespace, table.table].join('.')
    return (schema?.columns ?? []).map((column): PaletteItem => ({
      id: `column ${owner} ${column.id}`,
      kind: 'column',
      title: column.name,
      detail: `${column.type} · ${owner}`,
      run: () => insert(quoteIdentifier(column.name)),
    }))
  })
}

const oneLine = (sql: string): string => sql.trim().replaceAll(/\s+/g, ' ').slice(0, 120)

export function paletteItems(sources: PaletteSources, now: number): PaletteItem[] {
  const { commands, tabs, history, saved, openTable, insert, openSaved, showQueries } = sources
  return [
    ...commands.map(({ id, title, shortcut, run }): PaletteItem => ({
      id: `command ${id}`,
      kind: 'command',
      title,
      detail: '',
      shortcut,
      run,
    })),
    ...tabs.open.map(({ id, title, sql }): PaletteItem => ({
      id: `tab ${id}`,
      kind: 'tab',
      title,
      detail: oneLine(sql),
      run: () => {
        tabActions.activate(id)
        showQueries()
      },
    })),
    ...tableItems(openTable),
    ...columnItems(insert),
    ...saved.map((query): PaletteItem => ({
      id: `saved ${query.id}`,
      kind: 'saved',
      title: query.title,
      detail: oneLine(query.sql),
      run: () => openSaved(query),
    })),
    ...history.slice(0, PALETTE_HISTORY_MAX).map(({ id, sql, parameters, startedAtMs }): PaletteItem => ({
      id: `history ${id}`,
      kind: 'history',
      title: oneLine(sql),
      detail: ageText(now - startedAtMs),
      run: () => {
        tabActions.open({ title: 'From history', sql, parameters })
        showQueries()
      },
    })),
  ]
}
