// A durable statement: one that is run by whichever worker claims it, and outlives the page and the server that it was
// submitted by. Its states, and what a store keeps of it.
//
// queued      no worker holds it: it was submitted, handed back, or waits for its next attempt.
// running     a worker claimed it. When the lease has ended, any worker may claim it again.
// cancelling  its owner asked to stop it while a worker held it. The worker ends it; after its lease, anyone does.
// finished    its manifest is committed. Nothing of it changes any more until it expires.
// failed      it ended with a cause that another attempt would not heal, or the attempts are used up.
// cancelled   it was stopped before it finished.
//
// Only `queued → running`, `running → queued | cancelling | finished | failed`, `queued → cancelled` and
// `cancelling → cancelled` happen; the last three states of the list are ends.
import * as z from 'zod'

export const statementState = z.enum(['queued', 'running', 'cancelling', 'finished', 'failed', 'cancelled'])
export type StatementState = z.infer<typeof statementState>

/** True for a state that nothing but expiry follows. */
export function isEnded(state: StatementState): boolean {
  return state === 'finished' || state === 'failed' || state === 'cancelled'
}

/** How far an attempt has come. */
export interface AttemptProgress {
  readonly bytesRead: number
  /** Of data and delete files, as planned; 0 while nothing is planned. */
  readonly bytesPlanned: number
  readonly rowCount: number
}

/** Where a committed result is. Small: the manifest itself is among the results. */
export interface ManifestPointer {
  /** The attempt that wrote it; parts and manifest have it in their names. */
  readonly fencingToken: number
  /** Of the manifest's bytes, lower-case hex. */
  readonly sha256: string
  readonly partCount: number
  readonly rowCount: number
  /** Of all parts. */
  readonly byteCount: number
}

/** One statement as a store has it. It holds no SQL, no name, no value: those are sealed. */
export interface StatementRecord {
  readonly statementId: string
  /** A digest of the principal, by which alone the store tells owners apart. */
  readonly owner: string
  readonly idempotencyKey: string | null
  /** A digest of what was asked for, so that one key cannot stand for two statements. */
  readonly requestDigest: string
  /** Equal for statements that must have equal answers; null where an answer may not be used again. */
  readonly resultDigest: string | null
  readonly sealedJob: string
  readonly state: StatementState
  /** Grows with every change. */
  readonly revision: number
  /** Grows with every claim; 0 before the first. */
  readonly fencingToken: number
  /** Attempts that were begun and not handed back. */
  readonly attemptCount: number
  readonly workerId: string | null
  readonly leaseExpiresAtMs: number | null
  /** A queued statement is not claimed before. */
  readonly availableAtMs: number
  readonly submittedAtMs: number
  /** Of the first claim. */
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  /** When an ended statement and its result are removed. */
  readonly expiresAtMs: number | null
  readonly progress: AttemptProgress
  /** Sealed: the cause of `failed`, or of the last attempt where another follows. */
  readonly sealedFailure: string | null
  readonly manifest: ManifestPointer | null
}

/** Share of the planned bytes that were read, from 0 to 1; 1 for what has finished and nothing else. */
export function progressShare({ state, progress }: Pick<StatementRecord, 'state' | 'progress'>): number {
  if (state === 'finished') return 1
  if (progress.bytesPlanned === 0) return 0
  // Footers and gaps are read besides what is planned, and rows are still computed when all is read.
  return Math.min(0.99, progress.bytesRead / progress.bytesPlanned)
}
