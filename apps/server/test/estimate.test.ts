// What running a statement would read, against what running it then reads.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { estimateResponse, type EstimateResponse } from '@lake/core/api/contract.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'
import { startCountingStore, type CountingStore } from './support/counting-store.ts'
import { readFailure } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let store: CountingStore
let stack: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.05'])
  store = await startCountingStore(lake.ready.s3Endpoint)
  stack = await startTestStack(lake, {
    LAKE_SCAN_BYTES_MAX: '1000000',
    LAKE_ICEBERG_S3_ENDPOINT: store.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
    LAKE_ICEBERG_S3_PATH_STYLE: 'true',
  })
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await store?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

const EPISODES = 'iceberg.analytics.episodes'

async function estimate(sql: string): Promise<EstimateResponse> {
  const response = await stack.client.request('POST', '/estimate', { sql })
  return estimateResponse.parse(await response.json())
}

async function receiptOf(sql: string): Promise<Receipt> {
  const { receipt } = await stack.client.query(sql)
  if (!receipt) throw new Error('the statement failed')
  return receipt
}

it.each([
  `SELECT robot_id, avg(reward) FROM ${EPISODES} WHERE day >= DATE '2026-09-20' GROUP BY 1`,
  `SELECT steps FROM ${EPISODES} WHERE steps < 100000 AND lower(task) = 'x'`,
  `SELECT count(*) FROM ${EPISODES}`,
  `SELECT a.steps FROM ${EPISODES} a JOIN iceberg.analytics.robots b USING (robot_id) WHERE a.day = DATE '2026-09-20'`,
])('[ES1] tells the plan that the statement then has: %s', async (sql) => {
  const planned = await estimate(sql)
  const receipt = await receiptOf(sql)
  expect(planned.tables).toHaveLength(receipt.tables.length)
  planned.tables.forEach((table, index) => {
    const ran = receipt.tables[index]!
    expect(table.snapshotId).toBe(ran.snapshotId)
    expect(table.scan?.pruning).toEqual(ran.scan?.pruning)
    expect(table.scan?.filesPlanned).toBe(ran.scan?.filesPlanned)
    expect(ran.scan?.filesRead).toBe(table.scan?.isMetadataOnly === true ? 0 : table.scan?.filesPlanned)
    const skipped = ['manifests', 'partitions', 'metrics'] as const
    const { pruning, filesTotal, filesPlanned } = table.scan!
    expect(skipped.reduce((sum, level) => sum + pruning![level], filesPlanned)).toBe(filesTotal)
    // What is fetched beyond the needed columns are footers and gaps.
    if (table.scan?.isMetadataOnly === false) {
      expect(ran.scan!.bytesRead).toBeGreaterThanOrEqual(table.bytesNeeded)
    }
  })
})

it('[ES2] opens no data file', async () => {
  store.take()
  const { tables, bytesNeeded } = await estimate(`SELECT * FROM ${EPISODES} WHERE day = DATE '2026-09-20'`)
  const paths = store.take().map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((path) => path.endsWith('.parquet'))).toEqual([])
  expect(bytesNeeded).toBe(tables[0]?.columns.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0))
})

describe('[ES3] says of each filter what it excludes', () => {
  it('and why others exclude nothing', async () => {
    const sql = `SELECT steps FROM ${EPISODES} WHERE day >= DATE '2026-09-20' AND steps > -5
      AND lower(task) = 'success' AND steps > reward`
    const [table] = (await estimate(sql)).tables
    expect(table?.scan?.pruning).toEqual({
      manifests: expect.any(Number) as number,
      partitions: expect.any(Number) as number,
      metrics: 0,
      filters: [
        {
          text: "day >= '2026-09-20'",
          manifests: table?.scan?.pruning?.manifests,
          partitions: table?.scan?.pruning?.partitions,
          metrics: 0,
          withoutMetrics: 0,
        },
        { text: 'steps > -5', manifests: 0, partitions: 0, metrics: 0, withoutMetrics: 0 },
      ],
      unused: [
        { text: "lower(task) = 'success'", reason: 'function' },
        { text: expect.stringContaining('reward') as string, reason: 'columns' },
      ],
    })
    expect(table?.scan?.pruning?.manifests).toBeGreaterThan(0)
  })

  it('where a table is read twice and one reading wants every row', async () => {
    const sql = `SELECT a.steps FROM ${EPISODES} a, ${EPISODES} b
      WHERE a.robot_id = b.robot_id AND a.day = DATE '2026-09-20'`
    const [table] = (await estimate(sql)).tables
    expect(table?.scan?.pruning).toMatchObject({ filters: [], unused: [{ reason: 'several-scans' }] })
    expect(table?.unfilteredPartitionColumns).toEqual(['day'])
  })
})

it('[ES4] tells by its figures that a statement would be refused, and what makes it large', async () => {
  const { bytesNeeded, bytesMax, tables } = await estimate(`SELECT * FROM ${EPISODES}`)
  expect(bytesMax).toBe(1_000_000)
  expect(bytesNeeded).toBeGreaterThan(bytesMax)
  expect(await stack.client.outcome(`SELECT * FROM ${EPISODES}`)).toBe('SCAN_TOO_LARGE')
  const sizes = tables[0]?.columns.map(({ bytes }) => bytes ?? 0) ?? []
  expect(sizes).toEqual(sizes.toSorted((left, right) => right - left))
  expect(tables[0]?.unfilteredPartitionColumns).toEqual(['day'])
})

it('[ES4] knows the LIMIT that ends the reading', async () => {
  expect((await estimate(`SELECT steps FROM ${EPISODES} LIMIT 7`)).rowsLimit).toBe(7)
  expect((await estimate(`SELECT steps FROM ${EPISODES} ORDER BY 1 LIMIT 7`)).rowsLimit).toBeNull()
  // The first file is enough, so the statement that is refused as a whole is not.
  const { bytesNeeded, bytesMax } = await estimate(`SELECT * FROM ${EPISODES} LIMIT 7`)
  expect(bytesNeeded).toBeGreaterThan(0)
  expect(bytesNeeded).toBeLessThan(bytesMax)
  expect(await stack.client.outcome(`SELECT * FROM ${EPISODES} LIMIT 7`)).toBe('ok')
  expect(await stack.client.outcome(`SELECT * FROM ${EPISODES} WHERE steps > 0 LIMIT 7`)).toBe(
    'SCAN_TOO_LARGE',
  )
})

it('[ES1] refuses what planning the statement refuses', async () => {
  const response = await stack.client.request('POST', '/estimate', { sql: 'SELECT * FROM iceberg.secret.t' })
  expect(await readFailure(response)).toMatchObject({ status: 404, code: 'NO_SUCH_TABLE' })
})
