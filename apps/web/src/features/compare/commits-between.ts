// The commits that lead from one snapshot to another.
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { lineageOf } from '../../freshness/lineage.ts'

/** Newest first, the older snapshot left out; null where it is no ancestor of the newer one. */
export function commitsBetween(
  snapshots: readonly SnapshotInfo[],
  olderId: string,
  newerId: string,
): readonly SnapshotInfo[] | null {
  const line = lineageOf(snapshots, newerId)
  const end = line.findIndex(({ snapshotId }) => snapshotId === olderId)
  return end === -1 ? null : line.slice(0, end)
}
