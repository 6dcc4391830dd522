// What planning and running cost the catalog, over the real local lake: how much of a table is loaded, how often, and that
// what is not loaded is never taken for missing.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tableResponse, type TableResponse } from '@lake/core/api/contract.ts'
import { LIMITS } from '../src/limits.ts'
import { startCatalogProxy, type CatalogProxy } from './support/catalog-proxy.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const TABLE = 'iceberg.analytics.episodes'
let lake: TestLake
let catalog: CatalogProxy
let stack: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  catalog = await startCatalogProxy(lake.ready.restEndpoint)
  stack = await startTestStack(lake, { LAKE_ICEBERG_REST_ENDPOINT: catalog.url.href })
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await catalog?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  catalog.tableCalls.length = 0
})

/** A server with a cold cache. */
const coldStack = async (): Promise<TestStack> =>
  await startTestStack(lake, { LAKE_ICEBERG_REST_ENDPOINT: catalog.url.href })

async function describeTable(of: TestStack): Promise<TableResponse> {
  const response = await of.client.request('GET', '/namespaces/analytics/tables/episodes')
  expect(response.status).toBe(200)
  return tableResponse.parse(await response.json())
}

describe('[QR11] how much of a table is loaded', () => {
  it('is what refs name, for the current snapshot: once to plan, once to prove', async () => {
    await using cold = await coldStack()
    await cold.client.query(`SELECT count(*) FROM ${TABLE}`)
    expect(catalog.tableCalls).toEqual(['200 GET episodes?snapshots=refs', '200 GET episodes?snapshots=refs'])
  })

  it('is all of it for a pinned or named snapshot that refs do not name, also with refs in the cache', async () => {
    await using cold = await coldStack()
    await cold.client.query(`SELECT count(*) FROM ${TABLE}`)
    const oldest = (await describeTable(cold)).snapshots.at(-1)?.snapshotId ?? ''
    await using other = await coldStack()
    await other.client.query(`SELECT count(*) FROM ${TABLE}`)
    catalog.tableCalls.length = 0
    const pinned = [{ namespace: ['analytics'], table: 'episodes', snapshotId: oldest }]
    const { receipt } = await other.client.query(`SELECT count(*) FROM ${TABLE}`, pinned)
    expect(receipt?.tables[0]?.snapshotId).toBe(oldest)
    expect(catalog.tableCalls).toEqual([
      '200 GET episodes?snapshots=all',
      '200 GET episodes?snapshots=refs',
      '200 GET episodes?snapshots=all',
    ])
    const named = await other.client.query(`SELECT count(*) FROM ${TABLE} AT (VERSION => ${oldest})`)
    expect(named.receipt?.tables[0]?.snapshotId).toBe(oldest)
  })

  it('is all of it before a snapshot is said to be missing', async () => {
    await using cold = await coldStack()
    expect(await cold.client.outcome(`SELECT * FROM ${TABLE} AT (VERSION => 17)`)).toBe('NO_SUCH_SNAPSHOT')
    expect(catalog.tableCalls).toEqual(['200 GET episodes?snapshots=refs', '200 GET episodes?snapshots=all'])
  })

  it('is all of it for a time, for the table page and for metadata tables', async () => {
    await using cold = await coldStack()
    await cold.client.query(`SELECT count(*) FROM ${TABLE}`)
    const page = await describeTable(cold)
    expect(page.snapshots.length).toBeGreaterThan(1)
    const first = new Date(page.snapshots.at(-1)?.committedAtMs ?? 0).toISOString()
    const past = await cold.client.query(`SELECT 1 FROM ${TABLE} AT (TIMESTAMP => '${first}') LIMIT 1`)
    expect(past.receipt?.tables[0]?.snapshotId).toBe(page.snapshots.at(-1)?.snapshotId)
    const listed = await cold.client.query(`SELECT * FROM iceberg.analytics."episodes$snapshots"`)
    expect(listed.rowCount).toBe(page.snapshots.length)
  })
})

describe('[SC3] readers of one cold table', () => {
  it('make one catalog call between 200 of them', async () => {
    await using cold = await coldStack()
    const plans = await Promise.all(
      Array.from({ length: 200 }, async () => await describeTable(cold).then(({ tableUuid }) => tableUuid)),
    )
    expect(new Set(plans).size).toBe(1)
    expect(catalog.tableCalls).toEqual(['200 GET episodes?snapshots=all'])
  })
})

describe('[SC4] cold tables', () => {
  it('load 64 at a time; the next is told to come back, without a call, and an equal one is not', async () => {
    const released = Promise.withResolvers<undefined>()
    const arrived: string[] = []
    await using slow = await startCatalogProxy(lake.ready.restEndpoint, async ({ path }, pass) => {
      if (!path.includes('/tables/')) return undefined
      arrived.push(path)
      await released.promise
      return await pass()
    })
    await using cold = await startTestStack(lake, {
      LAKE_ICEBERG_REST_ENDPOINT: slow.url.href,
      LAKE_METRICS_ADDR: '127.0.0.1:0',
    })
    const metrics = async (): Promise<string> => await (await fetch(`${cold.metricsUrl}/metrics`)).text()
    const open = async (name: string): Promise<Response> =>
      await cold.client.request('GET', `/namespaces/analytics/tables/${name}`)
    const first = Array.from({ length: 64 }, async (_, index) => await open(`cold_${index}`))
    await expect.poll(() => arrived.length).toBe(LIMITS.catalogConnectionsMax)
    // What waits for a connection is being loaded too: all 64 are, as soon as the server has read their requests.
    await expect.poll(async () => (await open('one_more')).status).toBe(429)
    const refused = await open('yet_one_more')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    const equal = open('cold_0')
    await expect.poll(metrics).toContain('lake_snapshot_cache_total{outcome="shared"} 1')
    released.resolve(undefined)
    expect(new Set((await Promise.all([...first, equal])).map(({ status }) => status))).toEqual(
      new Set([404]),
    )
    expect(slow.tableCalls.filter((call) => call.includes('more'))).toEqual([])
    expect(slow.tableCalls).toHaveLength(64)
    expect((await open('yet_one_more')).status).toBe(404)
  })
})
