// Manifests and manifest lists as this program writes and reads them: entries in, an object in the store and its line
// for the list out. Names of fields are Avro's, since these objects are the Avro records.
import { randomUUID } from 'node:crypto'
import { LAKE_BUCKET, toKey } from '../catalog/catalog.ts'
import type { ObjectFiles } from '../s3/object-files.ts'
import { decodeContainer, encodeContainer } from './avro-container.ts'
import { MANIFEST_LIST_SCHEMA, manifestSchema } from './manifest-schemas.ts'
import { partitionColumn } from './partition-columns.ts'
import type { SpecInfo } from './partition-columns.ts'
import { encodeValue } from './single-value.ts'

export interface IntMapEntry<T> {
  readonly key: number
  readonly value: T
}

/** A data or delete file as its manifest has it. */
export interface DataFile {
  /** 0: data, 1: position deletes, 2: equality deletes. */
  readonly content: number
  readonly file_path: string
  readonly file_format: string
  /** By partition field name. Dates are days from 1970, months are months. */
  readonly partition: Readonly<Record<string, number | null>>
  readonly record_count: bigint
  readonly file_size_in_bytes: bigint
  readonly column_sizes: readonly IntMapEntry<bigint>[] | null
  readonly value_counts: readonly IntMapEntry<bigint>[] | null
  readonly null_value_counts: readonly IntMapEntry<bigint>[] | null
  readonly nan_value_counts: readonly IntMapEntry<bigint>[] | null
  readonly lower_bounds: readonly IntMapEntry<Buffer>[] | null
  readonly upper_bounds: readonly IntMapEntry<Buffer>[] | null
  readonly key_metadata: null
  readonly split_offsets: readonly bigint[] | null
  readonly equality_ids: readonly number[] | null
  readonly sort_order_id: number | null
}

export const STATUS = { existing: 0, added: 1, deleted: 2 } as const

export interface ManifestEntry {
  readonly status: number
  readonly snapshot_id: bigint | null
  /** null: inherited from the manifest. */
  readonly sequence_number: bigint | null
  readonly file_sequence_number: bigint | null
  readonly data_file: DataFile
}

/** One line of a manifest list. */
export interface ManifestFile {
  readonly manifest_path: string
  readonly manifest_length: bigint
  readonly partition_spec_id: number
  /** 0: data, 1: deletes. */
  readonly content: number
  readonly sequence_number: bigint
  readonly min_sequence_number: bigint
  readonly added_snapshot_id: bigint
  readonly added_files_count: number
  readonly existing_files_count: number
  readonly deleted_files_count: number
  readonly added_rows_count: bigint
  readonly existing_rows_count: bigint
  readonly deleted_rows_count: bigint
  readonly partitions: readonly object[] | null
  readonly key_metadata: null
}

export interface SnapshotInfo {
  readonly location: string
  readonly snapshotId: bigint
  readonly sequenceNumber: bigint
  readonly schemaText: string
  readonly schemaId: number
  readonly spec: SpecInfo
}

/** Writes the entries, all of one content, as one manifest. */
export async function writeManifest(
  objects: ObjectFiles,
  snapshot: SnapshotInfo,
  content: 0 | 1,
  entries: readonly ManifestEntry[],
): Promise<ManifestFile> {
  const { spec } = snapshot
  const specFields = spec.fields.map(({ fieldId, name, sourceId, transform }) => {
    return { name, transform, 'source-id': sourceId, 'field-id': fieldId }
  })
  const bytes = encodeContainer(manifestSchema(spec.fields.map(partitionColumn)), entries, {
    schema: snapshot.schemaText,
    'schema-id': String(snapshot.schemaId),
    'partition-spec': JSON.stringify(specFields),
    'partition-spec-id': String(spec.specId),
    'format-version': '2',
    content: content === 0 ? 'data' : 'deletes',
  })
  const path = `${snapshot.location}/metadata/${randomUUID()}-m0.avro`
  await objects.write(LAKE_BUCKET, toKey(path), bytes, true)
  return manifestLine(snapshot, content, entries, { path, lengthBytes: bytes.length })
}

