// Client of one Iceberg REST catalog, for reading: what there is, as plain data. Calls are made by catalog-caller.ts;
// caching is the snapshot cache's work. Source: Iceberg REST OpenAPI; see ARCHITECTURE.md, "The catalog client".
import { assertDefined } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { Secret } from '../observability/redaction.ts'
import type { SignableRequest, SignatureAnswer } from '../storage/remote-signer.ts'
import { credentialsEndAtMs } from '../storage/vended-credentials.ts'
import { createCatalogCaller, type CatalogCaller, type CatalogCallerOptions } from './catalog-caller.ts'
import { catalogFailure } from './catalog-failure.ts'
import { hasNamespace, isView } from './existence.ts'
import { singleHeader } from './http-client.ts'
import { createMetadataFiles, type ReadMetadataFile } from './metadata-files.ts'
import { encodeNamespace, tablePath } from './paths.ts'
import { signRequest } from './request-signing.ts'
import { listTablesAnswer, parseAnswer } from './rest-schemas.ts'
import type { ParsedTable } from './parsed-table.ts'
import { asSecrets, askCredentials, readCredentials } from './table-credentials.ts'
import { createTableParser, type TableParser } from './table-parser.ts'

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

/** What the catalog gives for reading the files of one table. */
export interface TableAccess {
  readonly ident: TableIdent
  /** In the catalog's order. */
  readonly storageCredentials: readonly StorageCredential[]
  /** The table's `config` over the catalog's, as secrets since it may hold credentials. */
  readonly config: ReadonlyMap<string, Secret>
  /** What goes with every request to sign, as the catalog wants it. */
  readonly remoteSigning:
    | { readonly properties: ReadonlyMap<string, Secret>; readonly headers: ReadonlyMap<string, Secret> }
    | undefined
}

export interface LoadedTable extends TableAccess {
  readonly metadata: TableMetadata
  readonly metadataLocation: string | undefined
  /** When the catalog last said that the table is so. */
  readonly loadedAtMs: number
  /** When the catalog last sent it whole, with these credentials; not later than `loadedAtMs`. */
  readonly receivedAtMs: number
  readonly snapshotsLoaded: SnapshotsLoaded
  /** Verbatim; of this table with these `snapshotsLoaded`. */
  readonly etag: string | undefined
}

/** `refs`: perhaps only the heads of branches and tags, and perhaps only their part of the snapshot log. */
export type SnapshotsLoaded = 'all' | 'refs'

export interface RestCatalog extends AsyncDisposable {
  /** True when the namespace is there. Throws CATALOG_*. */
  hasNamespace(namespace: readonly string[], signal: AbortSignal): Promise<boolean>
  /** Names of the tables, sorted, at most LIMITS.catalogTablesListedMax. Throws NO_SUCH_NAMESPACE, CATALOG_*. */
  listTables(
    namespace: readonly string[],
    signal: AbortSignal,
  ): Promise<{ tables: string[]; isTruncated: boolean }>
  /**
   * Loads the table as it is now. Throws NO_SUCH_TABLE, TABLE_UNSUPPORTED, TABLE_CORRUPT, READ_RESTRICTED, CATALOG_*; where
   * the metadata did not come inline, what reading its file throws too.
   */
  loadTable(ident: TableIdent, signal: AbortSignal): Promise<LoadedTable>
  /**
   * Loads the table as it is now, with its current snapshot and these ones as far as it has them; others may be left
   * out. Throws what `loadTable` throws.
   */
  loadTableAt(ident: TableIdent, snapshotIds: readonly bigint[], signal: AbortSignal): Promise<LoadedTable>
  /**
   * Loads with the snapshots that are asked for, or finds that `known`, an earlier load of the same kind, is so still. Its
   * credentials are not prolonged: where they may end soon it is loaded whole. Throws what `loadTable` throws.
   */
  refreshTable(
    ident: TableIdent,
    options: { readonly snapshots: SnapshotsLoaded; readonly known: LoadedTable | undefined },
    signal: AbortSignal,
  ): Promise<LoadedTable>
  /**
   * Storage credentials of a table again, by the credentials endpoint where the catalog has one and it gives some, else by
   * asking for the table. Reads no file. Throws what `loadTable` throws.
   */
  loadCredentials(
    table: TableAccess,
    signal: AbortSignal,
  ): Promise<Pick<TableAccess, 'storageCredentials' | 'config'>>
  /** Throws CATALOG_CREDENTIALS_NOT_VENDED where nothing signs, CATALOG_*. */
  signRequest(table: TableAccess, request: SignableRequest, signal: AbortSignal): Promise<SignatureAnswer>
}

const DELEGATION_HEADER = 'x-iceberg-access-delegation'

export interface RestCatalogOptions extends CatalogCallerOptions {
  /** For tables that come without their metadata. */
  readonly readMetadataFile: ReadMetadataFile
}

