// The verbs of Arrow Flight over the query path: analyze, get-flight-info, do-get, cancel-flight-info. And export, which
// is do-get with a file at its end.
// It owns what belongs to a running statement as a whole: its registration, its deadline, its entry in the metrics.
import type { Principal } from '@lake/core/access/principal.ts'
import type {
  AnalyzeResponse,
  DoGetRequest,
  FlightInfoRequest,
  FlightInfoResponse,
  KeptResult,
} from '@lake/core/api/contract.ts'
import type { ExportRequest } from '@lake/core/api/export-contract.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import { planQuery, resolveTables, type QueryPlan } from '../queries/plan-query.ts'
import { formatVersion, type ResolvedReference } from '../queries/table-versions.ts'
import { parseMetadataTableName } from '../queries/metadata-tables/metadata-table-name.ts'
import { answerTicket, exportTicket, type KeptStreams, type RunServices } from './run-ticket.ts'
import { createRunningStatements, type RunVerb } from './running-statements.ts'
import type { TicketSealer } from '../sealing/ticket-sealer.ts'

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
    request: DoGetRequest,
    principal: Principal,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array>
  /**
   * The whole result as a file, as a stream of its own; see export/export-stream.ts. Throws and fails like `doGet`.
   * @throws AppError EXPORT_FORMAT_LIMIT too
   */
  export(
    request: ExportRequest,
    principal: Principal,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array>
  /** @param verb the runs that shall end; all of the ticket where it is undefined */
  cancelFlightInfo(
    ticket: string,
    principal: Principal,
    verb: RunVerb | undefined,
  ): Promise<'cancelled' | 'cancelling' | 'notCancellable'>
}

/** Kept results of background statements, as far as they answer here. */
export interface KeptAnswers extends KeptStreams {
  /** One that answers a statement which was planned and authorized. */
  findSoon(
    planned: Pick<TicketClaims, 'sql' | 'substitutions' | 'pins'> & Pick<QueryPlan, 'tree'>,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<KeptResult | undefined>
  /** Whether the ticket is one for a whole kept result. */
  isTicket(ticket: string): boolean
  /** @throws AppError TICKET_INVALID, TICKET_EXPIRED */
  open(ticket: string, principal: string | null): TicketClaims
}

export interface FlightServiceOptions extends RunServices {
  readonly sealer: TicketSealer
  /** Absent where no results are kept. */
  readonly kept: KeptAnswers | undefined
  readonly createId: () => string
}

export function createFlightService(services: FlightServiceOptions): FlightService {
  const running = createRunningStatements()
  const { clock, sealer, kept } = services
  const opened = (ticket: string, { id }: Principal) =>
    kept?.isTicket(ticket) === true
      ? { claims: kept.open(ticket, id), kept }
      : { claims: sealer.open(ticket, id), kept: undefined }

  return {
    async analyze(sql, principal, signal) {
      using deadline = startDeadline(signal, LIMITS.planningDeadlineMs, 'Analyzing the statement')
      const references = await resolveTables(sql, principal, services, deadline.signal)
      return {
        tables: references.map(describeReference),
      }
    },

    async getFlightInfo(request, principal, signal) {
      const planned = await planQuery(request, principal, services, signal)
      const { columns, pins, substitutions, tables, tree } = planned
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
      const found = await kept?.findSoon({ ...claims, tree }, principal, signal)
      const info = { statementId, schema, ticket: sealer.seal(claims), expiresAtMs, tables }
      return found ? { ...info, kept: found } : info
    },

    async *doGet({ ticket, isPreview = false }, principal, requestId, signal) {
      const answer = opened(ticket, principal)
      using run = running.enter(answer.claims.statementId, 'do-get', signal)
      using deadline = startDeadline(run.signal, LIMITS.statementDeadlineMs, 'The statement')
      yield* answerTicket({ services, running, ...answer, principal, requestId, isPreview }, deadline.signal)
    },

    async *export({ ticket, ...target }, principal, requestId, signal) {
      const answer = opened(ticket, principal)
      using run = running.enter(answer.claims.statementId, 'export', signal)
      using deadline = startDeadline(run.signal, LIMITS.exportDeadlineMs, 'The export')
      yield* exportTicket({ services, running, ...answer, principal, requestId }, target, deadline.signal)
    },

    async cancelFlightInfo(ticket, principal, verb) {
      const { statementId } = opened(ticket, principal).claims
      return await running.cancel(statementId, verb, LIMITS.cancelWaitMs)
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
