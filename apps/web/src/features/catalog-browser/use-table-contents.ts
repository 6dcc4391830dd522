// Files, manifests and statistics of one snapshot. A snapshot does not change, so what came once is not asked again; the page
// before, of the same snapshot, stays until the next one is there.
import { useQuery } from '@tanstack/react-query'
import { getTableFiles, getTableManifests, getTableStatistics } from '../../api/client.ts'
import type { TableName } from '../../api/table-name.ts'
import { LIST_PAGE_ROWS } from '../../limits.ts'
import type { TableView } from './table-view.ts'

const UNCHANGING = { staleTime: Number.POSITIVE_INFINITY, gcTime: 600_000 } as const

const pageOf = ({ isDescending, find, page }: TableView, snapshot: string) => ({
  snapshot,
  order: isDescending ? ('desc' as const) : ('asc' as const),
  find: find === '' ? undefined : find,
  offset: page * LIST_PAGE_ROWS,
  limit: LIST_PAGE_ROWS,
})

export function useTableFiles(name: TableName, snapshot: string, view: TableView) {
  const query = { ...pageOf(view, snapshot), sort: view.fileSort, content: view.content }
  return useQuery({
    queryKey: ['table-files', name, query],
    queryFn: ({ signal }) => getTableFiles(name, query, signal),
    placeholderData: (before) => (before?.table.snapshotId === snapshot ? before : undefined),
    ...UNCHANGING,
  })
}

export function useTableManifests(name: TableName, snapshot: string, view: TableView) {
  const query = { ...pageOf(view, snapshot), sort: view.manifestSort }
  return useQuery({
    queryKey: ['table-manifests', name, query],
    queryFn: ({ signal }) => getTableManifests(name, query, signal),
    placeholderData: (before) => (before?.table.snapshotId === snapshot ? before : undefined),
    ...UNCHANGING,
  })
}

/** How much there is to read before files or statistics are known: the manifest list says it at once. */
export function useManifestTotals(name: TableName, snapshot: string | null) {
  const query = { snapshot: snapshot ?? undefined, limit: 1 }
  return useQuery({
    queryKey: ['table-manifests', name, query],
    queryFn: ({ signal }) => getTableManifests(name, query, signal),
    enabled: snapshot !== null,
    ...UNCHANGING,
  })
}

export function useTableStatistics(name: TableName, snapshot: string | null) {
  return useQuery({
    queryKey: ['table-statistics', name, snapshot],
    queryFn: ({ signal }) => getTableStatistics(name, snapshot ?? undefined, signal),
    enabled: snapshot !== null,
    ...UNCHANGING,
  })
}
