// What becomes of the objects of an attempt, by the way in which it ends: a worker over a store and a bucket in memory.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { AppError } from '@lake/core/errors.ts'
import type { ManifestPointer, StatementRecord } from '@lake/core/statements/statement.ts'
import { LIMITS } from '../src/limits.ts'
import { partKey } from '../src/statements/result-keys.ts'
import { removeAttempt } from '../src/statements/retention.ts'
import type { StatementStore } from '../src/statements/statement-store.ts'
import { startStatementWorker, type AttemptEnd } from '../src/statements/worker.ts'
import { createManualClock } from './support/manual-clock.ts'
import { createMemoryResultObjects } from './support/memory-result-objects.ts'
import { createMemoryStatementStore } from './support/memory-statement-store.ts'

const PART_COUNT = 1_000

/** @param finish is called when an attempt has written its parts */
function start(
  finish: (record: StatementRecord, signal: AbortSignal) => Promise<ManifestPointer>,
  parts: {
    readonly keptBytesMax?: number
    readonly changes?: (store: StatementStore) => StatementStore
  } = {},
) {
  const clock = createManualClock()
  const store = createMemoryStatementStore()
  const objects = createMemoryResultObjects(clock)
  let removing = 0
  let removingMax = 0
  const slow = {
    ...objects,
    async remove(key: string, signal: AbortSignal) {
      removingMax = Math.max(removingMax, (removing += 1))
      await nextTurn()
      await objects.remove(key, signal)
      removing -= 1
    },
  }
  const ends = new Map<string, PromiseWithResolvers<AttemptEnd>>()
  const endOf = (statementId: string): PromiseWithResolvers<AttemptEnd> => {
    const end = ends.get(statementId) ?? Promise.withResolvers<AttemptEnd>()
    ends.set(statementId, end)
    return end
  }
  const errors: unknown[] = []
  const worker = startStatementWorker({
    store: parts.changes?.(store) ?? store,
    workerId: 'w',
    clock: {
      nowMs: () => clock.nowMs(),
      sleep: async (_ms, signal) =>
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve()
          else signal.addEventListener('abort', () => resolve(), { once: true })
        }),
    },
    runningMax: 2,
    async run(record, _onProgress, signal) {
      for (let index = 0; index < PART_COUNT; index += 1)
        await objects.putIfAbsent(partKey(record, index), Buffer.from('part'), signal)
      return await finish(record, signal)
    },
    keptBytesMax: parts.keptBytesMax ?? 1_000_000,
    discard: async (record, signal) => await removeAttempt(slow, record, signal),
    sealFailure: ({ code }) => code,
    onAttemptEnd: ({ statementId }, end) => endOf(statementId).resolve(end),
    onError: (error) => errors.push(error),
  })
  const submit = async (statementId: string): Promise<void> => {
    const statement = { statementId, owner: 'o', idempotencyKey: null, requestDigest: '', resultDigest: null }
    const bounds = { nowMs: clock.nowMs(), openOfOwnerMax: 9, keptOfOwnerMax: 9, openMax: 9 }
    await store.insert({ ...statement, sealedJob: '' }, bounds)
    worker.wake()
  }
  return {
    store,
    objects,
    worker,
    errors,
    advance: (ms: number) => {
      clock.advance(ms)
    },
    submit,
    ended: async (statementId: string) => await endOf(statementId).promise,
    times: () => ({ nowMs: clock.nowMs(), expiresAtMs: clock.nowMs() + 1_000 }),
    get removingMax() {
      return removingMax
    },
  }
}

const manifestOf = ({ fencingToken }: StatementRecord): ManifestPointer => ({
  fencingToken,
  sha256: 'a'.repeat(64),
  partCount: PART_COUNT,
  rowCount: 1,
  byteCount: 60,
})

it('[AD4] an attempt that fails removes the thousand objects that it wrote, several at once', async () => {
  const fleet = start(async () => await Promise.reject(new AppError('SQL_EXECUTION', 'late')))
  await fleet.submit('s')
  expect(await fleet.ended('s')).toEqual({
    outcome: 'failed',
    code: 'SQL_EXECUTION',
    removedCount: PART_COUNT,
  })
  expect(fleet.objects.keys()).toEqual([])
  expect(fleet.removingMax).toBe(LIMITS.objectsRemovedAtOnceMax)
  await fleet.worker[Symbol.asyncDispose]()
})

