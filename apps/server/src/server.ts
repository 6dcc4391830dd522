// The composition root: the only place where the parts of the server are put together.
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VerifyStorageAccessResponse } from '@lake/core/api/contract.ts'
import { AppError } from '@lake/core/errors.ts'
import type { PruningSwitches } from '@lake/core/scan/table-scan.ts'
import type { Authenticator } from './access/authenticator.ts'
import { createAuthorizer } from './access/authorizer.ts'
import { createQuotas, type Quotas } from './access/quotas.ts'
import {
  createAuditLog,
  createStreamSink,
  NO_AUDIT,
  openAuditFile,
  type AuditLog,
} from './observability/audit-log.ts'
import { openAccess } from './access/open-access.ts'
import { createCatalogBrowser } from './catalog/catalog-browser.ts'
import {
  createRestCatalog,
  type LoadedTable,
  type RestCatalog,
  type TableAccess,
  type TableIdent,
} from './catalog/rest-catalog.ts'
import type { SecretResolver } from './catalog/secrets.ts'
import { createSnapshotCache } from './catalog/snapshot-cache.ts'
import { systemClock, type Clock } from './concurrency/clock.ts'
import { mapConcurrently } from './concurrency/map-concurrently.ts'
import type { Config, IcebergConfig } from './config.ts'
import type { Address } from './config/reader.ts'
import type { Engine } from './engine/engine.ts'
import { planEngineLaunch } from './engine/engine-launch.ts'
import { createEnginePool } from './engine/engine-pool.ts'
import { createEstimates } from './flight/estimates.ts'
import { createFlightService } from './flight/flight-service.ts'
import { createTicketSealer } from './sealing/ticket-sealer.ts'
import { createApp } from './http/app.ts'
import { createBoundedServer, type BoundedServer } from './http/bounded-server.ts'
import { createMetricsApp } from './http/metrics-app.ts'
import { LIMITS } from './limits.ts'
import type { Logger } from './observability/logger.ts'
import { createMetrics, type Metrics } from './observability/metrics.ts'
import { createFooterGuesses } from './parquet/footer-guess.ts'
import type { QueryServices } from './queries/query-services.ts'
import { createTableContents } from './queries/table-contents/table-contents.ts'
import { verifyStorageAccess } from './queries/verify-storage-access.ts'
import { openSharedAccess } from './replicas/open-shared-access.ts'
import type { SharedAccess } from './replicas/shared-access.ts'
import { loadKeyRing } from './sealing/key-ring.ts'
import { openStatements, type Statements } from './statements/open-statements.ts'
import { openChunkCache } from './storage/column-chunk-cache.ts'
import { createStorageDispatcher } from './storage/http-object-store.ts'
import { createTableStorageFactory, type TableStorage } from './storage/table-storage.ts'

export interface RunningServer extends AsyncDisposable {
  /** Where people open the workbench. */
  readonly url: string
  readonly metricsUrl: string | undefined
}

export interface ServerOptions {
  readonly config: Config
  readonly resolver: SecretResolver
  readonly logger: Logger
  readonly version: string
  readonly webDirectory: string | undefined
  readonly clock?: Clock
  /** Levels of pruning that are on, all where absent; answers do not depend on it. */
  readonly pruning?: PruningSwitches
}

