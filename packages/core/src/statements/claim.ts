// The rules of claims. A worker claims a statement for a lease and gets a fencing token, which grows with each claim of
// that statement. Whatever it writes later carries the token, and loses when the token is not the newest: a worker that
// was paused or cut off cannot change a statement that another one has taken over. Leases only decide when that happens.
//
// The stores state the same rules in SQL; one contract suite holds both to them.
import { ERROR_CODES, type ErrorCode } from '../errors.ts'
import { isEnded, type StatementRecord } from './statement.ts'

/** Whether a worker may claim it now: it waits and is due, or its worker has let the lease end with attempts left. */
export function isClaimable(record: StatementRecord, nowMs: number, attemptsMax: number): boolean {
  if (record.attemptCount >= attemptsMax) return false
  if (record.state === 'queued') return record.availableAtMs <= nowMs
  return record.state === 'running' && isLeaseOver(record, nowMs)
}

/** Whether nobody will end it any more: its worker is gone, and it is not to be run again. */
export function isAbandoned(record: StatementRecord, nowMs: number, attemptsMax: number): boolean {
  if (record.state === 'cancelling') return isLeaseOver(record, nowMs)
  return record.state === 'running' && isLeaseOver(record, nowMs) && record.attemptCount >= attemptsMax
}

/** Whether a write that carries `fencingToken` is that of the statement's own worker. */
export function isHeldBy(record: StatementRecord, fencingToken: number): boolean {
  return record.fencingToken === fencingToken && (record.state === 'running' || record.state === 'cancelling')
}

/** Whether the result of the attempt under `fencingToken` was committed, or may be by a write that arrives late. */
export function mayBeCommitted(record: StatementRecord | undefined, fencingToken: number): boolean {
  return record?.fencingToken === fencingToken && (record.state === 'running' || record.state === 'finished')
}

/** What another claim makes of the record. */
export function claimRecord(
  record: StatementRecord,
  claim: { readonly workerId: string; readonly nowMs: number; readonly leaseExpiresAtMs: number },
): StatementRecord {
  return {
    ...record,
    state: 'running',
    revision: record.revision + 1,
    fencingToken: record.fencingToken + 1,
    attemptCount: record.attemptCount + 1,
    workerId: claim.workerId,
    leaseExpiresAtMs: claim.leaseExpiresAtMs,
    startedAtMs: record.startedAtMs ?? claim.nowMs,
    progress: { bytesRead: 0, bytesPlanned: 0, rowCount: 0 },
  }
}

/** What follows a request to stop: at once where no worker holds it, by its worker otherwise. */
export function cancelRecord(
  record: StatementRecord,
  { nowMs, expiresAtMs }: { readonly nowMs: number; readonly expiresAtMs: number },
): StatementRecord {
  if (isEnded(record.state) || record.state === 'cancelling') return record
  const revision = record.revision + 1
  return record.state === 'queued'
    ? { ...record, revision, state: 'cancelled', endedAtMs: nowMs, expiresAtMs }
    : { ...record, revision, state: 'cancelling' }
}

/** Codes that say that the server was full or stopping rather than anything of the statement: no attempt is counted. */
const UNCOUNTED: readonly ErrorCode[] = ['BUSY']
/** Another attempt would take as long, or meet the same bound for hours. */
const FINAL: readonly ErrorCode[] = ['DEADLINE_EXCEEDED', 'QUOTA_EXCEEDED']

export type AfterFailure =
  | { readonly kind: 'fail' }
  | { readonly kind: 'retry'; readonly delayMs: number; readonly isAttemptCounted: boolean }

/**
 * What follows an attempt that failed: another one later, where the code may heal and attempts are left. What one server
 * cannot open, another may: while keys or versions are changed, they are not the same everywhere.
 * @param attempt.attemptCount this attempt included
 * @param attempt.unreadableMs for how long the server has found that it cannot open the statement
 * @param limits.delayMs after the first attempt; doubles with each
 * @param limits.unreadableForMs for how long such a statement is left to others
 */
export function afterFailure(
  code: ErrorCode,
  { attemptCount, unreadableMs }: { readonly attemptCount: number; readonly unreadableMs: number },
  limits: { readonly attemptsMax: number; readonly delayMs: number; readonly unreadableForMs: number },
): AfterFailure {
  if (code === 'STATEMENT_UNREADABLE' && unreadableMs < limits.unreadableForMs)
    return { kind: 'retry', delayMs: limits.delayMs, isAttemptCounted: false }
  const isAttemptCounted = !UNCOUNTED.includes(code)
  if (!ERROR_CODES[code].isRetryable || FINAL.includes(code)) return { kind: 'fail' }
  if (isAttemptCounted && attemptCount >= limits.attemptsMax) return { kind: 'fail' }
  return { kind: 'retry', delayMs: limits.delayMs * 2 ** Math.max(0, attemptCount - 1), isAttemptCounted }
}

function isLeaseOver({ leaseExpiresAtMs }: StatementRecord, nowMs: number): boolean {
  return leaseExpiresAtMs === null || leaseExpiresAtMs <= nowMs
}
