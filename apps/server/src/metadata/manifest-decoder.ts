// Decodes manifests of format versions 1 to 3, data and delete ones. Source: Iceberg table spec, "Manifests".
// Inherits what entries leave out: snapshot id, sequence number, first row id. Fields are found by id, the partition
// tuple's too, never by position.
import { AppError } from '@lake/core/errors.ts'
import type {
  DataFile,
  EntryDetails,
  FileContent,
  ManifestEntry,
  ManifestFile,
} from '@lake/core/iceberg/manifest.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import { LIMITS } from '../limits.ts'
import { corruptAvro, decodeAvroHeader, decodeAvroRecords } from './avro-container.ts'
import type { AvroRecord } from './avro-decoder.ts'
import { avroField, AvroFieldReader } from './avro-fields.ts'
import { compilePartitionReader } from './partition-reader.ts'
import type { PartitionReader } from './partition-reader.ts'

const ENTRY = {
  status: avroField(0, 'status'),
  snapshotId: avroField(1, 'snapshot_id'),
  dataFile: avroField(2, 'data_file'),
  sequenceNumber: avroField(3, 'sequence_number'),
  fileSequenceNumber: avroField(4, 'file_sequence_number'),
} as const

const FILE = {
  content: avroField(134, 'content'),
  path: avroField(100, 'file_path'),
  format: avroField(101, 'file_format'),
  partition: avroField(102, 'partition'),
  recordCount: avroField(103, 'record_count'),
  fileSize: avroField(104, 'file_size_in_bytes'),
  columnSizes: avroField(108, 'column_sizes'),
  valueCounts: avroField(109, 'value_counts'),
  nullValueCounts: avroField(110, 'null_value_counts'),
  nanValueCounts: avroField(137, 'nan_value_counts'),
  lowerBounds: avroField(125, 'lower_bounds'),
  upperBounds: avroField(128, 'upper_bounds'),
  keyMetadata: avroField(131, 'key_metadata'),
  splitOffsets: avroField(132, 'split_offsets'),
  sortOrderId: avroField(140, 'sort_order_id'),
  equalityIds: avroField(135, 'equality_ids'),
  firstRowId: avroField(142, 'first_row_id'),
  referencedDataFile: avroField(143, 'referenced_data_file'),
  contentOffset: avroField(144, 'content_offset'),
  contentSize: avroField(145, 'content_size_in_bytes'),
} as const

const STATUSES = ['existing', 'added', 'deleted'] as const
const CONTENTS: readonly FileContent[] = ['data', 'position-deletes', 'equality-deletes']

export interface ManifestContext {
  /** The spec that the manifest was written with. */
  readonly spec: PartitionSpec
  /** Types the partition values where the sources still exist. */
  readonly schema: Schema
  /** Fields whose sizes, counts and bounds are kept; those of all where absent. Fewer take less time and memory. */
  readonly metricsFieldIds?: ReadonlySet<number> | undefined
  /** True to keep what no scan needs as well. */
  readonly hasDetails?: boolean
}

/**
 * Decodes the entries of a manifest, in its order, deleted ones too.
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED (content or codec not known), CANCELLED, DEADLINE_EXCEEDED
 */
export async function decodeManifest(
  file: { readonly bytes: Uint8Array; readonly manifest: ManifestFile },
  context: ManifestContext,
  signal: AbortSignal,
): Promise<ManifestEntry[]> {
  const { bytes, manifest } = file
  const { path } = manifest
  const header = decodeAvroHeader(bytes, path)
  const decoder = new EntryDecoder(
    manifest,
    compilePartitionReader(header, context, path),
    context.hasDetails ?? false,
  )
  const entries: ManifestEntry[] = []
  const take = (record: AvroRecord): void => {
    if (entries.length >= LIMITS.entriesPerManifestMax) {
      throw corruptAvro(path, `has more than ${LIMITS.entriesPerManifestMax} entries`)
    }
    entries.push(decoder.decode(record))
  }
  await decodeAvroRecords({ bytes, path, header, pairKeys: context.metricsFieldIds }, take, signal)
  return entries
}

class EntryDecoder {
  readonly #manifest: ManifestFile
  readonly #readPartition: PartitionReader
  readonly #hasDetails: boolean
  readonly #reader: AvroFieldReader
  #nextRowId: bigint | undefined

  constructor(manifest: ManifestFile, readPartition: PartitionReader, hasDetails: boolean) {
    this.#manifest = manifest
    this.#hasDetails = hasDetails
    this.#readPartition = readPartition
    this.#reader = new AvroFieldReader(manifest.path)
    this.#nextRowId = manifest.content === 'data' ? manifest.firstRowId : undefined
  }

