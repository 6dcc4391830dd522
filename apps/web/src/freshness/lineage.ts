// The commits that lead to a snapshot, along parents.
import type { SnapshotInfo } from '@lake/core/api/contract.ts'

/**
 * The snapshot and its ancestors, newest first; none where the table does not have it. Ends where a parent is gone, and
 * no later than there are snapshots: parents of a broken table may form a ring.
 */
export function lineageOf(snapshots: readonly SnapshotInfo[], snapshotId: string | null): SnapshotInfo[] {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]))
  const line: SnapshotInfo[] = []
  let at = snapshotId === null ? undefined : byId.get(snapshotId)
  while (at !== undefined && line.length < snapshots.length) {
    line.push(at)
    at = at.parentSnapshotId === null ? undefined : byId.get(at.parentSnapshotId)
  }
  return line
}
