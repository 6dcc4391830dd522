// The demo tables as readers meet them: history, metrics against the data itself, starting again, appends that go on.
import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Catalog, LAKE_BUCKET, toKey } from '../src/catalog/catalog.ts'
import { CatalogDatabase } from '../src/catalog/catalog-database.ts'
import { asLong, asObject, asObjects, asString, parseJson } from '../src/catalog/json.ts'
import type { JsonObject } from '../src/catalog/json.ts'
import { appendEpisodes } from '../src/demo/commit-regularly.ts'
import { createDemoTables } from '../src/demo/demo-tables.ts'
import { readLiveEntries, readManifestList } from '../src/iceberg/manifest-files.ts'
import type { DataFile } from '../src/iceberg/manifest-files.ts'
import { ParquetWriter } from '../src/iceberg/parquet-writer.ts'
import { leafColumns } from '../src/iceberg/schema-fields.ts'
import type { FieldJson } from '../src/iceberg/schema-fields.ts'
import { encodeValue } from '../src/iceberg/single-value.ts'
import { ObjectFiles } from '../src/s3/object-files.ts'

const SCALE = 0.01
let folder: string
let db: CatalogDatabase
let objects: ObjectFiles
let catalog: Catalog
let duckdb: DuckDBConnection

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-lake-demo-'))
  db = new CatalogDatabase(join(folder, 'catalog.sqlite'))
  const bucket = {
    name: LAKE_BUCKET,
    folder: join(folder, 'lake'),
    isReadOnly: false,
    naming: 'escaped',
  } as const
  objects = new ObjectFiles([bucket], join(folder, 'scratch'))
  catalog = new Catalog(db, objects, Date.now)
  await createDemoTables(catalog, objects, { scale: SCALE, log: () => {} })
  duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  await duckdb.run("SET TimeZone = 'UTC'")
})
afterAll(async () => {
  duckdb.closeSync()
  db.close()
  await rm(folder, { recursive: true })
})

const rows = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await duckdb.runAndReadAll(sql)).getRowObjectsJson()

async function metadataOf(namespace: string, name: string): Promise<JsonObject> {
  return asObject(parseJson((await catalog.loadTable([namespace], name)).metadataText), 'metadata')
}

async function filesOf(snapshot: JsonObject): Promise<DataFile[]> {
  const files: DataFile[] = []
  for (const manifest of await readManifestList(
    objects,
    asString(snapshot['manifest-list'], 'manifest-list'),
  ))
    files.push(...(await readLiveEntries(objects, manifest)).map((entry) => entry.data_file))
  return files
}

const paths = (files: readonly DataFile[]): string =>
  `[${files.map((file) => `'${objects.path(LAKE_BUCKET, toKey(file.file_path))}'`).join(', ')}]`

describe('analytics.episodes', () => {
  it('has a history of appends, a new column, position deletes and their repair', async () => {
    const metadata = await metadataOf('analytics', 'episodes')
    const snapshots = asObjects(metadata['snapshots'], 'snapshots')
    const operations = snapshots.map((snapshot) => (snapshot['summary'] as JsonObject)['operation'])
    expect(operations).toEqual(['append', 'append', 'append', 'append', 'delete', 'overwrite', 'append'])
    expect(snapshots.map((snapshot) => snapshot['schema-id'])).toEqual([0, 0, 0, 1, 1, 1, 1])
    const times = snapshots.map((snapshot) => Number(snapshot['timestamp-ms']))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(Math.max(...times, Number(metadata['last-updated-ms']))).toBeLessThan(Date.now())
    expect(metadata['properties']).not.toHaveProperty('lake.demo-in-progress')
  })

  it('has 20,000 rows in over 100 files and no live delete file, and 6 delete positions a file before', async () => {
    const metadata = await metadataOf('analytics', 'episodes')
    const snapshots = asObjects(metadata['snapshots'], 'snapshots')
    const current = await filesOf(snapshots.at(-1)!)
    expect(current.length).toBeGreaterThanOrEqual(100)
    expect(current.every((file) => file.content === 0)).toBe(true)
    const [counted] = await rows(
      `SELECT count(*) AS n, count(DISTINCT episode_id) AS ids FROM read_parquet(${paths(current)}, union_by_name = true)`,
    )
    expect(counted).toEqual({ n: '20000', ids: '20000' })
    const before = await filesOf(snapshots[4]!)
    const deletes = before.filter((file) => file.content === 1)
    expect(deletes).toHaveLength(3)
    const [matched] = await rows(`
      SELECT count(*) AS n FROM read_parquet(${paths(deletes)}) d
      JOIN (SELECT regexp_extract(filename, '/data/.*') AS tail, file_row_number AS pos FROM
        read_parquet(${paths(before.filter((file) => file.content === 0))}, union_by_name = true, filename = true,
        file_row_number = true)) f
      ON d.pos = f.pos AND regexp_extract(d.file_path, '/data/.*') = f.tail`)
    const deleted = deletes.reduce((sum, file) => sum + file.record_count, 0n)
    expect(matched).toEqual({ n: String(deleted) })
    const summary = snapshots[5]!['summary'] as JsonObject
    expect(summary['total-records']).toBe(String(20_000n - deleted))
    expect(summary['total-delete-files']).toBe('0')
  })

  it('gives every data file the sequence number of the snapshot that added it', async () => {
    const metadata = await metadataOf('analytics', 'episodes')
    const sequences = new Map(
      asObjects(metadata['snapshots'], 'snapshots').map((snapshot) => [
        asLong(snapshot['snapshot-id'], 'id'),
        asLong(snapshot['sequence-number'], 'sequence'),
      ]),
    )
    const last = asObjects(metadata['snapshots'], 'snapshots').at(-1)!
    const list = asString(last['manifest-list'], 'manifest-list')
    for (const manifest of await readManifestList(objects, list))
      for (const entry of await readLiveEntries(objects, manifest))
        expect(entry.sequence_number).toBe(sequences.get(entry.snapshot_id!))
  })
})

