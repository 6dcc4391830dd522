// Says in words that the page shows the table as it was, and leads back to what is current.
import { History } from 'lucide-react'
import type { TableResponse } from '@lake/core/api/contract.ts'
import { movedSince } from '../../freshness/moved-since.ts'
import { countedText, instantText } from '../../ui/format-quantity.ts'

interface PastStripProps {
  table: TableResponse
  snapshotId: string
  onCurrent: () => void
}

function pastText(table: TableResponse, snapshotId: string): string {
  const snapshot = table.snapshots.find((each) => each.snapshotId === snapshotId)
  if (snapshot === undefined)
    return `Snapshot ${snapshotId} is not in the table any more: it has expired, or never was there.`
  const moved = movedSince(table, snapshotId)
  const after =
    moved.kind === 'commits'
      ? `${countedText(moved.count, 'commit')} before what is current`
      : 'not on the way to what is current'
  return `The table as of ${instantText(snapshot.committedAtMs)}, ${after}`
}

export function PastStrip({ table, snapshotId, onCurrent }: PastStripProps) {
  return (
    <output className="past-strip">
      <History size={14} aria-hidden />
      <span>{pastText(table, snapshotId)}</span>
      <button type="button" className="button" onClick={onCurrent}>
        Show what is current
      </button>
    </output>
  )
}
