// What is said of a durable statement: how far it is, and where its rows are once they are. As in Arrow Flight, the
// descriptor is what to poll with next; where there is none, nothing will change any more.
import * as z from 'zod'
import { receipt, tableReceipt } from '../flight/receipt.ts'
import { resultColumn, resultPart } from './result-manifest.ts'
import { statementState } from './statement.ts'

const milliseconds = z.number().int()

export const statementFailure = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type StatementFailure = z.infer<typeof statementFailure>

/** One part of a result. Parts may be fetched in any order, and again, until the ticket expires. */
export const resultEndpoint = resultPart.extend({
  /** For do-get; sealed, of this principal. */
  ticket: z.string(),
  expiresAtMs: milliseconds,
})
export type ResultEndpoint = z.infer<typeof resultEndpoint>

export const pollDescriptor = z.object({
  statementId: z.string().min(1).max(64),
  /** As of the last poll; a poll with it waits for another one. */
  revision: z.number().int().nonnegative().optional(),
})

export const statementSummary = z.object({
  statementId: z.string(),
  state: statementState,
  /** Share of the planned bytes that were read, 0 to 1. */
  progress: z.number().min(0).max(1),
  bytesRead: z.number().int().nonnegative(),
  bytesPlanned: z.number().int().nonnegative(),
  /** Of the result once it is finished; written so far before. */
  rowCount: z.number().int().nonnegative(),
  attemptCount: z.number().int().nonnegative(),
  submittedAtMs: milliseconds,
  startedAtMs: milliseconds.nullable(),
  endedAtMs: milliseconds.nullable(),
  /** When statement and result are removed; null until it has ended. */
  expiresAtMs: milliseconds.nullable(),
  /** As submitted; null where its key is no longer in the ring. */
  sql: z.string().nullable(),
  tables: z.array(tableReceipt),
  failure: statementFailure.nullable(),
})
export type StatementSummary = z.infer<typeof statementSummary>

export const pollInfo = statementSummary.extend({
  schema: z.array(resultColumn),
  /** Endpoints so far; they only grow. Rows are there once all of them are, so they come together with the receipt. */
  endpoints: z.array(resultEndpoint),
  receipt: receipt.nullable(),
  /** Of a finished statement: redeems it once more, at the same snapshots and time, as an export does. */
  ticket: z.object({ ticket: z.string(), expiresAtMs: milliseconds }).nullable(),
  /** True where an earlier result of the same statement at the same snapshots answers. */
  isReused: z.boolean(),
  descriptor: pollDescriptor.nullable(),
})
export type PollInfo = z.infer<typeof pollInfo>
