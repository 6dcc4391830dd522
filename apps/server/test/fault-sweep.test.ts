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
  '404': ['NO_SUCH_TABLE'],
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
  '404': ['CATALOG_REFUSED'],
}
const SETUP_OUTCOMES: Record<Fault, readonly string[]> = {
  ...CATALOG_OUTCOMES,
  // The token is renewed and the call replayed.
  '401': ['ok'],
  '404': ['CATALOG_REFUSED'],
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
let settings: Readonly<Record<string, string>>
let stack: TestStack
let expected: string
let openAtFirst: number
const limits = LIMITS as unknown as Record<string, number>
const saved = { ...limits }

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  catalog = await startFaultProxy(lake.ready.restEndpoint)
  storage = await startFaultProxy(lake.ready.s3Endpoint)
  // No cached load answers.
  Object.assign(limits, { snapshotFreshMs: 0, snapshotStaleIfErrorMs: -1 })
  settings = {
    LAKE_ICEBERG_REST_ENDPOINT: catalog.url,
    LAKE_ICEBERG_S3_ENDPOINT: storage.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
  }
  stack = await startTestStack(lake, settings)
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

/**
 * With `stack`, or where calls hang with one that gives them up soon. On a busy machine that one gives up what does not hang,
 * so it is asked until it answers.
 */
async function withStack(
  fault: Fault,
  patient: { readonly stack: TestStack; readonly settings: Readonly<Record<string, string>> },
  work: (of: TestStack, answers: () => Promise<void>) => Promise<void>,
): Promise<void> {
  if (fault !== 'hang') {
    await work(patient.stack, async () => {
      expect(await outcome(patient.stack)).toBe('ok')
    })
    return
  }
  Object.assign(limits, { catalogCallTimeoutMs: 400, storageRequestTimeoutMs: 400 })
  try {
    await using hasty = await startTestStack(lake, patient.settings)
    await work(hasty, async () => {
      while ((await outcome(hasty)) !== 'ok') [catalog, storage].forEach((proxy) => proxy.reset())
    })
  } finally {
    const { catalogCallTimeoutMs, storageRequestTimeoutMs } = saved
    Object.assign(limits, { catalogCallTimeoutMs, storageRequestTimeoutMs })
  }
}

/** Fails each call to `proxy` of one statement in turn. */
async function sweep(
  fault: Fault,
  proxy: FaultProxy,
  outcomes: Record<Fault, readonly string[]>,
  callsMin: number,
): Promise<void> {
  await withStack(fault, { stack, settings }, async (of, answers) => {
    await answers()
    proxy.reset()
    await answers()
    const calls = proxy.callCount
    expect(calls).toBeGreaterThanOrEqual(callsMin)
    for (let index = 0; index < calls; index += 1) {
      proxy.reset(index, fault)
      expect(outcomes[fault], `call ${index} of ${calls}`).toContain(await outcome(of))
      proxy.reset()
      await answers()
    }
  })
}

const openSockets = (): number => readdirSync('/proc/self/fd').length

describe('[QR10] a fault at every external call', () => {
  it.each(FAULTS)('of the catalog: %s', async (fault) => {
    await sweep(fault, catalog, CATALOG_OUTCOMES, 2)
  })

  it.each(FAULTS)('of storage: %s', async (fault) => {
    await sweep(fault, storage, STORAGE_OUTCOMES, 4)
    // Since the first fault of all: what each leaves would add up.
    expect(openSockets() - openAtFirst).toBeLessThan(60)
  })
})

describe('[QR10] a fault at what a client of the catalog asks first', () => {
  let identity: StubServer
  let tokens: FaultProxy
  let settingsOfClient: Readonly<Record<string, string>>
  let signedIn: TestStack
  beforeAll(async () => {
    identity = await startStub(() => ({ body: { access_token: lake.ready.token, token_type: 'bearer' } }))
    tokens = await startFaultProxy(identity.url.href)
    settingsOfClient = {
      LAKE_ICEBERG_REST_ENDPOINT: catalog.url,
      LAKE_ICEBERG_REST_TOKEN: '',
      LAKE_ICEBERG_REST_CREDENTIAL: 'id:secret',
      LAKE_ICEBERG_REST_OAUTH2_SERVER_URI: tokens.url,
    }
    signedIn = await startTestStack(lake, settingsOfClient)
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
    await withStack(fault, { stack: signedIn, settings: settingsOfClient }, async (of, answers) => {
      await answers()
      tokens.reset()
      catalog.reset()
      await answers()
      // The first of planning and the first of the proof: two clients for each load.
      const places = [
        [tokens, [0, 2], TOKEN_OUTCOMES],
        [catalog, [0, 3], SETUP_OUTCOMES],
      ] as const
      if (fault !== 'hang') expect([tokens.callCount, catalog.callCount]).toEqual([4, 6])
      for (const [proxy, indexes, outcomes] of places) {
        for (const index of indexes) {
          proxy.reset(index, fault)
          expect(outcomes[fault], `call ${index}`).toContain(await outcome(of))
          proxy.reset()
        }
        await answers()
      }
    })
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
