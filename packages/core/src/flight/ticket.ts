// What a ticket says once it is opened. It is sealed before it leaves the server, and it never holds a credential.
import * as z from 'zod'
import { requestedVersion, tablePin } from './receipt.ts'

/** What one table was pinned to, and the schema that it is read with. One per version of a table. */
export const sealedPin = tablePin.extend({
  schemaId: z.number().int(),
  requested: requestedVersion.optional(),
  metadataTable: z.string().optional(),
  /** The name by which the engine reads it, where it is not the table's own. */
  viewName: z.string().optional(),
  /** True where instants in nanoseconds are read in microseconds, because the statement makes no sense otherwise. */
  hasInstantsInMicros: z.literal(true).optional(),
  /** Reserved columns that the statement names and the engine has behind the table's own, in this order. */
  reserved: z.array(z.string()).optional(),
})
export type SealedPin = z.infer<typeof sealedPin>

/**
 * A part of the statement's text that the engine reads otherwise: in as many characters and bytes, or put in between.
 * Offsets are in the text as submitted; what is put in comes last, in the order of the text.
 */
export const textSubstitution = z.object({
  startOffset: z.number().int().nonnegative(),
  text: z.string(),
  isInserted: z.literal(true).optional(),
})
export type TextSubstitution = z.infer<typeof textSubstitution>

export const ticketClaims = z.object({
  statementId: z.string(),
  /** As submitted. */
  sql: z.string(),
  substitutions: z.array(textSubstitution).optional(),
  pins: z.array(sealedPin),
  /** Who may redeem it; null where no authentication is configured. */
  principal: z.string().nullable(),
  issuedAtMs: z.number(),
  expiresAtMs: z.number(),
})
export type TicketClaims = z.infer<typeof ticketClaims>