/**
 * Starts the server: checks that the configured namespaces exist, starts the engine, then listens.
 * @throws AppError NO_SUCH_NAMESPACE, CATALOG_*, ENGINE_FAILED, INVALID_REQUEST (no catalog configured)
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, logger, clock = systemClock } = options
  const iceberg = requireCatalog(config)
  await using stack = new AsyncDisposableStack()
  const metrics = createMetrics()
  const state = config.statements?.state
  const stateDirectory = state?.kind === 'sqlite' ? state.directory : undefined
  const keys = await loadKeyRing(config.ticketKeys, stateDirectory, options.resolver)
  const shared = await openShared(config, { ...options, clock, stack })
  const access = await openAccess({
    config,
    endedSessions: shared?.endedSessions,
    keys,
    resolver: options.resolver,
    clock,
    logger,
    createId: randomUUID,
  })
  const lake = openLake(iceberg, { resolver: options.resolver, metrics, clock, stack })
  await checkNamespaces(iceberg, lake.catalog)
  const audit = stack.use(await openAudit(config, { metrics, clock, logger }))
  const quotas = createQuotas(config.quotas, clock, shared?.bytesElsewhere)
  const parts = { ...lake, audit, logger, quotas, metrics, clock, stack, pruning: options.pruning }
  const services = await createQueryServices(config, iceberg, parts)
  const sealer = createTicketSealer({ keys, purpose: 'do-get', clock })
  const statements = await openBackground(config, {
    ...options,
    services,
    keys,
    tickets: sealer,
    findPrincipal: async (principal, sinceMs, signal) =>
      await access.authenticator.findAgain(principal, sinceMs, signal),
    wholeSealer: createTicketSealer({ keys, purpose: 'whole-result', clock }),
    metrics,
    stack,
  })
  const app = createApp({
    ...access,
    ...services,
    trustedProxies: config.trustedProxies,
    enginesMax: config.enginesMax,
    browser: createCatalogBrowser({ ...services, discovery: iceberg.discovery }),
    contents: createTableContents(services),
    flight: createFlightService({
      ...services,
      sealer,
      kept: statements?.kept,
      createId: randomUUID,
      logger,
      metrics,
    }),
    estimate: createEstimates(services),
    statements: statements?.service,
    verifyStorageAccess: async (ident, signal) => await verifyStorageAccess(ident, services, signal),
    logger,
    metrics,
    discovery: iceberg.discovery,
    version: options.version,
    webDirectory: options.webDirectory,
    createId: randomUUID,
    publicUrl: config.publicUrl,
    findProblems: async () => await findProblems(services.engine, access.authenticator, statements, shared),
  })
  const urls = await open({ app, metricsApp: createMetricsApp(metrics) }, config, statements, stack)
  const owned = stack.move()
  return { ...urls, [Symbol.asyncDispose]: async () => await owned.disposeAsync() }
}

/**
 * Checks access to one table's files as a query would have it, without starting a server.
 * @throws AppError INVALID_REQUEST when no catalog is configured; what is checked fails in the answer
 */
export async function verifyTable(
  ident: TableIdent,
  options: Pick<ServerOptions, 'config' | 'resolver'>,
  signal: AbortSignal,
): Promise<VerifyStorageAccessResponse> {
  const { iceberg } = options.config
  if (iceberg === undefined) throw new AppError('INVALID_REQUEST', 'No catalog is configured')
  await using stack = new AsyncDisposableStack()
  const parts = { resolver: options.resolver, metrics: createMetrics(), clock: systemClock, stack }
  return await verifyStorageAccess(ident, { ...openLake(iceberg, parts), clock: systemClock }, signal)
}

function requireCatalog({ iceberg }: Config): IcebergConfig {
  if (iceberg) return iceberg
  throw new AppError(
    'INVALID_REQUEST',
    'No catalog is configured: set LAKE_ICEBERG_REST_ENDPOINT, LAKE_ICEBERG_WAREHOUSE and LAKE_ICEBERG_NAMESPACES',
  )
}

interface LakeAccess {
  readonly catalog: RestCatalog
  readonly openStorage: (table: LoadedTable) => TableStorage
}

/** The catalog, and the storage of its tables, owned by `stack`. */
function openLake(
  config: IcebergConfig,
  parts: { resolver: SecretResolver; metrics: Metrics; clock: Clock; stack: AsyncDisposableStack },
): LakeAccess {
  const { resolver, metrics, clock, stack } = parts
  const dispatcher = createStorageDispatcher()
  stack.defer(async () => {
    await dispatcher.destroy()
  })
  const openWithGrant = createTableStorageFactory({
    config,
    dispatcher,
    clock,
    onOutcome: (outcome) => {
      metrics.storageRead(outcome)
    },
  })
  const openStorage = (table: TableAccess): TableStorage =>
    openWithGrant(table, {
      renew: async (signal) => await catalog.loadCredentials(table, signal),
      askSignature: async (request, signal) => await catalog.signRequest(table, request, signal),
    })
  const catalog: RestCatalog = stack.use(
    createRestCatalog({
      config,
      resolver,
      clock,
      readMetadataFile: async (access, location, signal) => {
        const { store, paths } = openStorage(access)
        const bytesMax = LIMITS.metadataFileBytesMax
        return await store.readObject(paths.canonicalUri(location), { bytesMax }, signal)
      },
      onCall: (outcome) => {
        metrics.catalogCall(outcome)
      },
      onRenewal: (outcome) => {
        metrics.oauthRenewal(outcome)
      },
    }),
  )
  return { catalog, openStorage }
}

/** What replicas share, where there is a store and somebody signs in. */
async function openShared(
  { statements, principalsFile, oidc }: Config,
  parts: Parameters<typeof openSharedAccess>[1],
): Promise<SharedAccess | undefined> {
  const isAuthenticated = principalsFile !== undefined || oidc !== undefined
  return statements && isAuthenticated ? await openSharedAccess(statements.state, parts) : undefined
}

/** Background statements, where a store for them is configured. */
async function openBackground(
  { statements, enginesMax }: Config,
  parts: Parameters<typeof openStatements>[1],
): Promise<Statements | undefined> {
  return statements && (await openStatements({ ...statements, enginesMax }, parts))
}

