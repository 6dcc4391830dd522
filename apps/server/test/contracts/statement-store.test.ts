// What every store of statements promises: one suite over SQLite, PostgreSQL and the one in memory that simulations use.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { migrate } from '../../src/statements/migrations.ts'
import { openPostgres } from '../../src/statements/postgres-connection.ts'
import { openSqlite } from '../../src/statements/sqlite-connection.ts'
import type { NewStatement, StatementStore } from '../../src/statements/statement-store.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { overSql, type Subject } from '../support/sql-subject.ts'
import { createMemoryStatementStore } from '../support/memory-statement-store.ts'
import { POSTGRES_MISSING, startPostgres, type TestPostgres } from '../support/postgres.ts'

const clock = createManualClock()
const LEASE_MS = 15_000
const ATTEMPTS_MAX = 3
const BOUNDS = { openOfOwnerMax: 1_000, keptOfOwnerMax: 1_000, openMax: 1_000 }
const MANIFEST = { fencingToken: 1, sha256: 'a'.repeat(64), partCount: 2, rowCount: 7, byteCount: 300 }

let count = 0
const newStatement = (changes: Partial<NewStatement> = {}): NewStatement => ({
  statementId: `s-${(count += 1)}`,
  owner: 'ada',
  idempotencyKey: null,
  requestDigest: 'r',
  resultDigest: null,
  sealedJob: 'sealed',
  ...changes,
})

