import { describe, expect, it } from 'vitest'
import { AppError } from '@lake/core/errors.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { LIMITS } from '../limits.ts'
import type { LoadedTable, SnapshotsLoaded, TableIdent } from './rest-catalog.ts'
import { createSnapshotCache } from './snapshot-cache.ts'

const NEVER = new AbortController().signal
const ident = (table: string): TableIdent => ({ namespace: ['ns'], table })

function setUp() {
  const clock = createManualClock()
  const loads: {
    ident: TableIdent
    snapshots: SnapshotsLoaded
    known: LoadedTable | undefined
    signal: AbortSignal
    settle: PromiseWithResolvers<LoadedTable>
  }[] = []
  const outcomes: string[] = []
  const cache = createSnapshotCache({
    load: async (ident, { snapshots, known }, signal) => {
      const settle = Promise.withResolvers<LoadedTable>()
      loads.push({ ident, snapshots, known, signal, settle })
      return await settle.promise
    },
    clock,
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  const succeed = (index: number): void => {
    const load = loads[index]!
    const { ident: of, snapshots } = load
    load.settle.resolve({ ident: of, snapshotsLoaded: snapshots, loadedAtMs: clock.nowMs() } as LoadedTable)
  }
  const fail = (index: number, error: Error): void => {
    loads[index]!.settle.reject(error)
  }
  const fill = async (table: string): Promise<void> => {
    const loading = cache.load(ident(table), NEVER)
    succeed(loads.length - 1)
    await loading
  }
  return { cache, clock, loads, outcomes, succeed, fail, fill }
}

const unavailable = new AppError('CATALOG_UNAVAILABLE', 'away')

describe('snapshot cache', () => {
  it('[SC1] answers by itself until 5 s after the load, exclusive', async () => {
    const { cache, clock, loads, fill } = setUp()
    await fill('t')
    clock.advance(LIMITS.snapshotFreshMs - 1)
    expect(await cache.load(ident('t'), NEVER)).toMatchObject({ ageMs: 4_999, isStale: false })
    expect(loads).toHaveLength(1)
    clock.advance(1)
    void cache.load(ident('t'), NEVER)
    expect(loads).toHaveLength(2)
  })

  it('[SC2] answers stale when the refresh fails, until 60 s after the successful load, inclusive', async () => {
    const { cache, clock, fail, fill } = setUp()
    await fill('t')
    clock.advance(LIMITS.snapshotStaleIfErrorMs)
    const stale = cache.load(ident('t'), NEVER)
    fail(1, unavailable)
    expect(await stale).toMatchObject({ isStale: true, ageMs: 60_000 })
    clock.advance(1)
    const failed = cache.load(ident('t'), NEVER)
    fail(2, unavailable)
    await expect(failed).rejects.toBe(unavailable)
  })

  it('[SC3] shares one load among callers of one key, and a stale outcome too', async () => {
    const { cache, clock, loads, fail, fill, outcomes } = setUp()
    await fill('t')
    clock.advance(10_000)
    const callers = Array.from({ length: 200 }, () => cache.load(ident('t'), NEVER))
    expect(loads).toHaveLength(2)
    fail(1, unavailable)
    for (const answer of await Promise.all(callers)) expect(answer.isStale).toBe(true)
    expect(outcomes.filter((outcome) => outcome === 'shared')).toHaveLength(199)
  })

  it('[SC4] refuses the 65th distinct key before any I/O, but not a follower', async () => {
    const { cache, loads, succeed } = setUp()
    const pending = Array.from({ length: 64 }, (_, index) => cache.load(ident(`t${index}`), NEVER))
    await expect(cache.load(ident('one-more'), NEVER)).rejects.toMatchObject({ code: 'BUSY' })
    const follower = cache.load(ident('t0'), NEVER)
    expect(loads).toHaveLength(64)
    for (const index of loads.keys()) succeed(index)
    await Promise.all([...pending, follower])
    void cache.load(ident('one-more'), NEVER)
    expect(loads).toHaveLength(65)
  })

  it('[SC5] serves the followers of a cancelled first caller', async () => {
    const { cache, loads, succeed } = setUp()
    const leader = new AbortController()
    const first = cache.load(ident('t'), leader.signal)
    const follower = cache.load(ident('t'), NEVER)
    leader.abort()
    await expect(first).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(loads[0]!.signal.aborted).toBe(false)
    succeed(0)
    expect(await follower).toMatchObject({ isStale: false })
  })

  it('[SC5] aborts the load when its last caller has gone', async () => {
    const { cache, loads } = setUp()
    const only = new AbortController()
    const call = cache.load(ident('t'), only.signal)
    only.abort()
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(loads[0]!.signal.aborted).toBe(true)
  })

  it('[SC6] keeps 10,000 tables and drops the one used longest ago', async () => {
    const { cache, loads, fill } = setUp()
    for (let index = 0; index < LIMITS.snapshotsCachedMax; index += 1) await fill(`t${index}`)
    await cache.load(ident('t0'), NEVER)
    await fill('new')
    expect(cache.size).toBe(LIMITS.snapshotsCachedMax)
    const loadCount = loads.length
    await cache.load(ident('t0'), NEVER)
    expect(loads).toHaveLength(loadCount)
    void cache.load(ident('t1'), NEVER)
    expect(loads).toHaveLength(loadCount + 1)
  })

  it.each(['NO_SUCH_TABLE', 'CATALOG_PERMISSION_DENIED', 'READ_RESTRICTED'] as const)(
    '[SC7] does not answer %s from the cache',
    async (code) => {
      const { cache, clock, fail, fill } = setUp()
      await fill('t')
      clock.advance(10_000)
      const denied = cache.load(ident('t'), NEVER)
      fail(1, new AppError(code, 'no'))
      await expect(denied).rejects.toMatchObject({ code })
      const later = cache.load(ident('t'), NEVER)
      fail(2, unavailable)
      await expect(later).rejects.toBe(unavailable)
    },
  )

  it('[SC8] never answers who asks for all snapshots with those of refs, not even stale', async () => {
    const { cache, loads, succeed, fail } = setUp()
    const refs = cache.loadRefs(ident('t'), NEVER)
    succeed(0)
    await refs
    const all = cache.load(ident('t'), NEVER)
    expect(loads.map(({ snapshots }) => snapshots)).toEqual(['refs', 'all'])
    fail(1, unavailable)
    await expect(all).rejects.toBe(unavailable)
    expect(await cache.loadRefs(ident('t'), NEVER)).toMatchObject({ isStale: false })
    expect(loads).toHaveLength(2)
  })

  it('[SC8] answers who needs refs alone with all snapshots where those are there', async () => {
    const { cache, clock, loads, fill, fail } = setUp()
    await fill('t')
    expect((await cache.loadRefs(ident('t'), NEVER)).table.snapshotsLoaded).toBe('all')
    expect(loads).toHaveLength(1)
    clock.advance(10_000)
    const refreshed = cache.loadRefs(ident('t'), NEVER)
    expect(loads[1]).toMatchObject({ snapshots: 'refs', known: undefined })
    fail(1, unavailable)
    expect(await refreshed).toMatchObject({ isStale: true, table: { snapshotsLoaded: 'all' } })
  })

  it('[SC9] offers the earlier load of the same kind for the catalog to confirm', async () => {
    const { cache, clock, loads, fill } = setUp()
    await fill('t')
    clock.advance(10_000)
    void cache.load(ident('t'), NEVER)
    expect(loads[1]?.known).toMatchObject({ snapshotsLoaded: 'all', loadedAtMs: clock.nowMs() - 10_000 })
  })

  it('[SC7] forgets both kinds of a table that the catalog denies', async () => {
    const { cache, clock, loads, succeed, fail, fill } = setUp()
    await fill('t')
    clock.advance(10_000)
    const refs = cache.loadRefs(ident('t'), NEVER)
    succeed(1)
    await refs
    clock.advance(10_000)
    const denied = cache.load(ident('t'), NEVER)
    fail(2, new AppError('NO_SUCH_TABLE', 'no'))
    await expect(denied).rejects.toMatchObject({ code: 'NO_SUCH_TABLE' })
    const later = cache.loadRefs(ident('t'), NEVER)
    fail(3, unavailable)
    await expect(later).rejects.toBe(unavailable)
    expect(loads).toHaveLength(4)
  })
})
