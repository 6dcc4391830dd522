// Three real servers on one PostgreSQL and one bucket, killed in turn while twenty statements run: all end right.
// LAKE_TEST_FLEET=full takes the real leases of 15 s, longer statements, and kills every server twice.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { lakeEnvironment, startProgram, type Program } from '../../../scripts/programs.ts'
import { canonicalRows, createBackgroundClient, type BackgroundClient } from './support/background-client.ts'
import { POSTGRES_MISSING, startPostgres, type TestPostgres } from './support/postgres.ts'
import { createTestClient } from './support/test-client.ts'
import { startTestLake, type TestLake } from './support/test-stack.ts'

const IS_FULL = process.env['LAKE_TEST_FLEET'] === 'full'
const STATEMENT_COUNT = 20
const SERVER_COUNT = 3
const T = 'iceberg.analytics.episodes'
/** Rows enough for the engine to be busy for a moment. */
const BUSY = IS_FULL ? 300_000_000 : 6_000_000
const SQLS = [
  'SELECT * FROM iceberg.analytics.robots',
  `SELECT robot_id, count(*) AS n, sum(steps) AS s FROM ${T} GROUP BY robot_id`,
  `SELECT e.*, b.h FROM ${T} e, (SELECT sum(hash(range)) AS h FROM range(${BUSY})) b WHERE e.steps > 900`,
  `SELECT day, max(reward) AS r FROM ${T}, (SELECT count(*) AS c FROM range(${BUSY}) WHERE hash(range) % 3 = 0) GROUP BY day`,
]

let postgres: TestPostgres | undefined
let lake: TestLake | undefined
const servers: Program<{ url: string }>[] = []

async function startServer(): Promise<Program<{ url: string }>> {
  if (!lake || !postgres) throw new Error('the lake and PostgreSQL come first')
  const script = IS_FULL ? 'apps/server/src/main.ts' : 'apps/server/test/support/quick-lease-server.ts'
  return await startProgram<{ url: string }>(script, [], {
    env: {
      ...lakeEnvironment(lake.ready),
      LAKE_HTTP_ADDR: '127.0.0.1:0',
      LAKE_LOG_LEVEL: 'error',
      LAKE_ENGINES_MAX: '2',
      LAKE_ENGINE_THREADS: '1',
      LAKE_TICKET_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}`,
      LAKE_STATE_URL: postgres.url,
      LAKE_RESULTS_URL: 's3://lake/background/results',
      LAKE_RESULTS_S3_ENDPOINT: lake.ready.s3Endpoint,
      LAKE_RESULTS_S3_PATH_STYLE: 'true',
      LAKE_RESULTS_S3_CREDENTIAL: 'root:root-secret',
    },
  })
}

async function kill({ process: child }: { process: ChildProcess }): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

beforeAll(async () => {
  if (POSTGRES_MISSING !== undefined) return
  postgres = await startPostgres()
  lake = await startTestLake([
    '--demo-scale',
    '0.01',
    '--s3-access-key',
    'root',
    '--s3-secret-key',
    'root-secret',
  ])
  servers.push(...(await Promise.all(Array.from({ length: SERVER_COUNT }, startServer))))
}, 120_000)

afterAll(async () => {
  await Promise.all(servers.map(async (server) => server[Symbol.asyncDispose]()))
  await lake?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
})

const clientOf = (index: number): BackgroundClient =>
  createBackgroundClient(createTestClient(servers[index % SERVER_COUNT]!.ready.url))

/** Asks whichever server answers. */
async function ended(statementId: string, untilMs: number): Promise<PollInfo> {
  for (let index = 0; Date.now() < untilMs; index += 1) {
    const info = await clientOf(index)
      .poll({ descriptor: { statementId } })
      .catch(() => undefined)
    if (info && 'state' in info && info.descriptor === null) return info
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${statementId} did not end in time`)
}

/** Until each server runs one, or none waits any more: whichever is killed then is killed at work. */
async function allBusy(): Promise<void> {
  const isBusy = async (): Promise<boolean> => {
    const states = (await clientOf(0).list()).map(({ state }) => state)
    return states.filter((state) => state === 'running').length >= SERVER_COUNT || !states.includes('queued')
  }
  await expect.poll(isBusy, { interval: 20 }).toBe(true)
}

it.skipIf(POSTGRES_MISSING !== undefined)(
  `[ST11] servers that are killed in turn lose nothing and repeat nothing${POSTGRES_MISSING ? ` (${POSTGRES_MISSING})` : ''}`,
  { timeout: IS_FULL ? 900_000 : 120_000 },
  async () => {
    const submitted: PollInfo[] = []
    for (let index = 0; index < STATEMENT_COUNT; index += 1) {
      const sql = SQLS[index % SQLS.length]!
      submitted.push(
        await clientOf(index).submit({ sql, idempotencyKey: `s${index}`, isReuseAllowed: false }),
      )
    }
    for (let round = 0; round < (IS_FULL ? 2 : 1); round += 1)
      for (let index = 0; index < SERVER_COUNT; index += 1) {
        await allBusy()
        if (IS_FULL) await new Promise((resolve) => setTimeout(resolve, 5_000))
        await kill(servers[index]!)
        servers[index] = await startServer()
      }
    const untilMs = Date.now() + (IS_FULL ? 600_000 : 90_000)
    const infos = await Promise.all(
      submitted.map(async ({ statementId }) => await ended(statementId, untilMs)),
    )
    expect(infos.map(({ state, failure }) => failure?.code ?? state)).toEqual(infos.map(() => 'finished'))
    // Being killed was seen by somebody, or nothing was proved.
    expect(infos.some(({ attemptCount }) => attemptCount > 1)).toBe(true)

    const client = createTestClient(servers[0]!.ready.url)
    const expected = new Map<string, string>()
    for (const [index, info] of infos.entries()) {
      const { sql, tables } = submitted[index]!
      const pins = tables.map(({ namespace, table, snapshotId }) => ({
        namespace,
        table,
        snapshotId: snapshotId!,
      }))
      const known = expected.get(sql!) ?? canonicalRows((await client.query(sql!, pins)).batches)
      expected.set(sql!, known)
      expect(canonicalRows(await clientOf(index).rows(info)) === known, sql!).toBe(true)
      expect(info.receipt?.tables.map(({ snapshotId }) => snapshotId)).toEqual(
        tables.map(({ snapshotId }) => snapshotId),
      )
    }
  },
)
