// Connects the tree to the server: which rows are open, and the lists and columns they need. Opening a row is what
// asks for its contents; nothing is enumerated ahead.
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ColumnNode } from '@lake/core/api/contract.ts'
import { getTable, getTables } from '../../api/client.ts'
import { namespaceText, type TableName } from '../../api/table-name.ts'
import { CATALOG_STALE_MS, TREE_TABLES_STEP } from '../../limits.ts'
import { useKnownTables } from './known-tables.ts'
import { namespaceId, tableId, treeRows, type Loaded, type TreeRow } from './tree-rows.ts'

interface QueryLike<T> {
  data: T | undefined
  error: unknown
}

function loadedOf<T, U>(query: QueryLike<T> | undefined, select: (data: T) => U): Loaded<U> {
  if (query?.data !== undefined) return { kind: 'loaded', value: select(query.data) }
  if (query?.error) return { kind: 'failed', error: query.error }
  return { kind: 'loading' }
}

const OPEN_KEY = 'lake.tree-open.v1'

/** What was open before a reload; a new window starts closed, so that nothing is listed unasked. */
function readOpenIds(): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(OPEN_KEY) ?? '[]')
    const ids = Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
    return new Set(ids.filter((id) => Array.isArray(JSON.parse(id))))
  } catch {
    // Unreadable or forbidden storage holds nothing.
    return new Set()
  }
}

function storeOpenIds(openIds: ReadonlySet<string>): void {
  try {
    sessionStorage.setItem(OPEN_KEY, JSON.stringify([...openIds]))
  } catch {
    // The tree then starts closed after a reload.
  }
}

interface Tree {
  rows: TreeRow[]
  toggle: (id: string) => void
  retry: (id: string) => void
  /** Draws more tables of a namespace. */
  showMore: (id: string) => void
}

function parseTableId(id: string): TableName | null {
  const value = JSON.parse(id) as unknown[]
  return Array.isArray(value[0]) ? { namespace: value[0] as string[], table: String(value[1]) } : null
}

/** How many tables of each namespace are drawn. */
function useMoreTables() {
  const [shownMax, setShownMax] = useState<ReadonlyMap<string, number>>(new Map())
  const showMore = (id: string) =>
    setShownMax((max) => new Map(max).set(id, (max.get(id) ?? TREE_TABLES_STEP) + TREE_TABLES_STEP))
  return { shownMax, showMore }
}

export function useTree(namespaces: readonly string[][], canList: boolean, filter: string): Tree {
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(readOpenIds)
  const { shownMax, showMore } = useMoreTables()
  const known = useKnownTables()
  const client = useQueryClient()
  const openNamespaces = namespaces.filter((levels) => openIds.has(namespaceId(levels)))
  const openTables = [...openIds].map(parseTableId).filter((name) => name !== null)

  const tableQueries = useQueries({
    queries: (canList ? openNamespaces : []).map((levels) => ({
      queryKey: ['tables', levels],
      queryFn: ({ signal }: { signal: AbortSignal }) => getTables(levels, signal),
      staleTime: CATALOG_STALE_MS,
    })),
  })
  const columnQueries = useQueries({
    queries: openTables.map((name) => ({
      queryKey: ['table', name.namespace, name.table],
      queryFn: ({ signal }: { signal: AbortSignal }) => getTable(name.namespace, name.table, signal),
      staleTime: CATALOG_STALE_MS,
    })),
  })

  const tables = new Map<string, Loaded<{ tables: readonly string[]; isTruncated: boolean }>>()
  openNamespaces.forEach((levels, i) => {
    const names = known
      .filter((name) => namespaceText(name.namespace) === namespaceText(levels))
      .map((name) => name.table)
    const fromStorage = { tables: names.toSorted(), isTruncated: false }
    const value = canList
      ? loadedOf(tableQueries[i], (data) => data)
      : ({ kind: 'loaded', value: fromStorage } as const)
    tables.set(namespaceId(levels), value)
  })
  const columns = new Map<string, Loaded<readonly ColumnNode[]>>()
  openTables.forEach((name, i) => {
    const value = loadedOf(columnQueries[i], (data) => {
      const current = data.schemas.find((schema) => schema.schemaId === data.currentSchemaId)
      return current?.columns ?? []
    })
    columns.set(tableId(name), value)
  })
  const shown = { openIds, filter: filter.toLowerCase(), shownMax, canList }
  const rows = treeRows({ namespaces, tables, columns, ...shown })

  return {
    rows,
    toggle: (id) =>
      setOpenIds((open) => {
        const next = new Set(open)
        if (!next.delete(id)) next.add(id)
        storeOpenIds(next)
        return next
      }),
    showMore,
    retry: (id) => {
      const name = parseTableId(id)
      const queryKey =
        name === null ? ['tables', JSON.parse(id) as string[]] : ['table', name.namespace, name.table]
      void client.refetchQueries({ queryKey, exact: true })
    },
  }
}