async function openAudit(
  { audit }: Config,
  { metrics, clock, logger }: { readonly metrics: Metrics; readonly clock: Clock; readonly logger: Logger },
): Promise<AuditLog> {
  if (audit === undefined) return NO_AUDIT
  const sink = audit.file === undefined ? createStreamSink(process.stdout) : await openAuditFile(audit.file)
  const onLost = (lineCount: number): void => {
    metrics.auditLost(lineCount)
  }
  return createAuditLog({ sink, sqlMode: audit.sqlMode, clock, logger, onLost })
}

/** What keeps statements from running as configured, in words. */
async function findProblems(
  engine: Engine,
  authenticator: Authenticator,
  statements: Statements | undefined,
  shared: SharedAccess | undefined,
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(LIMITS.readinessTimeoutMs)
  const found = [
    findEngineProblems(engine, signal),
    authenticator.findProblems(signal),
    statements?.findProblems() ?? Promise.resolve([]),
  ]
  return [...(await Promise.all(found)).flat(), ...(shared?.problem === undefined ? [] : [shared.problem])]
}

/** Whether a statement could be planned now: the engine reads one. */
async function findEngineProblems(engine: Engine, signal: AbortSignal): Promise<readonly string[]> {
  try {
    await engine.analyst.parse('SELECT 1', signal)
    return []
  } catch {
    return ['the engine is not ready']
  }
}

/** One bounded existence check per configured namespace; nothing is listed. */
async function checkNamespaces(config: IcebergConfig, catalog: RestCatalog): Promise<void> {
  await mapConcurrently(
    config.namespaces,
    LIMITS.snapshotLoadsPendingMax,
    async (namespace, signal) => {
      if (await catalog.hasNamespace(namespace, signal)) return
      throw new AppError(
        'NO_SUCH_NAMESPACE',
        `The catalog does not have the configured namespace ${namespace.join('.')}`,
      )
    },
    AbortSignal.timeout(LIMITS.catalogCallTimeoutMs * 2),
  )
}

async function createQueryServices(
  config: Config,
  iceberg: IcebergConfig,
  parts: LakeAccess & {
    audit: AuditLog
    logger: Logger
    quotas: Quotas
    metrics: Metrics
    clock: Clock
    stack: AsyncDisposableStack
    pruning: PruningSwitches | undefined
  },
): Promise<QueryServices> {
  const { catalog, openStorage, metrics, clock, stack } = parts
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'lake-workbench-'))
  stack.defer(async () => {
    await rm(scratchDirectory, { recursive: true, force: true })
  })
  const chunkCache = await openChunkCache(config, metrics, stack)
  const launch = await planEngineLaunch(config.engineUser)
  for (const words of launch.missing) parts.logger.warn(words)
  const engine = stack.use(
    await createEnginePool({
      launch,
      scratchDirectory,
      enginesMax: config.enginesMax,
      memoryBytesMax: config.engineMemoryBytesMax,
      spillBytesMax: config.engineSpillBytesMax,
      threads: config.engineThreads,
    }),
  )
  metrics.watchEngine(() => engine.usage)
  return {
    authorizer: createAuthorizer(iceberg.namespaces),
    audit: parts.audit,
    quotas: parts.quotas,
    catalog,
    snapshotCache: createSnapshotCache({
      load: async (ident, how, signal) => await catalog.refreshTable(ident, how, signal),
      clock,
      onOutcome: (outcome) => {
        metrics.snapshotCache(outcome)
      },
    }),
    engine,
    clock,
    openStorage,
    chunkCache,
    footerGuesses: createFooterGuesses(),
    scanBytesMax: config.scanBytesMax,
    ...(parts.pruning ? { pruning: parts.pruning } : {}),
  }
}

/** Closed in reverse order: what is drained can be watched until its end. */
async function open(
  { app, metricsApp }: { readonly app: RequestListener; readonly metricsApp: RequestListener },
  config: Config,
  statements: Statements | undefined,
  stack: AsyncDisposableStack,
): Promise<Pick<RunningServer, 'url' | 'metricsUrl'>> {
  const metricsServer = config.metrics && (await listen(metricsApp, config.metrics))
  stack.defer(async () => await metricsServer?.drain(0))
  const { url, drain } = await listen(app, config.http)
  // Nobody is let in from the first moment on, and others take background statements over while what people wait for here
  // ends.
  stack.defer(async () => {
    await Promise.all([drain(config.drainMs), statements?.handBack()])
  })
  return { url, metricsUrl: metricsServer?.url }
}

async function listen(
  listener: RequestListener,
  { host, port }: Address,
): Promise<{ url: string; drain: BoundedServer['drain'] }> {
  const { server, drain } = createBoundedServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: LIMITS.connectionsWaitingMax }, resolve)
  })
  const bound = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`, drain }
}