function describeStore(
  name: string,
  open: () => Promise<Subject>,
  options: { skip?: string | undefined } = {},
): void {
  const title = options.skip === undefined ? name : `${name} (skipped: ${options.skip})`
  describe.skipIf(options.skip !== undefined)(title, () => {
    let subject: Subject
    let store: StatementStore
    beforeAll(async () => {
      subject = await open()
      store = subject.store
    }, 60_000)
    afterAll(async () => subject?.close())
    beforeEach(async () => {
      await subject.clear()
    })

    const insert = async (
      changes: Partial<NewStatement> = {},
      bounds = BOUNDS,
    ): Promise<string | undefined> => {
      const statement = newStatement(changes)
      const isAdded = await store.insert(statement, { ...bounds, nowMs: clock.nowMs() })
      clock.advance(1)
      return isAdded ? statement.statementId : undefined
    }
    const claim = async (workerId = 'w'): Promise<StatementRecord | undefined> =>
      await store.claim({
        workerId,
        nowMs: clock.nowMs(),
        leaseExpiresAtMs: clock.nowMs() + LEASE_MS,
        attemptsMax: ATTEMPTS_MAX,
      })
    const claimed = async (): Promise<StatementRecord> => {
      const record = await claim()
      if (!record) throw new Error('nothing to claim')
      return record
    }
    const times = () => ({ nowMs: clock.nowMs(), expiresAtMs: clock.nowMs() + 1_000 })
    const progress = { bytesRead: 5, bytesPlanned: 10, rowCount: 3 }
    const handBack = { availableAtMs: 0, isAttemptCounted: false, sealedFailure: null }

    it('gives back what was inserted', async () => {
      const id = await insert({ idempotencyKey: 'k', resultDigest: 'd', owner: 'b"; \u00e9\u0001 --' })
      expect(await store.find(id ?? '')).toEqual({
        statementId: id,
        owner: 'b"; \u00e9\u0001 --',
        idempotencyKey: 'k',
        requestDigest: 'r',
        resultDigest: 'd',
        sealedJob: 'sealed',
        state: 'queued',
        revision: 1,
        fencingToken: 0,
        attemptCount: 0,
        workerId: null,
        leaseExpiresAtMs: null,
        availableAtMs: clock.nowMs() - 1,
        submittedAtMs: clock.nowMs() - 1,
        startedAtMs: null,
        endedAtMs: null,
        expiresAtMs: null,
        progress: { bytesRead: 0, bytesPlanned: 0, rowCount: 0 },
        sealedFailure: null,
        manifest: null,
      })
      expect(await store.find('nothing')).toBeUndefined()
      expect(await store.findAll(['nothing', id ?? ''])).toHaveLength(1)
      expect(await store.findAll(Array.from({ length: 60 }, (_, index) => `x${index}`))).toEqual([])
    })

    it('[CL1] makes one statement of an idempotency key, for each owner, however many submit at once', async () => {
      const added = await Promise.all(
        Array.from({ length: 8 }, async () => await insert({ idempotencyKey: 'k' })),
      )
      expect(added.filter((id) => id !== undefined)).toHaveLength(1)
      expect(await insert({ idempotencyKey: 'k', owner: 'bob' })).toBeDefined()
      expect((await store.findByIdempotencyKey('ada', 'k'))?.statementId).toBe(added.find(Boolean))
      expect(await store.findByIdempotencyKey('eve', 'k')).toBeUndefined()
      expect(await store.list('ada', { countMax: 10, bytesMax: 1e9 })).toHaveLength(1)
    })

    it('[AD2] refuses a statement above the bounds of its owner and of all, ended ones not counted', async () => {
      const bounds = { openOfOwnerMax: 2, keptOfOwnerMax: 4, openMax: 3 }
      const first = await insert({}, bounds)
      expect(await insert({}, bounds)).toBeDefined()
      expect(await insert({}, bounds)).toBeUndefined()
      expect(await insert({ owner: 'bob' }, bounds)).toBeDefined()
      expect(await insert({ owner: 'eve' }, bounds)).toBeUndefined()
      await store.requestCancel(first ?? '', times())
      const next = await insert({}, bounds)
      expect(next).toBeDefined()
      // Those that have ended are kept for a while, and have a bound of their own.
      await store.requestCancel(next ?? '', times())
      expect(await insert({}, bounds)).toBeDefined()
      const all = { ...BOUNDS, keptOfOwnerMax: 4 }
      expect(await insert({}, all)).toBeUndefined()
      expect(await insert({ owner: 'bob' }, all)).toBeDefined()
    })

    it('[AD4] makes room for one where an owner has as many as are kept, by the oldest without a result', async () => {
      const bounds = { openOfOwnerMax: 2, keptOfOwnerMax: 4, openMax: 3 }
      const makeRoom = async (owner = 'ada') => await store.makeRoom(owner, bounds)
      await insert({}, bounds)
      await store.end(await claimed(), { state: 'finished', manifest: MANIFEST }, times())
      const failed = await insert({}, bounds)
      const firstExpiresAtMs = (await store.findKept('ada')).firstExpiresAtMs
      clock.advance(10)
      await store.end(await claimed(), { state: 'failed', sealedFailure: 'x' }, times())
      const cancelled = await insert({}, bounds)
      await store.requestCancel(cancelled ?? '', times())
      // There is room.
      expect(await makeRoom()).toBe(false)
      await insert({}, bounds)
      expect(await insert({}, bounds)).toBeUndefined()
      expect(await store.findKept('ada')).toEqual({ count: 4, firstExpiresAtMs })
      expect(await makeRoom('bob')).toBe(false)
      // It would not help.
      expect(await store.makeRoom('ada', { ...bounds, openOfOwnerMax: 1 })).toBe(false)
      expect(await store.makeRoom('ada', { ...bounds, openMax: 1 })).toBe(false)
      expect(await makeRoom()).toBe(true)
      expect(await store.find(failed ?? '')).toBeUndefined()
      expect(await makeRoom()).toBe(false)
      expect(await insert({}, bounds)).toBeDefined()
      await store.requestCancel(
        (await store.list('ada', { countMax: 1, bytesMax: 1e9 }))[0]!.statementId,
        times(),
      )
      expect(await makeRoom()).toBe(true)
      expect(await store.find(cancelled ?? '')).toBeUndefined()
      expect(await store.findKept('eve')).toEqual({ count: 0, firstExpiresAtMs: null })
    })

    it('[AD4] sums up the results of an owner', async () => {
      await insert()
      await insert()
      await insert({ owner: 'bob' })
      expect(await store.keptBytes('ada')).toBe(0)
      for (let record = await claimed(); ; record = await claimed()) {
        await store.end(record, { state: 'finished', manifest: MANIFEST }, times())
        if (record.owner === 'bob') break
      }
      expect(await store.keptBytes('bob')).toBe(MANIFEST.byteCount)
      expect(await store.keptBytes('ada')).toBeGreaterThanOrEqual(MANIFEST.byteCount)
    })

    it('[CL1] gives each statement to one of many that claim at once', async () => {
      for (let index = 0; index < 10; index += 1) await insert()
      const claims = await Promise.all(
        Array.from({ length: 24 }, async (_, index) => await claim(`w${index}`)),
      )
      const ids = claims.flatMap((record) => record?.statementId ?? [])
      expect(ids).toHaveLength(new Set(ids).size)
      // Those that came at once may have found the same row; the rest is claimed later.
      for (let record = await claim(); record; record = await claim()) ids.push(record.statementId)
      expect(new Set(ids).size).toBe(10)
      expect(ids).toHaveLength(10)
    })

    it('[AD3] claims in order of submission, of the owner with the fewest running first', async () => {
      const [a1, a2, a3] = [await insert(), await insert(), await insert()]
      const b1 = await insert({ owner: 'bob' })
      const order = [await claimed(), await claimed(), await claimed(), await claimed()]
      expect(order.map(({ statementId }) => statementId)).toEqual([a1, b1, a2, a3])
      expect(await claim()).toBeUndefined()
    })

    it('[CL2] claims again after the lease, with a greater token, and refuses every write of the old one', async () => {
      await insert()
      const old = await claimed()
      expect(old).toMatchObject({ state: 'running', fencingToken: 1, attemptCount: 1, workerId: 'w' })
      clock.advance(LEASE_MS - 1)
      expect(await claim('w2')).toBeUndefined()
      clock.advance(1)
      const next = await claim('w2')
      expect(next).toMatchObject({ statementId: old.statementId, fencingToken: 2, attemptCount: 2 })
      expect(next?.startedAtMs).toBe(old.startedAtMs)

      const lease = { leaseExpiresAtMs: clock.nowMs() + LEASE_MS, progress }
      expect(await store.renew(old, lease)).toBeUndefined()
      expect(await store.handBack(old, handBack)).toBe(false)
      expect(await store.end(old, { state: 'finished', manifest: MANIFEST }, times())).toBe(false)
      expect(await store.end(old, { state: 'failed', sealedFailure: 'x' }, times())).toBe(false)
      expect(await store.end(old, { state: 'cancelled' }, times())).toBe(false)
      expect(await store.find(old.statementId)).toEqual(next)
    })

    it('[CL3] prolongs a lease and notes the progress, also after the lease when nobody has claimed', async () => {
      await insert()
      const record = await claimed()
      clock.advance(LEASE_MS + 1)
      const leaseExpiresAtMs = clock.nowMs() + LEASE_MS
      expect(await store.renew(record, { leaseExpiresAtMs, progress })).toBe('running')
      const renewed = await store.find(record.statementId)
      expect(renewed).toMatchObject({ leaseExpiresAtMs, progress, fencingToken: 1 })
      expect(renewed?.revision).toBeGreaterThan(record.revision)
      expect(await claim('w2')).toBeUndefined()
    })

    it('[CL4] counts attempts, those that are handed back aside, and claims no more when they are used up', async () => {
      const id = await insert()
      for (let index = 0; index < 5; index += 1) {
        const record = await claimed()
        expect(record.attemptCount).toBe(1)
        expect(record.fencingToken).toBe(index + 1)
        expect(await store.handBack(record, handBack)).toBe(true)
      }
      const record = await claimed()
      const later = { availableAtMs: clock.nowMs() + 50, isAttemptCounted: true, sealedFailure: 'cause' }
      expect(await store.handBack(record, later)).toBe(true)
      expect(await claim()).toBeUndefined()
      clock.advance(50)
      expect(await claimed()).toMatchObject({ attemptCount: 2, sealedFailure: 'cause' })
      clock.advance(LEASE_MS)
      expect(await claimed()).toMatchObject({ attemptCount: 3 })
      clock.advance(LEASE_MS)
      expect(await claim()).toBeUndefined()
      expect(await store.endAbandoned('lost', { ...times(), attemptsMax: ATTEMPTS_MAX })).toBe(1)
      expect(await store.find(id ?? '')).toMatchObject({
        state: 'failed',
        sealedFailure: 'cause',
        workerId: null,
        endedAtMs: clock.nowMs(),
      })
    })

    it('[CL5] ends a statement once', async () => {
      await insert({ resultDigest: 'd' })
      const record = await claimed()
      const finish = { state: 'finished', manifest: MANIFEST } as const
      const ends = await Promise.all(
        Array.from({ length: 5 }, async () => await store.end(record, finish, times())),
      )
      expect(ends.filter(Boolean)).toHaveLength(1)
      const ended = await store.find(record.statementId)
      expect(ended).toMatchObject({
        state: 'finished',
        manifest: MANIFEST,
        progress: { rowCount: 7 },
        workerId: null,
      })
      expect(await store.requestCancel(record.statementId, times())).toBe('finished')
      expect(await store.renew(record, { leaseExpiresAtMs: 0, progress })).toBeUndefined()
      expect(await store.find(record.statementId)).toEqual(ended)
      expect(await claim()).toBeUndefined()
    })

    it('[CL6] cancels at once what waits, and through its worker what runs', async () => {
      const waiting = await insert()
      const running = await insert()
      await store.requestCancel(waiting ?? '', times())
      expect(await store.find(waiting ?? '')).toMatchObject({ state: 'cancelled', endedAtMs: clock.nowMs() })

      const record = await claimed()
      expect(record.statementId).toBe(running)
      expect(await store.requestCancel(running ?? '', times())).toBe('cancelling')
      expect(await store.requestCancel(running ?? '', times())).toBe('cancelling')
      expect(await store.renew(record, { leaseExpiresAtMs: clock.nowMs() + LEASE_MS, progress })).toBe(
        'cancelling',
      )
      expect(await store.handBack(record, handBack)).toBe(false)
      expect(await store.end(record, { state: 'finished', manifest: MANIFEST }, times())).toBe(false)
      expect(await store.end(record, { state: 'cancelled' }, times())).toBe(true)
      expect(await store.requestCancel('nothing', times())).toBeUndefined()
    })

    it('[CL6] ends what is being cancelled when its worker is gone', async () => {
      const id = await insert()
      await claimed()
      await store.requestCancel(id ?? '', times())
      const abandoned = async () =>
        await store.endAbandoned('lost', { ...times(), attemptsMax: ATTEMPTS_MAX })
      expect(await abandoned()).toBe(0)
      clock.advance(LEASE_MS)
      expect(await abandoned()).toBe(1)
      expect(await store.find(id ?? '')).toMatchObject({ state: 'cancelled', sealedFailure: null })
    })

    it('finds a finished result by its digest, for its owner and while it lasts', async () => {
      await insert({ resultDigest: 'd' })
      const record = await claimed()
      expect(await store.findFinished('ada', 'd', clock.nowMs())).toBeUndefined()
      await store.end(record, { state: 'finished', manifest: MANIFEST }, times())
      expect((await store.findFinished('ada', 'd', clock.nowMs()))?.statementId).toBe(record.statementId)
      expect(await store.findFinished('bob', 'd', clock.nowMs())).toBeUndefined()
      expect(await store.findFinished('ada', 'e', clock.nowMs())).toBeUndefined()
      expect(await store.findFinished('ada', 'd', clock.nowMs() + 1_000)).toBeUndefined()
    })

    it('lists the newest of an owner first, and removes what has ended and expired', async () => {
      const ids = [await insert(), await insert(), await insert()]
      await insert({ owner: 'bob' })
      const listed = async (countMax: number, bytesMax: number): Promise<string[]> =>
        (await store.list('ada', { countMax, bytesMax })).map(({ statementId }) => statementId)
      expect(await listed(2, 1e9)).toEqual([ids[2], ids[1]])
      // As many as begin within the bytes: the newest always.
      const { length } = (await store.find(ids[2] ?? ''))!.sealedJob
      expect(await listed(10, 1)).toEqual([ids[2]])
      expect(await listed(10, length)).toEqual([ids[2]])
      expect(await listed(10, length + 1)).toEqual([ids[2], ids[1]])
      await store.requestCancel(ids[1] ?? '', times())
      clock.advance(999)
      expect(await store.removeExpired(clock.nowMs(), 10)).toEqual([])
      clock.advance(1)
      expect(await store.removeExpired(clock.nowMs(), 10)).toEqual([ids[1]])
      expect(await store.list('ada', { countMax: 10, bytesMax: 1e9 })).toHaveLength(2)
      await store.check()
    })
  })
}

