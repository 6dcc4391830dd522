// For a query that makes N calls to the catalog and to storage, it is run N times for each kind of fault, the k-th call
// failing. Each run ends in a documented code (or right, where one retry healed it), and the next query works.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../src/limits.ts'
import { FAULTS, startFaultProxy, type Fault, type FaultProxy } from './support/fault-proxy.ts'
import { startStub, type StubServer } from './support/stub-http.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const SQL = "SELECT sum(steps), count(reward) FROM iceberg.analytics.episodes WHERE day = DATE '2026-09-10'"

/** What a fault may end in; `ok` where the call is made once more. */
const CATALOG_OUTCOMES: Record<Fault, readonly string[]> = {
  refused: ['CATALOG_UNAVAILABLE'],
  'reset mid-body': ['CATALOG_UNAVAILABLE'],
  '401': ['CATALOG_UNAUTHORIZED'],
  '403': ['CATALOG_PERMISSION_DENIED'],
  '404': ['NO_SUCH_TABLE', 'CATALOG_UNAVAILABLE'],
  '429': ['CATALOG_UNAVAILABLE'],
  '500': ['CATALOG_UNAVAILABLE'],
  hang: ['DEADLINE_EXCEEDED'],
  garbage: ['CATALOG_UNAVAILABLE'],
  truncated: ['CATALOG_UNAVAILABLE'],
}
/** Of what a client of the catalog asks first: its token, and the catalog's configuration. */
const TOKEN_OUTCOMES: Record<Fault, readonly string[]> = {
  ...CATALOG_OUTCOMES,
  '403': ['CATALOG_UNAUTHORIZED'],
  '404': ['CATALOG_UNAVAILABLE'],
}
const SETUP_OUTCOMES: Record<Fault, readonly string[]> = {
  ...CATALOG_OUTCOMES,
  // The token is renewed and the call replayed.
  '401': ['ok'],
  '404': ['CATALOG_UNAVAILABLE'],
}
const STORAGE_OUTCOMES: Record<Fault, readonly string[]> = {
  refused: ['STORAGE_UNAVAILABLE', 'ok'],
  'reset mid-body': ['STORAGE_UNAVAILABLE', 'ok'],
  // The credentials themselves are refused, so fresh ones are asked for once.
  '401': ['STORAGE_ACCESS_DENIED', 'ok'],
  '403': ['STORAGE_ACCESS_DENIED'],
  '404': ['OBJECT_MISSING'],
  '429': ['STORAGE_UNAVAILABLE', 'ok'],
  '500': ['STORAGE_UNAVAILABLE', 'ok'],
  hang: ['STORAGE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'ok'],
  garbage: ['TABLE_CORRUPT', 'STORAGE_UNAVAILABLE', 'ok'],
  truncated: ['TABLE_CORRUPT', 'STORAGE_UNAVAILABLE', 'ok'],
}

let lake: TestLake
let catalog: FaultProxy
let storage: FaultProxy
let stack: TestStack
let expected: string
let openAtFirst: number
const limits = LIMITS as unknown as Record<string, number>
const saved = { ...limits }

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  catalog = await startFaultProxy(lake.ready.restEndpoint)
  storage = await startFaultProxy(lake.ready.s3Endpoint)
  // No cached load answers, and what hangs is given up soon.
  Object.assign(limits, {
    snapshotFreshMs: 0,
    snapshotStaleIfErrorMs: -1,
    catalogCallTimeoutMs: 400,
    storageRequestTimeoutMs: 400,
  })
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_REST_ENDPOINT: catalog.url,
    LAKE_ICEBERG_S3_ENDPOINT: storage.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
  })
  expected = await answer()
  openAtFirst = openSockets()
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await catalog?.[Symbol.asyncDispose]()
  await storage?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  Object.assign(limits, saved)
})

/** The rows as text; throws with the code in the message otherwise. */
async function answer(of = stack): Promise<string> {
  const result = await of.client.run(SQL)
  if ('status' in result) throw new Error(result.code)
  if (!result.receipt) throw new Error(result.failure?.code ?? 'INCOMPLETE')
  return result.batches.flatMap((batch) => [...batch].map(String)).join('\n')
}

