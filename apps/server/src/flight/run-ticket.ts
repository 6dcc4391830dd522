// The answer of an opened ticket, as rows or as a file: its statement is run and counted, or its kept result is read.
import type { Principal } from '@lake/core/access/principal.ts'
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import type { Failure } from '@lake/core/api/wire.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import { exportStream } from '../export/export-stream.ts'
import { errorCodeOf } from '../observability/error-code.ts'
import type { Logger } from '../observability/logger.ts'
import type { Metrics } from '../observability/metrics.ts'
import { failureMessage } from '../queries/failure-message.ts'
import type { QueryServices } from '../queries/query-services.ts'
import { runQuery } from '../queries/run-query.ts'
import type { RunningStatements } from './running-statements.ts'

export interface RunServices extends QueryServices {
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Kept results, to be given as running their statement would give them. */
export interface KeptStreams {
  /** As `doGet`, from what is kept. */
  stream(
    claims: TicketClaims,
    principal: Principal,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array>
}

interface TicketRun {
  readonly services: RunServices
  readonly running: RunningStatements
  readonly claims: TicketClaims
  /** Set where the ticket is for a kept result. */
  readonly kept: KeptStreams | undefined
  readonly principal: Principal
  readonly requestId: string
  /** See `QueryRun`. */
  readonly isPreview?: boolean
}

/** The result as an Arrow stream. */
export function answerTicket(run: TicketRun, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { kept, claims, principal, requestId } = run
  return kept ? kept.stream(claims, principal, requestId, signal) : runTicket(run, signal)
}

async function* runTicket(
  { services, running, claims, principal, requestId, isPreview = false }: TicketRun,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { metrics, logger, clock } = services
  const startedAtMs = clock.nowMs()
  const facts = { rowCount: 0, bytesRead: 0 }
  let outcome = 'CANCELLED'
  metrics.statementsRunning(running.count)
  try {
    const onEnd = (ended: string): void => {
      outcome = ended
    }
    yield* runQuery(claims, { principal, services, requestId, facts, onEnd, logger, isPreview }, signal)
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
}

/** The result as a file in a stream of its own. */
export async function* exportTicket(
  run: TicketRun,
  target: ExportTarget,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { services, claims, requestId } = run
  const { sql, issuedAtMs } = claims
  let outcome = 'CANCELLED'
  const onFailure = (error: unknown): Failure => {
    outcome = errorCodeOf(error)
    return failureMessage(error, { requestId, logger: services.logger })
  }
  try {
    const pieces = answerTicket(run, signal)
    outcome = yield* exportStream(pieces, { target, sql, issuedAtMs }, onFailure, signal)
  } catch (error) {
    outcome = errorCodeOf(error)
    throw error
  } finally {
    services.metrics.exportEnded(target.format, outcome)
  }
}