describe('analytics.maintenance', () => {
  it('has a schema, partitions and an order that changed, a tag, a branch and sketches', async () => {
    const metadata = await metadataOf('analytics', 'maintenance')
    const snapshots = asObjects(metadata['snapshots'], 'snapshots')
    expect(snapshots.map((snapshot) => snapshot['schema-id'])).toEqual([0, 0, 1, 1, 2, 2, 2, 2])
    expect([metadata['default-spec-id'], metadata['default-sort-order-id']]).toEqual([2, 2])
    expect(metadata['last-partition-id']).toBe(1_002)
    const [tagged, current, late] = snapshots.slice(-3).map((snapshot) => snapshot['snapshot-id'])
    expect(metadata['current-snapshot-id']).toBe(current)
    expect(metadata['refs']).toEqual({
      main: { 'snapshot-id': current, type: 'branch' },
      'q3-close': { 'snapshot-id': tagged, type: 'tag' },
      'late-entries': { 'snapshot-id': late, type: 'branch' },
    })
    expect(snapshots.at(-1)?.['parent-snapshot-id']).toBe(current)
    const [statistics] = asObjects(metadata['statistics'], 'statistics')
    expect(statistics?.['snapshot-id']).toBe(tagged)
    const blobs = asObjects(statistics?.['blob-metadata'], 'blobs')
    expect(blobs.map((blob) => [blob['fields'], blob['properties']])).toEqual([
      [[1], { ndv: '5221' }],
      [[2], { ndv: '500' }],
      [[4], { ndv: '8' }],
      [[9], { ndv: '3' }],
    ])
  })

  it('has rows in the partitions and the order that its files claim', async () => {
    const metadata = await metadataOf('analytics', 'maintenance')
    const tagged = asObjects(metadata['snapshots'], 'snapshots').at(-3)!
    const files = await filesOf(tagged)
    expect(files.map((file) => file.sort_order_id)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0])
    const [counted] = await rows(
      `SELECT count(*) AS n, count(DISTINCT visit_id) AS ids FROM read_parquet(${paths(files)}, union_by_name = true)`,
    )
    expect(counted).toEqual({ n: '5200', ids: '5200' })
    const robots = new Map<string, number | null>()
    for (const file of files.filter(({ sort_order_id: order }) => order === 2)) {
      const inFile =
        await rows(`SELECT robot_id, opened_at::VARCHAR AS at, datediff('day', DATE '1970-01-01', opened_at::DATE) AS day
        FROM read_parquet(${paths([file])}, file_row_number = true) ORDER BY file_row_number`)
      expect(new Set(inFile.map(({ day }) => Number(day)))).toEqual(
        new Set([file.partition['opened_at_day']]),
      )
      const keys = inFile.map((row) => `${String(row['robot_id'])} ${String(row['at'])}`)
      const robotIds = keys.map((key) => key.slice(0, 6))
      expect(robotIds).toEqual(robotIds.toSorted())
      for (const [index, key] of keys.entries())
        if (robotIds[index + 1] === robotIds[index]) expect(key > keys[index + 1]!).toBe(true)
      const bucket = file.partition['robot_id_bucket'] ?? null
      for (const id of robotIds) expect([id, robots.get(id) ?? bucket]).toEqual([id, bucket])
      for (const id of robotIds) robots.set(id, bucket)
    }
  })
})

