// Client of one Iceberg REST catalog, for reading. It authenticates, names and bounds every call and turns answers into
// plain data; caching is the snapshot cache's work. It has no retry policy and no background task: a call is made once,
// and once more only after a renewed session. Source: Iceberg REST OpenAPI; see ARCHITECTURE.md, "The catalog client".
import { AppError } from '@lake/core/errors.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'

import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight, type SingleFlight } from '../concurrency/single-flight.ts'
import type { IcebergConfig } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { Secret } from '../observability/redaction.ts'
import { createHttpClient, type HttpAnswer, type HttpCall } from './http-client.ts'
import {
  catalogUrl,
  DEFAULT_NAMESPACE_SEPARATOR,
  encodeNamespace,
  encodePrefix,
  encodeSegment,
} from './paths.ts'
import { refuseRestrictions } from './read-restrictions.ts'
import {
  configAnswer,
  listTablesAnswer,
  loadTableAnswer,
  parseAnswer,
  parseErrorBody,
  type LoadTableAnswer,
} from './rest-schemas.ts'
import type { SecretResolver } from './secrets.ts'
import { createSession, type CatalogSession } from './session.ts'

export interface TableIdent {
  readonly namespace: readonly string[]
  readonly table: string
}

/** One `storage-credentials` entry, or the table's whole `config` under the empty prefix. */
export interface StorageCredential {
  readonly prefix: string
  /** Property names are the protocol's; values may be secrets. */
  readonly config: ReadonlyMap<string, Secret>
}

export interface LoadedTable {
  readonly ident: TableIdent
  readonly metadata: TableMetadata
  readonly metadataLocation: string | undefined
  /** In the catalog's order. */
  readonly storageCredentials: readonly StorageCredential[]
  /** The table's `config` over the catalog's, as secrets since it may hold credentials. */
  readonly config: ReadonlyMap<string, Secret>
  readonly loadedAtMs: number
}

export interface RestCatalog extends AsyncDisposable {
  /** True when the namespace is there. Throws CATALOG_*. */
  hasNamespace(namespace: readonly string[], signal: AbortSignal): Promise<boolean>
  /** Names of the tables, sorted, at most LIMITS.catalogTablesListedMax. Throws NO_SUCH_NAMESPACE, CATALOG_*. */
  listTables(
    namespace: readonly string[],
    signal: AbortSignal,
  ): Promise<{ tables: string[]; isTruncated: boolean }>
  /** Loads the table as it is now. Throws NO_SUCH_TABLE, TABLE_UNSUPPORTED, TABLE_CORRUPT, READ_RESTRICTED, CATALOG_*. */
  loadTable(ident: TableIdent, signal: AbortSignal): Promise<LoadedTable>
}

export interface RestCatalogOptions {
  readonly config: IcebergConfig
  readonly resolver: SecretResolver
  readonly clock: Clock
  readonly onCall: (outcome: 'ok' | 'not-found' | 'denied' | 'failed') => void
  readonly onRenewal: (outcome: 'renewed' | 'failed' | 'unchanged') => void
}

/** A client's life: the session and the catalog's own configuration, thrown away together after their lifetime. */
interface Client {
  readonly session: CatalogSession
  readonly createdAtMs: number
  setup: Setup | undefined
  readonly setupFlight: SingleFlight<Setup>
}

interface Setup {
  readonly base: URL
  /** `/v1` or `/v1/<prefix>`, encoded. */
  readonly root: string
  readonly separator: string
  readonly properties: Readonly<Record<string, string>>
  readonly endpoints: ReadonlySet<string> | undefined
}

type NotFoundCode = 'NO_SUCH_NAMESPACE' | 'NO_SUCH_TABLE'

