// Runs background statements, a few at a time. One worker lives in each server; any of them may run any statement.
//
// An attempt goes: claim → run → commit. While it runs, a heartbeat prolongs its lease. It ends in one of these ways:
//
// committed     the result is written and the store points to its manifest.
// failed        by a cause that another attempt would not heal, or with the attempts used up.
// handed back   the server stops, is too busy, cannot open it, or the cause may heal: it waits in the queue again.
// cancelled     its owner asked for that; the heartbeat heard of it.
// overtaken     another worker claimed it after the lease: nothing of this attempt is written any more. So does an attempt
//               end that could not reach the store for a whole lease, since it cannot know.
//
// An attempt without a result removes what it wrote, once the store says that nothing can make it one. One that is handed back
// by a server that stops leaves it to retention: the others, and the drain, do not wait for that.
//
// Whatever it writes to the store carries the fencing token of its claim, so none of this depends on timing.
import { AppError, isAppError } from '@lake/core/errors.ts'
import { afterFailure, mayBeCommitted } from '@lake/core/statements/claim.ts'
import type { StatementFailure } from '@lake/core/statements/poll-info.ts'
import type { AttemptProgress, ManifestPointer, StatementRecord } from '@lake/core/statements/statement.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import { errorCodeOf } from '../observability/error-code.ts'
import { noRoom, roomBytesOf } from './result-room.ts'
import type { StatementStore } from './statement-store.ts'
import { createUnreadableLooks, type UnreadableLooks } from './unreadable-looks.ts'

/** Time, as far as the worker waits for it. */
export interface WorkerClock extends Clock {
  /** Resolves after `ms`, and early when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface WorkerOptions {
  readonly store: StatementStore
  readonly workerId: string
  readonly clock: WorkerClock
  /** Statements that run at once. */
  readonly runningMax: number
  /**
   * Runs the statement and writes its result. Whatever it writes is no result before the worker commits it.
   * @param record.fencingToken of this attempt
   */
  readonly run: (
    record: StatementRecord,
    onProgress: (progress: AttemptProgress) => void,
    signal: AbortSignal,
  ) => Promise<ManifestPointer>
  /** Of all results that are kept for one owner. */
  readonly keptBytesMax: number
  /** Removes what an attempt wrote that is no result and cannot become one. @returns how many objects */
  readonly discard: (record: StatementRecord, signal: AbortSignal) => Promise<number>
  readonly sealFailure: (failure: StatementFailure) => string
  readonly onAttemptEnd: (record: StatementRecord, end: AttemptEnd) => void
  /** Bugs, and what the store failed with. */
  readonly onError: (error: unknown) => void
}

export type AttemptOutcome = 'committed' | 'failed' | 'handed-back' | 'cancelled' | 'overtaken'

export interface AttemptEnd {
  readonly outcome: AttemptOutcome
  readonly code: string
  /** Objects of the attempt. */
  readonly removedCount: number
}

/** Disposing it hands back what runs and waits until that has ended. */
export interface StatementWorker extends AsyncDisposable {
  /** Looks for work now rather than at the next turn. */
  wake(): void
  readonly runningCount: number
}

interface AttemptParts extends WorkerOptions {
  readonly unreadable: UnreadableLooks
}

/** Why an attempt was stopped from here. */
class AttemptStopped extends Error {
  readonly outcome: 'handed-back' | 'cancelled' | 'overtaken'
  constructor(outcome: AttemptStopped['outcome']) {
    super(outcome)
    this.outcome = outcome
  }
}

