// A catalog of the protocol in memory, with the habits of one in the field: how it spells paths, pages, refuses and
// advertises. Strict where the client must be exact: another path than its own is a 404, a missing token a refusal.
import type { StubAnswer, StubRequest } from '../support/stub-http.ts'
import { startStub, type StubServer } from '../support/stub-http.ts'
import { tableBody } from '../support/stub-catalog.ts'

export interface Habits {
  /** Sent in `overrides`, or in `defaults`. */
  readonly prefix?: string
  readonly isPrefixDefault?: boolean
  /** How the prefix stands in paths, where that differs. */
  readonly prefixInPath?: string
  /** Path under which the endpoint is; and the one that `overrides.uri` moves to. */
  readonly basePath?: string
  readonly movedTo?: string
  readonly separator?: string
  readonly namespace?: readonly string[]
  readonly endpoints?: readonly string[] | null
  readonly config?: Readonly<Record<string, unknown>>
  readonly head?: 'hang' | number
  readonly isHeadAdvertised?: boolean
  readonly notFound?: StubAnswer
  /** Names of each page; pages after the first are named by token. */
  readonly pages?: readonly (readonly string[] | null)[]
  readonly lastToken?: string | null
  readonly contentType?: string
  readonly etag?: string
  /** Status that refuses the first token. */
  readonly expiredStatus?: number
  readonly more?: string
}

const HEAD_ENDPOINTS = ['GET /v1/{prefix}/namespaces', 'HEAD /v1/{prefix}/namespaces/{namespace}']
const NOT_FOUND: StubAnswer = {
  status: 404,
  body: { error: { message: 'not here', type: 'NoSuchTableException', code: 404 } },
}

export async function startHabitualCatalog(habits: Habits): Promise<StubServer> {
  const { namespace = ['ns'], separator = '%1F', basePath = '' } = habits
  const prefix = habits.prefixInPath ?? habits.prefix
  const root = `${habits.movedTo ?? basePath}/v1${prefix === undefined ? '' : `/${prefix}`}`
  const own = `${root}/namespaces/${namespace.map(encodeURIComponent).join(separator)}`
  let exchanges = 0

  const route = (request: StubRequest): StubAnswer | undefined => {
    const { path, method, query, headers } = request
    if (path === `${basePath}/v1/oauth/tokens`) return { body: { access_token: `t${(exchanges += 1)}` } }
    if (path === `${basePath}/v1/config`) return { body: configOf(habits, stub.url) }
    if (habits.expiredStatus !== undefined && headers.authorization === 'Bearer t1')
      return { status: habits.expiredStatus, body: '' }
    if (method === 'HEAD' && habits.head !== undefined)
      return habits.head === 'hang' ? undefined : { status: habits.head }
    if (path === own) return method === 'HEAD' ? { status: 204 } : { body: { namespace, properties: null } }
    if (path === `${own}/tables`) return page(habits, query.get('pageToken'))
    if (path === `${own}/tables/t`) {
      const etag =
        habits.etag === undefined ? undefined : habits.etag.replace('?', query.get('snapshots') ?? '')
      if (etag !== undefined && headers['if-none-match'] === etag) return { status: 304, body: '' }
      return { body: tableBody(habits.more), headers: etag === undefined ? {} : { etag } }
    }
    return habits.notFound ?? NOT_FOUND
  }
  const stub: StubServer = await startStub((request) => {
    const answer = route(request)
    const type = habits.contentType
    return answer && type !== undefined
      ? { ...answer, headers: { ...answer.headers, 'content-type': type } }
      : answer
  })
  return stub
}

function configOf(habits: Habits, url: URL): unknown {
  const own: Record<string, unknown> = { ...habits.config }
  const defaults: Record<string, unknown> = { unknown: 'x', 'rest-page-size': '7' }
  if (habits.prefix !== undefined)
    (habits.isPrefixDefault === true ? defaults : own)['prefix'] = habits.prefix
  if (habits.movedTo !== undefined) own['uri'] = url.origin + habits.movedTo
  if (habits.separator !== undefined) own['namespace-separator'] = habits.separator
  const endpoints = habits.isHeadAdvertised === true ? HEAD_ENDPOINTS : habits.endpoints
  return { defaults, overrides: own, ...(endpoints === undefined ? {} : { endpoints }) }
}

function page(
  { pages = [['t', 'u']], lastToken = null, namespace }: Habits,
  token: string | null,
): StubAnswer {
  const index = token === null || token === '' ? 0 : Number(token.replace('page/+', ''))
  const isLast = index === pages.length - 1
  const names = pages[index]
  return {
    body: {
      ...(names ? { identifiers: names.map((name) => ({ namespace: namespace ?? ['ns'], name })) } : {}),
      'next-page-token': isLast ? lastToken : `page/+${index + 1}`,
    },
  }
}
