// Client of one Iceberg REST catalog, for reading: what there is, as plain data. Calls are made by catalog-caller.ts;
// caching is the snapshot cache's work. Source: Iceberg REST OpenAPI; see ARCHITECTURE.md, "The catalog client".
import { AppError } from '@lake/core/errors.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { LIMITS } from '../limits.ts'
import { Secret } from '../observability/redaction.ts'
import {
  catalogFailure,
  createCatalogCaller,
  type CatalogCaller,
  type CatalogCallerOptions,
} from './catalog-caller.ts'
import { encodeNamespace, encodeSegment } from './paths.ts'
import { refuseRestrictions } from './read-restrictions.ts'
import { listTablesAnswer, loadTableAnswer, parseAnswer, type LoadTableAnswer } from './rest-schemas.ts'

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

export function createRestCatalog(options: CatalogCallerOptions): RestCatalog {
  const caller = createCatalogCaller(options)
  return {
    hasNamespace: async (namespace, signal) => await hasNamespace(caller, namespace, signal),
    listTables: async (namespace, signal) => await listTables(caller, namespace, signal),
    async loadTable(ident, signal) {
      const { properties, separator } = await caller.setup(signal)
      const isVended = options.config.storageAccess === 'vended-credentials'
      const path = `/namespaces/${encodeNamespace(ident.namespace, separator)}/tables/${encodeSegment(ident.table)}`
      const headers: Record<string, string> = isVended
        ? { 'x-iceberg-access-delegation': 'vended-credentials' }
        : {}
      const answer = await caller.call({ method: 'GET', path, query: { snapshots: 'all' }, headers }, signal)
      if (answer.status !== 200) {
        throw catalogFailure(answer, 'NO_SUCH_TABLE', `the table ${ident.namespace.join('.')}.${ident.table}`)
      }
      return readLoadedTable(
        ident,
        parseAnswer(loadTableAnswer, answer.text, 'table'),
        properties,
        options.clock.nowMs(),
      )
    },
    [Symbol.asyncDispose]: async () => {
      await caller[Symbol.asyncDispose]()
    },
  }
}

async function hasNamespace(
  caller: CatalogCaller,
  namespace: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { endpoints, separator } = await caller.setup(signal)
  const path = `/namespaces/${encodeNamespace(namespace, separator)}`
  const canHead = endpoints?.has('HEAD /v1/{prefix}/namespaces/{namespace}') ?? false
  let answer = await caller.call({ method: canHead ? 'HEAD' : 'GET', path }, signal)
  // Some catalogs advertise HEAD and do not serve it.
  if (canHead && [400, 405, 406, 501].includes(answer.status))
    answer = await caller.call({ method: 'GET', path }, signal)
  if (answer.status === 404) return false
  if (answer.status === 200 || answer.status === 204) return true
  throw catalogFailure(answer, 'NO_SUCH_NAMESPACE', `the namespace ${namespace.join('.')}`)
}

async function listTables(
  caller: CatalogCaller,
  namespace: readonly string[],
  signal: AbortSignal,
): Promise<{ tables: string[]; isTruncated: boolean }> {
  const { separator } = await caller.setup(signal)
  const path = `/namespaces/${encodeNamespace(namespace, separator)}/tables`
  const names = new Set<string>()
  const seenTokens = new Set<string>()
  let pageToken = ''
  for (
    let page = 0;
    page < LIMITS.catalogPagesMax && names.size <= LIMITS.catalogTablesListedMax;
    page += 1
  ) {
    const answer = await caller.call({ method: 'GET', path, query: { pageToken, pageSize: '1000' } }, signal)
    if (answer.status !== 200)
      throw catalogFailure(answer, 'NO_SUCH_NAMESPACE', `the namespace ${namespace.join('.')}`)
    const list = parseAnswer(listTablesAnswer, answer.text, 'list of tables')
    for (const { name } of list.identifiers ?? []) names.add(name)
    pageToken = list['next-page-token'] ?? ''
    if (pageToken === '') return truncate(names, false)
    if (seenTokens.has(pageToken))
      throw new AppError('CATALOG_UNAVAILABLE', 'The catalog repeats a page of tables')
    seenTokens.add(pageToken)
  }
  return truncate(names, true)
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
