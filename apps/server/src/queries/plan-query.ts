// The first half of a query: from SQL text to pins, which the caller seals into a ticket. The order of the steps is
// written here and nowhere else: analyze → authorize → pin → bind. Nothing is loaded before every table is authorized.
import type { Principal } from '@lake/core/access/principal.ts'
import { AppError, isAppError, type ErrorCode } from '@lake/core/errors.ts'
import type { FlightInfoRequest, RequestedPin } from '@lake/core/api/contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { SealedPin, TextSubstitution } from '@lake/core/flight/ticket.ts'
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import type { TableVersion } from '@lake/core/iceberg/snapshot.ts'
import { noSuchTable, type Authorizer } from '../access/authorizer.ts'
import type { TableIdent } from '../catalog/rest-catalog.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import type { BoundStatement, ResultColumn } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { analyzeStatement, type TableReference } from '../sql/analyze-statement.ts'
import type { ScanRequirement } from '../sql/pushdown.ts'
import { applySubstitutions } from '../sql/text-substitution.ts'
import { bindPinned } from './bind-pinned.ts'
import { hasVersions } from './metadata-tables/metadata-table-name.ts'
import { pinTable, sealPin, type PinnedAs, type PinnedTable } from './pinned-table.ts'
import type { QueryServices } from './query-services.ts'
import { planRequirements } from './scan-requirements.ts'
import { formatVersion, planVersions, type ResolvedReference, type VersionedTable } from './table-versions.ts'

export interface QueryPlan {
  readonly columns: readonly ResultColumn[]
  readonly pins: SealedPin[]
  readonly substitutions: readonly TextSubstitution[]
  readonly tables: TableReceipt[]
  /** Of the text that the engine reads. */
  readonly tree: unknown
}

/**
 * Plans a statement: which tables it reads, at which snapshots, and what its result looks like.
 * @throws AppError SQL_*, NO_SUCH_TABLE, NO_SUCH_SNAPSHOT, TABLE_*, READ_RESTRICTED, CATALOG_*, BUSY, DEADLINE_EXCEEDED
 */
export async function planQuery(
  request: FlightInfoRequest,
  principal: Principal,
  services: QueryServices,
  signal: AbortSignal,
): Promise<QueryPlan> {
  const { bound, pinned, substitutions } = await bindStatement(request, principal, services, signal)
  return {
    columns: bound.columns,
    pins: pinned.map(sealPin),
    substitutions,
    tables: pinned.map(({ receipt }) => receipt),
    tree: bound.tree,
  }
}

export interface StatementBinding {
  readonly bound: BoundStatement
  readonly pinned: readonly PinnedTable[]
  /** In the order of `pinned`. */
  readonly requirements: readonly ScanRequirement[]
  readonly substitutions: readonly TextSubstitution[]
}

/**
 * Analyzes, authorizes, pins and binds a statement.
 * @throws what `planQuery` throws
 */
export async function bindStatement(
  request: FlightInfoRequest,
  principal: Principal,
  services: QueryServices,
  signal: AbortSignal,
): Promise<StatementBinding> {
  using deadline = startDeadline(signal, LIMITS.planningDeadlineMs, 'Planning the statement')
  const references = await resolveTables(request.sql, principal, services, deadline.signal)
  const { versions, substitutions } = planVersions(request.sql, references)
  const sql = applySubstitutions(request.sql, substitutions)
  if (substitutions.length > 0) await checkSubstitution(sql, versions, services, deadline.signal)
  const { analyst } = services.engine
  const loaded = await pinTables(versions, request.pins ?? [], services, deadline.signal)
  const { bound, pinned, insertions } = await bindPinned(sql, loaded, analyst, deadline.signal)
  // Refuses a statement that needs a column which cannot be read, while there is still a form to say so in.
  const requirements = await planRequirements(bound, pinned, analyst, deadline.signal)
  return { bound, pinned, requirements, substitutions: [...substitutions, ...insertions] }
}

/** The tables that a statement names, each authorized, in order of appearance. Loads nothing. */
export async function resolveTables(
  sql: string,
  principal: Principal,
  { authorizer, engine }: Pick<QueryServices, 'authorizer' | 'engine'>,
  signal: AbortSignal,
): Promise<ResolvedReference[]> {
  const tree = await engine.analyst.parse(sql, signal)
  return analyzeStatement(tree, sql).map((reference) => resolveReference(reference, principal, authorizer))
}

function resolveReference(
  reference: TableReference,
  principal: Principal,
  authorizer: Authorizer,
): ResolvedReference {
  const { schemaName, tableName, startOffset, endOffset } = reference
  const namespace = authorizer.findNamespace(principal, schemaName)
  if (namespace === undefined) {
    const { message } = noSuchTable(`${schemaName}.${tableName}`)
    throw new AppError('NO_SUCH_TABLE', message, { details: { startOffset, endOffset } })
  }
  return { ...reference, namespace }
}

