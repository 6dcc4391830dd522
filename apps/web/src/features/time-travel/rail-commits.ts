// The commits of a table as a rail shows them, from its metadata alone: those that lead to what is current, oldest first.
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { lineageOf } from '../../freshness/lineage.ts'
import { RAIL_COMMITS_MAX } from '../../limits.ts'

export interface RailCommit {
  snapshotId: string
  committedAtMs: number
  operation: string | null
  /** Added and deleted rows as the writer says; null where it does not. */
  addedRows: bigint | null
  deletedRows: bigint | null
  /** 0 to 1, by the logarithm of the rows that changed; the tallest of the rail is 1. */
  height: number
  /** Names of the branches and tags that point here. */
  refs: readonly string[]
}

export interface Rail {
  commits: readonly RailCommit[]
  /** Ids of the snapshots before the first one that is shown. */
  olderIds: ReadonlySet<string>
  /** Snapshots that do not lead to what is current: on other branches, or rolled back. */
  asideCount: number
}

const WHOLE_NUMBER = /^\d{1,18}$/

function rowsIn({ summary }: SnapshotInfo, key: string): bigint | null {
  const text = summary[key]
  return text !== undefined && WHOLE_NUMBER.test(text) ? BigInt(text) : null
}

type RailTable = Pick<TableResponse, 'currentSnapshotId' | 'snapshots' | 'refs'>

export function railOf({ currentSnapshotId, snapshots, refs }: RailTable): Rail {
  const line = lineageOf(snapshots, currentSnapshotId).toReversed()
  const shown = line.slice(-RAIL_COMMITS_MAX)
  const changed = shown.map((snapshot) => {
    const rows = [rowsIn(snapshot, 'added-records'), rowsIn(snapshot, 'deleted-records')]
    return Math.log10(1 + Number(rows.reduce<bigint>((sum, count) => sum + (count ?? 0n), 0n)))
  })
  const tallest = Math.max(...changed, 0)
  return {
    commits: shown.map((snapshot, index) => ({
      snapshotId: snapshot.snapshotId,
      committedAtMs: snapshot.committedAtMs,
      operation: snapshot.operation,
      addedRows: rowsIn(snapshot, 'added-records'),
      deletedRows: rowsIn(snapshot, 'deleted-records'),
      height: tallest === 0 ? 0 : (changed[index] ?? 0) / tallest,
      refs: refs.filter(({ snapshotId }) => snapshotId === snapshot.snapshotId).map(({ name }) => name),
    })),
    olderIds: new Set(line.slice(0, -shown.length).map(({ snapshotId }) => snapshotId)),
    asideCount: snapshots.length - line.length,
  }
}

/** Where a commit stands, from 0 to 1; the only one stands at the end. */
export function placeOf(index: number, commitCount: number): number {
  return commitCount <= 1 ? 1 : index / (commitCount - 1)
}
