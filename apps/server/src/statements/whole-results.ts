// Tickets for the whole of a kept result. As those of get-flight-info they are redeemed by do-get and export; what they
// give is read from the result's parts, and its statement is not run again.
import type { Principal } from '@lake/core/access/principal.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observability/logger.ts'
import type { QueryServices } from '../queries/query-services.ts'
import type { TicketSealer } from '../sealing/ticket-sealer.ts'
import { authorizeTables, noSuchStatement, type ResultReader } from './result-reader.ts'
import { streamResult } from './result-stream.ts'

/** What such a ticket begins with, so that do-get and export know whom to ask. */
const TICKET_PREFIX = 'result.'

export interface WholeResults {
  seal(claims: TicketClaims): { readonly ticket: string; readonly expiresAtMs: number }
  isTicket(ticket: string): boolean
  /** @throws AppError TICKET_INVALID, TICKET_EXPIRED */
  open(ticket: string, principal: string | null): TicketClaims
  /**
   * The pieces of one Arrow stream, as running the statement would give them. Throws until the schema has been given; a
   * failure after that is the last message of the stream.
   * @throws AppError NO_SUCH_STATEMENT, RESULT_CORRUPT, RESULTS_UNAVAILABLE, STATEMENTS_UNAVAILABLE
   */
  stream(
    claims: TicketClaims,
    principal: Principal,
    requestId: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array>
}

export function createWholeResults(parts: {
  /** Seals for this purpose alone. */
  readonly sealer: TicketSealer
  readonly results: ResultReader
  /** @throws AppError NO_SUCH_STATEMENT for what is not the principal's */
  readonly findOwn: (statementId: string, principal: Principal) => Promise<StatementRecord>
  readonly services: QueryServices
  readonly clock: Clock
  readonly logger: Logger
}): WholeResults {
  const { sealer, results, findOwn, services, clock, logger } = parts
  return {
    seal(claims) {
      const expiresAtMs = clock.nowMs() + LIMITS.ticketLifetimeMs
      return { ticket: TICKET_PREFIX + sealer.seal({ ...claims, expiresAtMs }), expiresAtMs }
    },
    isTicket: (ticket) => ticket.startsWith(TICKET_PREFIX),
    open: (ticket, principal) => sealer.open(ticket.slice(TICKET_PREFIX.length), principal),
    async *stream(claims, principal, requestId, signal) {
      authorizeTables(services.authorizer, principal, claims.pins)
      const record = await findOwn(claims.statementId, principal)
      if (record.state !== 'finished') throw noSuchStatement()
      const manifest = await results.readManifest(record, signal)
      yield* streamResult({ claims, manifest, results, principal, services, logger, requestId }, signal)
    },
  }
}
