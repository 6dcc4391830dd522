// The figures of a table at one snapshot, as its summary says, and whether it is committed to as regularly as usual.
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { commitRhythm, rhythmText } from '../../freshness/commit-rhythm.ts'
import { ageText, bytesText, countText, instantText } from '../../ui/format-quantity.ts'
import { useNow } from '../../ui/use-now.ts'

/** A summary value that is a whole number, as a number for people; null where the engine wrote none. */
function summaryCount(snapshot: SnapshotInfo | undefined, key: string): number | null {
  const text = snapshot?.summary[key]
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

interface FigureProps {
  label: string
  value: string
  /** Where the figure comes from, when it is not ours; a time in full. */
  note?: string | undefined
  title?: string | undefined
}

function Figure({ label, value, note, title }: FigureProps) {
  return (
    <div className="figure" title={title}>
      <dt>
        {label}
        {note !== undefined && <span className="figure-note">, {note}</span>}
      </dt>
      <dd>{value}</dd>
    </div>
  )
}

interface TableFiguresProps {
  table: TableResponse
  /** undefined where nothing was committed. */
  snapshot: SnapshotInfo | undefined
}

export function TableFigures({ table, snapshot }: TableFiguresProps) {
  const now = useNow(30_000)
  const isCurrent = snapshot?.snapshotId === table.currentSnapshotId
  // Summaries are written by whoever committed, and checked by no one.
  const stated = isCurrent ? 'as the last commit says' : 'as that commit says'
  const records = summaryCount(snapshot, 'total-records')
  const files = summaryCount(snapshot, 'total-data-files')
  const bytes = summaryCount(snapshot, 'total-files-size')
  const rhythm = isCurrent
    ? commitRhythm(
        table.snapshots.map(({ committedAtMs }) => committedAtMs),
        now,
      )
    : null
  return (
    <>
      <dl className="figures">
        {records !== null && (
          <Figure label="rows" note={stated} value={countText(records)} title="total-records" />
        )}
        {files !== null && (
          <Figure label="data files" note={stated} value={countText(files)} title="total-data-files" />
        )}
        {bytes !== null && (
          <Figure label="size" note={stated} value={bytesText(bytes)} title="total-files-size" />
        )}
        <Figure
          label={isCurrent ? 'last commit' : 'committed'}
          note={snapshot === undefined ? undefined : instantText(snapshot.committedAtMs)}
          value={snapshot === undefined ? 'never' : ageText(now - snapshot.committedAtMs)}
        />
        <Figure label="snapshots" value={countText(table.snapshots.length)} />
        <Figure label="format" value={`v${table.formatVersion}`} />
      </dl>
      {rhythm !== null && (
        <p className="rhythm" data-late={rhythm.lateByMs > 0}>
          {rhythmText(rhythm, now)}
        </p>
      )}
    </>
  )
}
