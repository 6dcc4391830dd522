// Manifests and manifest lists as plain data, after decoding. Source: Iceberg table spec, "Manifests", "Manifest Lists".
import type { LiteralValue } from './types.ts'

/** Bounds and nulls of one partition field over all files of a manifest. */
export interface FieldSummary {
  readonly containsNull: boolean
  /** undefined: unknown. */
  readonly containsNan: boolean | undefined
  /** Single-value binary serialization (spec appendix D); undefined: no bound. */
  readonly lowerBound: Uint8Array | undefined
  readonly upperBound: Uint8Array | undefined
}

/** One line of a manifest list. */
export interface ManifestFile {
  readonly path: string
  readonly lengthBytes: number
  readonly partitionSpecId: number
  readonly content: 'data' | 'deletes'
  readonly sequenceNumber: bigint
  readonly minSequenceNumber: bigint
  readonly addedSnapshotId: bigint | undefined
  /** Counts of entries by status; undefined: unknown, to be taken as non-zero. */
  readonly addedFilesCount: number | undefined
  readonly existingFilesCount: number | undefined
  readonly deletedFilesCount: number | undefined
  /** Live rows where the list says it, for reports only. */
  readonly addedRowsCount: bigint | undefined
  readonly existingRowsCount: bigint | undefined
  /** Positional by the fields of the manifest's own spec; undefined: unknown. */
  readonly partitions: readonly FieldSummary[] | undefined
  readonly hasKeyMetadata: boolean
  readonly firstRowId: bigint | undefined
}

export type FileContent = 'data' | 'position-deletes' | 'equality-deletes'
/** Lower case. Anything but these is kept as it is and refused at planning. */
export type FileFormat = 'parquet' | 'avro' | 'orc' | 'puffin' | (string & {})

/** A data or delete file. Maps are keyed by field id; an absent map or key means unknown. */
export interface DataFile {
  readonly content: FileContent
  readonly path: string
  readonly format: FileFormat
  readonly specId: number
  /** Partition value by partition field id; null is a value. Empty for an unpartitioned spec. */
  readonly partition: ReadonlyMap<number, LiteralValue | null>
  readonly recordCount: number
  readonly fileSizeBytes: number
  readonly columnSizes: ReadonlyMap<number, number> | undefined
  readonly valueCounts: ReadonlyMap<number, number> | undefined
  readonly nullValueCounts: ReadonlyMap<number, number> | undefined
  readonly nanValueCounts: ReadonlyMap<number, number> | undefined
  readonly lowerBounds: ReadonlyMap<number, Uint8Array> | undefined
  readonly upperBounds: ReadonlyMap<number, Uint8Array> | undefined
  readonly hasKeyMetadata: boolean
  readonly equalityIds: readonly number[] | undefined
  readonly firstRowId: bigint | undefined
  readonly referencedDataFile: string | undefined
  readonly contentOffset: number | undefined
  readonly contentSizeBytes: number | undefined
  /** Row groups by the writer's split offsets: a hint, absent where the writer gives none. */
  readonly splitCount?: number | undefined
}

/** One line of a manifest, with sequence numbers already inherited (spec, "Sequence Number Inheritance"). */
export interface ManifestEntry {
  readonly status: 'existing' | 'added' | 'deleted'
  readonly snapshotId: bigint | undefined
  /** The data sequence number. */
  readonly sequenceNumber: bigint
  readonly file: DataFile
  /** What no scan needs; present where it was asked for. */
  readonly details?: EntryDetails | undefined
}

/** Parts of a manifest entry that only metadata tables show. */
export interface EntryDetails {
  /** The number of the commit that added the file. */
  readonly fileSequenceNumber: bigint | undefined
  readonly keyMetadata: Uint8Array | undefined
  readonly splitOffsets: readonly (number | bigint)[] | undefined
  readonly sortOrderId: number | undefined
}
