// What a ticket says once it is opened. It is sealed before it leaves the server, and it never holds a credential.
import * as z from 'zod'
import { tablePin } from './receipt.ts'

/** What one table was pinned to, and the schema that it is read with. */
export const sealedPin = tablePin.extend({ schemaId: z.number().int() })
export type SealedPin = z.infer<typeof sealedPin>

export const ticketClaims = z.object({
  statementId: z.string(),
  sql: z.string(),
  pins: z.array(sealedPin),
  /** Who may redeem it; null where no authentication is configured. */
  principal: z.string().nullable(),
  issuedAtMs: z.number(),
  expiresAtMs: z.number(),
})
export type TicketClaims = z.infer<typeof ticketClaims>
