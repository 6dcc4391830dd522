// What the catalog says, through TanStack Query: cached for a while, refetched on demand, one request for equal keys.
import { useQuery } from '@tanstack/react-query'
import { CATALOG_STALE_MS } from '../limits.ts'
import { getNamespaces, getSession } from './client.ts'
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
