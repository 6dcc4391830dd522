// The HTTP application over a catalog that has nothing and remembers what it was asked for: what a request loads is what
// it was allowed to load. Everything before the catalog is real: routes, access, the engine's parser, the sealer.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthorizer, noSuchTable } from '../../src/access/authorizer.ts'
import { createQuotas } from '../../src/access/quotas.ts'
import { NO_AUDIT, type AuditLog } from '../../src/observability/audit-log.ts'
import { openAccess } from '../../src/access/open-access.ts'
import { createCatalogBrowser } from '../../src/catalog/catalog-browser.ts'
import type { RestCatalog, TableIdent } from '../../src/catalog/rest-catalog.ts'
import type { SnapshotCache } from '../../src/catalog/snapshot-cache.ts'
import { createSecretResolver } from '../../src/catalog/secrets.ts'
import type { AccessConfig, QuotaConfig } from '../../src/config/access.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { createEstimates } from '../../src/flight/estimates.ts'
import { createFlightService } from '../../src/flight/flight-service.ts'
import { createKeptResults } from '../../src/statements/kept-results.ts'
import { createResultReader } from '../../src/statements/result-reader.ts'
import { createJobSealer } from '../../src/statements/sealed-job.ts'
import { createStatementService, type StatementService } from '../../src/statements/statement-service.ts'
import { createMemoryResultObjects } from './memory-result-objects.ts'
import { createMemoryStatementStore } from './memory-statement-store.ts'
import { createTicketSealer, type TicketSealer } from '../../src/sealing/ticket-sealer.ts'
import { createApp } from '../../src/http/app.ts'
import { createBoundedServer, type ConnectionLimits } from '../../src/http/bounded-server.ts'
import type { Clock } from '../../src/concurrency/clock.ts'
import { LIMITS } from '../../src/limits.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { createFooterGuesses } from '../../src/parquet/footer-guess.ts'
import type { QueryServices } from '../../src/queries/query-services.ts'
import { createTableContents } from '../../src/queries/table-contents/table-contents.ts'
import { verifyStorageAccess } from '../../src/queries/verify-storage-access.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

const NO_QUOTAS: QuotaConfig = {
  requestsPerMinuteMax: 1e12,
  statementsMax: 1e12,
  bytesPerDayMax: 1e12,
}

export interface RecordingApp extends AsyncDisposable {
  readonly url: string
  readonly clock: ManualClock
  readonly sealer: TicketSealer
  /** What was asked of the catalog since it was last emptied: levels and the table, or levels alone for a list. */
  readonly loads: string[][]
}

export interface RecordingAppOptions {
  readonly engine: Engine
  readonly deployment: readonly (readonly string[])[]
  /** Text of a principals file. */
  readonly principals: string
  readonly access?: Partial<AccessConfig>
  readonly quotas?: Partial<QuotaConfig>
  readonly audit?: AuditLog
  readonly connections?: Partial<Record<keyof ConnectionLimits, number>>
  readonly startMs?: number
  readonly webDirectory?: string
  /** 0 takes a free one. */
  readonly port?: number
}

export async function startRecordingApp(options: RecordingAppOptions): Promise<RecordingApp> {
  const directory = await mkdtemp(join(tmpdir(), 'lake-recording-'))
  const principalsFile = join(directory, 'principals.json')
  await writeFile(principalsFile, options.principals)
  const clock = createManualClock(options.startMs)
  const loads: string[][] = []
  const services = recordingServices(options, loads, clock)
  const keys = [{ id: 'k', key: new Secret(Buffer.alloc(32, 1).toString('base64')) }]
  const logger = createLogger('silent')
  const metrics = createMetrics()
  let idCount = 0
  const createId = (): string => `id-${(idCount += 1)}`
  const http = { host: '127.0.0.1', port: options.port ?? 0 }
  const config = {
    http,
    publicUrl: undefined,
    oidc: undefined,
    quotas: NO_QUOTAS,
    audit: undefined,
    trustedProxies: [],
    ...options.access,
    principalsFile,
  }
  const sealer = createTicketSealer({ keys, purpose: 'do-get', clock })
  const app = createApp({
    ...(await openAccess({ config, keys, resolver: createSecretResolver({}), clock, logger, createId })),
    ...services,
    trustedProxies: options.access?.trustedProxies ?? [],
    enginesMax: 1,
    browser: createCatalogBrowser({ ...services, discovery: 'list' }),
    contents: createTableContents(services),
    flight: createFlightService({ ...services, sealer, kept: undefined, createId, logger, metrics }),
    estimate: createEstimates(services),
    statements: recordingStatements(services, sealer, { clock, createId }),
    verifyStorageAccess: async (ident, signal) => await verifyStorageAccess(ident, services, signal),
    logger,
    metrics,
    discovery: 'list',
    version: 'test',
    webDirectory: options.webDirectory,
    publicUrl: config.publicUrl,
    createId,
    findProblems: () => Promise.resolve([]),
  })
  const { server } = createBoundedServer(app, { ...LIMITS, ...options.connections })
  await new Promise<void>((resolve) => server.listen(http.port, http.host, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock,
    sealer,
    loads,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Background statements that are kept in memory and that nobody runs. */
function recordingStatements(
  services: QueryServices,
  sealer: TicketSealer,
  { clock, createId }: { readonly clock: ManualClock; readonly createId: () => string },
): StatementService {
  const store = createMemoryStatementStore()
  const { authorizer } = services
  const waiting = { nowMs: () => clock.nowMs(), sleep: async () => await Promise.resolve() }
  return createStatementService({
    services,
    store,
    results: createResultReader({ objects: createMemoryResultObjects(clock), keys: [], clock, authorizer }),
    jobs: createJobSealer([]),
    kept: createKeptResults({ services, store, clock }),
    tickets: sealer,
    wholeSealer: createTicketSealer({ keys: [], purpose: 'whole-result', clock }),
    logger: createLogger('silent'),
    createId,
    clock: waiting,
    wakeWorker: () => undefined,
  })
}

/** What queries need, over a catalog whose tables cannot be loaded. */
export function recordingServices(
  {
    engine,
    deployment,
    quotas,
    audit = NO_AUDIT,
  }: Pick<RecordingAppOptions, 'engine' | 'deployment' | 'quotas' | 'audit'>,
  loads: string[][],
  clock: Clock,
): QueryServices {
  const record = async ({ namespace, table }: TableIdent): Promise<never> => {
    loads.push([...namespace, table])
    return await Promise.reject(noSuchTable(`${namespace.join('.')}.${table}`))
  }
  const unused = (): never => {
    throw new Error('not reached: no table is ever loaded')
  }
  const snapshotCache: SnapshotCache = { load: record, loadRefs: record, size: 0 }
  const catalog: RestCatalog = {
    hasNamespace: () => Promise.resolve(true),
    listTables(namespace) {
      loads.push([...namespace])
      return Promise.resolve({ tables: [], isTruncated: false })
    },
    loadTable: record,
    loadTableAt: record,
    refreshTable: record,
    loadCredentials: unused,
    signRequest: unused,
    [Symbol.asyncDispose]: async () => {},
  }
  return {
    authorizer: createAuthorizer(deployment),
    quotas: createQuotas({ ...NO_QUOTAS, ...quotas }, clock),
    audit,
    catalog,
    snapshotCache,
    engine,
    clock,
    openStorage: unused,
    chunkCache: undefined,
    footerGuesses: createFooterGuesses(),
    scanBytesMax: 1,
  }
}
