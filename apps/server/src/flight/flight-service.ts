// The verbs of Arrow Flight over the query path: analyze, get-flight-info, do-get, cancel-flight-info.
// It owns what belongs to a running statement as a whole: its registration, its deadline, its entry in the metrics.
import type { Principal } from '@lake/core/access/principal.ts'
import type { AnalyzeResponse, FlightInfoRequest, FlightInfoResponse } from '@lake/core/api/contract.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { errorCodeOf } from '../observability/error-code.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observability/logger.ts'
import type { Metrics } from '../observability/metrics.ts'
import { planQuery, resolveTables } from '../queries/plan-query.ts'
import { formatVersion, type ResolvedReference } from '../queries/table-versions.ts'
import { parseMetadataTableName } from '../queries/metadata-tables/metadata-table-name.ts'
import { runQuery } from '../queries/run-query.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { createRunningStatements } from './running-statements.ts'
import type { TicketSealer } from './ticket-sealer.ts'

export interface FlightService {
  analyze(sql: string, principal: Principal, signal: AbortSignal): Promise<AnalyzeResponse>
  getFlightInfo(
    request: FlightInfoRequest,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<FlightInfoResponse>
  /**
   * The result as one Arrow IPC stream, in pieces. Throws until the schema has been given; a failure after that is the
   * last message of the stream. Returning early stops the work.
   */
  doGet(
    ticket: string,
    principal: Principal,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array>
  cancelFlightInfo(
    ticket: string,
    principal: Principal,
  ): Promise<'cancelled' | 'cancelling' | 'notCancellable'>
}

export interface FlightServiceOptions extends QueryServices {
  readonly sealer: TicketSealer
  readonly createId: () => string
  readonly logger: Logger
  readonly metrics: Metrics
}

export function createFlightService(services: FlightServiceOptions): FlightService {
  const running = createRunningStatements()
  const { metrics, logger, clock, sealer } = services

  return {
    async analyze(sql, principal, signal) {
      using deadline = startDeadline(signal, LIMITS.planningDeadlineMs, 'Analyzing the statement')
      const references = await resolveTables(sql, principal, services, deadline.signal)
      return {
        tables: references.map(describeReference),
      }
    },

    async getFlightInfo(request, principal, signal) {
      const { columns, pins, substitutions, tables } = await planQuery(request, principal, services, signal)
      const statementId = services.createId()
      const issuedAtMs = clock.nowMs()
      const expiresAtMs = issuedAtMs + LIMITS.ticketLifetimeMs
      const claims = {
        statementId,
        sql: request.sql,
        substitutions: [...substitutions],
        pins,
        principal: principal.id,
        issuedAtMs,
        expiresAtMs,
      }
      const schema = columns.map(({ name, type }) => ({ name, type }))
      return { statementId, schema, ticket: sealer.seal(claims), expiresAtMs, tables }
    },

    async *doGet(ticket, principal, requestId, signal) {
      const claims = sealer.open(ticket, principal.id)
      using run = running.enter(claims.statementId, signal)
      using deadline = startDeadline(run.signal, LIMITS.statementDeadlineMs, 'The statement')
      const startedAtMs = clock.nowMs()
      const facts = { rowCount: 0, bytesRead: 0 }
      let outcome = 'CANCELLED'
      metrics.statementsRunning(running.count)
      try {
        const onEnd = (ended: string): void => {
          outcome = ended
        }
        yield* runQuery(claims, { principal, services, requestId, facts, onEnd, logger }, deadline.signal)
      } catch (error) {
        outcome = errorCodeOf(error)
        throw error
      } finally {
        const elapsedMs = clock.nowMs() - startedAtMs
        metrics.statementEnded(outcome, { elapsedMs, ...facts })
        logger.info(
          { requestId, statementId: claims.statementId, outcome, elapsedMs, ...facts },
          'statement ended',
        )
        metrics.statementsRunning(running.count - 1)
      }
    },

    async cancelFlightInfo(ticket, principal) {
      const { statementId } = sealer.open(ticket, principal.id)
      return await running.cancel(statementId, LIMITS.cancelWaitMs)
    },
  }
}

function describeReference(reference: ResolvedReference): AnalyzeResponse['tables'][number] {
  const { namespace, tableName, startOffset, endOffset, at } = reference
  const metadata = parseMetadataTableName(tableName)
  return {
    namespace: [...namespace],
    table: metadata?.table ?? tableName,
    startOffset,
    endOffset,
    ...(metadata ? { metadataTable: metadata.name } : {}),
    ...(at ? { requested: formatVersion(at.version) } : {}),
  }
}
