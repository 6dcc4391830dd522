// A proxy in front of a real catalog that remembers what it was asked, and answers otherwise where a test says so.
import { startStub, type StubAnswer, type StubRequest, type StubServer } from './stub-http.ts'

export interface ProxiedAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

export interface CatalogProxy extends StubServer {
  /** `<status> <method> <path>?<query>` of every call to one table and below it, in order of the answers. */
  readonly tableCalls: string[]
}

const HEADERS_KEPT = ['content-type', 'etag', 'x-amzn-errortype', 'retry-after']

/** @param answer takes a call over, or gives undefined to pass it on; `pass` gives the catalog's own answer, asked with these headers too */
export async function startCatalogProxy(
  target: string,
  answer: (
    request: StubRequest,
    pass: (headers?: Record<string, string>) => Promise<ProxiedAnswer>,
  ) => Promise<StubAnswer | undefined> | undefined = () => undefined,
): Promise<CatalogProxy> {
  const { origin } = new URL(target)
  const tableCalls: string[] = []
  const stub = await startStub(async (request) => {
    const query = request.query.toString()
    const suffix = query === '' ? '' : `?${query}`
    const pass = async (more: Record<string, string> = {}): Promise<ProxiedAnswer> =>
      await forward(`${origin}${request.path}${suffix}`, {
        ...request,
        headers: { ...request.headers, ...more },
      })
    const given = (await answer(request, pass)) ?? (await pass())
    const tablePath = /\/tables\/([^/].*)$/.exec(request.path)?.[1]
    if (tablePath !== undefined)
      tableCalls.push(`${given.status ?? 200} ${request.method} ${tablePath}${suffix}`)
    return given
  })
  return { ...stub, tableCalls, [Symbol.asyncDispose]: async () => await stub[Symbol.asyncDispose]() }
}

async function forward(url: string, { method, headers, body }: StubRequest): Promise<ProxiedAnswer> {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name)
      ? [[name, value] as [string, string]]
      : [],
  )
  const response = await fetch(url, { method, headers: sent, ...(body === '' ? {} : { body }) })
  const kept = HEADERS_KEPT.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() }
}
