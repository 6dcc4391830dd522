// Choosing a snapshot of a table and the schema to read it with. Nothing here falls back to another snapshot than the
// one asked for. Source: Iceberg table spec, "Snapshots", "Snapshot References" and "Point in Time Reads".
import { assertNever } from '../assert.ts'
import { AppError } from '../errors.ts'
import type { Snapshot, TableMetadata } from './table-metadata.ts'
import type { Schema } from './types.ts'

/** undefined where the table has no such snapshot (never had it, or expired it). */
export function findSnapshot(metadata: TableMetadata, snapshotId: bigint): Snapshot | undefined {
  return metadata.snapshots.find((snapshot) => snapshot.snapshotId === snapshotId)
}

/**
 * The current snapshot; undefined where the table has none yet, so that it has no rows.
 * @throws AppError TABLE_CORRUPT when the metadata names a current snapshot that it does not list
 */
export function currentSnapshot(metadata: TableMetadata): Snapshot | undefined {
  const { currentSnapshotId } = metadata
  return currentSnapshotId === undefined ? undefined : listedSnapshot(metadata, currentSnapshotId)
}

/**
 * The head of a branch or tag.
 * @throws AppError NO_SUCH_SNAPSHOT for an unknown ref, TABLE_CORRUPT when its snapshot is not listed
 */
export function snapshotOfRef(metadata: TableMetadata, refName: string): Snapshot {
  const ref = metadata.refs.find(({ name }) => name === refName)
  if (!ref)
    throw new AppError('NO_SUCH_SNAPSHOT', `The table has no branch or tag ${JSON.stringify(refName)}`)
  return listedSnapshot(metadata, ref.snapshotId)
}

/**
 * The snapshot that was current at a time, by the snapshot log (a rollback is in it, unlike in the parents' line).
 * @param timestampMs inclusive: a snapshot committed at this very millisecond counts
 * @throws AppError NO_SUCH_SNAPSHOT when the table had none then, SNAPSHOT_EXPIRED when it has been removed since
 */
export function snapshotAsOf(metadata: TableMetadata, timestampMs: number): Snapshot {
  const entry = metadata.snapshotLog.findLast((candidate) => candidate.timestampMs <= timestampMs)
  if (!entry) throw new AppError('NO_SUCH_SNAPSHOT', 'The table had no snapshot yet at that time')
  const snapshot = findSnapshot(metadata, entry.snapshotId)
  if (snapshot) return snapshot
  throw new AppError('SNAPSHOT_EXPIRED', 'The snapshot of that time has been removed from the table', {
    details: { snapshotId: String(entry.snapshotId) },
  })
}

/** A version of a table as someone asks for it. */
export type TableVersion =
  | { readonly kind: 'snapshot'; readonly snapshotId: bigint }
  /** A branch or tag. */
  | { readonly kind: 'ref'; readonly name: string }
  /** Inclusive: what was committed at this very millisecond counts. */
  | { readonly kind: 'time'; readonly timestampMs: number }

/**
 * The snapshot of a version, and the schema to read it with: the snapshot's own for an id, a tag and a time; the
 * table's current one for a branch, since a branch goes on with the table (as in the Java reference).
 * @throws AppError NO_SUCH_SNAPSHOT, SNAPSHOT_EXPIRED, TABLE_CORRUPT
 */
export function resolveVersion(
  metadata: TableMetadata,
  version: TableVersion,
): { readonly snapshot: Snapshot; readonly schema: Schema } {
  const snapshot = snapshotOfVersion(metadata, version)
  const isBranch =
    version.kind === 'ref' &&
    metadata.refs.some(({ name, kind }) => name === version.name && kind === 'branch')
  return { snapshot, schema: schemaForSnapshot(metadata, snapshot, { isPinned: !isBranch }) }
}

function snapshotOfVersion(metadata: TableMetadata, version: TableVersion): Snapshot {
  switch (version.kind) {
    case 'ref':
      return snapshotOfRef(metadata, version.name)
    case 'time':
      return snapshotAsOf(metadata, version.timestampMs)
    case 'snapshot': {
      const snapshot = findSnapshot(metadata, version.snapshotId)
      if (snapshot) return snapshot
      throw new AppError('NO_SUCH_SNAPSHOT', `The table has no snapshot ${version.snapshotId}`, {
        details: { snapshotId: String(version.snapshotId) },
      })
    }
    default:
      return assertNever(version)
  }
}

/**
 * The schema to read a snapshot with: the table's current one, or the snapshot's own where the caller pinned it by id,
 * tag or time. A snapshot without a schema id (v1, old writers) is read with the current schema.
 * @throws AppError TABLE_CORRUPT when the pinned snapshot's schema is not listed any more
 */
export function schemaForSnapshot(
  metadata: TableMetadata,
  snapshot: Snapshot | undefined,
  options: { readonly isPinned: boolean },
): Schema {
  const ownSchemaId = options.isPinned ? snapshot?.schemaId : undefined
  const schemaId = ownSchemaId ?? metadata.currentSchemaId
  const schema = metadata.schemas.find((candidate) => candidate.schemaId === schemaId)
  if (schema) return schema
  throw new AppError('TABLE_CORRUPT', `Schema ${schemaId} of the snapshot is not in the table's metadata`)
}

function listedSnapshot(metadata: TableMetadata, snapshotId: bigint): Snapshot {
  const snapshot = findSnapshot(metadata, snapshotId)
  if (snapshot) return snapshot
  throw new AppError('TABLE_CORRUPT', `Snapshot ${snapshotId} is referred to but not in the metadata`, {
    details: { snapshotId: String(snapshotId) },
  })
}
