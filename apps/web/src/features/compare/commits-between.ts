// The commits that lead from one snapshot to another.
import type { SnapshotInfo } from '@lake/core/api/contract.ts'

/** Newest first, the older snapshot left out; null where it is no ancestor of the newer one. */
export function commitsBetween(
  snapshots: readonly SnapshotInfo[],
  olderId: string,
  newerId: string,
): readonly SnapshotInfo[] | null {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]))
  const between: SnapshotInfo[] = []
  let at = byId.get(newerId)
  // Parents of a broken table may form a ring.
  while (at !== undefined && at.snapshotId !== olderId && between.length <= snapshots.length) {
    between.push(at)
    at = at.parentSnapshotId === null ? undefined : byId.get(at.parentSnapshotId)
  }
  return at?.snapshotId === olderId ? between : null
}