export function createRestCatalog(options: RestCatalogOptions): RestCatalog {
  const { config, clock } = options
  const http = createHttpClient({
    timeoutMs: LIMITS.catalogCallTimeoutMs,
    bodyBytesMax: LIMITS.catalogBodyBytesMax,
    connectionsMax: LIMITS.catalogConnectionsMax,
  })
  const base = config.endpoint
  let client: Client | undefined

  const currentClient = (): Client => {
    if (client === undefined || clock.nowMs() - client.createdAtMs >= LIMITS.catalogClientLifetimeMs) {
      const session = createSession({
        auth: config.auth,
        resolver: options.resolver,
        http,
        clock,
        defaultTokenUri: catalogUrl(base, '/v1/oauth/tokens'),
        onRenewal: options.onRenewal,
      })
      client = { session, createdAtMs: clock.nowMs(), setup: undefined, setupFlight: createSingleFlight() }
    }
    return client
  }

  /** Sends a call with the session's token; after a 401 or 419 renews once and replays once. */
  const send = async (session: CatalogSession, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
    const token = await session.token(signal)
    const answer = await http.call(withToken(call, token?.secret), signal)
    if (token === undefined || (answer.status !== 401 && answer.status !== 419)) return answer
    if (!(await session.renew(token, signal))) return answer
    const renewed = await session.token(signal)
    return await http.call(withToken(call, renewed?.secret), signal)
  }

  const loadSetup = async (session: CatalogSession, signal: AbortSignal): Promise<Setup> => {
    const url = catalogUrl(base, '/v1/config', { warehouse: config.warehouse })
    const answer = await send(
      session,
      { method: 'GET', url, headers: { accept: 'application/json' } },
      signal,
    )
    if (answer.status !== 200) throw failureOf(answer, undefined, 'its configuration')
    return readSetup(base, parseAnswer(configAnswer, answer.text, 'configuration'))
  }

  /** Read once in a client's life; a failure is not kept, so that the next call tries afresh. */
  const setupOf = async (current: Client, signal: AbortSignal): Promise<Setup> => {
    current.setup ??= await current.setupFlight.run(
      'setup',
      async (shared) => await loadSetup(current.session, shared),
      signal,
    )
    return current.setup
  }

  const call = async (
    method: 'GET' | 'HEAD',
    pathOf: (setup: Setup) => string,
    request: { query?: Readonly<Record<string, string>>; headers?: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<{ answer: HttpAnswer; setup: Setup }> => {
    const current = currentClient()
    try {
      const setup = await setupOf(current, signal)
      const url = catalogUrl(setup.base, setup.root + pathOf(setup), request.query)
      const headers = { accept: 'application/json', ...request.headers }
      const answer = await send(current.session, { method, url, headers }, signal)
      options.onCall(outcomeOf(answer.status))
      return { answer, setup }
    } catch (error) {
      options.onCall('failed')
      throw error
    }
  }

  return {
    async hasNamespace(namespace, signal) {
      const pathOf = (setup: Setup): string => `/namespaces/${encodeNamespace(namespace, setup.separator)}`
      const setup = await setupOf(currentClient(), signal)
      const canHead = setup.endpoints?.has('HEAD /v1/{prefix}/namespaces/{namespace}') ?? false
      let { answer } = await call(canHead ? 'HEAD' : 'GET', pathOf, {}, signal)
      if (canHead && [400, 405, 406, 501].includes(answer.status))
        ({ answer } = await call('GET', pathOf, {}, signal))
      if (answer.status === 404) return false
      if (answer.status === 200 || answer.status === 204) return true
      throw failureOf(answer, 'NO_SUCH_NAMESPACE', `the namespace ${namespace.join('.')}`)
    },

    async listTables(namespace, signal) {
      const names = new Set<string>()
      const seenTokens = new Set<string>()
      let pageToken = ''
      for (
        let page = 0;
        page < LIMITS.catalogPagesMax && names.size <= LIMITS.catalogTablesListedMax;
        page += 1
      ) {
        const pathOf = (setup: Setup): string =>
          `/namespaces/${encodeNamespace(namespace, setup.separator)}/tables`
        const { answer } = await call('GET', pathOf, { query: { pageToken, pageSize: '1000' } }, signal)
        if (answer.status !== 200)
          throw failureOf(answer, 'NO_SUCH_NAMESPACE', `the namespace ${namespace.join('.')}`)
        const list = parseAnswer(listTablesAnswer, answer.text, 'list of tables')
        for (const { name } of list.identifiers ?? []) names.add(name)
        const next = list['next-page-token'] ?? ''
        if (next === '') return truncate(names, false)
        if (seenTokens.has(next))
          throw new AppError('CATALOG_UNAVAILABLE', 'The catalog repeats a page of tables')
        seenTokens.add(next)
        pageToken = next
      }
      return truncate(names, true)
    },

    async loadTable(ident, signal) {
      const { answer, setup } = await call(
        'GET',
        ({ separator }) =>
          `/namespaces/${encodeNamespace(ident.namespace, separator)}/tables/${encodeSegment(ident.table)}`,
        {
          query: { snapshots: 'all' },
          headers:
            config.storageAccess === 'vended-credentials'
              ? { 'x-iceberg-access-delegation': 'vended-credentials' }
              : {},
        },
        signal,
      )
      if (answer.status !== 200)
        throw failureOf(answer, 'NO_SUCH_TABLE', `the table ${ident.namespace.join('.')}.${ident.table}`)
      const loaded = parseAnswer(loadTableAnswer, answer.text, 'table')
      return readLoadedTable(ident, loaded, setup.properties, clock.nowMs())
    },

    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
    },
  }
}

function withToken(call: HttpCall, token: Secret | undefined): HttpCall {
  return token ? { ...call, headers: { ...call.headers, authorization: `Bearer ${token.reveal()}` } } : call
}

/** Merges the catalog's configuration; only harmless or same-origin parts of it are obeyed. */
function readSetup(
  base: URL,
  answer: {
    defaults: Record<string, string>
    overrides: Record<string, string>
    endpoints?: string[] | null | undefined
  },
): Setup {
  const properties = { ...answer.defaults, ...answer.overrides }
  const uri = properties['uri']
  let effectiveBase = base
  if (uri !== undefined && URL.canParse(uri)) {
    const url = new URL(uri)
    // The token goes to this address, so another origin is refused rather than followed.
    if (url.origin !== base.origin)
      throw new AppError('CATALOG_UNAVAILABLE', 'The catalog names an address of another origin')
    effectiveBase = url
  }
  const prefix = encodePrefix(properties['prefix'] ?? '')
  const endpoints = answer.endpoints && answer.endpoints.length > 0 ? new Set(answer.endpoints) : undefined
  return {
    base: effectiveBase,
    root: prefix === '' ? '/v1' : `/v1/${prefix}`,
    separator: properties['namespace-separator'] || DEFAULT_NAMESPACE_SEPARATOR,
    properties,
    endpoints,
  }
}

function readLoadedTable(
  ident: TableIdent,
  loaded: LoadTableAnswer,
  catalogProperties: Readonly<Record<string, string>>,
  nowMs: number,
): LoadedTable {
  refuseRestrictions(loaded, ident)
  if (loaded.metadata === null || loaded.metadata === undefined) {
    throw new AppError('TABLE_UNSUPPORTED', 'The catalog sent the table without its metadata', {
      details: { table: ident.table, feature: 'metadata by location only' },
    })
  }
  const secrets = (map: Readonly<Record<string, string>>): ReadonlyMap<string, Secret> =>
    new Map(Object.entries(map).map(([key, value]) => [key, new Secret(value)]))
  return {
    ident,
    metadata: parseTableMetadata(loaded.metadata),
    metadataLocation: loaded['metadata-location'] ?? undefined,
    config: secrets({ ...catalogProperties, ...loaded.config }),
    storageCredentials: (loaded['storage-credentials'] ?? []).map((entry) => ({
      prefix: entry.prefix,
      config: secrets(entry.config),
    })),
    loadedAtMs: nowMs,
  }
}

function truncate(
  names: ReadonlySet<string>,
  isTruncated: boolean,
): { tables: string[]; isTruncated: boolean } {
  const tables = [...names].sort((a, b) => (a < b ? -1 : 1))
  const max = LIMITS.catalogTablesListedMax
  return { tables: tables.slice(0, max), isTruncated: isTruncated || tables.length > max }
}

function outcomeOf(status: number): 'ok' | 'not-found' | 'denied' | 'failed' {
  if (status < 300) return 'ok'
  if (status === 404) return 'not-found'
  return status === 401 || status === 403 || status === 419 ? 'denied' : 'failed'
}

/** The error that a status stands for. The status decides; the body only adds words. */
function failureOf(answer: HttpAnswer, notFound: NotFoundCode | undefined, what: string): AppError {
  const { status } = answer
  const said = parseErrorBody(answer.text).message
  const words = said === undefined ? '' : `: ${said}`
  const isThrottled =
    status === 429 || String(answer.headers['x-amzn-errortype'] ?? '').startsWith('ThrottlingException')
  if (status === 404 && notFound)
    return new AppError(notFound, `The catalog does not have ${what}, or does not show it`)
  if (status === 401 || status === 419)
    return new AppError('CATALOG_UNAUTHORIZED', 'The catalog refused the credentials of this deployment')
  if (status === 403)
    return new AppError('CATALOG_PERMISSION_DENIED', `The catalog does not allow reading ${what}${words}`)
  if (isThrottled)
    return new AppError('CATALOG_UNAVAILABLE', 'The catalog asks to slow down', {
      details: { retryAfterMs: 1_000 },
    })
  if (status >= 300 && status < 400)
    return new AppError(
      'CATALOG_UNAVAILABLE',
      `The catalog redirects (HTTP ${status}), which is not followed`,
    )
  return new AppError('CATALOG_UNAVAILABLE', `The catalog answered HTTP ${status} for ${what}${words}`)
}
