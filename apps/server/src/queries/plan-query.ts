// The first half of a query: from SQL text to pins, which the caller seals into a ticket. The order of the steps is
// written here and nowhere else: analyze → authorize → pin → bind. Nothing is loaded before every table is authorized.
import { AppError } from '@lake/core/errors.ts'
import type { FlightInfoRequest, RequestedPin } from '@lake/core/api/contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { SealedPin } from '@lake/core/flight/ticket.ts'
import { noSuchTable, type Authorizer } from '../access/authorizer.ts'
import type { TableIdent } from '../catalog/rest-catalog.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import type { ResultColumn } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { analyzeStatement, type TableReference } from '../sql/analyze-statement.ts'
import { pinTable, sealPin, type PinnedTable } from './pinned-table.ts'
import type { QueryServices } from './query-services.ts'
import { planRequirements } from './scan-requirements.ts'

export interface QueryPlan {
  readonly columns: readonly ResultColumn[]
  readonly pins: SealedPin[]
  readonly tables: TableReceipt[]
}

export interface ResolvedReference extends TableIdent {
  readonly startOffset: number
  readonly endOffset: number
}

/**
 * Plans a statement: which tables it reads, at which snapshots, and what its result looks like.
 * @throws AppError SQL_*, NO_SUCH_TABLE, NO_SUCH_SNAPSHOT, TABLE_*, READ_RESTRICTED, CATALOG_*, BUSY, DEADLINE_EXCEEDED
 */
export async function planQuery(
  request: FlightInfoRequest,
  services: QueryServices,
  signal: AbortSignal,
): Promise<QueryPlan> {
  using deadline = startDeadline(signal, LIMITS.planningDeadlineMs, 'Planning the statement')
  const references = await resolveTables(request.sql, services, deadline.signal)
  const pinned = await pinTables(references, request.pins ?? [], services, deadline.signal)
  const engineTables = pinned.map(({ engineTable }) => engineTable)
  const bound = await services.engine.analyst.bind(request.sql, engineTables, deadline.signal)
  // Refuses a statement that needs a column which cannot be read, while there is still a form to say so in.
  await planRequirements(bound, pinned, services.engine.analyst, deadline.signal)

  return {
    columns: bound.columns,
    pins: pinned.map(sealPin),
    tables: pinned.map(({ receipt }) => receipt),
  }
}

/** The tables that a statement names, each authorized, in order of appearance. Loads nothing. */
export async function resolveTables(
  sql: string,
  services: Pick<QueryServices, 'authorizer' | 'engine'>,
  signal: AbortSignal,
): Promise<ResolvedReference[]> {
  const tree = await services.engine.analyst.parse(sql, signal)
  return analyzeStatement(tree, sql).map((reference) => resolveReference(reference, services.authorizer))
}

function resolveReference(
  { schemaName, tableName, startOffset, endOffset }: TableReference,
  authorizer: Authorizer,
): ResolvedReference {
  const namespace = authorizer.findNamespace(schemaName)
  if (namespace === undefined) {
    const { message } = noSuchTable(`${schemaName}.${tableName}`)
    throw new AppError('NO_SUCH_TABLE', message, { details: { startOffset, endOffset } })
  }
  return { namespace, table: tableName, startOffset, endOffset }
}

async function pinTables(
  references: readonly ResolvedReference[],
  pins: readonly RequestedPin[],
  services: QueryServices,
  signal: AbortSignal,
): Promise<PinnedTable[]> {
  const keyOf = (ident: TableIdent): string => JSON.stringify([ident.namespace, ident.table])
  const distinct = [...new Map(references.map((reference) => [keyOf(reference), reference])).values()]
  if (distinct.length > LIMITS.tablesPerStatementMax) {
    throw new AppError('SQL_UNSUPPORTED', `A statement reads at most ${LIMITS.tablesPerStatementMax} tables`)
  }
  const requested = new Map(pins.map((pin) => [keyOf(pin), BigInt(pin.snapshotId)]))
  const pinOne = async (reference: ResolvedReference, itemSignal: AbortSignal): Promise<PinnedTable> => {
    try {
      const cached = await services.snapshotCache.load(reference, itemSignal)
      return pinTable(cached, requested.get(keyOf(reference)))
    } catch (error) {
      throw withPosition(error, reference)
    }
  }
  return await mapConcurrently(distinct, LIMITS.snapshotLoadsPendingMax, pinOne, signal)
}

/** Says where in the text the table stands that could not be pinned. */
function withPosition(error: unknown, { startOffset, endOffset }: ResolvedReference): unknown {
  if (
    !(error instanceof AppError) ||
    !['NO_SUCH_TABLE', 'NO_SUCH_SNAPSHOT', 'TABLE_UNSUPPORTED'].includes(error.code)
  )
    return error
  return new AppError(error.code, error.message, {
    cause: error,
    details: { ...error.details, startOffset, endOffset },
  })
}