async function outcome(of = stack): Promise<string> {
  try {
    return (await answer(of)) === expected ? 'ok' : 'WRONG ROWS'
  } catch (error) {
    return (error as Error).message
  }
}

const openSockets = (): number => readdirSync('/proc/self/fd').length

describe('[QR10] a fault at every external call', () => {
  it.each(FAULTS)('of the catalog: %s', async (fault) => {
    catalog.reset()
    expect(await outcome()).toBe('ok')
    const calls = catalog.callCount
    expect(calls).toBeGreaterThanOrEqual(2)
    for (let index = 0; index < calls; index += 1) {
      catalog.reset(index, fault)
      expect(CATALOG_OUTCOMES[fault], `call ${index} of ${calls}`).toContain(await outcome())
      catalog.reset()
      expect(await outcome(), `after call ${index}`).toBe('ok')
    }
  })

  it.each(FAULTS)('of storage: %s', async (fault) => {
    storage.reset()
    expect(await outcome()).toBe('ok')
    const calls = storage.callCount
    expect(calls).toBeGreaterThanOrEqual(4)
    for (let index = 0; index < calls; index += 1) {
      storage.reset(index, fault)
      expect(STORAGE_OUTCOMES[fault], `call ${index} of ${calls}`).toContain(await outcome())
      storage.reset()
      expect(await outcome(), `after call ${index}`).toBe('ok')
    }
    // Since the first fault of all: what each leaves would add up.
    expect(openSockets() - openAtFirst).toBeLessThan(60)
  })
})

describe('[QR10] a fault at what a client of the catalog asks first', () => {
  let identity: StubServer
  let tokens: FaultProxy
  let signedIn: TestStack
  beforeAll(async () => {
    identity = await startStub(() => ({ body: { access_token: lake.ready.token, token_type: 'bearer' } }))
    tokens = await startFaultProxy(identity.url.href)
    signedIn = await startTestStack(lake, {
      LAKE_ICEBERG_REST_ENDPOINT: catalog.url,
      LAKE_ICEBERG_REST_TOKEN: '',
      LAKE_ICEBERG_REST_CREDENTIAL: 'id:secret',
      LAKE_ICEBERG_REST_OAUTH2_SERVER_URI: tokens.url,
    })
    // A client is made anew for each call, so every one begins with a token and the configuration.
    limits['catalogClientLifetimeMs'] = 0
  }, 60_000)
  afterAll(async () => {
    limits['catalogClientLifetimeMs'] = saved['catalogClientLifetimeMs'] ?? 0
    await signedIn?.[Symbol.asyncDispose]()
    await tokens?.[Symbol.asyncDispose]()
    await identity?.[Symbol.asyncDispose]()
  })

  it.each(FAULTS)('%s', async (fault) => {
    tokens.reset()
    catalog.reset()
    expect(await outcome(signedIn)).toBe('ok')
    // The first of planning and the first of the proof: two clients for each load.
    const places = [
      [tokens, [0, 2], TOKEN_OUTCOMES],
      [catalog, [0, 3], SETUP_OUTCOMES],
    ] as const
    expect([tokens.callCount, catalog.callCount]).toEqual([4, 6])
    for (const [proxy, indexes, outcomes] of places) {
      for (const index of indexes) {
        proxy.reset(index, fault)
        expect(outcomes[fault], `call ${index}`).toContain(await outcome(signedIn))
        proxy.reset()
      }
      expect(await outcome(signedIn), 'afterwards').toBe('ok')
    }
  })
})

describe('a fault after rows were sent', () => {
  it('[QR4] shows that they left while later files were unread, and that the rest is missing', async () => {
    const sql = 'SELECT * FROM iceberg.analytics.episodes'
    storage.reset()
    const whole = await stack.client.query(sql)
    storage.reset(storage.callCount - 1, '403')
    const result = await stack.client.query(sql)
    storage.reset()
    expect(result.failure?.code).toBe('STORAGE_ACCESS_DENIED')
    expect(result.receipt).toBeUndefined()
    expect(result.rowCount).toBeGreaterThan(0)
    expect(result.rowCount).toBeLessThan(whole.rowCount)
  })
})