/** The text that the engine reads must name the same tables, and no version any more. */
async function checkSubstitution(
  sql: string,
  versions: readonly VersionedTable[],
  { engine }: Pick<QueryServices, 'engine'>,
  signal: AbortSignal,
): Promise<void> {
  const viewNames = versions.flatMap(({ viewName }) => viewName ?? [])
  const named = versions.flatMap(({ viewName, reference }) => (viewName === undefined ? [reference] : []))
  const namesOf = (references: readonly TableReference[]): string =>
    JSON.stringify(
      [...new Set(references.map(({ schemaName, tableName }) => `${schemaName}\0${tableName}`))].sort(),
    )
  const isSame = await engine.analyst.parse(sql, signal).then(
    (tree) => {
      const left = analyzeStatement(tree, sql, viewNames)
      return left.every(({ at }) => at === undefined) && namesOf(left) === namesOf(named)
    },
    (error: unknown) => {
      if (isAppError(error, 'SQL_SYNTAX')) return false
      throw error
    },
  )
  if (isSame) return
  throw new AppError('SQL_UNSUPPORTED', 'The versions of the statement could not be told from its text.')
}

async function pinTables(
  versions: readonly VersionedTable[],
  pins: readonly RequestedPin[],
  services: QueryServices,
  signal: AbortSignal,
): Promise<PinnedTable[]> {
  if (versions.length > LIMITS.tablesPerStatementMax) {
    throw new AppError('SQL_UNSUPPORTED', `A statement reads at most ${LIMITS.tablesPerStatementMax} tables`)
  }
  const keyOf = (ident: TableIdent): string => tableKey(ident.namespace, ident.table)
  const requested = new Map(pins.map((pin) => [keyOf(pin), BigInt(pin.snapshotId)]))
  const pinOne = async (table: VersionedTable, itemSignal: AbortSignal): Promise<PinnedTable> => {
    try {
      return await pinVersion(table, (ident) => requested.get(keyOf(ident)), services, itemSignal)
    } catch (error) {
      throw withPosition(error, table.reference)
    }
  }
  return await mapConcurrently(versions, LIMITS.snapshotLoadsPendingMax, pinOne, signal)
}

/** @param chosenOf the snapshot that the request chose for references without AT */
async function pinVersion(
  { ident, reference, metadataTable, version, viewName }: VersionedTable,
  chosenOf: (ident: TableIdent) => bigint | undefined,
  services: QueryServices,
  signal: AbortSignal,
): Promise<PinnedTable> {
  const requested = version && formatVersion(version)
  const versionOf = (chosen: TableIdent): TableVersion | undefined => {
    const snapshotId = version === undefined ? chosenOf(chosen) : undefined
    return snapshotId === undefined ? version : { kind: 'snapshot', snapshotId }
  }
  const isWholeTable = metadataTable !== undefined && !hasVersions(metadataTable)
  try {
    const as = { requested, metadataTable, viewName }
    return await loadAndPin(ident, isWholeTable ? undefined : versionOf(ident), as, services, signal)
  } catch (error) {
    if (metadataTable === undefined || !isAppError(error, 'NO_SUCH_TABLE')) throw error
    // No table to tell of, so the name may be a table's own.
    const own = { namespace: reference.namespace, table: reference.tableName }
    const as = { requested, viewName }
    return await loadAndPin(own, versionOf(own), as, services, signal).catch((failure: unknown) => {
      throw isAppError(failure, 'NO_SUCH_TABLE') ? error : failure
    })
  }
}

/**
 * Pins by what refs name, where that is enough, since it is little where the history is long. What is missing there is
 * looked for among all snapshots; a time and a metadata table need them anyway.
 */
async function loadAndPin(
  ident: TableIdent,
  version: TableVersion | undefined,
  as: PinnedAs,
  { snapshotCache }: QueryServices,
  signal: AbortSignal,
): Promise<PinnedTable> {
  if (as.metadataTable === undefined && version?.kind !== 'time') {
    const cached = await snapshotCache.loadRefs(ident, signal)
    try {
      return pinTable(cached, version, as)
    } catch (error) {
      if (!(error instanceof AppError) || cached.table.snapshotsLoaded === 'all') throw error
    }
  }
  return pinTable(await snapshotCache.load(ident, signal), version, as)
}

/** Failures of a table have the place of its name, those of a version the place of AT. */
const TABLE_CODES: readonly ErrorCode[] = ['NO_SUCH_TABLE', 'TABLE_UNSUPPORTED']
const VERSION_CODES: readonly ErrorCode[] = ['NO_SUCH_SNAPSHOT', 'SNAPSHOT_EXPIRED']

/** Says where in the text the table stands that could not be pinned. */
function withPosition(error: unknown, reference: ResolvedReference): unknown {
  if (!(error instanceof AppError)) return error
  const isOfVersion = VERSION_CODES.includes(error.code)
  if (!isOfVersion && !TABLE_CODES.includes(error.code)) return error
  const { startOffset, endOffset } = (isOfVersion && reference.at) || reference
  return new AppError(error.code, error.message, {
    cause: error,
    details: { ...error.details, startOffset, endOffset },
  })
}
