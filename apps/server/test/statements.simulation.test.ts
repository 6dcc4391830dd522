// Thousands of histories of a fleet of servers in which everything goes wrong that can. A failure prints its seed:
// SIMULATION_SEED=… SIMULATION_RUNS=1 repeats it alone. 10,000 histories take some 25 s.
import { RecordBatchReader, type RecordBatch } from 'apache-arrow'
import { expect, it } from 'vitest'
import { isEnded } from '@lake/core/statements/statement.ts'
import { ANYBODY } from '@lake/core/access/principal.ts'
import { createAuthorizer } from '../src/access/authorizer.ts'
import { LIMITS } from '../src/limits.ts'
import { createResultReader } from '../src/statements/result-reader.ts'
import { partKey } from '../src/statements/result-keys.ts'
import { removeUnwanted } from '../src/statements/retention.ts'
import { createMemoryResultObjects } from './support/memory-result-objects.ts'
import { createMemoryStatementStore } from './support/memory-statement-store.ts'
import { createRandom } from './support/random-queries.ts'
import { rowText, startFleet } from './support/simulated-fleet.ts'
import { createSimulatedTime } from './support/simulated-time.ts'

const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 10_000)
const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
const STATEMENT_COUNT = 3
const TROUBLE_MS = 30_000

interface Counts {
  finished: number
  failed: number
  cancelled: number
  orphans: number
  overtaken: number
}

async function simulate(seed: number, counts: Counts): Promise<void> {
  // Of each history its own: what still sleeps at its end keeps a listener.
  const never = new AbortController().signal
  const random = createRandom(seed)
  const time = createSimulatedTime(1_000_000_000_000)
  const store = createMemoryStatementStore()
  const objects = createMemoryResultObjects(time)
  const plans = new Map(
    Array.from({ length: STATEMENT_COUNT }, (_, index) => [
      `s${index}`,
      { partCount: 1 + Math.floor(random() * 3), isDoomed: random() < 0.1 },
    ]),
  )
  const planOf = (statementId: string) => plans.get(statementId) ?? { partCount: 1, isDoomed: false }
  const fleet = startFleet({ time, random, store, objects, serverCount: 3, planOf })
  const times = () => ({ nowMs: time.nowMs(), expiresAtMs: time.nowMs() + LIMITS.resultLifetimeMs })
  const bounds = () => ({ nowMs: time.nowMs(), openOfOwnerMax: 100, keptOfOwnerMax: 100, openMax: 100 })
  const cancelled = new Set<string>()
  for (const statementId of plans.keys()) {
    const statement = { statementId, owner: 'o', idempotencyKey: null, requestDigest: '', resultDigest: null }
    void time
      .sleep(random() * 5_000, never)
      .then(() => store.insert({ ...statement, sealedJob: '' }, bounds()))
    if (random() > 0.15) continue
    cancelled.add(statementId)
    void time.sleep(3_000 + random() * 15_000, never).then(() => store.requestCancel(statementId, times()))
  }

  await time.run(() => false, time.nowMs() + TROUBLE_MS)
  fleet.heal()
  const allEnded = (): boolean =>
    store.records.size === STATEMENT_COUNT && [...store.records.values()].every(({ state }) => isEnded(state))
  const healthyMs = LIMITS.attemptsMax * (LIMITS.claimLeaseMs + 60_000)
  expect(await time.run(allEnded, time.nowMs() + healthyMs), 'every statement ends').toBe(true)
  await time.run(() => fleet.lateCount === 0, time.nowMs() + 120_000)
  expect(fleet.errors, 'nothing fails but what was made to').toEqual([])

  const reader = createResultReader({ objects, keys: [], clock: time, authorizer: createAuthorizer([]) })
  const named: string[] = []
  for (const record of store.records.values()) {
    const { statementId, state, manifest, fencingToken } = record
    const commits = fleet.commits.filter((commit) => commit.statementId === statementId)
    expect(commits.length, 'one commit at most').toBe(state === 'finished' ? 1 : 0)
    if (state === 'cancelled') expect(cancelled.has(statementId), 'nobody else cancels').toBe(true)
    counts[state as 'finished' | 'failed' | 'cancelled'] += 1
    if (state !== 'finished' || manifest === null) continue
    expect(manifest.fencingToken, 'never of a fenced worker').toBe(fencingToken)
    expect(planOf(statementId).isDoomed).toBe(false)
    const read = await reader.readManifest(record, never)
    const rows: unknown[] = []
    for (const endpoint of reader.endpoints(read, ANYBODY)) {
      const part = await reader.openPart(endpoint.ticket, ANYBODY, never)
      for (const batch of RecordBatchReader.from(part) as Iterable<RecordBatch>)
        rows.push(batch.getChildAt(0)?.get(0))
    }
    const expected = Array.from({ length: planOf(statementId).partCount }, (_, index) =>
      rowText(statementId, index),
    )
    expect(rows, 'the rows, once and in order').toEqual(expected)
    named.push(
      ...read.parts.map((_part, index) => partKey(read, index)),
      `${statementId}/${fencingToken}/manifest.json`,
    )
    counts.overtaken += fencingToken > 1 ? 1 : 0
  }
  counts.orphans += objects.keys().length - named.length
  time.jump(LIMITS.resultOrphanMs + 1)
  await removeUnwanted({ store, objects, clock: time }, never)
  expect(objects.keys(), 'no orphan survives').toEqual(named.sort())
  time.jump(LIMITS.resultLifetimeMs + 10_000)
  await removeUnwanted({ store, objects, clock: time }, never)
  expect([...store.records.keys(), ...objects.keys()], 'nothing is kept for ever').toEqual([])
}

it(
  '[CL7] [RP3] whatever goes wrong: one commit, of the newest claim, and nothing left behind',
  { timeout: 60_000 + RUNS * 40 },
  async () => {
    const limits = LIMITS as unknown as Record<string, number>
    const saved = { ...limits }
    // A part for each row, and fewer turns in which nothing happens.
    Object.assign(limits, { resultPartRows: 1, claimEveryMs: 4_000, heartbeatEveryMs: 3_000 })
    const counts: Counts = { finished: 0, failed: 0, cancelled: 0, orphans: 0, overtaken: 0 }
    try {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1)
        await simulate(seed, counts).catch((cause: unknown) => {
          throw new Error(`SIMULATION_SEED=${seed}: ${(cause as Error).message}`, { cause })
        })
    } finally {
      Object.assign(limits, saved)
    }
    // The histories must have been bad enough to prove anything.
    if (RUNS >= 1_000) {
      expect(counts.orphans).toBeGreaterThan(RUNS / 10)
      expect(counts.overtaken).toBeGreaterThan(RUNS / 10)
      for (const state of ['finished', 'failed', 'cancelled'] as const)
        expect(counts[state]).toBeGreaterThan(RUNS / 20)
    }
  },
)
