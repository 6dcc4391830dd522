// The second half of a query: from a sealed ticket to rows. The order of the steps is written here and nowhere else:
// prove → bind → plan scans → (excerpt → execute → encode), the last three in waves where the statement allows it.
//
// Until the schema is out, a failure is thrown and has an HTTP status. After that it is the last message of the stream.
import { assert, assertDefined } from '@lake/core/assert.ts'
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import type { LoadedTable, TableIdent } from '../catalog/rest-catalog.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { throwIfAborted } from '../concurrency/deadline.ts'
import { encodeMessageBatch, END_OF_STREAM } from '../engine/arrow-messages.ts'
import type { BoundStatement, EngineSession } from '../engine/engine.ts'
import type { SealedPin, TicketClaims } from '@lake/core/flight/ticket.ts'
import { LIMITS } from '../limits.ts'
import { errorCodeOf } from '../observability/error-code.ts'
import type { Logger } from '../observability/logger.ts'
import { applySubstitutions, atSubmittedPlace } from '../sql/text-substitution.ts'
import { countedTables, findRowWise, type RowWise } from '../sql/pushdown.ts'
import { emptyScan } from './fetch-excerpts.ts'
import { provePin, type PinnedTable } from './pinned-table.ts'
import { plannedBytes, planTables, type PlannedTable } from './plan-tables.ts'
import { createRunProgress, type RunProgress } from './run-progress.ts'
import { failureMessage } from './failure-message.ts'
import type { QueryServices } from './query-services.ts'
import { openStatementAccount } from './statement-account.ts'
import { executeAtOnce, executeInWaves } from './execute-scans.ts'
import { createTableDeletes } from './statement-deletes.ts'
import { planRequirements } from './scan-requirements.ts'

export interface QueryRun {
  /** Whose statement it is; every table is authorized again before it is loaded. */
  readonly principal: Principal
  readonly services: QueryServices
  readonly requestId: string
  readonly logger: Logger
  /** Kept up to date while the statement runs, for whoever counts it. */
  readonly facts: { rowCount: number; bytesRead: number }
  /** Called once with `ok` or the error code when the stream has said how it ended. */
  readonly onEnd: (outcome: string) => void
  /** Ends the reading after one row group. The statement must read one table row by row. */
  readonly isPreview?: boolean
}

/**
 * Runs the statement of a ticket and yields the pieces of one Arrow IPC stream.
 * @throws AppError TABLE_REPLACED, SNAPSHOT_EXPIRED, TABLE_*, SCAN_TOO_LARGE, CATALOG_*, STORAGE_*, BUSY,
 *   QUOTA_EXCEEDED … before the schema; never after it
 */
export async function* runQuery(
  sealed: TicketClaims,
  run: QueryRun,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  using account = openStatementAccount(sealed, run)
  try {
    account.enter()
    yield* runSealed(sealed, account.run, signal)
  } catch (error) {
    const failure = atSubmittedPlace(error, sealed.substitutions ?? [])
    account.fail(errorCodeOf(failure))
    throw failure
  }
}

async function* runSealed(
  sealed: TicketClaims,
  run: QueryRun,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { services } = run
  const startedAtMs = services.clock.nowMs()
  // From here on the text is the one that the engine reads.
  const claims = { ...sealed, sql: applySubstitutions(sealed.sql, sealed.substitutions ?? []) }
  const pinned = await provePins(claims, run, signal)
  const { tables, rowWise, ...told } = await planStatement(claims, pinned, services, signal)
  const isPreview = run.isPreview === true
  if (isPreview && rowWise === undefined) {
    throw new AppError('INVALID_REQUEST', 'A preview is of a statement that reads one table row by row')
  }
  // A row group is what a table's writer made it, and there is no smaller part to read.
  if (!isPreview) refuseLargeScan(plannedBytes(tables, rowWise), services.scanBytesMax)

  await using session = await services.engine.acquire(signal)
  const runSignal = AbortSignal.any([signal, session.lost])
  const schemaMessage = await describeResult(claims, { pinned, ...told }, session, runSignal)
  const progress = createRunProgress(tables, startedAtMs, services.clock)
  yield schemaMessage
  // Ends what is still being read or run when the statement ends early.
  const ended = new AbortController()
  try {
    const readSignal = AbortSignal.any([runSignal, ended.signal])
    const context = { services, directory: session.directory, progress }
    const deletes = tables.map((table, index) => createTableDeletes(table, index, context, readSignal))
    const execution = { claims, tables, session, services, progress, deletes, schemaMessage, ended, ...told }
    const messages = rowWise
      ? executeInWaves(execution, { ...rowWise, isPreview }, readSignal)
      : executeAtOnce(execution, readSignal)
    for await (const message of messages) {
      run.facts.rowCount = progress.rowCount
      run.facts.bytesRead = progress.bytesRead
      yield message
    }
    throwIfAborted(runSignal)
    run.onEnd('ok')
    const receipt = closeReceipt(claims, pinned, progress, run)
    yield encodeMessageBatch(schemaMessage, { kind: 'receipt', receipt })
    // Nothing runs any more, so the reader need not wait until the process is made as new.
    void session[Symbol.asyncDispose]()
  } catch (error) {
    // Whatever failed because the process was gone, its folder included, failed for that reason.
    const reason: unknown = session.lost.aborted && !signal.aborted ? session.lost.reason : error
    const cause = atSubmittedPlace(reason, sealed.substitutions ?? [])
    run.onEnd(errorCodeOf(cause))
    yield encodeMessageBatch(schemaMessage, failureMessage(cause, run))
  } finally {
    ended.abort()
    run.facts.rowCount = progress.rowCount
    run.facts.bytesRead = progress.bytesRead
  }
  yield END_OF_STREAM
}

