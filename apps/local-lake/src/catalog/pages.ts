// Pages of a sorted list. The token is the last name of the page before, so that names which come or go between two
// pages are neither repeated nor skipped by position.
import { LIMITS } from '../limits.ts'
import { CatalogError } from './catalog-error.ts'

export interface PageRequest {
  /** undefined: no paging was asked for, so everything is returned. Empty: the first page. */
  readonly pageToken: string | undefined
  readonly pageSize: number | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextPageToken: string | undefined
}

/**
 * One page of `items`, which must be sorted by `nameOf` in code unit order.
 * @throws CatalogError 400 for a token that is not one of ours
 */
export function takePage<T>(items: readonly T[], nameOf: (item: T) => string, request: PageRequest): Page<T> {
  if (request.pageToken === undefined) return { items, nextPageToken: undefined }
  const after = decodeToken(request.pageToken)
  const rest = after === undefined ? items : items.filter((item) => nameOf(item) > after)
  const size = Math.min(request.pageSize ?? LIMITS.pageSizeMax, LIMITS.pageSizeMax)
  const page = rest.slice(0, size)
  const last = page.at(-1)
  const isLastPage = page.length === rest.length || last === undefined
  return { items: page, nextPageToken: isLastPage ? undefined : encodeToken(nameOf(last)) }
}

function encodeToken(name: string): string {
  return `after.${Buffer.from(name, 'utf8').toString('base64url')}`
}

function decodeToken(token: string): string | undefined {
  if (token === '') return undefined
  if (!token.startsWith('after.')) throw CatalogError.badRequest('Not a page token of this catalog')
  return Buffer.from(token.slice('after.'.length), 'base64url').toString('utf8')
}