  decode(record: AvroRecord): ManifestEntry {
    const reader = this.#reader
    const status = STATUSES[reader.integer(record, ENTRY.status) ?? -1]
    if (!status) throw corruptAvro(this.#manifest.path, 'has an entry of unknown status')
    const fileRecord = reader.required(reader.record(record, ENTRY.dataFile), ENTRY.dataFile)
    const file = this.#decodeFile(fileRecord)
    return {
      status,
      snapshotId: reader.long(record, ENTRY.snapshotId) ?? this.#manifest.addedSnapshotId,
      sequenceNumber: this.#inheritSequenceNumber(status, reader.long(record, ENTRY.sequenceNumber)),
      file: status === 'deleted' ? file : this.#inheritFirstRowId(file),
      ...(this.#hasDetails ? { details: this.#decodeDetails(record, fileRecord, status) } : {}),
    }
  }

  #decodeDetails(record: AvroRecord, file: AvroRecord, status: ManifestEntry['status']): EntryDetails {
    const reader = this.#reader
    const { sequenceNumber } = this.#manifest
    const isInherited = status === 'added' || sequenceNumber === 0n
    return {
      fileSequenceNumber:
        reader.long(record, ENTRY.fileSequenceNumber) ?? (isInherited ? sequenceNumber : undefined),
      keyMetadata: reader.bytes(file, FILE.keyMetadata),
      splitOffsets: reader.longs(file, FILE.splitOffsets),
      sortOrderId: reader.integer(file, FILE.sortOrderId),
    }
  }

  #inheritSequenceNumber(status: ManifestEntry['status'], own: bigint | undefined): bigint {
    if (own !== undefined) return own
    // Only a file added with the manifest has the manifest's number; v1 manifests are listed with 0.
    if (status === 'existing' && this.#manifest.sequenceNumber !== 0n) {
      throw corruptAvro(this.#manifest.path, 'has an existing entry without a sequence number')
    }
    return this.#manifest.sequenceNumber
  }

  #inheritFirstRowId(file: DataFile): DataFile {
    if (file.firstRowId !== undefined || this.#nextRowId === undefined) return file
    const firstRowId = this.#nextRowId
    this.#nextRowId += BigInt(file.recordCount)
    return { ...file, firstRowId }
  }

  #decodeFile(record: AvroRecord): DataFile {
    const reader = this.#reader
    return {
      content: this.#parseContent(reader.integer(record, FILE.content) ?? 0),
      path: reader.required(reader.text(record, FILE.path), FILE.path),
      format: reader.required(reader.text(record, FILE.format), FILE.format).toLowerCase(),
      specId: this.#manifest.partitionSpecId,
      partition: this.#readPartition(reader.record(record, FILE.partition)),
      recordCount: this.#readSize(record, FILE.recordCount),
      fileSizeBytes: this.#readSize(record, FILE.fileSize),
      columnSizes: reader.countsById(record, FILE.columnSizes),
      valueCounts: reader.countsById(record, FILE.valueCounts),
      nullValueCounts: reader.countsById(record, FILE.nullValueCounts),
      nanValueCounts: reader.countsById(record, FILE.nanValueCounts),
      lowerBounds: reader.bytesById(record, FILE.lowerBounds),
      upperBounds: reader.bytesById(record, FILE.upperBounds),
      hasKeyMetadata: (reader.bytes(record, FILE.keyMetadata)?.length ?? 0) > 0,
      equalityIds: reader.integers(record, FILE.equalityIds),
      firstRowId: reader.long(record, FILE.firstRowId),
      referencedDataFile: reader.text(record, FILE.referencedDataFile),
      contentOffset: reader.integer(record, FILE.contentOffset),
      contentSizeBytes: reader.integer(record, FILE.contentSize),
      splitCount: reader.list(record, FILE.splitOffsets)?.length,
    }
  }

  #readSize(record: AvroRecord, field: (typeof FILE)['recordCount']): number {
    const size = this.#reader.required(this.#reader.integer(record, field), field)
    if (size < 0) throw corruptAvro(this.#manifest.path, `has a negative ${field.name}`)
    return size
  }

  #parseContent(code: number): FileContent {
    const content = CONTENTS[code]
    if (content === undefined) {
      throw new AppError('TABLE_UNSUPPORTED', `File content ${code} is not known`, {
        details: { feature: `file content ${code}` },
      })
    }
    const isDataManifest = this.#manifest.content === 'data'
    if ((content === 'data') === isDataManifest) return content
    throw corruptAvro(
      this.#manifest.path,
      `lists ${content} although it is a manifest of ${this.#manifest.content}`,
    )
  }
}
