// Reads a metadata table and writes its rows as JSON lines for the engine.
// It reads metadata only, a few manifests at a time, and never holds all rows: they go to the engine's scratch disk.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { assert, assertNever } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import type { ManifestEntry, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import type { ScanView } from '../../engine/engine.ts'
import { LIMITS } from '../../limits.ts'
import { readManifest, type ManifestSource } from '../../metadata/manifest-reader.ts'
import { createFileRows, createPartitionSums, manifestRows } from './file-rows.ts'
import { jsonType, toJson } from './json-values.ts'
import { historyRows, refRows, snapshotRows, type MetadataRow } from './metadata-rows.ts'
import { withDroppedColumns } from './partition-struct.ts'
import type { MetadataScan, PinnedMetadataTable } from './plan-metadata-scan.ts'

const METRICS_COLUMNS: ReadonlySet<string> = new Set([
  'column_sizes',
  'value_counts',
  'null_value_counts',
  'nan_value_counts',
  'lower_bounds',
  'upper_bounds',
  'data_file',
  'readable_metrics',
])

/**
 * Writes the needed columns of all rows.
 * @param path where to; in the folder that the engine may read
 * @throws AppError SCAN_TOO_LARGE, and what `planMetadataScan` throws
 */
export async function writeMetadataRows(
  pinned: PinnedMetadataTable,
  options: {
    readonly scan: MetadataScan
    readonly columnIndexes: ReadonlySet<number>
    readonly source: ManifestSource
    readonly directory: string
    readonly fileName: string
  },
  signal: AbortSignal,
): Promise<ScanView> {
  const { columnIndexes } = options
  const columns = [...columnIndexes].map((index) => {
    const column = pinned.schema.fields[index]
    assert(column !== undefined, 'a needed column is one of the table')
    return { index, ...column }
  })
  const view = { table: pinned.engineTable, columnIndexes }
  const names = new Set(columns.map(({ name }) => name))
  const rows = readRows(pinned, { ...options, names }, signal)
  if (columns.length === 0) return { ...view, source: { kind: 'rows', rowCount: await count(rows) } }
  const path = join(options.directory, options.fileName)
  const lineOf = (row: MetadataRow): string =>
    `{${columns.map(({ index, name, type }) => `"c${index}":${toJson(type, row(name))}`).join(',')}}\n`
  await pipeline(Readable.from(boundedLines(rows, lineOf)), createWriteStream(path), { signal })
  const jsonTypes = new Map(columns.map(({ index, type }) => [index, jsonType(type)]))
  return { ...view, source: { kind: 'json', path, jsonTypes } }
}

async function count(rows: AsyncIterable<MetadataRow>): Promise<number> {
  let rowCount = 0
  for await (const row of rows) {
    void row
    rowCount += 1
  }
  return rowCount
}

async function* boundedLines(
  rows: AsyncIterable<MetadataRow>,
  lineOf: (row: MetadataRow) => string,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const row of rows) {
    const line = Buffer.from(lineOf(row))
    bytes += line.byteLength
    if (line.byteLength > LIMITS.metadataRowBytesMax || bytes > LIMITS.metadataRowsBytesMax) {
      const bytesMax = LIMITS.metadataRowsBytesMax
      throw new AppError('SCAN_TOO_LARGE', 'The metadata table is larger than allowed; name fewer columns', {
        details: { bytes, bytesMax },
      })
    }
    yield line
  }
}

interface RowsOptions {
  readonly scan: MetadataScan
  readonly source: ManifestSource
  readonly names: ReadonlySet<string>
}

async function* readRows(
  pinned: PinnedMetadataTable,
  options: RowsOptions,
  signal: AbortSignal,
): AsyncGenerator<MetadataRow> {
  const { metadataTable: name, tableSchema, loaded } = pinned
  const { metadata } = loaded
  switch (name) {
    case 'snapshots':
      yield* snapshotRows(metadata)
      return
    case 'history':
      yield* historyRows(metadata)
      return
    case 'refs':
      yield* refRows(metadata)
      return
    case 'manifests':
      yield* manifestRows(options.scan.manifests, metadata, tableSchema)
      return
    case 'partitions': {
      const sums = createPartitionSums(metadata, tableSchema)
      for await (const entry of readEntries(pinned, options, signal)) if (isLive(entry)) sums.add(entry)
      yield* sums.rows()
      return
    }
    case 'entries':
    case 'all_entries': {
      const { entryRow } = createFileRows(metadata, tableSchema)
      for await (const entry of readEntries(pinned, options, signal)) yield entryRow(entry)
      return
    }
    case 'files':
    case 'data_files':
    case 'delete_files':
    case 'all_files':
    case 'all_data_files':
    case 'all_delete_files': {
      const { fileRow } = createFileRows(metadata, tableSchema)
      for await (const entry of readEntries(pinned, options, signal)) if (isLive(entry)) yield fileRow(entry)
      return
    }
    default:
      assertNever(name)
  }
}

const isLive = ({ status }: ManifestEntry): boolean => status !== 'deleted'

/** Entries in the manifests' order, deleted ones too. */
async function* readEntries(
  { loaded, tableSchema }: PinnedMetadataTable,
  { scan, source, names }: RowsOptions,
  signal: AbortSignal,
): AsyncGenerator<ManifestEntry> {
  const { metadata } = loaded
  const schema = withDroppedColumns(metadata, tableSchema)
  const specs = new Map(metadata.partitionSpecs.map((spec) => [spec.specId, spec]))
  // Without a column that shows them, metrics are passed over.
  const metricsFieldIds = [...names].some((column) => METRICS_COLUMNS.has(column))
    ? undefined
    : new Set<number>()
  const read = async (manifest: ManifestFile, itemSignal: AbortSignal): Promise<ManifestEntry[]> => {
    const context = { spec: specOf(manifest, specs), schema, metricsFieldIds, hasDetails: true }
    return await readManifest(source, manifest, context, itemSignal)
  }
  for (let start = 0; start < scan.read.length; start += LIMITS.manifestsReadAtOnceMax) {
    const batch = scan.read.slice(start, start + LIMITS.manifestsReadAtOnceMax)
    for (const entries of await mapConcurrently(batch, LIMITS.manifestsReadAtOnceMax, read, signal)) {
      yield* entries
    }
  }
}

function specOf(manifest: ManifestFile, specs: ReadonlyMap<number, PartitionSpec>): PartitionSpec {
  const spec = specs.get(manifest.partitionSpecId)
  if (spec) return spec
  throw new AppError(
    'TABLE_CORRUPT',
    `Manifest ${manifest.path} has the partition spec ${manifest.partitionSpecId}, which the table does not have`,
  )
}
