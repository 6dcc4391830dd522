// What a statement costs of object storage, by the store's own account: little more than the column chunks that it needs
// and the footers that say where they are. Sizes are exact, from the files themselves; nothing here is about time.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeParquetMetadata, type ParquetMetadata } from '../src/parquet/parquet-metadata.ts'
import { startCountingStore, type CountingStore, type StoreRead } from './support/counting-store.ts'
import { readResult, type StreamedResult } from './support/test-client.ts'
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

/** The data file of an object: its metadata, and the size of its footer with length and magic. */
function readDataFile(path: string): { footerBytes: number; metadata: ParquetMetadata } {
  const bytes = readFileSync(join(lake.directory, 'objects', path))
  const footerBytes = bytes.readUInt32LE(bytes.byteLength - 8) + 8
  const start = bytes.byteLength - footerBytes
  return { footerBytes, metadata: decodeParquetMetadata(bytes.subarray(start, bytes.byteLength - 8), start) }
}

/** Exact sizes in a data file: its footer, and the chunks of some columns. */
function sizesOf(path: string, columns: readonly string[]): { footerBytes: number; chunkBytes: number } {
  const { footerBytes, metadata } = readDataFile(path)
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

/** Texts of the first column. */
const firstColumn = ({ batches }: StreamedResult): string[] =>
  batches.flatMap((batch) => [...(batch.getChildAt(0) ?? [])].map(String))

async function preview(sql: string): Promise<StreamedResult> {
  const info = await stack.client.flightInfo(sql)
  if ('status' in info) throw new Error(info.message)
  const body = { ticket: info.ticket, isPreview: true }
  return await readResult(await stack.client.request('POST', '/do-get', body))
}

/** Snapshots of episodes by operation: a delete leaves position deletes that a later one takes away. */
async function snapshotThat(operation: string): Promise<string> {
  const result = await stack.client.query(
    `SELECT snapshot_id::VARCHAR FROM iceberg.analytics.episodes$snapshots WHERE operation = '${operation}'`,
  )
  return firstColumn(result)[0] ?? ''
}

describe('a preview', () => {
  it.each(['analytics.episodes', 'analytics.telemetry', 'analytics.robots', 'models.runs'])(
    '[PV1] of %s reads one row group of one file',
    async (table) => {
      store.take()
      const result = await preview(`SELECT * FROM iceberg.${table}`)
      const reads = store.take().filter(isData)
      const [path = '', ...others] = new Set(reads.map((read) => read.path))
      expect(others).toEqual([])
      const { footerBytes, metadata } = readDataFile(path)
      const [group] = metadata.rowGroups
      const groupBytes = group!.chunks.reduce((sum, chunk) => sum + chunk.compressedBytes, 0)
      const bytes = reads.reduce((sum, read) => sum + read.bytes, 0)
      expect(bytes).toBeGreaterThanOrEqual(groupBytes + footerBytes)
      expect(bytes).toBeLessThanOrEqual(1.15 * (groupBytes + footerBytes) + 8)
      expect(result.rowCount).toBe(group!.rowCount)
      expect(result.receipt).toMatchObject({
        isPreview: true,
        rowCount: group!.rowCount,
        tables: [
          {
            scan: {
              filesRead: 1,
              rowGroupsRead: 1,
              rowGroupsTotal: metadata.rowGroups.length,
              bytesRead: bytes,
            },
          },
        ],
      })
    },
  )

  it('[PV1] leaves out what is deleted, and ends at its LIMIT', async () => {
    const id = await snapshotThat('delete')
    // A day that lost rows.
    const where = `AT (VERSION => ${id}) WHERE day = DATE '2026-08-11'`
    const result = await preview(`SELECT episode_id, _file FROM iceberg.analytics.episodes ${where}`)
    expect(result.receipt?.tables[0]?.scan).toMatchObject({ rowGroupsRead: 1, deleteFilesRead: 1 })
    const file = String(result.batches[0]?.getChildAt(1)?.get(0))
    const rows = `SELECT episode_id FROM iceberg.analytics.episodes ${where} AND _file = '${file}' AND _pos < 8192`
    const expected = await stack.client.query(rows)
    expect(expected.rowCount).toBeGreaterThan(0)
    expect(expected.rowCount).toBeLessThan(8_192)
    expect(firstColumn(result)).toEqual(firstColumn(expected))
    expect((await preview('SELECT * FROM iceberg.analytics.episodes LIMIT 7')).rowCount).toBe(7)
  })

  it('[PV2] is of a statement that reads one table row by row', async () => {
    const info = await stack.client.flightInfo('SELECT count(reward) FROM iceberg.analytics.episodes')
    const { ticket } = info as { ticket: string }
    const answer = await stack.client.request('POST', '/do-get', { ticket, isPreview: true })
    expect(answer.status).toBe(400)
  })
})

it('[QR4] a LIMIT without a filter ends the reading at the row group that fills it', async () => {
  const table = 'iceberg.analytics.telemetry'
  const scanOf = async (sql: string) => (await stack.client.query(sql)).receipt?.tables[0]?.scan
  const one = await scanOf(`SELECT day FROM ${table} LIMIT 2048`)
  expect(one).toMatchObject({ filesRead: 1, rowGroupsRead: 1 })
  expect(one?.rowGroupsTotal).toBeGreaterThan(2)
  expect(await scanOf(`SELECT day FROM ${table} LIMIT 2049`)).toMatchObject({ rowGroupsRead: 2 })
  // How many rows a filter lets through is not known before.
  const filtered = await scanOf(`SELECT day FROM ${table} WHERE day > DATE '2020-01-01' LIMIT 100`)
  expect(filtered?.rowGroupsRead).toBe(filtered?.rowGroupsTotal)
  // Over several files: each row once.
  const rows = 'SELECT run_id FROM iceberg.models.runs LIMIT 9000'
  expect(new Set(firstColumn(await stack.client.query(rows))).size).toBe(9_000)
})
