// What a table's page says of files, manifests and columns, against what SQL says of the same snapshot: over its metadata
// tables, and over its rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  PAGE_ROWS_MAX,
  tableFilesResponse,
  tableManifestsResponse,
  tableStatisticsResponse,
  type ColumnStatistics,
  type TableFilesResponse,
} from '@lake/core/api/table-contents.ts'
import type { TableResponse } from '@lake/core/api/contract.ts'
import { startCountingStore, type CountingStore } from './support/counting-store.ts'
import { readFailure } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const EPISODES = 'analytics/tables/episodes'
const T = 'iceberg.analytics.episodes'

let lake: TestLake
let store: CountingStore
let stack: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.02'])
  store = await startCountingStore(lake.ready.s3Endpoint)
  stack = await startTestStack(lake, {
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

const ask = async (path: string): Promise<Response> =>
  await stack.client.request('GET', `/namespaces/${path}`)
const files = async (query: string): Promise<TableFilesResponse> =>
  tableFilesResponse.parse(await (await ask(`${EPISODES}/files?${query}`)).json())
const manifests = async (query: string) =>
  tableManifestsResponse.parse(await (await ask(`${EPISODES}/manifests?${query}`)).json())
const statistics = async (table: string, query = '') =>
  tableStatisticsResponse.parse(await (await ask(`${table}/statistics${query}`)).json())

/** Rows of a statement as texts in the engine's spelling. */
async function rows(sql: string): Promise<(string | null)[][]> {
  const { batches, failure } = await stack.client.query(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`)
  expect(failure).toBeUndefined()
  return batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_row, row) =>
      batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(row) as string | null),
    ),
  )
}

async function snapshotThat(operation: string): Promise<string> {
  const page = (await (await ask(EPISODES)).json()) as TableResponse
  const found = page.snapshots.find((snapshot) => snapshot.operation === operation)
  return found?.snapshotId ?? 'none'
}

describe('[TC1] files', () => {
  it('are those of the metadata table, page by page, in one order', async () => {
    const expected = await rows(
      `SELECT file_path, record_count, file_size_in_bytes FROM ${T}$files ORDER BY file_path`,
    )
    const pages = await Promise.all(
      [0, 50, 100, 150].map(async (offset) => await files(`offset=${offset}&limit=50`)),
    )
    const found = pages.flatMap((page) => page.files)
    expect(found.map(({ path, recordCount, bytes }) => [path, `${recordCount}`, `${bytes}`])).toEqual(
      expected,
    )
    const sum = (column: number) => expected.reduce((total, row) => total + Number(row[column]), 0)
    expect(pages[3]).toMatchObject({
      rowCount: expected.length,
      dataFileCount: expected.length,
      deleteFileCount: 0,
      recordCount: sum(1),
      bytes: sum(2),
      files: [],
    })
    expect(pages[0]?.table).toMatchObject({ isCurrent: true, scan: { isMetadataOnly: true } })
  })

  it.each([
    ['rows', 'record_count'],
    ['bytes', 'file_size_in_bytes'],
    ['partition', 'partition.day'],
    ['path', 'file_path'],
  ])('are sorted by %s, either way, equal ones by path', async (sort, column) => {
    for (const order of ['asc', 'desc']) {
      const expected = await rows(`SELECT file_path FROM ${T}$files ORDER BY ${column} ${order}, file_path`)
      const { files: found } = await files(`sort=${sort}&order=${order}&limit=${PAGE_ROWS_MAX}`)
      expect(found.map(({ path }) => path)).toEqual(expected.flat())
    }
  })

  it('are sorted by the commit that added them', async () => {
    const { files: found } = await files(`sort=sequence&order=desc&limit=${PAGE_ROWS_MAX}`)
    const numbers = found.map(({ sequenceNumber }) => Number(sequenceNumber))
    expect(numbers).toEqual(numbers.toSorted((left, right) => right - left))
    expect(new Set(numbers).size).toBeGreaterThan(2)
  })

  it('are found by path or partition, and by what they hold', async () => {
    const { rowCount, files: found } = await files('find=DAY%20%3D%202026-09-2&limit=3')
    expect(found[0]?.partition).toBe('day = 2026-09-20')
    expect(rowCount).toBe(20)
    expect(found).toHaveLength(3)
    const snapshot = await snapshotThat('delete')
    const deletes = await files(`snapshot=${snapshot}&content=deletes`)
    const expected = await rows(
      `SELECT file_path, record_count FROM ${T}$delete_files AT (VERSION => ${snapshot}) ORDER BY 1`,
    )
    expect(deletes.files.map(({ path, recordCount }) => [path, String(recordCount)])).toEqual(expected)
    expect(deletes).toMatchObject({ dataFileCount: 0, deleteFileCount: expected.length, recordCount: 0 })
    expect(deletes.files[0]?.content).toBe('position-deletes')
    expect(deletes.table).toMatchObject({ snapshotId: snapshot, isCurrent: false })
  })
})

it('[TC1] manifests are those of the metadata table', async () => {
  const expected = await rows(`SELECT path, length, added_data_files_count FROM ${T}$manifests`)
  const { manifests: found, rowCount } = await manifests('')
  expect(found.map(({ path, bytes, addedFiles }) => [path, `${bytes}`, `${addedFiles}`])).toEqual(expected)
  expect(rowCount).toBe(expected.length)
  expect(found.some(({ partitions }) => /^day: 2026-08-\d\d to 2026-0\d-\d\d$/.test(partitions ?? ''))).toBe(
    true,
  )
  const bySize = (await manifests('sort=bytes&order=desc')).manifests.map(({ bytes }) => bytes)
  expect(bySize).toEqual(bySize.toSorted((left, right) => right - left))
})

const NAN_COLUMNS = ['reward', 'final_loss']
/** The engine leaves out zeros at the end of a second. */
const asText = (sql: string, column: string): string =>
  column === 'started_at' ? `strftime(${sql}, '%Y-%m-%d %H:%M:%S.%f+00')` : sql

describe('[TC2] statistics of columns', () => {
  const byName = (columns: readonly ColumnStatistics[]) =>
    new Map(columns.map((column) => [column.name, column]))

  it.each([
    [EPISODES, T, ['episode_id', 'day', 'started_at', 'reward', 'success', 'steps', 'distance_m']],
    [
      'models/tables/runs',
      'iceberg.models.runs',
      ['run_id', 'started_at', 'config.layers', 'final_loss', 'seed', 'cost'],
    ],
  ])('of %s are what its rows say', async (path, table, columns) => {
    const { columns: found, ...totals } = await statistics(path)
    const leaves = byName(found)
    expect(totals).toMatchObject({
      recordCount: Number((await rows(`SELECT count(*) FROM ${table}`))[0]?.[0]),
      isTruncated: false,
      deletes: { positionFileCount: 0, vectorCount: 0, positionCount: 0, equalityFileCount: 0 },
    })
    const facts = columns.flatMap((column) => {
      const real = NAN_COLUMNS.includes(column) ? `nullif(${column}, 'nan')` : column
      return [
        `count(*) - count(${column})`,
        `count(${column}) - count(${real})`,
        ...['min', 'max'].map((bound) => asText(`${bound}(${real})`, column)),
      ]
    })
    const [row = []] = await rows(`SELECT ${facts.join(', ')} FROM ${table}`)
    columns.forEach((column, index) => {
      const leaf = leaves.get(column)
      const told = [leaf?.nulls.count, leaf?.nans?.count ?? 0, leaf?.lower?.text, leaf?.upper?.text]
      expect([column, ...told.map(String)]).toEqual([column, ...row.slice(index * 4, index * 4 + 4)])
      expect(leaf).toMatchObject({
        values: { fileCount: totals.dataFileCount },
        lower: { mayBeCut: false, fileCount: totals.dataFileCount },
      })
    })
  })

  it('say that text may be cut, and of how many files a figure is', async () => {
    const found = byName((await statistics(EPISODES)).columns)
    expect(found.get('robot_id')?.lower).toMatchObject({ mayBeCut: false })
    // Added in the middle of September: files from before do not have it.
    const { values, nans, distinct } = found.get('operator')!
    expect(values.fileCount).toBeGreaterThan(0)
    expect(values.fileCount).toBeLessThan((await statistics(EPISODES)).dataFileCount)
    expect([nans, distinct]).toEqual([null, null])
    // Elements of lists are counted, not rows.
    const runs = byName((await statistics('models/tables/runs')).columns)
    expect([...runs.keys()]).toContain('metrics.element.loss')
    // 32 bytes, of which 16 are kept.
    expect(runs.get('checkpoint')?.upper).toMatchObject({ mayBeCut: true })
  })

  it('count the deletes that make them inexact', async () => {
    const snapshot = await snapshotThat('delete')
    const found = await statistics(EPISODES, `?snapshot=${snapshot}`)
    const [row] = await rows(
      `SELECT count(*), sum(record_count) FROM ${T}$delete_files AT (VERSION => ${snapshot})`,
    )
    expect([found.deletes.positionFileCount, found.deletes.positionCount].map(String)).toEqual(row)
    expect(found.table.snapshotId).toBe(snapshot)
  })
})

it('[TC3] reads manifests once for a snapshot, and no data file', async () => {
  await statistics(EPISODES)
  await files('limit=1')
  store.take()
  await Promise.all([
    files('limit=1&sort=bytes'),
    files('offset=100'),
    statistics(EPISODES),
    manifests('sort=files'),
  ])
  expect(store.take().filter(({ path }) => path.endsWith('.parquet') || path.endsWith('.avro'))).toEqual([])
  // Another snapshot is another list.
  const snapshot = await snapshotThat('delete')
  await statistics(EPISODES, `?snapshot=${snapshot}`)
  await statistics('analytics/tables/robots')
  const paths = store.take().map(({ path }) => path)
  expect(paths.some((path) => path.endsWith('.avro'))).toBe(true)
  expect(paths.filter((path) => path.endsWith('.parquet'))).toEqual([])
})

it.each([
  ['files?limit=501', 400, 'INVALID_REQUEST'],
  ['files?limit=0', 400, 'INVALID_REQUEST'],
  ['files?offset=-1', 400, 'INVALID_REQUEST'],
  ['files?sort=colour', 400, 'INVALID_REQUEST'],
  ['files?sort=path&sort=rows', 400, 'INVALID_REQUEST'],
  ['files?find[a]=b', 400, 'INVALID_REQUEST'],
  ['files?colour=red', 400, 'INVALID_REQUEST'],
  ['manifests?snapshot=99999999999999999999', 400, 'INVALID_REQUEST'],
  ['manifests?snapshot=9223372036854775808', 404, 'NO_SUCH_SNAPSHOT'],
  ['statistics?snapshot=1', 404, 'NO_SUCH_SNAPSHOT'],
  ['statistics?limit=1', 400, 'INVALID_REQUEST'],
])('[TC1] refuses %s', async (query, status, code) => {
  expect(await readFailure(await ask(`${EPISODES}/${query}`))).toMatchObject({ status, code })
})
