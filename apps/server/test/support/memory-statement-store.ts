// A store of statements in memory, by the rules of core/claim alone: what the SQL of the real ones is compared with, and
// quick enough for simulations.
import { cancelRecord, claimRecord, isAbandoned, isClaimable, isHeldBy } from '@lake/core/statements/claim.ts'
import { isEnded, type StatementRecord } from '@lake/core/statements/statement.ts'
import type { Claim, StatementStore } from '../../src/statements/statement-store.ts'

export interface MemoryStatementStore extends StatementStore {
  readonly records: ReadonlyMap<string, StatementRecord>
}

const UNHELD = { workerId: null, leaseExpiresAtMs: null }

export function createMemoryStatementStore(): MemoryStatementStore {
  const records = new Map<string, StatementRecord>()
  const all = (): StatementRecord[] => [...records.values()]
  const put = (record: StatementRecord): StatementRecord => {
    records.set(record.statementId, record)
    return record
  }
  const held = ({ statementId, fencingToken }: Claim): StatementRecord | undefined => {
    const record = records.get(statementId)
    return record && isHeldBy(record, fencingToken) ? record : undefined
  }
  const byNewest = (a: StatementRecord, b: StatementRecord): number => b.submittedAtMs - a.submittedAtMs

  const changes: Pick<
    StatementStore,
    'claim' | 'renew' | 'handBack' | 'end' | 'requestCancel' | 'endAbandoned'
  > = {
    async claim(claim) {
      const { nowMs, attemptsMax } = claim
      const runningOf = (owner: string): number =>
        all().filter(
          (other) =>
            other.owner === owner && other.state === 'running' && (other.leaseExpiresAtMs ?? 0) > nowMs,
        ).length
      const [next] = all()
        .filter((record) => isClaimable(record, nowMs, attemptsMax))
        .sort(
          (a, b) =>
            runningOf(a.owner) - runningOf(b.owner) ||
            a.submittedAtMs - b.submittedAtMs ||
            (a.statementId < b.statementId ? -1 : 1),
        )
      return await Promise.resolve(next && put(claimRecord(next, claim)))
    },
    async renew(claim, { leaseExpiresAtMs, progress }) {
      const record = held(claim)
      if (record) put({ ...record, revision: record.revision + 1, leaseExpiresAtMs, progress })
      return await Promise.resolve(record?.state)
    },
    async handBack(claim, { availableAtMs, isAttemptCounted, sealedFailure }) {
      const record = held(claim)
      if (record?.state !== 'running') return await Promise.resolve(false)
      put({
        ...record,
        ...UNHELD,
        state: 'queued',
        revision: record.revision + 1,
        availableAtMs,
        attemptCount: record.attemptCount - (isAttemptCounted ? 0 : 1),
        sealedFailure: sealedFailure ?? record.sealedFailure,
      })
      return true
    },
    async end(claim, how, { nowMs, expiresAtMs }) {
      const record = held(claim)
      if (!record || (record.state === 'cancelling' && how.state !== 'cancelled'))
        return await Promise.resolve(false)
      put({
        ...record,
        ...UNHELD,
        state: how.state,
        revision: record.revision + 1,
        endedAtMs: nowMs,
        expiresAtMs,
        sealedFailure: how.state === 'failed' ? how.sealedFailure : null,
        manifest: how.state === 'finished' ? how.manifest : null,
        progress:
          how.state === 'finished'
            ? { ...record.progress, rowCount: how.manifest.rowCount }
            : record.progress,
      })
      return true
    },
    async requestCancel(statementId, times) {
      const record = records.get(statementId)
      return await Promise.resolve(record && put(cancelRecord(record, times)).state)
    },
    async endAbandoned(sealedFailure, { nowMs, expiresAtMs, attemptsMax }) {
      const abandoned = all().filter((record) => isAbandoned(record, nowMs, attemptsMax))
      for (const record of abandoned) {
        const isCancelled = record.state === 'cancelling'
        put({
          ...record,
          ...UNHELD,
          state: isCancelled ? 'cancelled' : 'failed',
          revision: record.revision + 1,
          endedAtMs: nowMs,
          expiresAtMs,
          sealedFailure: isCancelled ? record.sealedFailure : (record.sealedFailure ?? sealedFailure),
        })
      }
      return await Promise.resolve(abandoned.length)
    },
  }

  return {
    records,
    ...changes,
    async insert(statement, { nowMs, openOfOwnerMax, keptOfOwnerMax, openMax }) {
      const open = all().filter(({ state }) => !isEnded(state))
      const isTaken = all().some(
        ({ owner, idempotencyKey }) =>
          owner === statement.owner && idempotencyKey !== null && idempotencyKey === statement.idempotencyKey,
      )
      const isFull =
        open.length >= openMax ||
        all().filter(({ owner }) => owner === statement.owner).length >= keptOfOwnerMax ||
        open.filter(({ owner }) => owner === statement.owner).length >= openOfOwnerMax
      if (isTaken || isFull) return await Promise.resolve(false)
      put({
        ...statement,
        ...UNHELD,
        state: 'queued',
        revision: 1,
        fencingToken: 0,
        attemptCount: 0,
        availableAtMs: nowMs,
        submittedAtMs: nowMs,
        startedAtMs: null,
        endedAtMs: null,
        expiresAtMs: null,
        progress: { bytesRead: 0, bytesPlanned: 0, rowCount: 0 },
        sealedFailure: null,
        manifest: null,
      })
      return true
    },
    async makeRoom(owner, { openOfOwnerMax, keptOfOwnerMax, openMax }) {
      const open = all().filter(({ state }) => !isEnded(state))
      const own = all().filter((record) => record.owner === owner)
      const isOpenFull =
        open.length >= openMax || own.filter(({ state }) => !isEnded(state)).length >= openOfOwnerMax
      const [oldest] = own
        .filter(({ state }) => state === 'failed' || state === 'cancelled')
        .sort((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0) || (a.statementId < b.statementId ? -1 : 1))
      if (isOpenFull || own.length < keptOfOwnerMax || oldest === undefined)
        return await Promise.resolve(false)
      return records.delete(oldest.statementId)
    },
    async findKept(owner) {
      const own = all().filter((record) => record.owner === owner)
      const expiries = own.flatMap(({ expiresAtMs }) => expiresAtMs ?? []).sort((a, b) => a - b)
      return await Promise.resolve({ count: own.length, firstExpiresAtMs: expiries[0] ?? null })
    },
    find: async (statementId) => await Promise.resolve(records.get(statementId)),
    findByIdempotencyKey: async (owner, key) =>
      await Promise.resolve(all().find((record) => record.owner === owner && record.idempotencyKey === key)),
    findFinished: async (owner, resultDigest, untilMs) =>
      await Promise.resolve(
        all()
          .filter(
            (record) =>
              record.owner === owner &&
              record.resultDigest === resultDigest &&
              record.state === 'finished' &&
              (record.expiresAtMs ?? 0) > untilMs,
          )
          .sort((a, b) => (b.endedAtMs ?? 0) - (a.endedAtMs ?? 0))[0],
      ),
    keptBytes: async (owner) =>
      await Promise.resolve(
        all()
          .filter((record) => record.owner === owner)
          .reduce((sum, { manifest }) => sum + (manifest?.byteCount ?? 0), 0),
      ),
    async list(owner, { countMax, bytesMax }) {
      let bytesBefore = 0
      return await Promise.resolve(
        all()
          .filter((record) => record.owner === owner)
          .sort(byNewest)
          .slice(0, countMax)
          .filter(({ sealedJob, sealedFailure }) => {
            const isWithin = bytesBefore < bytesMax
            bytesBefore += sealedJob.length + (sealedFailure?.length ?? 0)
            return isWithin
          }),
      )
    },
    findAll: async (statementIds) =>
      await Promise.resolve(statementIds.flatMap((statementId) => records.get(statementId) ?? [])),
    async removeExpired(nowMs, countMax) {
      const expired = all()
        .filter(({ state, expiresAtMs }) => isEnded(state) && expiresAtMs !== null && expiresAtMs <= nowMs)
        .slice(0, countMax)
      for (const { statementId } of expired) records.delete(statementId)
      return await Promise.resolve(expired.map(({ statementId }) => statementId))
    },
    check: async () => await Promise.resolve(),
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  }
}
