// Faults at the stores of background statements: every call to the store of results fails in turn and in every way, and
// the store of statements goes away and comes back. What comes of it is a documented code or the right rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../src/limits.ts'
import { canonicalRows, createBackgroundClient, type BackgroundClient } from './support/background-client.ts'
import { FAULTS, startFaultProxy, type Fault, type FaultProxy } from './support/fault-proxy.ts'
import { POSTGRES_MISSING, startPostgres, type TestPostgres } from './support/postgres.ts'
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const SQL = "SELECT * FROM iceberg.analytics.robots WHERE robot_id < 'R-0100'"
/** Of a statement whose every attempt fails, of a poll, and of a part; `ok`: an attempt or a retry healed it. */
const OUTCOMES = ['ok', 'RESULTS_UNAVAILABLE', 'RESULT_CORRUPT']

let lake: TestLake
let results: FaultProxy
let postgres: TestPostgres | undefined
let proxy: TcpProxy | undefined
let stack: TestStack
let background: BackgroundClient
let expected: string
const limits = LIMITS as unknown as Record<string, number>
const saved = { ...limits }

beforeAll(async () => {
  Object.assign(limits, {
    claimEveryMs: 50,
    heartbeatEveryMs: 100,
    pollEveryMs: 20,
    attemptDelayMs: 5,
    claimLeaseMs: 5_000,
  })
  lake = await startTestLake([
    '--demo-scale',
    '0.01',
    '--s3-access-key',
    'root',
    '--s3-secret-key',
    'root-secret',
  ])
  results = await startFaultProxy(lake.ready.s3Endpoint)
  if (POSTGRES_MISSING === undefined) {
    postgres = await startPostgres()
    const { hostname, port } = new URL(postgres.url)
    proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  }
  const state = postgres
    ? postgres.url.replace(/:\d+\//, `:${proxy?.port ?? 0}/`)
    : `file://${lake.directory}/state`
  stack = await startTestStack(lake, {
    LAKE_TICKET_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}`,
    LAKE_STATE_URL: state,
    LAKE_RESULTS_URL: 's3://lake/background',
    LAKE_RESULTS_S3_ENDPOINT: results.url,
    LAKE_RESULTS_S3_PATH_STYLE: 'true',
    LAKE_RESULTS_S3_CREDENTIAL: 'root:root-secret',
  })
  background = createBackgroundClient(stack.client)
  expected = canonicalRows((await stack.client.query(SQL)).batches)
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
  await results?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  Object.assign(limits, saved)
})

/** The rows of a new statement from submission to its last part, or the code that it ended with. */
async function outcome(): Promise<string> {
  try {
    const { statementId } = await background.submit({ sql: SQL, isReuseAllowed: false })
    const info = await background.ended(statementId)
    if (info.state !== 'finished') return info.failure?.code ?? info.state
    return canonicalRows(await background.rows(info)) === expected ? 'ok' : 'WRONG ROWS'
  } catch (error) {
    return (error as Error).message.split(':')[0] ?? ''
  }
}

describe('[RP4] a fault at every call to the store of results', () => {
  // Those left out are answered as one of these is.
  it.each(FAULTS.filter((fault) => !['401', '429', 'truncated'].includes(fault)))('%s', async (fault) => {
    results.reset()
    expect(await outcome()).toBe('ok')
    const calls = results.callCount
    expect(calls).toBeGreaterThanOrEqual(4)
    // What hangs is waited for in vain; nothing else is cut off, however slow the machine is.
    if (fault === 'hang') limits['resultRequestTimeoutMs'] = 400
    for (let index = 0; index < calls; index += 1) {
      results.reset(index, fault)
      expect(OUTCOMES, `call ${index} of ${calls}`).toContain(await outcome())
    }
    results.reset()
    limits['resultRequestTimeoutMs'] = saved['resultRequestTimeoutMs']!
    expect(await outcome()).toBe('ok')
  })

  it('fails the statement when the bucket is full', async () => {
    results.reset(0, '507' as Fault)
    // The SDK asks once more, and is told the same.
    const first = background.submit({ sql: SQL, isReuseAllowed: false })
    const { statementId } = await first
    while (results.callCount === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    results.reset(0, '507' as Fault)
    const info = await background.ended(statementId)
    expect(info).toMatchObject({ state: 'failed', attemptCount: 1, failure: { code: 'RESULTS_FULL' } })
    results.reset()
  })
})

describe.skipIf(POSTGRES_MISSING !== undefined)(
  `the store of statements${POSTGRES_MISSING === undefined ? '' : ` (skipped: ${POSTGRES_MISSING})`}`,
  () => {
    it('[ST12] that goes away and comes back costs time, and no statement', async () => {
      const sql = `SELECT sum(hash(range)) AS s FROM range(20000000), (SELECT count(*) FROM iceberg.analytics.robots)`
      const { statementId } = await background.submit({ sql, isReuseAllowed: false })
      proxy?.cutAfter(0)
      const away = await stack.client.request('POST', '/poll-flight-info', { descriptor: { statementId } })
      expect(await away.json()).toMatchObject({ error: { code: 'STATEMENTS_UNAVAILABLE' } })
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
      expect((await fetch(`${stack.url}/readyz`)).status).toBe(503)
      // Interactive statements do not need it.
      expect(canonicalRows((await stack.client.query(SQL)).batches)).toBe(expected)
      const isMet = (): boolean =>
        stack.log.some(
          ({ msg, code }) => msg === 'background statements' && code === 'STATEMENTS_UNAVAILABLE',
        )
      // Its worker meets it too.
      await expect.poll(isMet).toBe(true)
      proxy?.restore()
      const info = await background.ended(statementId)
      expect(info).toMatchObject({ state: 'finished', rowCount: 1 })
      const logged = JSON.stringify(stack.log)
      for (const secret of ['root-secret', postgres?.url ?? '']) expect(logged).not.toContain(secret)
    })
  },
)
