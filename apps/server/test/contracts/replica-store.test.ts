// What replicas share: one suite over SQLite and PostgreSQL, and what it does to sign-outs and quotas of two servers.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createQuotas } from '../../src/access/quotas.ts'
import { LIMITS } from '../../src/limits.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { openReplicaStore, type ReplicaStore } from '../../src/replicas/replica-store.ts'
import { createSharedAccess } from '../../src/replicas/shared-access.ts'
import { openPostgres } from '../../src/statements/postgres-connection.ts'
import type { SqlConnection } from '../../src/statements/sql-connection.ts'
import { openSqlite } from '../../src/statements/sqlite-connection.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { POSTGRES_MISSING, startPostgres, type TestPostgres } from '../support/postgres.ts'

const HOUR_MS = 3_600_000
const START_MS = 1_000 * HOUR_MS
const COUNT_MAX = 100

function describeStore(
  name: string,
  open: () => Promise<SqlConnection> | SqlConnection,
  skip?: string,
): void {
  const title = skip === undefined ? name : `${name} (skipped: ${skip})`
  describe.skipIf(skip !== undefined)(`[RE1] the store of replicas in ${title}`, () => {
    let connection: SqlConnection
    let store: ReplicaStore
    beforeAll(async () => {
      connection = await open()
      store = await openReplicaStore(connection, START_MS)
    }, 60_000)
    beforeEach(async () => {
      for (const table of ['ended_sessions', 'bytes_read']) await connection.run(`DELETE FROM ${table}`, {})
    })
    afterAll(async () => {
      await store?.[Symbol.asyncDispose]()
    })

    it('is opened again without a change', async () => {
      await openReplicaStore(connection, START_MS + 1)
      const rows = await connection.run('SELECT applied_at_ms FROM replica_migrations', {})
      expect(rows.map((row) => Number(row['applied_at_ms']))).toEqual([START_MS])
    })

    it('tells of sessions that ended since, once, and not of those that are over', async () => {
      await store.endSession({ sessionId: 'old', endsAtMs: 900 }, 10)
      await store.endSession({ sessionId: 'new', endsAtMs: 900 }, 20)
      await store.endSession({ sessionId: 'new', endsAtMs: 999 }, 30)
      await store.endSession({ sessionId: 'over', endsAtMs: 40 }, 30)
      const find = async (sinceMs: number, nowMs = 40, countMax = COUNT_MAX): Promise<unknown> =>
        await store.findEnded({ sinceMs, nowMs, countMax })
      expect(await find(20)).toEqual([{ sessionId: 'new', endsAtMs: 900 }])
      expect(await find(0)).toHaveLength(2)
      expect(await find(0, 40, 1)).toEqual([{ sessionId: 'new', endsAtMs: 900 }])
      expect(await find(21)).toEqual([])
      await store.removeOld({ nowMs: 900, hour: 0 })
      expect(await find(0, 0)).toEqual([])
    })

    it('keeps the last total of each replica, principal and hour', async () => {
      const read = { replicaId: 'a', principalDigest: 'p', hour: 7, byteCount: 2 ** 40 }
      await store.recordBytes(read, 10)
      await store.recordBytes({ ...read, byteCount: 2 ** 50 }, 20)
      await store.recordBytes({ ...read, replicaId: 'b', byteCount: 5 }, 30)
      await store.recordBytes({ ...read, hour: 6 }, 30)
      const find = async (sinceMs: number, otherThan: string, hour = 7): Promise<unknown> =>
        await store.findBytes({ sinceMs, otherThan, hour, countMax: COUNT_MAX })
      expect(await find(0, 'b')).toEqual([{ ...read, byteCount: 2 ** 50 }])
      expect(await find(0, 'a')).toEqual([{ ...read, replicaId: 'b', byteCount: 5 }])
      expect(await find(21, 'b')).toEqual([])
      expect(await find(0, 'b', 6)).toHaveLength(2)
      await store.removeOld({ nowMs: 0, hour: 7 })
      expect(await find(0, 'b', 0)).toHaveLength(1)
    })

    it('lets what is signed out at one server be over at the other, and shares a day’s bytes', async () => {
      const clock = createManualClock(START_MS)
      const [here, there] = ['here', 'there'].map((replicaId) =>
        createSharedAccess({ store, clock, replicaId }),
      )
      const config = { requestsPerMinuteMax: 1e9, statementsMax: 9, bytesPerDayMax: 100 }
      const quotas = [here, there].map((shared) => createQuotas(config, clock, shared!.bytesElsewhere))
      const ada = { id: 'file:ada', name: 'ada', grants: [] }
      await here!.round()
      await there!.round()

      await here!.endedSessions.add('s', clock.nowMs() + HOUR_MS)
      for (const byteCount of [60, 50]) {
        using statement = quotas[0]!.enterStatement(ada)
        statement.charge(byteCount)
      }
      expect(here!.endedSessions.has('s')).toBe(true)
      expect(there!.endedSessions.has('s')).toBe(false)
      clock.advance(1_000)
      await here!.round()
      await there!.round()
      expect(there!.endedSessions.has('s')).toBe(true)
      expect(() => quotas[1]!.enterStatement(ada)).toThrow('110 bytes')
      quotas[1]!.enterStatement({ ...ada, id: 'file:bob' })
      // A server that starts anew knows what it read before.
      const anew = createSharedAccess({ store, clock, replicaId: 'here again' })
      await anew.round()
      expect(() => createQuotas(config, clock, anew.bytesElsewhere).enterStatement(ada)).toThrow('110 bytes')
      clock.advance(24 * HOUR_MS)
      await there!.round()
      quotas[1]!.enterStatement(ada)
      const texts = JSON.stringify(await connection.run('SELECT * FROM bytes_read', {}))
      expect(texts).not.toContain('ada')
    })
  })
}

