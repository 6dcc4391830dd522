// A request to any route of the contract by what it requires. A route that needs more in its body adds it here, and is
// then covered by every test of access.
import { ROUTES, type RouteName } from '@lake/core/api/contract.ts'

export interface RouteParts {
  /** As one encoded path segment. */
  readonly namespaceSegment: string
  readonly tableSegment: string
  readonly sql: string
  readonly ticket: string
}

export interface RouteRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Under API_PREFIX. */
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[]
/** Routes that answer only whom they know. */
export const GUARDED_ROUTES = ROUTE_NAMES.filter((name) => ROUTES[name].requires !== 'nothing')

export function requestTo(name: RouteName, parts: RouteParts): RouteRequest {
  const { method, path, requires } = ROUTES[name]
  const filled = path
    .replace(':namespace', () => parts.namespaceSegment)
    .replace(':table', () => parts.tableSegment)
  if (method !== 'POST') return { method, path: filled, body: undefined }
  const { sql, ticket } = parts
  const extra = name === 'export' ? { format: 'csv' } : {}
  const body = {
    ...extra,
    ...(requires === 'statement' ? { sql } : {}),
    ...(requires === 'ticket' ? { ticket } : {}),
  }
  return { method, path: filled, body }
}
