// Reads a metadata table: which manifests it needs, and its rows as a file of JSON lines for the engine.
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
import { readManifest, readSnapshotManifests, type ManifestSource } from '../../metadata/manifest-reader.ts'
import type { TableStorage } from '../../storage/table-storage.ts'
import type { PinnedTable } from '../pinned-table.ts'
import type { ScanPlan } from '../plan-scan.ts'
import { createFileRows, createPartitionSums, manifestRows } from './file-rows.ts'
import { jsonType, toJson } from './json-values.ts'
import type { MetadataTableName } from './metadata-table-name.ts'
import { historyRows, refRows, snapshotRows, type MetadataRow } from './metadata-rows.ts'
import { withDroppedColumns } from './partition-struct.ts'

/** What a metadata table is made from. */
export interface MetadataScan {
  /** In the lists' order; empty where the table's metadata alone answers. */
  readonly manifests: readonly ManifestFile[]
  /** Of `manifests`, those that have to be read. */
  readonly read: readonly ManifestFile[]
}

/** A table that is pinned as a metadata table. */
export type PinnedMetadataTable = PinnedTable & { readonly metadataTable: MetadataTableName }

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

export function isMetadataTable(pinned: PinnedTable): pinned is PinnedMetadataTable {
  return pinned.metadataTable !== undefined
}

/** @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, OBJECT_MISSING, STORAGE_*, CANCELLED, DEADLINE_EXCEEDED */
export async function planMetadataScan(
  pinned: PinnedMetadataTable,
  source: ManifestSource,
  signal: AbortSignal,
): Promise<MetadataScan> {
  const { metadataTable: name, loaded, snapshot } = pinned
  if (name === 'snapshots' || name === 'history' || name === 'refs') return { manifests: [], read: [] }
  const snapshots = name.startsWith('all_') ? loaded.metadata.snapshots : snapshot ? [snapshot] : []
  const lists = await mapConcurrently(
    snapshots,
    LIMITS.manifestsReadAtOnceMax,
    async (item, itemSignal) => await readSnapshotManifests(source, item, itemSignal),
    signal,
  )
  // Snapshots share most of their manifests; each counts once.
  const manifests = [...new Map(lists.flat().map((manifest) => [manifest.path, manifest])).values()]
  return { manifests, read: name === 'manifests' ? [] : manifests.filter(isNeededBy(name)) }
}

function isNeededBy(name: MetadataTableName): (manifest: ManifestFile) => boolean {
  if (name.endsWith('data_files')) return ({ content }) => content === 'data'
  if (name.endsWith('delete_files')) return ({ content }) => content === 'deletes'
  return () => true
}

/** The plan of a metadata table, which opens no data file. */
export function metadataScanPlan({ manifests, read }: MetadataScan, storage: TableStorage): ScanPlan {
  return {
    tasks: [],
    rowsOnly: undefined,
    neededBytes: 0,
    report: {
      manifestsTotal: manifests.length,
      manifestsRead: read.length,
      filesTotal: 0,
      filesPlanned: 0,
      filesRead: 0,
      rowGroupsTotal: 0,
      rowGroupsRead: 0,
      bytesTotal: 0,
      bytesRead: 0,
      requests: 0,
      isMetadataOnly: true,
    },
    storage,
    nameMapping: undefined,
    specOf(specId) {
      throw new RangeError(`a metadata table has no files of spec ${specId}`)
    },
  }
}

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
  if (columns.length === 0) {
    let rowCount = 0
    for await (const _row of rows) rowCount += 1
    return { ...view, source: { kind: 'rows', rowCount } }
  }
  const path = join(options.directory, options.fileName)
  const lineOf = (row: MetadataRow): string =>
    `{${columns.map(({ index, name, type }) => `"c${index}":${toJson(type, row(name))}`).join(',')}}\n`
  await pipeline(Readable.from(boundedLines(rows, lineOf)), createWriteStream(path), { signal })
  const jsonTypes = new Map(columns.map(({ index, type }) => [index, jsonType(type)]))
  return { ...view, source: { kind: 'json', path, jsonTypes } }
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
