// Decodes manifest lists of format versions 1 to 3. Source: Iceberg table spec, "Manifest Lists".
// Absent counts stay undefined (unknown, to be taken as non-zero); absent v2 fields have the defaults of appendix E.
import { AppError } from '@lake/core/errors.ts'
import type { FieldSummary, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { LIMITS } from '../limits.ts'
import { corruptAvro, decodeAvroHeader, decodeAvroRecords } from './avro-container.ts'
import type { AvroRecord } from './avro-decoder.ts'
import { avroField, AvroFieldReader } from './avro-fields.ts'

const FIELDS = {
  path: avroField(500, 'manifest_path'),
  length: avroField(501, 'manifest_length'),
  specId: avroField(502, 'partition_spec_id'),
  content: avroField(517, 'content'),
  sequenceNumber: avroField(515, 'sequence_number'),
  minSequenceNumber: avroField(516, 'min_sequence_number'),
  addedSnapshotId: avroField(503, 'added_snapshot_id'),
  addedFiles: avroField(504, 'added_files_count', 'added_data_files_count'),
  existingFiles: avroField(505, 'existing_files_count', 'existing_data_files_count'),
  deletedFiles: avroField(506, 'deleted_files_count', 'deleted_data_files_count'),
  addedRows: avroField(512, 'added_rows_count'),
  existingRows: avroField(513, 'existing_rows_count'),
  partitions: avroField(507, 'partitions'),
  keyMetadata: avroField(519, 'key_metadata'),
  firstRowId: avroField(520, 'first_row_id'),
  containsNull: avroField(509, 'contains_null'),
  containsNan: avroField(518, 'contains_nan'),
  lowerBound: avroField(510, 'lower_bound'),
  upperBound: avroField(511, 'upper_bound'),
} as const

/**
 * Decodes a manifest list, in its order.
 * @param path names the file in messages
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED (content or codec not known), CANCELLED, DEADLINE_EXCEEDED
 */
export async function decodeManifestList(
  bytes: Uint8Array,
  path: string,
  signal: AbortSignal,
): Promise<ManifestFile[]> {
  const header = decodeAvroHeader(bytes, path)
  const reader = new AvroFieldReader(path)
  const manifests: ManifestFile[] = []
  const take = (record: AvroRecord): void => {
    if (manifests.length >= LIMITS.manifestsPerSnapshotMax) {
      throw corruptAvro(path, `lists more than ${LIMITS.manifestsPerSnapshotMax} manifests`)
    }
    manifests.push(toManifestFile(record, reader))
  }
  await decodeAvroRecords({ bytes, path, header }, take, signal)
  return manifests
}

function toManifestFile(record: AvroRecord, reader: AvroFieldReader): ManifestFile {
  return {
    path: reader.required(reader.text(record, FIELDS.path), FIELDS.path),
    lengthBytes: reader.integer(record, FIELDS.length) ?? 0,
    partitionSpecId: reader.integer(record, FIELDS.specId) ?? 0,
    content: parseContent(reader.integer(record, FIELDS.content) ?? 0),
    sequenceNumber: reader.long(record, FIELDS.sequenceNumber) ?? 0n,
    minSequenceNumber: reader.long(record, FIELDS.minSequenceNumber) ?? 0n,
    addedSnapshotId: reader.long(record, FIELDS.addedSnapshotId),
    addedFilesCount: reader.integer(record, FIELDS.addedFiles),
    existingFilesCount: reader.integer(record, FIELDS.existingFiles),
    deletedFilesCount: reader.integer(record, FIELDS.deletedFiles),
    addedRowsCount: reader.long(record, FIELDS.addedRows),
    existingRowsCount: reader.long(record, FIELDS.existingRows),
    partitions: reader.records(record, FIELDS.partitions)?.map((summary) => toFieldSummary(summary, reader)),
    hasKeyMetadata: (reader.bytes(record, FIELDS.keyMetadata)?.length ?? 0) > 0,
    firstRowId: reader.long(record, FIELDS.firstRowId),
  }
}

function toFieldSummary(record: AvroRecord, reader: AvroFieldReader): FieldSummary {
  return {
    // Without the flag there may be nulls.
    containsNull: reader.flag(record, FIELDS.containsNull) ?? true,
    containsNan: reader.flag(record, FIELDS.containsNan),
    lowerBound: reader.bytes(record, FIELDS.lowerBound),
    upperBound: reader.bytes(record, FIELDS.upperBound),
  }
}

function parseContent(content: number): ManifestFile['content'] {
  if (content === 0) return 'data'
  if (content === 1) return 'deletes'
  throw new AppError('TABLE_UNSUPPORTED', `Manifest content ${content} is not known`, {
    details: { feature: `manifest content ${content}` },
  })
}