/** Loads every pinned table anew from the catalog, never from a cache, and finds the sealed snapshot in it. */
export async function provePins(
  claims: TicketClaims,
  { principal, services }: Pick<QueryRun, 'principal' | 'services'>,
  signal: AbortSignal,
): Promise<PinnedTable[]> {
  for (const { namespace, table } of claims.pins)
    services.authorizer.authorizeTable(principal, namespace, table)
  const loads = [...Map.groupBy(claims.pins, ({ namespace, table }) => tableKey(namespace, table))]
  const tables = await mapConcurrently(
    loads,
    LIMITS.snapshotLoadsPendingMax,
    async ([key, pins], itemSignal) => {
      const { namespace, table } = assertDefined(pins[0], 'a group has a pin')
      return [key, await loadPinned({ namespace, table }, pins, services, itemSignal)] as const
    },
    signal,
  )
  const loadedByKey = new Map(tables)
  return claims.pins.map((pin) => {
    const loaded = loadedByKey.get(tableKey(pin.namespace, pin.table))
    assert(loaded !== undefined, 'every pinned table is loaded')
    return provePin(loaded, pin, Math.max(0, services.clock.nowMs() - loaded.loadedAtMs))
  })
}

/** Metadata tables tell of every snapshot; other pins need no more than their own. */
async function loadPinned(
  ident: TableIdent,
  pins: readonly SealedPin[],
  { catalog }: QueryServices,
  signal: AbortSignal,
): Promise<LoadedTable> {
  if (pins.some(({ metadataTable }) => metadataTable !== undefined))
    return await catalog.loadTable(ident, signal)
  const snapshotIds = pins.flatMap(({ snapshotId }) => (snapshotId === null ? [] : [BigInt(snapshotId)]))
  return await catalog.loadTableAt(ident, snapshotIds, signal)
}

interface StatementPlan {
  readonly tables: PlannedTable[]
  /** undefined where the answer is not that of each file by itself. */
  readonly rowWise: RowWise | undefined
  readonly instants: BoundStatement['instants']
  readonly counted: ReadonlySet<number>
}

async function planStatement(
  { sql, issuedAtMs: statementAtMs }: TicketClaims,
  pinned: readonly PinnedTable[],
  services: QueryServices,
  signal: AbortSignal,
): Promise<StatementPlan> {
  const { analyst } = services.engine
  const bound: BoundStatement = await analyst.bind(
    sql,
    pinned.map(({ engineTable }) => engineTable),
    signal,
    { statementAtMs },
  )
  const requirements = await planRequirements(bound, pinned, analyst, signal)
  const tables = await planTables(pinned, requirements, services, signal)
  return {
    tables,
    rowWise: tables.length === 1 ? findRowWise(bound.plan) : undefined,
    instants: bound.instants,
    counted: countedTables(bound.plan),
  }
}

function refuseLargeScan(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return
  throw new AppError(
    'SCAN_TOO_LARGE',
    `The statement would read ${bytes} bytes, more than the ${bytesMax} allowed (LAKE_SCAN_BYTES_MAX); name fewer columns or filter on a partition`,
    { details: { bytes, bytesMax } },
  )
}

/** The schema of the result, from running the statement over empty tables. */
async function describeResult(
  { sql, issuedAtMs: statementAtMs }: TicketClaims,
  {
    pinned,
    instants,
  }: { readonly pinned: readonly PinnedTable[]; readonly instants: BoundStatement['instants'] },
  session: EngineSession,
  signal: AbortSignal,
): Promise<Uint8Array> {
  await session.defineScans(pinned.map(emptyScan), signal, sql)
  const options = { rowsMax: 0, statementAtMs, instants }
  const { schemaMessage, batches } = await session.execute(sql, options, signal)
  for await (const batch of batches) void batch
  return schemaMessage
}

function closeReceipt(
  claims: TicketClaims,
  pinned: readonly PinnedTable[],
  progress: RunProgress,
  run: QueryRun,
): Receipt {
  return {
    statementId: claims.statementId,
    tables: pinned.map(({ receipt }, index) => ({ ...receipt, scan: progress.scanReport(index) })),
    rowCount: progress.rowCount,
    elapsedMs: progress.elapsedMs(),
    engine: run.services.engine.name,
    ...(run.isPreview === true ? { isPreview: true } : {}),
  }
}
