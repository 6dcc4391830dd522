// Tickets: claims of one statement, sealed for one purpose and one principal, until they expire.
import { AppError } from '@lake/core/errors.ts'
import { ticketClaims, type TicketClaims } from '@lake/core/flight/ticket.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { TicketKey } from '../config.ts'
import { createSealer } from './sealer.ts'

export interface TicketSealer {
  seal(claims: TicketClaims): string
  /** Throws AppError TICKET_INVALID (altered, foreign, another purpose, another principal), TICKET_EXPIRED. */
  open(ticket: string, principal: string | null): TicketClaims
}

/** @param purpose what tickets of this sealer are for; a ticket sealed for another purpose does not open */
export function createTicketSealer(options: {
  readonly keys: readonly TicketKey[]
  readonly purpose: string
  readonly clock: Clock
}): TicketSealer {
  const sealer = createSealer(options)
  return {
    seal: (claims) => sealer.seal(JSON.stringify(claims)),
    open(ticket, principal) {
      const opened = sealer.open(ticket)
      const claims = opened.kind === 'opened' ? parseClaims(opened.text) : undefined
      if (claims === undefined || claims.principal !== principal) {
        throw new AppError('TICKET_INVALID', 'The ticket is not one that this server sealed for this use')
      }
      if (claims.expiresAtMs <= options.clock.nowMs()) {
        throw new AppError('TICKET_EXPIRED', 'The ticket has expired; run the statement again')
      }
      return claims
    },
  }
}

/** undefined for claims of another version of the server. */
function parseClaims(text: string): TicketClaims | undefined {
  const { success, data } = ticketClaims.safeParse(JSON.parse(text))
  return success ? data : undefined
}
