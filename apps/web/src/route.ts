// The URL as state: `/` is the editor, `/t/<namespace>/<table>` a table page. Levels of a namespace are joined by
// U+001F and encoded as one segment, as in the API, so that no name is ambiguous.
import { NAMESPACE_SEPARATOR } from '@lake/core/api/contract.ts'
import type { TableName } from './api/table-name.ts'

export type Route = { kind: 'editor' } | { kind: 'table'; name: TableName } | { kind: 'unknown' }

export function parseRoute(pathname: string): Route {
  if (pathname === '/') return { kind: 'editor' }
  const match = /^\/t\/([^/]+)\/([^/]+)$/.exec(pathname)
  try {
    const namespace = decodeURIComponent(match?.[1] ?? '').split(NAMESPACE_SEPARATOR)
    const table = decodeURIComponent(match?.[2] ?? '')
    if (match !== null && namespace.every((level) => level !== '') && table !== '')
      return { kind: 'table', name: { namespace, table } }
  } catch {
    // A malformed escape sequence names nothing.
  }
  return { kind: 'unknown' }
}

export function tablePath({ namespace, table }: TableName): string {
  return `/t/${encodeURIComponent(namespace.join(NAMESPACE_SEPARATOR))}/${encodeURIComponent(table)}`
}