let postgres: TestPostgres | undefined
describeStore('SQLite', () => openSqlite(':memory:'))
describeStore(
  'PostgreSQL',
  async () => {
    postgres = await startPostgres()
    return openPostgres(new Secret(postgres.url), false)
  },
  POSTGRES_MISSING,
)
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]()
})

describe('[RE2] while the store is away', () => {
  it('sessions go on for a bounded time, and sign-outs and bytes wait for it', async () => {
    const clock = createManualClock(START_MS)
    const connection = openSqlite(':memory:')
    let isAway = false
    const store = await openReplicaStore(
      {
        ...connection,
        run: async (sql, parameters) => {
          if (isAway) throw new Error('away')
          return await connection.run(sql, parameters)
        },
      },
      START_MS,
    )
    const here = createSharedAccess({ store, clock, replicaId: 'here' })
    expect(() => here.endedSessions.has('s')).toThrow('cannot be told')
    await here.round()
    isAway = true
    await here.endedSessions.add('s', clock.nowMs() + HOUR_MS)
    here.bytesElsewhere.tell('ada', START_MS / HOUR_MS, 7)
    await expect(here.round()).rejects.toThrow('away')
    expect(here.problem).toContain('not shared')
    expect(here.endedSessions.has('s')).toBe(true)
    clock.advance(LIMITS.endedSessionsStaleMs)
    expect(here.endedSessions.has('other')).toBe(false)
    clock.advance(1)
    expect(() => here.endedSessions.has('other')).toThrow('cannot be told')
    expect(here.endedSessions.has('s')).toBe(true)

    isAway = false
    await here.round()
    expect(here.problem).toBeUndefined()
    expect(here.endedSessions.has('other')).toBe(false)
    const since = { sinceMs: 0, countMax: COUNT_MAX }
    expect(await store.findEnded({ ...since, nowMs: clock.nowMs() })).toHaveLength(1)
    expect(await store.findBytes({ ...since, hour: 0, otherThan: '' })).toMatchObject([
      { replicaId: 'here', byteCount: 7 },
    ])
    await connection[Symbol.asyncDispose]()
  })

  it('a sign-out waits a bounded time only', async () => {
    const clock = createManualClock(START_MS)
    const connection = openSqlite(':memory:')
    const store = await openReplicaStore(connection, START_MS)
    const { promise: never } = Promise.withResolvers<never>()
    const here = createSharedAccess({
      store: { ...store, endSession: async () => await never },
      clock,
      replicaId: 'here',
    })
    // It would take for ever otherwise.
    const limits = LIMITS as { signOutWaitMs: number }
    const { signOutWaitMs } = limits
    limits.signOutWaitMs = 20
    await here.endedSessions.add('s', clock.nowMs() + HOUR_MS)
    limits.signOutWaitMs = signOutWaitMs
    expect(here.endedSessions.has('s')).toBe(true)
    await connection[Symbol.asyncDispose]()
  })
})
