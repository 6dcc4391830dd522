// A table of very many data files in a local lake's folder: manifests and their list as a writer makes them, and no data file, since
// what is measured opens none.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Catalog, LAKE_BUCKET } from '../apps/local-lake/src/catalog/catalog.ts'
import { CatalogDatabase } from '../apps/local-lake/src/catalog/catalog-database.ts'
import { asObject, asString, parseJson } from '../apps/local-lake/src/catalog/json.ts'
import { commitSnapshot } from '../apps/local-lake/src/iceberg/commit-snapshot.ts'
import type { DataFile } from '../apps/local-lake/src/iceberg/manifest-files.ts'
import { encodeValue } from '../apps/local-lake/src/iceberg/single-value.ts'
import { ObjectFiles } from '../apps/local-lake/src/s3/object-files.ts'

export const MANY_FILES = { namespace: ['bench'], name: 'files' } as const
const FILES_PER_COMMIT = 1_000
const FIRST_DAY = 20_000
const FIRST_COMMIT_MS = Date.parse('2026-09-01T00:00:00Z')
const COLUMNS = ['id', 'device', 'day', 'ts', 'value', 'status', 'site', 'note'] as const
const TYPES = ['long', 'string', 'date', 'timestamptz', 'double', 'string', 'string', 'string'] as const

export async function makeManyFiles(dataFolder: string, fileCount: number): Promise<void> {
  const bucket = {
    name: LAKE_BUCKET,
    folder: join(dataFolder, 'objects', LAKE_BUCKET),
    isReadOnly: false,
    naming: 'escaped',
  } as const
  await mkdir(bucket.folder, { recursive: true })
  const objects = new ObjectFiles([bucket], join(dataFolder, 'scratch'))
  const db = new CatalogDatabase(join(dataFolder, 'catalog.sqlite'))
  const catalog = new Catalog(db, objects, Date.now)
  const { namespace, name } = MANY_FILES
  catalog.createNamespace(namespace, {})
  const fields = COLUMNS.map((column, index) => ({
    id: index + 1,
    name: column,
    required: false,
    type: TYPES[index] ?? 'string',
  }))
  const created = await catalog.createTable(
    namespace,
    name,
    {
      schema: { type: 'struct', fields },
      'partition-spec': { fields: [{ 'source-id': 3, transform: 'identity', name: 'day' }] },
    },
    FIRST_COMMIT_MS - 1,
  )
  const location = asString(asObject(parseJson(created.metadataText), 'metadata')['location'], 'location')
  for (let first = 0; first < fileCount; first += FILES_PER_COMMIT) {
    const count = Math.min(FILES_PER_COMMIT, fileCount - first)
    const added = Array.from({ length: count }, (_, index) => dataFile(location, first + index))
    const timestampMs = FIRST_COMMIT_MS + first * 1_000
    await commitSnapshot({ catalog, objects }, MANY_FILES, { operation: 'append', added, timestampMs })
  }
  db.close()
}

function dataFile(location: string, index: number): DataFile {
  const day = FIRST_DAY + Math.floor(index / 100)
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  const counts = (of: (id: number) => bigint) => COLUMNS.map((_, at) => ({ key: at + 1, value: of(at + 1) }))
  const bound = (text: string) => [
    { key: 1, value: encodeValue('long', String(index * 1_000)) },
    { key: 2, value: encodeValue('string', text) },
    { key: 7, value: encodeValue('string', text) },
  ]
  return {
    content: 0,
    file_path: `${location}/data/day=${day}/${String(index).padStart(6, '0')}-${mixed.toString(16).padStart(8, '0')}.parquet`,
    file_format: 'PARQUET',
    partition: { day },
    record_count: BigInt(1_000 + (mixed % 50_000)),
    file_size_in_bytes: BigInt(100_000 + (mixed % 90_000_000)),
    column_sizes: counts((id) => BigInt(10_000 + ((mixed >>> id) % 1_000_000))),
    value_counts: counts(() => BigInt(1_000 + (mixed % 50_000))),
    null_value_counts: counts((id) => BigInt((mixed >>> id) % 100)),
    nan_value_counts: null,
    lower_bounds: bound(`a${mixed.toString(16)}`),
    upper_bounds: bound(`z${mixed.toString(16)}`),
    key_metadata: null,
    split_offsets: [4n],
    equality_ids: null,
    sort_order_id: 0,
  }
}