function manifestLine(
  snapshot: SnapshotInfo,
  content: 0 | 1,
  entries: readonly ManifestEntry[],
  written: { readonly path: string; readonly lengthBytes: number },
): ManifestFile {
  const of = (status: number): ManifestEntry[] => entries.filter((entry) => entry.status === status)
  const rows = (some: readonly ManifestEntry[]): bigint =>
    some.reduce((sum, entry) => sum + entry.data_file.record_count, 0n)
  const [added, existing, deleted] = [of(STATUS.added), of(STATUS.existing), of(STATUS.deleted)]
  const sequences = [...added, ...existing].map((entry) => entry.sequence_number ?? snapshot.sequenceNumber)
  return {
    manifest_path: written.path,
    manifest_length: BigInt(written.lengthBytes),
    partition_spec_id: snapshot.spec.specId,
    content,
    sequence_number: snapshot.sequenceNumber,
    min_sequence_number: sequences.reduce((least, n) => (n < least ? n : least), snapshot.sequenceNumber),
    added_snapshot_id: snapshot.snapshotId,
    added_files_count: added.length,
    existing_files_count: existing.length,
    deleted_files_count: deleted.length,
    added_rows_count: rows(added),
    existing_rows_count: rows(existing),
    deleted_rows_count: rows(deleted),
    partitions: snapshot.spec.fields.map(({ name }) => fieldSummary(entries, name)),
    key_metadata: null,
  }
}

function fieldSummary(entries: readonly ManifestEntry[], name: string): object {
  const values = entries.map((entry) => entry.data_file.partition[name] ?? null)
  const present = values.filter((value) => value !== null)
  const bound = (value: number): Buffer => encodeValue('int', String(value))
  return {
    contains_null: present.length < values.length,
    contains_nan: false,
    lower_bound: present.length === 0 ? null : bound(Math.min(...present)),
    upper_bound: present.length === 0 ? null : bound(Math.max(...present)),
  }
}

/** Writes the manifest list of a snapshot. @returns its location */
export async function writeManifestList(
  objects: ObjectFiles,
  snapshot: SnapshotInfo,
  parentSnapshotId: bigint | undefined,
  manifests: readonly ManifestFile[],
): Promise<string> {
  const bytes = encodeContainer(MANIFEST_LIST_SCHEMA, manifests, {
    'snapshot-id': String(snapshot.snapshotId),
    'parent-snapshot-id': String(parentSnapshotId ?? 'null'),
    'sequence-number': String(snapshot.sequenceNumber),
    'format-version': '2',
  })
  const path = `${snapshot.location}/metadata/snap-${snapshot.snapshotId}-1-${randomUUID()}.avro`
  await objects.write(LAKE_BUCKET, toKey(path), bytes, true)
  return path
}

export async function readManifestList(objects: ObjectFiles, path: string): Promise<ManifestFile[]> {
  return decodeContainer(await objects.read(LAKE_BUCKET, toKey(path))) as unknown as ManifestFile[]
}

/** The live entries of a manifest, with snapshot id and sequence number filled in where they are inherited. */
export async function readLiveEntries(
  objects: ObjectFiles,
  manifest: ManifestFile,
): Promise<ManifestEntry[]> {
  const file = await objects.read(LAKE_BUCKET, toKey(manifest.manifest_path))
  const entries = decodeContainer(file) as unknown as ManifestEntry[]
  return entries
    .filter((entry) => entry.status !== STATUS.deleted)
    .map((entry) => {
      const sequence = entry.sequence_number ?? manifest.sequence_number
      return {
        ...entry,
        snapshot_id: entry.snapshot_id ?? manifest.added_snapshot_id,
        sequence_number: sequence,
        file_sequence_number: entry.file_sequence_number ?? sequence,
      }
    })
}