describeStore('a store in memory', async () => {
  let store = createMemoryStatementStore()
  const current = new Proxy({} as StatementStore, {
    get: (_target, name) => Reflect.get(store, name) as unknown,
  })
  return await Promise.resolve({
    store: current,
    clear: async () => {
      store = createMemoryStatementStore()
      await Promise.resolve()
    },
    close: async () => await Promise.resolve(),
  })
})

describeStore('a store in SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lake-state-'))
  const subject = await overSql(openSqlite(join(directory, 'deep', 'statements.db')), clock.nowMs())
  return {
    ...subject,
    close: async () => {
      await subject.close()
      await rm(directory, { recursive: true })
    },
  }
})

let postgres: TestPostgres | undefined
afterAll(async () => postgres?.[Symbol.asyncDispose]())
describeStore(
  'a store in PostgreSQL',
  async () => {
    postgres = await startPostgres()
    return await overSql(openPostgres(new Secret(postgres.url), false), clock.nowMs())
  },
  { skip: POSTGRES_MISSING },
)

describe('migrations', () => {
  it.skipIf(POSTGRES_MISSING !== undefined)('may be run by several servers at once', async () => {
    if (!postgres) throw new Error('PostgreSQL was started by the suite above')
    const connections = Array.from({ length: 4 }, () => openPostgres(new Secret(postgres?.url ?? ''), false))
    await connections[0]?.run('DROP TABLE statement_migrations', {})
    await connections[0]?.run('DROP TABLE statements', {})
    await Promise.all(connections.map(async (connection) => await migrate(connection, 1)))
    for (const connection of connections) await connection[Symbol.asyncDispose]()
  })
})
