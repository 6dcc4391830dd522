// The rows of metadata tables that the table's metadata alone holds: snapshots, history, refs. Pure.
// A row is a function from a column's name to its value, so that what no statement reads is not made.
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'

export type MetadataRow = (column: string) => unknown

const MICROS_PER_MS = 1_000n

export const microsOf = (timestampMs: number): bigint => BigInt(timestampMs) * MICROS_PER_MS

const rowOf =
  (values: Readonly<Record<string, unknown>>): MetadataRow =>
  (column) =>
    values[column]

/** Every snapshot of the table, in the metadata's order. */
export function snapshotRows(metadata: TableMetadata): MetadataRow[] {
  return metadata.snapshots.map((snapshot) =>
    rowOf({
      committed_at: microsOf(snapshot.timestampMs),
      snapshot_id: snapshot.snapshotId,
      parent_id: snapshot.parentSnapshotId,
      operation: snapshot.summary['operation'],
      manifest_list: snapshot.manifestList,
      summary: new Map(Object.entries(snapshot.summary).filter(([key]) => key !== 'operation')),
    }),
  )
}

/** The snapshot log: what was current and when, with rollbacks, also where the snapshot is gone. */
export function historyRows(metadata: TableMetadata): MetadataRow[] {
  const parents = new Map(
    metadata.snapshots.map(({ snapshotId, parentSnapshotId }) => [snapshotId, parentSnapshotId]),
  )
  const ancestors = new Set<bigint>()
  for (let id = metadata.currentSnapshotId; id !== undefined && !ancestors.has(id); id = parents.get(id)) {
    ancestors.add(id)
  }
  return metadata.snapshotLog.map(({ timestampMs, snapshotId }) =>
    rowOf({
      made_current_at: microsOf(timestampMs),
      snapshot_id: snapshotId,
      parent_id: parents.get(snapshotId),
      is_current_ancestor: ancestors.has(snapshotId),
    }),
  )
}

/** Every branch and tag. */
export function refRows(metadata: TableMetadata): MetadataRow[] {
  return metadata.refs.map((ref) =>
    rowOf({
      name: ref.name,
      type: ref.kind.toUpperCase(),
      snapshot_id: ref.snapshotId,
      max_reference_age_in_ms: ref.maxRefAgeMs,
      min_snapshots_to_keep: ref.minSnapshotsToKeep,
      max_snapshot_age_in_ms: ref.maxSnapshotAgeMs,
    }),
  )
}
