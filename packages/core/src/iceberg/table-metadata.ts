// Table metadata as plain data, after parsing (`parse-table-metadata.ts`). Source: Iceberg table spec, "Table Metadata".
import type { Schema } from './types.ts'

export interface PartitionField {
  /** Field id of the source column, or of several for a multi-argument transform (v3). */
  readonly sourceIds: readonly number[]
  readonly fieldId: number
  readonly name: string
  /** As written, for example `bucket[16]`; see transform.ts. May be unknown to us. */
  readonly transform: string
}

export interface PartitionSpec {
  readonly specId: number
  readonly fields: readonly PartitionField[]
}

export interface SortField {
  readonly sourceId: number
  readonly transform: string
  readonly direction: 'asc' | 'desc'
  readonly nullOrder: 'nulls-first' | 'nulls-last'
}

export interface SortOrder {
  readonly orderId: number
  readonly fields: readonly SortField[]
}

export interface Snapshot {
  readonly snapshotId: bigint
  readonly parentSnapshotId: bigint | undefined
  readonly sequenceNumber: bigint
  readonly timestampMs: number
  /** Path of the manifest list; undefined only for v1 snapshots that name their manifests directly. */
  readonly manifestList: string | undefined
  /** v1 only: paths of the manifests when there is no manifest list. */
  readonly manifests: readonly string[] | undefined
  /** Strings as written. Never used as a row count: writers get it wrong. */
  readonly summary: Readonly<Record<string, string>>
  readonly schemaId: number | undefined
  readonly firstRowId: bigint | undefined
}

export interface SnapshotRef {
  readonly name: string
  readonly snapshotId: bigint
  readonly kind: 'branch' | 'tag'
  /** How long the ref, and the snapshots of a branch, are kept; absent where the table's properties say it. */
  readonly maxRefAgeMs?: bigint | undefined
  readonly minSnapshotsToKeep?: number | undefined
  readonly maxSnapshotAgeMs?: bigint | undefined
}

export interface SnapshotLogEntry {
  readonly timestampMs: number
  readonly snapshotId: bigint
}

/** How many values of a column are distinct, by a sketch of a snapshot's data. */
export interface DistinctCount {
  readonly snapshotId: bigint
  readonly fieldId: number
  readonly count: bigint
}

export interface TableMetadata {
  readonly formatVersion: 1 | 2 | 3
  readonly tableUuid: string | undefined
  readonly location: string
  readonly lastUpdatedMs: number
  readonly lastSequenceNumber: bigint
  readonly currentSchemaId: number
  readonly schemas: readonly Schema[]
  readonly defaultSpecId: number
  readonly partitionSpecs: readonly PartitionSpec[]
  readonly defaultSortOrderId: number
  readonly sortOrders: readonly SortOrder[]
  readonly properties: Readonly<Record<string, string>>
  /** undefined where the table has no snapshot yet (absent, null or -1 in the JSON). */
  readonly currentSnapshotId: bigint | undefined
  /** In the order of the JSON. */
  readonly snapshots: readonly Snapshot[]
  readonly snapshotLog: readonly SnapshotLogEntry[]
  /** Always has `main` when there is a current snapshot, also where the JSON has no `refs`. */
  readonly refs: readonly SnapshotRef[]
  /** Of the statistics files, as the metadata repeats what is in them; empty in most tables. */
  readonly distinctCounts?: readonly DistinctCount[]
}
