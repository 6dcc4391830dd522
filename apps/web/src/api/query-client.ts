// The one query client, and loaders through its cache for code outside React, such as completion.
import { QueryClient } from '@tanstack/react-query'
import type { EstimateResponse, RequestedPin, TableResponse } from '@lake/core/api/contract.ts'
import { CATALOG_STALE_MS, ESTIMATE_STALE_MS } from '../limits.ts'
import { toApiError } from './api-error.ts'
import { getNamespaces, getSession, getTable, getTables, postEstimate } from './client.ts'
import type { TableName } from './table-name.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // One more try for what may pass by itself; anything else is an answer.
      retry: (failureCount, error) => failureCount < 1 && toApiError(error).isRetryable,
      refetchOnWindowFocus: false,
    },
  },
})

export async function loadNamespaces(): Promise<readonly (readonly string[])[]> {
  const { namespaces } = await queryClient.fetchQuery({
    queryKey: ['namespaces'],
    queryFn: ({ signal }) => getNamespaces(signal),
    staleTime: CATALOG_STALE_MS,
  })
  return namespaces
}

/** Table names of a namespace; none where the deployment does not list. */
export async function loadTableNames(namespace: readonly string[]): Promise<readonly string[]> {
  const { discovery } = await queryClient.fetchQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => getSession(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (discovery !== 'list') return []
  const { tables } = await queryClient.fetchQuery({
    queryKey: ['tables', namespace],
    queryFn: ({ signal }) => getTables(namespace, signal),
    staleTime: CATALOG_STALE_MS,
  })
  return tables
}

/** A table's metadata, at most CATALOG_STALE_MS old. */
export const tableQuery = ({ namespace, table }: TableName) => ({
  queryKey: ['table', namespace, table],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<TableResponse> =>
    getTable(namespace, table, signal),
  staleTime: CATALOG_STALE_MS,
})

export const loadTable = (name: TableName): Promise<TableResponse> => queryClient.fetchQuery(tableQuery(name))

/** Columns of a table's current schema, top level. */
export async function loadColumns(name: TableName) {
  const { schemas, currentSchemaId } = await loadTable(name)
  return schemas.find(({ schemaId }) => schemaId === currentSchemaId)?.columns ?? []
}

/** What a statement would read; one request for all who ask about one text. */
export const estimateQuery = (sql: string, pins: readonly RequestedPin[]) => ({
  queryKey: ['estimate', sql, pins],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<EstimateResponse> =>
    postEstimate(
      { sql, pins: pins.map(({ namespace, table, snapshotId }) => ({ namespace, table, snapshotId })) },
      signal,
    ),
  staleTime: ESTIMATE_STALE_MS,
  gcTime: ESTIMATE_STALE_MS,
  retry: false,
})
