// What has happened to a table since a result was made from one of its snapshots, from its metadata.
import type { TableResponse } from '@lake/core/api/contract.ts'

export type Moved =
  | { kind: 'same' }
  | {
      kind: 'commits'
      count: number
      /** Change of the row count as the writers say; null where they do not. */
      rowDelta: bigint | null
    }
  /** The snapshot is no ancestor of the current one: rolled back, replaced, or expired in between. */
  | { kind: 'other' }

const WHOLE_NUMBER = /^\d{1,18}$/

export function movedSince(
  table: Pick<TableResponse, 'currentSnapshotId' | 'snapshots'>,
  snapshotId: string | null,
): Moved {
  const { currentSnapshotId, snapshots } = table
  if (currentSnapshotId === snapshotId) return { kind: 'same' }
  const byId = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]))
  let count = 0
  let at = currentSnapshotId
  // No longer than there are snapshots: parents of a broken table may form a ring.
  while (at !== null && at !== snapshotId && count <= snapshots.length) {
    count += 1
    at = byId.get(at)?.parentSnapshotId ?? null
  }
  if (at !== snapshotId || count > snapshots.length) return { kind: 'other' }
  const before = snapshotId === null ? '0' : byId.get(snapshotId)?.summary['total-records']
  const now = currentSnapshotId === null ? '0' : byId.get(currentSnapshotId)?.summary['total-records']
  const isKnown = WHOLE_NUMBER.test(before ?? '') && WHOLE_NUMBER.test(now ?? '')
  return { kind: 'commits', count, rowDelta: isKnown ? BigInt(now ?? 0) - BigInt(before ?? 0) : null }
}
