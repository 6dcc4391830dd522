// The rows of metadata tables that manifest lists and manifests hold: manifests, files, entries, partitions. Pure.
import { AppError } from '@lake/core/errors.ts'
import { typePartitionFields } from '@lake/core/expr/partition-types.ts'
import { formatPartitionValue } from '@lake/core/iceberg/literal-display.ts'
import { decodeBound } from '@lake/core/iceberg/literal.ts'
import type { ManifestEntry, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { indexFields, primitiveTypeOf } from '@lake/core/iceberg/schema.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import { LIMITS } from '../../limits.ts'
import { microsOf, type MetadataRow } from './metadata-rows.ts'
import { partitionStruct, withDroppedColumns, type PartitionStruct } from './partition-struct.ts'
import { createMetricsReader } from './readable-metrics.ts'

const CONTENT_CODES = { data: 0, 'position-deletes': 1, 'equality-deletes': 2 } as const
const STATUS_CODES = { existing: 0, added: 1, deleted: 2 } as const

/** One row per manifest, in the list's order. */
export function manifestRows(
  manifests: readonly ManifestFile[],
  metadata: TableMetadata,
  tableSchema: Schema,
): MetadataRow[] {
  const summaries = createSummaryReader(metadata, tableSchema)
  return manifests.map((manifest) => {
    const isData = manifest.content === 'data'
    const values: Readonly<Record<string, unknown>> = {
      content: isData ? 0 : 1,
      path: manifest.path,
      length: manifest.lengthBytes,
      partition_spec_id: manifest.partitionSpecId,
      added_snapshot_id: manifest.addedSnapshotId,
      added_data_files_count: isData ? manifest.addedFilesCount : 0,
      existing_data_files_count: isData ? manifest.existingFilesCount : 0,
      deleted_data_files_count: isData ? manifest.deletedFilesCount : 0,
      added_delete_files_count: isData ? 0 : manifest.addedFilesCount,
      existing_delete_files_count: isData ? 0 : manifest.existingFilesCount,
      deleted_delete_files_count: isData ? 0 : manifest.deletedFilesCount,
    }
    return (column) => (column === 'partition_summaries' ? summaries(manifest) : values[column])
  })
}

function createSummaryReader(
  metadata: TableMetadata,
  tableSchema: Schema,
): (manifest: ManifestFile) => readonly unknown[] | undefined {
  const index = indexFields(withDroppedColumns(metadata, tableSchema))
  const fieldsBySpec = new Map(
    metadata.partitionSpecs.map((spec) => [
      spec.specId,
      typePartitionFields(spec, (id) => primitiveTypeOf(index, id)),
    ]),
  )
  return ({ partitions, partitionSpecId }) => {
    const fields = fieldsBySpec.get(partitionSpecId)
    return partitions?.map(({ containsNull, containsNan, lowerBound, upperBound }, position) => {
      const field = fields?.[position]
      const textOf = (bytes: Uint8Array | undefined): string | undefined => {
        if (bytes === undefined || field?.resultType === undefined) return undefined
        const value = decodeBound(field.resultType, bytes)
        return value === undefined
          ? undefined
          : formatPartitionValue(field.transform, field.resultType, value)
      }
      return {
        contains_null: containsNull,
        contains_nan: containsNan,
        lower_bound: textOf(lowerBound),
        upper_bound: textOf(upperBound),
      }
    })
  }
}

/** Makes rows of `files` and its kin out of entries; those of `entries` hold the same in `data_file`. */
export function createFileRows(
  metadata: TableMetadata,
  tableSchema: Schema,
): {
  readonly fileRow: (entry: ManifestEntry) => MetadataRow
  readonly entryRow: (entry: ManifestEntry) => MetadataRow
} {
  const partitions = partitionStruct(metadata, tableSchema)
  const metricsOf = createMetricsReader(tableSchema)
  return {
    fileRow(entry) {
      const values = fileValues(entry, partitions)
      return (column) => (column === 'readable_metrics' ? metricsOf(entry.file) : values[column])
    },
    entryRow(entry) {
      const values: Readonly<Record<string, unknown>> = {
        status: STATUS_CODES[entry.status],
        snapshot_id: entry.snapshotId,
        sequence_number: entry.sequenceNumber,
        file_sequence_number: entry.details?.fileSequenceNumber,
      }
      return (column) => {
        if (column === 'data_file') return fileValues(entry, partitions)
        return column === 'readable_metrics' ? metricsOf(entry.file) : values[column]
      }
    },
  }
}

function fileValues({ file, details }: ManifestEntry, partitions: PartitionStruct): Record<string, unknown> {
  return {
    content: CONTENT_CODES[file.content],
    file_path: file.path,
    file_format: file.format.toUpperCase(),
    spec_id: file.specId,
    partition: partitions.toRecord(file.partition),
    record_count: file.recordCount,
    file_size_in_bytes: file.fileSizeBytes,
    column_sizes: file.columnSizes,
    value_counts: file.valueCounts,
    null_value_counts: file.nullValueCounts,
    nan_value_counts: file.nanValueCounts,
    lower_bounds: file.lowerBounds,
    upper_bounds: file.upperBounds,
    key_metadata: details?.keyMetadata,
    split_offsets: details?.splitOffsets,
    equality_ids: file.equalityIds,
    sort_order_id: details?.sortOrderId,
    first_row_id: file.firstRowId,
    referenced_data_file: file.referencedDataFile,
    content_offset: file.contentOffset,
    content_size_in_bytes: file.contentSizeBytes,
  }
}

interface PartitionSum {
  readonly partition: Record<string, unknown>
  specId: number
  data: { files: number; records: bigint; bytes: bigint }
  positionDeletes: { files: number; records: bigint }
  equalityDeletes: { files: number; records: bigint }
  updatedAtMs: number | undefined
  updatedBy: bigint | undefined
}

/** Sums live files up by partition; files of different specs with the same values are one partition. */
export function createPartitionSums(
  metadata: TableMetadata,
  tableSchema: Schema,
): { add(entry: ManifestEntry): void; rows(): MetadataRow[] } {
  const struct = partitionStruct(metadata, tableSchema)
  const committedAt = new Map(
    metadata.snapshots.map(({ snapshotId, timestampMs }) => [snapshotId, timestampMs]),
  )
  const sums = new Map<string, PartitionSum>()
  return {
    add({ file, snapshotId }) {
      const partition = struct.toRecord(file.partition)
      const key = partitionKey(partition)
      const sum = sums.get(key) ?? emptySum(partition, file.specId)
      sums.set(key, sum)
      if (sums.size > LIMITS.metadataPartitionsMax) {
        throw new AppError(
          'SCAN_TOO_LARGE',
          `The table has more than ${LIMITS.metadataPartitionsMax} partitions`,
        )
      }
      const records = BigInt(file.recordCount)
      if (file.content === 'data') {
        sum.data.files += 1
        sum.data.records += records
        sum.data.bytes += BigInt(file.fileSizeBytes)
      } else {
        const deletes = file.content === 'position-deletes' ? sum.positionDeletes : sum.equalityDeletes
        deletes.files += 1
        deletes.records += records
      }
      const atMs = snapshotId === undefined ? undefined : committedAt.get(snapshotId)
      if (atMs === undefined || (sum.updatedAtMs !== undefined && sum.updatedAtMs >= atMs)) return
      sum.updatedAtMs = atMs
      sum.updatedBy = snapshotId
      sum.specId = file.specId
    },
    rows: () => [...sums.values()].map(partitionRow),
  }
}

function emptySum(partition: Record<string, unknown>, specId: number): PartitionSum {
  const none = (): { files: number; records: bigint } => ({ files: 0, records: 0n })
  return {
    partition,
    specId,
    data: { ...none(), bytes: 0n },
    positionDeletes: none(),
    equalityDeletes: none(),
    updatedAtMs: undefined,
    updatedBy: undefined,
  }
}

function partitionRow(sum: PartitionSum): MetadataRow {
  const values: Readonly<Record<string, unknown>> = {
    partition: sum.partition,
    spec_id: sum.specId,
    record_count: sum.data.records,
    file_count: sum.data.files,
    total_data_file_size_in_bytes: sum.data.bytes,
    position_delete_record_count: sum.positionDeletes.records,
    position_delete_file_count: sum.positionDeletes.files,
    equality_delete_record_count: sum.equalityDeletes.records,
    equality_delete_file_count: sum.equalityDeletes.files,
    last_updated_at: sum.updatedAtMs === undefined ? undefined : microsOf(sum.updatedAtMs),
    last_updated_snapshot_id: sum.updatedBy,
  }
  return (column) => values[column]
}

/** Tells values apart by kind and bits: null, NaN and −0 are values of their own. */
function partitionKey(partition: Record<string, unknown>): string {
  return JSON.stringify(
    Object.values(partition).map((value) => {
      if (value instanceof Uint8Array) return ['bytes', Buffer.from(value).toString('hex')]
      return [typeof value, Object.is(value, -0) ? '-0' : String(value)]
    }),
  )
}
