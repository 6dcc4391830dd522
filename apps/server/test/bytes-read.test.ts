// What a statement costs of object storage, by the store's own account: little more than the column chunks that it needs
// and the footers that say where they are. Sizes are exact, from the files themselves; nothing here is about time.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeParquetMetadata } from '../src/parquet/parquet-metadata.ts'
import { startCountingStore, type CountingStore, type StoreRead } from './support/counting-store.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let store: CountingStore
let stack: TestStack
let storeEnvironment: Record<string, string>

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.5'])
  store = await startCountingStore(lake.ready.s3Endpoint)
  storeEnvironment = {
    LAKE_ICEBERG_S3_ENDPOINT: store.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
    LAKE_ICEBERG_S3_PATH_STYLE: 'true',
  }
  stack = await startTestStack(lake, storeEnvironment)
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await store?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

const isData = ({ path }: StoreRead): boolean => path.endsWith('.parquet')

/** Exact sizes in the data file of an object: its footer with length and magic, and the chunks of some columns. */
function sizesOf(path: string, columns: readonly string[]): { footerBytes: number; chunkBytes: number } {
  const bytes = readFileSync(join(lake.directory, 'objects', path))
  const footerBytes = bytes.readUInt32LE(bytes.byteLength - 8) + 8
  const start = bytes.byteLength - footerBytes
  const metadata = decodeParquetMetadata(bytes.subarray(start, bytes.byteLength - 8), start)
  const leaves = metadata.columns.flatMap(({ name, leaf }) =>
    leaf && columns.includes(name) ? [leaf.index] : [],
  )
  expect(leaves).toHaveLength(columns.length)
  const chunks = metadata.rowGroups.flatMap((group) => leaves.map((leaf) => group.chunks[leaf]!))
  return { footerBytes, chunkBytes: chunks.reduce((sum, chunk) => sum + chunk.compressedBytes, 0) }
}

describe.each([
  { table: 'analytics.episodes', columns: ['reward', 'day'], day: '2026-09-20', filesMin: 2 },
  { table: 'analytics.telemetry', columns: ['arm_036_count', 'day'], day: '2026-09-20', filesMin: 1 },
])('a narrow column of one day of $table', ({ table, columns, day, filesMin }) => {
  const sql = `SELECT sum(${columns[0]}) FROM iceberg.${table} WHERE day = DATE '${day}'`

  // The first statement guesses the footers of the table, the second has learned them.
  it.each(['first', 'second'])(
    '[RB1] [RB2] costs little more than its column chunks the %s time',
    async () => {
      store.take()
      const { receipt } = await stack.client.query(sql)
      const scan = receipt?.tables[0]?.scan
      const reads = store.take().filter(isData)
      const files = [...new Set(reads.map(({ path }) => path))]
      expect(files.length).toBeGreaterThanOrEqual(filesMin)
      expect(files).toHaveLength(scan?.filesPlanned ?? -1)
      const sizes = files.map((path) => sizesOf(path, columns))
      const neededBytes = sizes.reduce((sum, { chunkBytes }) => sum + chunkBytes, 0)
      const footerBytes = sizes.reduce((sum, size) => sum + size.footerBytes, 0)
      const bytes = reads.reduce((sum, read) => sum + read.bytes, 0)
      expect(neededBytes).toBeGreaterThan(0)
      expect(bytes).toBeGreaterThanOrEqual(neededBytes + footerBytes)
      expect(bytes).toBeLessThanOrEqual(1.15 * neededBytes + footerBytes)
      // The receipt says the same as the store.
      expect(scan).toMatchObject({ bytesRead: bytes, requests: reads.length })
    },
  )
})

it('[RB3] costs no request when it was read before', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chunks-'))
  try {
    await using cached = await startTestStack(lake, { ...storeEnvironment, LAKE_CACHE_DIR: directory })
    const days = (count: number): string =>
      `SELECT sum(reward) FROM iceberg.analytics.episodes WHERE day > DATE '2026-09-30' - ${count}`
    const first = await cached.client.query(days(9))
    const whole = first.receipt?.tables[0]?.scan
    expect(whole?.requests).toBeGreaterThan(whole?.filesRead ?? 0)
    await expect
      .poll(async () => (await cached.client.query(days(9))).receipt?.tables[0]?.scan?.requests)
      .toBe(0)
    store.take()
    const { receipt } = await cached.client.query(days(4))
    expect(receipt?.tables[0]?.scan).toMatchObject({ requests: 0 })
    expect(receipt?.tables[0]?.scan?.bytesRead).toBeGreaterThan(0)
    expect(store.take().filter(isData)).toEqual([])
  } finally {
    await rm(directory, { recursive: true })
  }
})

it('[QR5] a count opens no data file', async () => {
  store.take()
  await stack.client.query('SELECT count(*) FROM iceberg.analytics.episodes')
  const reads = store.take()
  expect(reads.filter(isData)).toEqual([])
  expect(reads.length).toBeGreaterThan(0)
})
