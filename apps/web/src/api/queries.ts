// What the catalog says, through TanStack Query: cached for a while, refetched on demand, one request for equal keys.
import { useQuery } from '@tanstack/react-query'
import { CATALOG_STALE_MS, STATEMENTS_BUSY_POLL_MS, STATEMENTS_IDLE_POLL_MS } from '../limits.ts'
import { isEnded } from '@lake/core/statements/statement.ts'
import { getNamespaces, getSession, getStatements } from './client.ts'
import { tableQuery } from './query-client.ts'

export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => getSession(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const useNamespaces = () =>
  useQuery({
    queryKey: ['namespaces'],
    queryFn: ({ signal }) => getNamespaces(signal),
    staleTime: CATALOG_STALE_MS,
  })

export const useTable = (namespace: readonly string[], table: string, isEnabled = true) =>
  useQuery({ ...tableQuery({ namespace, table }), enabled: isEnabled })

/** One's own background statements, newest first; looked at more often while one of them has not ended. */
export const useStatements = (isEnabled: boolean) =>
  useQuery({
    queryKey: ['statements'],
    queryFn: ({ signal }) => getStatements(signal),
    enabled: isEnabled,
    refetchInterval: ({ state }) =>
      state.data?.statements.some((statement) => !isEnded(statement.state)) === true
        ? STATEMENTS_BUSY_POLL_MS
        : STATEMENTS_IDLE_POLL_MS,
  })
