// One table's commits as a slider: height is rows changed, colour the operation, flags are branches and tags. The thumb
// is the snapshot that the tab reads; dragging it or the arrow keys choose another, and the end is what is current.
import { useState } from 'react'
import { countedText, countText, instantText, shortId } from '../../ui/format-quantity.ts'
import { placeOf, type Rail, type RailCommit } from './rail-commits.ts'
import { commitText, offRailText, standText } from './rail-words.ts'

interface TimeTravelRailProps {
  label: string
  rail: Rail
  /** The snapshot that the tab reads; null: what is current. */
  snapshotId: string | null
  /** null: what is current again. */
  onChoose: (commit: { snapshotId: string; committedAtMs: number } | null) => void
}

const startAt = (index: number, count: number) => ({ insetInlineStart: `${placeOf(index, count) * 100}%` })

function Commit({
  commit,
  index,
  at,
  count,
}: {
  commit: RailCommit
  index: number
  at: number
  count: number
}) {
  const { snapshotId, committedAtMs, operation, height, refs } = commit
  return (
    <span
      className="rail-commit"
      data-operation={operation ?? 'unknown'}
      data-after={at >= 0 && index > at}
      style={{ ...startAt(index, count), blockSize: `${4 + height * 12}px` }}
      title={`${instantText(committedAtMs)} · ${commitText(commit)} · ${shortId(snapshotId)}`}
    >
      {refs.length > 0 && <span className="rail-flag" />}
    </span>
  )
}

function Stand({ rail, at, snapshotId }: { rail: Rail; at: number; snapshotId: string | null }) {
  const { commits, olderIds, asideCount } = rail
  const commit = commits[at]
  const commitsAfter = commits.length - 1 - at
  if (commit === undefined) return <span className="rail-stand">{offRailText(rail, snapshotId ?? '')}</span>
  if (commitsAfter > 0) {
    const text = `${countedText(commitsAfter, 'commit')} before current · ${commitText(commit)}`
    return (
      <span className="rail-stand" title={`${text} · ${instantText(commit.committedAtMs)}`}>
        {text}
      </span>
    )
  }
  const more = [
    ...(olderIds.size > 0 ? [`${countText(olderIds.size)} older`] : []),
    ...(asideCount > 0 ? [`${countText(asideCount)} aside`] : []),
  ]
  return (
    <span className="rail-stand">
      current{more.length > 0 && <span className="rail-more"> · {more.join(', ')}</span>}
    </span>
  )
}

export function TimeTravelRail({ label, rail, snapshotId, onChoose }: TimeTravelRailProps) {
  /** Where the thumb is while it is moved: chosen when it is let go. */
  const [moved, setMoved] = useState<number | null>(null)
  const { commits } = rail
  const last = commits.length - 1
  const pinned = snapshotId === null ? last : commits.findIndex((commit) => commit.snapshotId === snapshotId)
  const at = moved ?? pinned
  const commit = commits[at]
  // Before the first one, or on no place at all.
  const offPlace = rail.olderIds.has(snapshotId ?? '') ? 0 : last

  const settle = () => {
    if (moved === null) return
    setMoved(null)
    if (moved !== pinned) onChoose(moved === last ? null : (commits[moved] ?? null))
  }
  return (
    <div className="rail" data-past={at !== last}>
      <span className="rail-label" title={label}>
        {label}
      </span>
      <div className="rail-track">
        {commits.map((each, index) => (
          <Commit key={each.snapshotId} commit={each} index={index} at={at} count={commits.length} />
        ))}
        {at >= 0 && <span className="rail-thumb" style={startAt(at, commits.length)} aria-hidden />}
        <input
          type="range"
          className="rail-range"
          min={0}
          max={last}
          value={at < 0 ? offPlace : at}
          aria-label={`Snapshot of ${label}`}
          aria-valuetext={
            commit === undefined ? offRailText(rail, snapshotId ?? '') : standText(commit, last - at)
          }
          onChange={(event) => setMoved(event.currentTarget.valueAsNumber)}
          onPointerUp={settle}
          onKeyUp={settle}
          onBlur={settle}
        />
      </div>
      <Stand rail={rail} at={at} snapshotId={snapshotId} />
    </div>
  )
}
