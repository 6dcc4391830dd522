// The URL as state: `/` is the editor, `/t/<namespace>/<table>` a table page, `…/compare/<snapshot>/<snapshot>` what changed
// between two of its snapshots. Levels of a namespace are joined by
// U+001F and encoded as one segment, as in the API, so that no name is ambiguous.
import { NAMESPACE_SEPARATOR } from '@lake/core/api/contract.ts'
import type { TableName } from './api/table-name.ts'

export type Route =
  | { kind: 'editor' }
  | { kind: 'table'; name: TableName }
  | { kind: 'compare'; name: TableName; older: string; newer: string }
  | { kind: 'unknown' }

export function parseRoute(pathname: string): Route {
  if (pathname === '/') return { kind: 'editor' }
  const match = /^\/t\/([^/]+)\/([^/]+)(?:\/compare\/(-?\d{1,19})\/(-?\d{1,19}))?$/.exec(pathname)
  try {
    const namespace = decodeURIComponent(match?.[1] ?? '').split(NAMESPACE_SEPARATOR)
    const table = decodeURIComponent(match?.[2] ?? '')
    const name = { namespace, table }
    const [older, newer] = [match?.[3], match?.[4]]
    if (match !== null && namespace.every((level) => level !== '') && table !== '')
      return older === undefined || newer === undefined
        ? { kind: 'table', name }
        : { kind: 'compare', name, older, newer }
  } catch {
    // A malformed escape sequence names nothing.
  }
  return { kind: 'unknown' }
}

export function tablePath({ namespace, table }: TableName): string {
  return `/t/${encodeURIComponent(namespace.join(NAMESPACE_SEPARATOR))}/${encodeURIComponent(table)}`
}

export const comparePath = (name: TableName, older: string, newer: string): string =>
  `${tablePath(name)}/compare/${older}/${newer}`