export function startStatementWorker(options: WorkerOptions): StatementWorker {
  const { store, clock, workerId } = options
  const parts = { ...options, unreadable: createUnreadableLooks() }
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let wakeUp = new AbortController()

  const claimAll = async (): Promise<void> => {
    while (running.size < options.runningMax && !stopping.signal.aborted) {
      const nowMs = clock.nowMs()
      const leaseExpiresAtMs = nowMs + LIMITS.claimLeaseMs
      const record = await store.claim({ workerId, nowMs, leaseExpiresAtMs, attemptsMax: LIMITS.attemptsMax })
      if (record === undefined) return
      const attempt: Promise<void> = runAttempt(record, parts, stopping.signal).finally(() => {
        running.delete(attempt)
        wakeUp.abort()
      })
      running.add(attempt)
    }
  }
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      wakeUp = new AbortController()
      const woken = AbortSignal.any([wakeUp.signal, stopping.signal])
      try {
        await claimAll()
        const nowMs = clock.nowMs()
        const times = { nowMs, expiresAtMs: nowMs + LIMITS.resultLifetimeMs, attemptsMax: LIMITS.attemptsMax }
        await store.endAbandoned(options.sealFailure(WORKERS_LOST), times)
      } catch (error) {
        options.onError(error)
      }
      await clock.sleep(LIMITS.claimEveryMs, woken)
    }
  }
  const looped = loop()

  return {
    wake: () => {
      wakeUp.abort()
    },
    get runningCount() {
      return running.size
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await looped
      await Promise.all(running)
    },
  }
}

const WORKERS_LOST: StatementFailure = {
  code: 'ENGINE_FAILED',
  message: 'The servers that ran the statement ended before it did, each time',
}

/** Never rejects: how it ended is in the store, or will be found out there. */
async function runAttempt(
  record: StatementRecord,
  options: AttemptParts,
  stopping: AbortSignal,
): Promise<void> {
  const attempt = new AbortController()
  const stop = (): void => {
    attempt.abort(new AttemptStopped('handed-back'))
  }
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })
  const finished = new AbortController()
  let progress = record.progress
  const beating = beat(record, () => progress, options, { attempt, finished: finished.signal })
  let outcome: AttemptOutcome
  let reason: unknown
  try {
    const onProgress = (next: AttemptProgress): void => {
      progress = next
    }
    const manifest = await options.run(record, onProgress, attempt.signal)
    outcome = await commit(record, manifest, options, attempt.signal)
  } catch (error) {
    reason = attempt.signal.aborted ? attempt.signal.reason : error
    outcome = await settle(record, reason, options)
  } finally {
    finished.abort()
    stopping.removeEventListener('abort', stop)
    await beating
  }
  const isKept = outcome === 'committed' || isHandBack(reason)
  const removedCount = isKept ? 0 : await discard(record, options, stopping)
  const code = reason instanceof AttemptStopped ? reason.outcome : errorCodeOf(reason)
  options.onAttemptEnd(record, { outcome, code: outcome === 'committed' ? 'ok' : code, removedCount })
}

/** Or statements that fail late would fill the store of results until retention comes round. */
async function discard(
  record: StatementRecord,
  options: WorkerOptions,
  stopping: AbortSignal,
): Promise<number> {
  try {
    const found = await options.store.find(record.statementId)
    if (mayBeCommitted(found, record.fencingToken)) return 0
    return await options.discard(record, stopping)
  } catch (error) {
    if (!stopping.aborted) options.onError(error)
    return 0
  }
}

/** Prolongs the lease until the attempt has ended; stops it when it is cancelled, overtaken, or out of reach too long. */
async function beat(
  record: StatementRecord,
  progressNow: () => AttemptProgress,
  { store, clock, onError }: WorkerOptions,
  { attempt, finished }: { attempt: AbortController; finished: AbortSignal },
): Promise<void> {
  let leaseExpiresAtMs = record.leaseExpiresAtMs ?? 0
  for (;;) {
    await clock.sleep(LIMITS.heartbeatEveryMs, finished)
    if (finished.aborted) return
    try {
      const renewedUntilMs = clock.nowMs() + LIMITS.claimLeaseMs
      const state = await store.renew(record, { leaseExpiresAtMs: renewedUntilMs, progress: progressNow() })
      if (finished.aborted) return
      if (state === undefined) attempt.abort(new AttemptStopped('overtaken'))
      if (state === 'cancelling') attempt.abort(new AttemptStopped('cancelled'))
      if (state !== 'running') return
      leaseExpiresAtMs = renewedUntilMs
    } catch (error) {
      onError(error)
      if (clock.nowMs() < leaseExpiresAtMs) continue
      attempt.abort(new AttemptStopped('overtaken'))
      return
    }
  }
}

/**
 * Makes the result the statement's: the one moment at which it comes to be. Repeated while the store does not answer,
 * since it happens once at most; when an answer was lost, the statement says how it ended.
 */
