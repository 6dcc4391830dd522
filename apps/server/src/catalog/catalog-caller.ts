// Calls to the catalog: authenticated, counted, made once, and once more only after a renewed session. A client (session
// and the catalog's own configuration) lives for `catalogClientLifetimeMs` and is then made anew, so that rotated secrets
// and changed configuration arrive without a timer. Source: Iceberg REST OpenAPI, `GET /v1/config`.
import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight, type SingleFlight } from '../concurrency/single-flight.ts'
import type { IcebergConfig } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { Secret } from '../observability/redaction.ts'
import { catalogFailure } from './catalog-failure.ts'
import { readSetup, type CatalogSetup } from './catalog-setup.ts'
import { createHttpClient, type HttpAnswer, type HttpCall, type HttpClient } from './http-client.ts'
import { catalogUrl } from './paths.ts'
import { configAnswer, parseAnswer } from './rest-schemas.ts'
import type { SecretResolver } from './secrets.ts'
import { createSession, type CatalogSession } from './session.ts'

export interface CatalogCallerOptions {
  readonly config: IcebergConfig
  readonly resolver: SecretResolver
  readonly clock: Clock
  readonly onCall: (outcome: 'ok' | 'not-found' | 'denied' | 'failed') => void
  readonly onRenewal: (outcome: 'renewed' | 'failed' | 'unchanged') => void
}

export interface CatalogRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  /** Path after the root, encoded, starting with `/`; or the whole URL, to which the token goes. */
  readonly path: string | ((setup: CatalogSetup) => URL)
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Token of one table, in place of the session's; it is never renewed. */
  readonly token?: Secret | undefined
}

export interface CatalogCaller extends AsyncDisposable {
  setup(signal: AbortSignal): Promise<CatalogSetup>
  /** The answer of any status. Throws CATALOG_UNAVAILABLE, CATALOG_REFUSED, CATALOG_UNAUTHORIZED, DEADLINE_EXCEEDED, CANCELLED. */
  call(request: CatalogRequest, signal: AbortSignal): Promise<HttpAnswer>
}

interface Client {
  readonly session: CatalogSession
  readonly createdAtMs: number
  readonly setupFlight: SingleFlight<CatalogSetup>
  setup: CatalogSetup | undefined
}

export function createCatalogCaller(options: CatalogCallerOptions): CatalogCaller {
  const { config, clock } = options
  const http = createHttpClient({
    timeoutMs: LIMITS.catalogCallTimeoutMs,
    bodyBytesMax: LIMITS.catalogBodyBytesMax,
    connectionsMax: LIMITS.catalogConnectionsMax,
  })
  let client: Client | undefined

  const currentClient = (): Client => {
    if (client && clock.nowMs() - client.createdAtMs < LIMITS.catalogClientLifetimeMs) return client
    const defaultTokenUri = catalogUrl(config.endpoint, '/v1/oauth/tokens')
    const session = createSession({ ...options, auth: config.auth, http, defaultTokenUri })
    client = { session, createdAtMs: clock.nowMs(), setup: undefined, setupFlight: createSingleFlight() }
    return client
  }

  /** Read once in a client's life; a failure is not kept, so that the next call tries afresh. */
  const setupOf = async (current: Client, signal: AbortSignal): Promise<CatalogSetup> => {
    const load = async (shared: AbortSignal): Promise<CatalogSetup> =>
      await loadSetup(config, async (call) => await send(http, current.session, call, shared))
    current.setup ??= await current.setupFlight.run('setup', load, signal)
    return current.setup
  }

  return {
    setup: async (signal) => await setupOf(currentClient(), signal),
    async call({ method, path, query, headers, body, token }, signal) {
      const current = currentClient()
      try {
        const setup = await setupOf(current, signal)
        const url = typeof path === 'string' ? catalogUrl(setup.base, setup.root + path, query) : path(setup)
        const call = {
          method,
          url,
          headers: { accept: 'application/json', ...headers },
          ...(body === undefined ? {} : { body }),
        }
        const answer = token
          ? await http.call(withToken(call, token), signal)
          : await send(http, current.session, call, signal)
        options.onCall(outcomeOf(answer.status))
        return answer
      } catch (error) {
        options.onCall('failed')
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
    },
  }
}

/** Sends a call with the session's token; after what may be an ended token renews once and replays once. */
async function send(
  http: HttpClient,
  session: CatalogSession,
  call: HttpCall,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const token = await session.token(signal)
  const answer = await http.call(withToken(call, token?.secret), signal)
  if (token === undefined || !mayBeExpired(answer.status, call)) return answer
  if (!(await session.renew(token, signal))) return answer
  const renewed = await session.token(signal)
  return await http.call(withToken(call, renewed?.secret), signal)
}

/** Some catalogs answer 419 for a token that has ended, and one 501, which else means that a method is not served. */
function mayBeExpired(status: number, { method }: HttpCall): boolean {
  return status === 401 || status === 419 || (status === 501 && method === 'GET')
}

async function loadSetup(
  config: IcebergConfig,
  sendCall: (call: HttpCall) => Promise<HttpAnswer>,
): Promise<CatalogSetup> {
  const url = catalogUrl(config.endpoint, '/v1/config', { warehouse: config.warehouse })
  const answer = await sendCall({ method: 'GET', url, headers: { accept: 'application/json' } })
  if (answer.status !== 200) throw catalogFailure(answer, undefined, 'its configuration')
  return readSetup(config, parseAnswer(configAnswer, answer.text, 'configuration'))
}

function withToken(call: HttpCall, token: Secret | undefined): HttpCall {
  return token ? { ...call, headers: { ...call.headers, authorization: `Bearer ${token.reveal()}` } } : call
}

function outcomeOf(status: number): 'ok' | 'not-found' | 'denied' | 'failed' {
  // Not modified is an answer as good as any.
  if (status < 300 || status === 304) return 'ok'
  if (status === 404) return 'not-found'
  return status === 401 || status === 403 || status === 419 ? 'denied' : 'failed'
}