describe('metrics', () => {
  it.each([
    ['analytics', 'robots'],
    ['analytics', 'episodes'],
    ['analytics', 'telemetry'],
    ['models', 'runs'],
  ])('of %s.%s agree with the data', async (namespace, name) => {
    const metadata = await metadataOf(namespace, name)
    const fields = asObjects(metadata['schemas'], 'schemas').at(-1)!['fields'] as unknown as FieldJson[]
    const files = await filesOf(asObjects(metadata['snapshots'], 'snapshots').at(-1)!)
    for (const file of [files[0]!, files.at(-1)!]) await checkFile(file, fields)
  })

  it('of analytics.maintenance agree with the data, in each schema that files were written with', async () => {
    const metadata = await metadataOf('analytics', 'maintenance')
    const schemas = asObjects(metadata['schemas'], 'schemas')
    const files = await filesOf(asObjects(metadata['snapshots'], 'snapshots').at(-3)!)
    for (const version of [0, 1, 2]) {
      const file = files.find(({ sort_order_id: order }) => order === version)!
      await checkFile(file, schemas[version]!['fields'] as unknown as FieldJson[])
    }
  })

  async function checkFile(file: DataFile, fields: readonly FieldJson[]): Promise<void> {
    const own = paths([file])
    const [total] = await rows(`SELECT count(*) AS n FROM read_parquet(${own})`)
    expect(String(file.record_count)).toBe(total?.['n'])
    const [groups] = await rows(`SELECT count(DISTINCT row_group_id) AS n FROM parquet_metadata(${own})`)
    expect(String(file.split_offsets?.length)).toBe(groups?.['n'])
    for (const [path, leaf] of leafColumns(fields)) {
      const nulls = file.null_value_counts?.find(({ key }) => key === leaf.id)?.value
      if (leaf.isRepeated) expect(nulls).toBeUndefined()
      if (nulls === undefined) continue
      const isFloat = leaf.type === 'double' || leaf.type === 'float'
      const real = isFloat ? `CASE WHEN NOT isnan(${path}) THEN ${path} END` : path
      const nan = isFloat ? `count(*) FILTER (isnan(${path}))` : '0'
      const text =
        leaf.type === 'binary' ? (sql: string) => `hex(${sql})` : (sql: string) => `(${sql})::VARCHAR`
      const [row] = await rows(`SELECT count(*) - count(${path}) AS nulls, ${nan} AS nans,
        ${text(`min(${real})`)} AS low, ${text(`max(${real})`)} AS high FROM read_parquet(${own})`)
      expect([leaf, String(nulls)]).toEqual([leaf, row?.['nulls']])
      if (isFloat)
        expect(String(file.nan_value_counts?.find(({ key }) => key === leaf.id)?.value)).toBe(
          String(row?.['nans']),
        )
      const [low, high] = [file.lower_bounds, file.upper_bounds].map(
        (bounds) => bounds?.find(({ key }) => key === leaf.id)?.value,
      )
      if (row?.['low'] === null) {
        expect(low).toBeUndefined()
        continue
      }
      const [lowText, highText] = [row?.['low'] as string, row?.['high'] as string]
      if (leaf.type === 'string' || leaf.type === 'binary') {
        const encoding = leaf.type === 'string' ? 'utf8' : 'hex'
        expect(Buffer.compare(low!, Buffer.from(lowText, encoding))).toBeLessThanOrEqual(0)
        expect(Buffer.compare(high!, Buffer.from(highText, encoding))).toBeGreaterThanOrEqual(0)
      } else {
        expect([leaf, low]).toEqual([leaf, encodeValue(leaf.type, lowText)])
        expect([leaf, high]).toEqual([leaf, encodeValue(leaf.type, highText)])
      }
    }
  }
})

it('makes only what is absent or half made, and leaves the rest alone', async () => {
  const untouched = (await catalog.loadTable(['analytics'], 'robots')).metadataLocation
  await catalog.dropTable(['models'], 'runs', true)
  await catalog.commitTable(['analytics'], 'telemetry', {
    requirements: [],
    updates: [{ action: 'set-properties', updates: { 'lake.demo-in-progress': 'true' } }],
  })
  const halfMade = (await metadataOf('analytics', 'telemetry'))['table-uuid']
  await createDemoTables(catalog, objects, { scale: SCALE, log: () => {} })
  expect((await catalog.loadTable(['analytics'], 'robots')).metadataLocation).toBe(untouched)
  expect(catalog.listTables(['models'])).toEqual(['runs'])
  expect((await metadataOf('analytics', 'telemetry'))['table-uuid']).not.toBe(halfMade)
})

it('appends rows of the day again and again, also when another commit comes between', async () => {
  const writer = await ParquetWriter.open(objects)
  const count = async (): Promise<number> =>
    Number(
      (
        asObjects((await metadataOf('analytics', 'episodes'))['snapshots'], 'snapshots').at(-1)![
          'summary'
        ] as JsonObject
      )['total-records'],
    )
  const before = await count()
  await appendEpisodes({ catalog, objects }, writer, Date.now())
  await Promise.all([1, 2].map((n) => appendEpisodes({ catalog, objects }, writer, Date.now() + n)))
  expect(await count()).toBe(before + 75)
  writer.close()
})