async function commit(
  record: StatementRecord,
  manifest: ManifestPointer,
  options: WorkerOptions,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { store, clock, keptBytesMax } = options
  // Others may have finished since it began.
  const roomBytes = await onceAnswered(
    async () => await roomBytesOf(record.owner, store, keptBytesMax),
    options,
    signal,
  )
  if (manifest.byteCount > roomBytes) throw noRoom(keptBytesMax)
  const end = async (): Promise<AttemptOutcome> => {
    const nowMs = clock.nowMs()
    const times = { nowMs, expiresAtMs: nowMs + LIMITS.resultLifetimeMs }
    if (await store.end(record, { state: 'finished', manifest }, times)) return 'committed'
    const found = await store.find(record.statementId)
    if (found?.state === 'finished' && found.fencingToken === record.fencingToken) return 'committed'
    throw new AttemptStopped(
      found?.state === 'cancelling' && found.fencingToken === record.fencingToken ? 'cancelled' : 'overtaken',
    )
  }
  return await onceAnswered(end, options, signal)
}

/** Repeats `work` until the store answers. Stopping does not undo what is all but done; being overtaken does. */
async function onceAnswered<T>(
  work: () => Promise<T>,
  { clock, onError }: WorkerOptions,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    if (signal.aborted && !isHandBack(signal.reason)) throw signal.reason
    try {
      return await work()
    } catch (error) {
      if (!isAppError(error, 'STATEMENTS_UNAVAILABLE') || signal.aborted) throw error
      onError(error)
      await clock.sleep(LIMITS.heartbeatEveryMs, signal)
    }
  }
}

const isHandBack = (reason: unknown): boolean =>
  reason instanceof AttemptStopped && reason.outcome === 'handed-back'

/** Tells the store how an attempt ended that made no result. What cannot be told is found out after the lease. */
async function settle(
  record: StatementRecord,
  reason: unknown,
  options: AttemptParts,
): Promise<AttemptOutcome> {
  const { store, clock, onError, unreadable } = options
  const nowMs = clock.nowMs()
  const times = { nowMs, expiresAtMs: nowMs + LIMITS.resultLifetimeMs }
  const endCancelled = async (): Promise<AttemptOutcome> =>
    (await store.end(record, { state: 'cancelled' }, times)) ? 'cancelled' : 'overtaken'
  const handBack = async (
    delayMs: number,
    isAttemptCounted: boolean,
    sealedFailure: string | null,
  ): Promise<AttemptOutcome> => {
    const next = { availableAtMs: nowMs + delayMs, isAttemptCounted, sealedFailure }
    // A statement that is not running any more was cancelled meanwhile, or is another's.
    return (await store.handBack(record, next)) ? 'handed-back' : await endCancelled()
  }
  try {
    if (reason instanceof AttemptStopped) {
      if (reason.outcome === 'overtaken') return 'overtaken'
      return reason.outcome === 'cancelled' ? await endCancelled() : await handBack(0, false, null)
    }
    const failure = failureOf(reason, onError)
    const { attemptsMax, attemptDelayMs: delayMs, unreadableForMs } = LIMITS
    const { attemptCount, statementId } = record
    const unreadableMs = failure.code === 'STATEMENT_UNREADABLE' ? unreadable.note(statementId, nowMs) : 0
    const next = afterFailure(
      failure.code,
      { attemptCount, unreadableMs },
      { attemptsMax, delayMs, unreadableForMs },
    )
    const sealedFailure = options.sealFailure(failure)
    if (next.kind === 'retry')
      return await handBack(next.delayMs, next.isAttemptCounted, next.isAttemptCounted ? sealedFailure : null)
    const isFailed = await store.end(record, { state: 'failed', sealedFailure }, times)
    return isFailed ? 'failed' : await endCancelled()
  } catch (error) {
    onError(error)
    return 'overtaken'
  }
}

function failureOf(reason: unknown, onError: (error: unknown) => void) {
  if (reason instanceof AppError) {
    const { code, message, details } = reason
    return { code, message, ...(details ? { details: { ...details } } : {}) }
  }
  onError(reason)
  return {
    code: 'INTERNAL' as const,
    message: 'Something went wrong here; the statement finds it in the log',
  }
}
