// Signed-out sessions and bytes read, shared by replicas. Whoever asks is answered from memory, so no request and no query
// ever waits for the store; a round every `replicasEveryMs` writes what is new here and reads what is new elsewhere.
//
// Where the store is away, bytes elsewhere count as last known. Sessions go on for `endedSessionsStaleMs` after the last round
// that could read; then none is accepted, since a copy of a signed-out one could be (API tokens go on). Sign-outs and bytes
// wait here until the store is back.
import { createHash } from 'node:crypto'
import { AppError } from '@lake/core/errors.ts'
import type { BytesElsewhere } from '../access/bytes-elsewhere.ts'
import type { EndedSessions } from '../access/ended-sessions.ts'
import { HOUR_MS, QUOTA_HOURS } from '../access/quotas.ts'
import { createSpentIds } from '../access/spent-ids.ts'
import type { Clock } from '../concurrency/clock.ts'
import { raceAbort, startDeadline } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import type { BytesRead, EndedSession, ReplicaStore } from './replica-store.ts'

export interface SharedAccess {
  readonly endedSessions: EndedSessions
  readonly bytesElsewhere: BytesElsewhere
  /** Writes and reads once. @throws AppError STATEMENTS_UNAVAILABLE */
  round(): Promise<void>
  /** In words; undefined where the last round did all. */
  readonly problem: string | undefined
}

const never = new AbortController().signal

export function createSharedAccess(options: {
  readonly store: ReplicaStore
  readonly clock: Clock
  /** Of this process, new at each start. */
  readonly replicaId: string
}): SharedAccess {
  const { store, clock, replicaId } = options
  const ended = createEnded(store, clock)
  const bytes = createBytes(replicaId)
  let removedAtMs = clock.nowMs()
  let problem: string | undefined

  const writeBytes = async (): Promise<void> => {
    for (const read of bytes.takeUnsent()) {
      // What fails is told again with the next round, then with a total that is as high or higher.
      await store.recordBytes(read, clock.nowMs()).catch((error: unknown) => {
        bytes.putBack(read)
        throw error
      })
    }
  }

  const read = async (): Promise<void> => {
    const nowMs = clock.nowMs()
    const since = {
      sinceMs: Math.max(0, ended.readAtMs - LIMITS.replicaOverlapMs),
      countMax: LIMITS.sessionsEndedMax,
    }
    const hour = firstHour(nowMs)
    for (const row of await store.findBytes({ ...since, hour, otherThan: replicaId })) bytes.learn(row)
    ended.learn(await store.findEnded({ ...since, nowMs }), nowMs)
  }

  const removeOld = async (): Promise<void> => {
    const nowMs = clock.nowMs()
    if (nowMs - removedAtMs < LIMITS.retentionEveryMs) return
    await store.removeOld({ nowMs, hour: firstHour(nowMs) })
    removedAtMs = nowMs
  }

  return {
    endedSessions: ended,
    bytesElsewhere: bytes,
    async round() {
      try {
        await ended.writeUnsent()
        await writeBytes()
        await read()
        await removeOld()
        problem = undefined
      } catch (error) {
        problem = 'sign-outs and quotas are not shared: their store did not answer'
        throw error
      }
    },
    get problem() {
      return problem
    },
  }
}

/** Sessions that were signed out here, written or not, and elsewhere. */
function createEnded(store: ReplicaStore, clock: Clock) {
  const ended = createSpentIds(LIMITS.sessionsEndedMax, clock)
  const unsent = new Map<string, number>()
  let readAtMs = Number.NEGATIVE_INFINITY
  const write = async (sessionId: string, endsAtMs: number): Promise<void> => {
    await store.endSession({ sessionId, endsAtMs }, clock.nowMs())
    unsent.delete(sessionId)
  }
  return {
    async add(sessionId: string, endsAtMs: number): Promise<void> {
      ended.add(sessionId, endsAtMs)
      if (unsent.size < LIMITS.sessionsEndedMax) unsent.set(sessionId, endsAtMs)
      using deadline = startDeadline(never, LIMITS.signOutWaitMs, 'Sharing the sign-out')
      // Where it fails, the next round tries again.
      const written = write(sessionId, endsAtMs).catch(() => undefined)
      await raceAbort(written, deadline.signal).catch(() => undefined)
    },
    has(sessionId: string): boolean {
      if (ended.has(sessionId)) return true
      if (clock.nowMs() - readAtMs <= LIMITS.endedSessionsStaleMs) return false
      throw new AppError('SIGN_IN_UNAVAILABLE', 'Whether this session was signed out cannot be told now')
    },
    async writeUnsent(): Promise<void> {
      for (const [sessionId, endsAtMs] of unsent) await write(sessionId, endsAtMs)
    },
    learn(sessions: readonly EndedSession[], learnedAtMs: number): void {
      for (const { sessionId, endsAtMs } of sessions)
        if (!ended.has(sessionId)) ended.add(sessionId, endsAtMs)
      readAtMs = learnedAtMs
    },
    get readAtMs() {
      return readAtMs
    },
  }
}

/** Bytes of this replica that are not written yet, and of others as last read. */
function createBytes(replicaId: string) {
  const unsent = new Map<string, BytesRead>()
  /** By digest of the principal, then by hour and replica, in order of learning. */
  const elsewhere = new Map<string, Map<string, BytesRead>>()
  const keyOf = ({ principalDigest, hour }: BytesRead): string => `${principalDigest} ${hour}`
  return {
    tell(principalId: string, hour: number, byteCount: number): void {
      const read = { replicaId, principalDigest: digestOf(principalId), hour, byteCount }
      if (unsent.size < LIMITS.quotaUsagesMax || unsent.has(keyOf(read))) unsent.set(keyOf(read), read)
    },
    *of(principalId: string): Generator<readonly [number, number]> {
      for (const { hour, byteCount } of elsewhere.get(digestOf(principalId))?.values() ?? [])
        yield [hour, byteCount]
    },
    takeUnsent(): BytesRead[] {
      const taken = [...unsent.values()]
      unsent.clear()
      return taken
    },
    putBack(read: BytesRead): void {
      if (!unsent.has(keyOf(read))) unsent.set(keyOf(read), read)
    },
    learn(read: BytesRead): void {
      const { principalDigest, hour } = read
      const known = elsewhere.get(principalDigest) ?? new Map<string, BytesRead>()
      for (const [key, old] of known) if (old.hour <= hour - QUOTA_HOURS) known.delete(key)
      known.set(`${read.replicaId} ${hour}`, read)
      elsewhere.delete(principalDigest)
      elsewhere.set(principalDigest, known)
      const [oldest] = elsewhere.keys()
      if (elsewhere.size > LIMITS.quotaUsagesMax && oldest !== undefined) elsewhere.delete(oldest)
    },
  }
}

/** Of the 24 that count. */
function firstHour(nowMs: number): number {
  return Math.floor(nowMs / HOUR_MS) - QUOTA_HOURS + 1
}

/** The store tells principals apart without knowing them. */
function digestOf(principalId: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['bytes', principalId]))
    .digest('hex')
}