it('[AD4] so does one that is cancelled while it commits', async () => {
  const fleet = start(async (record) => {
    await fleet.store.requestCancel(record.statementId, fleet.times())
    return manifestOf(record)
  })
  await fleet.submit('s')
  expect(await fleet.ended('s')).toMatchObject({ outcome: 'cancelled', removedCount: PART_COUNT })
  expect(fleet.objects.keys()).toEqual([])
  await fleet.worker[Symbol.asyncDispose]()
})

it('[CL7] none does that the store may have committed, or commits later', async () => {
  for (const isLate of [true, false]) {
    let commit = async (): Promise<unknown> => await Promise.resolve()
    const fleet = start(async (record) => await Promise.resolve(manifestOf(record)), {
      changes: (store) => ({
        ...store,
        async end(...parameters) {
          if (parameters[1].state === 'finished') commit = async () => await store.end(...parameters)
          if (!isLate) await commit()
          // Not one of the store's codes, so that it is not tried again.
          throw new AppError('INTERNAL', 'its answer is lost')
        },
      }),
    })
    await fleet.submit('s')
    expect(await fleet.ended('s')).toMatchObject({ outcome: 'overtaken', removedCount: 0 })
    await commit()
    expect((await fleet.store.find('s'))?.state).toBe('finished')
    expect(fleet.objects.keys()).toHaveLength(PART_COUNT)
    await fleet.worker[Symbol.asyncDispose]()
  }
})

it('[ST10] one that a server hands back when it stops leaves them to retention', async () => {
  const written = Promise.withResolvers<void>()
  const fleet = start(async (_record, signal) => {
    written.resolve()
    return await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new AppError('CANCELLED', 'stopped')), { once: true })
    })
  })
  await fleet.submit('s')
  await written.promise
  await fleet.worker[Symbol.asyncDispose]()
  expect(await fleet.ended('s')).toMatchObject({ outcome: 'handed-back', removedCount: 0 })
  expect(await fleet.store.find('s')).toMatchObject({ state: 'queued', attemptCount: 0 })
  expect(fleet.objects.keys()).toHaveLength(PART_COUNT)
})

it('[ST6] one that it cannot open is handed back at the first look, however old the statement is', async () => {
  const fleet = start(async () => {
    fleet.advance(LIMITS.unreadableForMs + 1)
    return await Promise.reject(new AppError('STATEMENT_UNREADABLE', 'another key'))
  })
  await fleet.submit('s')
  expect(await fleet.ended('s')).toMatchObject({ outcome: 'handed-back', code: 'STATEMENT_UNREADABLE' })
  expect(await fleet.store.find('s')).toMatchObject({ state: 'queued', attemptCount: 0 })
  await fleet.worker[Symbol.asyncDispose]()
})

it('[AD4] of two that had room when they began, the second to end fails where the first has taken it', async () => {
  const begun = new Map([
    ['s1', Promise.withResolvers<void>()],
    ['s2', Promise.withResolvers<void>()],
  ])
  const fleet = start(
    async (record) => {
      begun.get(record.statementId)?.resolve()
      await Promise.all([...begun.values()].map(({ promise }) => promise))
      if (record.statementId === 's2') await fleet.ended('s1')
      return manifestOf(record)
    },
    { keptBytesMax: 100 },
  )
  await fleet.submit('s1')
  await fleet.submit('s2')
  expect(await fleet.ended('s1')).toEqual({ outcome: 'committed', code: 'ok', removedCount: 0 })
  expect(await fleet.ended('s2')).toEqual({
    outcome: 'failed',
    code: 'RESULTS_FULL',
    removedCount: PART_COUNT,
  })
  expect(await fleet.store.keptBytes('o')).toBe(60)
  expect(fleet.objects.keys()).toHaveLength(PART_COUNT)
  await fleet.worker[Symbol.asyncDispose]()
})
