// A background statement as it lies in the store: what was submitted, and the snapshots it was pinned to then. Sealed
// under a purpose of its own, so neither the store nor its backups show a statement, a name or a principal, and no ticket
// can be passed off as a job. It holds no credential and no metadata document: whoever runs it loads the sealed snapshots
// from the catalog.
import * as z from 'zod'
import { principal } from '@lake/core/access/principal.ts'
import { AppError } from '@lake/core/errors.ts'
import { tableReceipt } from '@lake/core/flight/receipt.ts'
import { ticketClaims } from '@lake/core/flight/ticket.ts'
import { statementFailure, type StatementFailure } from '@lake/core/statements/poll-info.ts'
import { resultColumn } from '@lake/core/statements/result-manifest.ts'
import type { TicketKey } from '../config.ts'
import { createSealer, type Opened, type Sealer } from '../sealing/sealer.ts'

const statementJob = z.object({
  /** Statement, its parameters in it as literals, substitutions and pins; `issuedAtMs` is when it was planned, as `now()` says. */
  claims: ticketClaims,
  /** Whose statement it is. Its grants are those of its submission; what it may read is decided when it runs. */
  principal,
  schema: z.array(resultColumn),
  /** Receipts as of planning. */
  tables: z.array(tableReceipt),
  limits: z.object({ resultBytesMax: z.number(), deadlineMs: z.number() }),
})
export type StatementJob = z.infer<typeof statementJob>

export interface JobSealer {
  seal(job: StatementJob): string
  /** @throws AppError STATEMENT_UNREADABLE for a key that was removed, and for what was altered */
  open(sealed: string): StatementJob
  sealFailure(failure: StatementFailure): string
  openFailure(sealed: string): StatementFailure
}

export function createJobSealer(keys: readonly TicketKey[]): JobSealer {
  const jobs = createSealer({ keys, purpose: 'statement-job' })
  // Messages may hold names and values.
  const failures = createSealer({ keys, purpose: 'statement-failure' })
  return {
    seal: (job) => jobs.seal(JSON.stringify(job)),
    open: (sealed) => parseOpened(jobs, sealed, statementJob),
    sealFailure: (failure) => failures.seal(JSON.stringify(failure)),
    openFailure: (sealed) => parseOpened(failures, sealed, statementFailure),
  }
}

function parseOpened<T>(sealer: Sealer, sealed: string, schema: z.ZodType<T>): T {
  const { success, data } = schema.safeParse(JSON.parse(openedText(sealer.open(sealed))))
  if (success) return data
  throw new AppError('STATEMENT_UNREADABLE', 'The statement was stored by another version of the server')
}

function openedText(opened: Opened): string {
  if (opened.kind === 'opened') return opened.text
  throw new AppError(
    'STATEMENT_UNREADABLE',
    opened.kind === 'unknown-key'
      ? `The statement was sealed with key ${JSON.stringify(opened.keyId)}, which is not in the key ring any more`
      : 'What is stored of the statement was altered',
  )
}