export function createRestCatalog(options: RestCatalogOptions): RestCatalog {
  const caller = createCatalogCaller(options)
  const parser = createTableParser()
  const metadataFiles = createMetadataFiles(options.readMetadataFile, parser)
  const { storageAccess: access, endpoint, signerOrigins } = options.config
  const headers: Record<string, string> =
    access === 'workload-identity' ? {} : { [DELEGATION_HEADER]: access }
  const origins = new Set([endpoint.origin, ...signerOrigins])

  const askTable = createTableQuestion({ caller, parser, headers, clock: options.clock })
  const refreshTable: RestCatalog['refreshTable'] = async (ident, { snapshots, known }, signal) => {
    const tag = revalidationTag(known, options.clock.nowMs())
    const asked = await askTable(ident, { snapshots, etag: tag }, signal)
    if (!asked) return { ...assertDefined(known, 'a tag is of a table'), loadedAtMs: options.clock.nowMs() }
    const { parsed, access, receivedAtMs, etag } = asked
    const { metadataLocation } = parsed
    const metadata =
      parsed.metadata ??
      (await metadataFiles.load(access, assertDefined(metadataLocation, 'checked by parseTable'), signal))
    return {
      ...access,
      metadata,
      metadataLocation,
      loadedAtMs: receivedAtMs,
      receivedAtMs,
      snapshotsLoaded: snapshots,
      etag,
    }
  }
  const loadTable = async (ident: TableIdent, signal: AbortSignal): Promise<LoadedTable> =>
    await refreshTable(ident, { snapshots: 'all', known: undefined }, signal)

  return {
    hasNamespace: async (namespace, signal) => await hasNamespace(caller, namespace, signal),
    listTables: async (namespace, signal) => await listTables(caller, namespace, signal),
    loadTable,
    async loadTableAt(ident, snapshotIds, signal) {
      const table = await refreshTable(ident, { snapshots: 'refs', known: undefined }, signal)
      return hasSnapshots(table, snapshotIds) ? table : await loadTable(ident, signal)
    },
    refreshTable,
    async loadCredentials(table, signal) {
      const storageCredentials = await askCredentials({ caller, table, headers }, signal)
      if (storageCredentials.length > 0) return { storageCredentials, config: table.config }
      const asked = await askTable(table.ident, { snapshots: 'refs' }, signal)
      return assertDefined(asked, 'nothing was offered to confirm').access
    },
    signRequest: async (table, request, signal) =>
      await signRequest({ caller, table, origins }, request, signal),
    [Symbol.asyncDispose]: async () => {
      await parser[Symbol.asyncDispose]()
      await caller[Symbol.asyncDispose]()
    },
  }
}

interface AskedTable {
  readonly parsed: ParsedTable
  readonly access: TableAccess
  readonly receivedAtMs: number
  readonly etag: string | undefined
}

type AskTable = (
  ident: TableIdent,
  options: { readonly snapshots: SnapshotsLoaded; readonly etag?: string | undefined },
  signal: AbortSignal,
) => Promise<AskedTable | undefined>

/** Asks what the catalog says of a table; undefined where it is as it was when it got the tag. Reads no file. */
function createTableQuestion(parts: {
  readonly caller: CatalogCaller
  readonly parser: TableParser
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
}): AskTable {
  const { caller, parser, headers, clock } = parts
  return async (ident, { snapshots, etag }, signal) => {
    const { properties, separator } = await caller.setup(signal)
    const path = tablePath(ident, separator)
    const condition: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag }
    const answer = await caller.call(
      { method: 'GET', path, query: { snapshots }, headers: { ...headers, ...condition } },
      signal,
    )
    const receivedAtMs = clock.nowMs()
    if (answer.status === 304 && etag !== undefined) return undefined
    if (answer.status === 404 && (await isView(caller, ident, signal))) throw viewRefused(ident)
    if (answer.status !== 200) {
      throw catalogFailure(answer, 'NO_SUCH_TABLE', `the table ${ident.namespace.join('.')}.${ident.table}`)
    }
    const parsed = await parser.parseAnswer(answer.bytes, signal)
    const access = tableAccess(ident, parsed, properties)
    return { parsed, access, receivedAtMs, etag: singleHeader(answer, 'etag') }
  }
}

function viewRefused({ namespace, table }: TableIdent): AppError {
  const name = [...namespace, table].join('.')
  return new AppError(
    'TABLE_UNSUPPORTED',
    `${name} is a view, which is not read: name the tables that it reads`,
    {
      details: { table: name, feature: 'view' },
    },
  )
}

/**
 * The tag to ask with whether `known` is so still; undefined where it must come whole: an answer of "not modified" brings
 * no new credentials, and it may not notice new restrictions, since many catalogs tag the metadata alone.
 */
function revalidationTag(known: LoadedTable | undefined, nowMs: number): string | undefined {
  if (known?.etag === undefined) return undefined
  const isRecent = nowMs - known.receivedAtMs < LIMITS.tableRevalidatedForMs
  const endsAtMs = credentialsEndAtMs(known) ?? Number.POSITIVE_INFINITY
  return isRecent && endsAtMs - nowMs > LIMITS.storageCredentialsMarginMs ? known.etag : undefined
}

function hasSnapshots({ metadata }: LoadedTable, snapshotIds: readonly bigint[]): boolean {
  const ids = new Set(metadata.snapshots.map(({ snapshotId }) => snapshotId))
  const { currentSnapshotId } = metadata
  return (
    (currentSnapshotId === undefined || ids.has(currentSnapshotId)) && snapshotIds.every((id) => ids.has(id))
  )
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

function tableAccess(
  ident: TableIdent,
  { config, storageCredentials, remoteSigning }: ParsedTable,
  catalogProperties: Readonly<Record<string, string>>,
): TableAccess {
  return {
    ident,
    config: asSecrets({ ...catalogProperties, ...config }),
    storageCredentials: readCredentials(storageCredentials),
    remoteSigning: remoteSigning && {
      properties: asSecrets(remoteSigning.properties),
      headers: asSecrets(remoteSigning.headers),
    },
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
