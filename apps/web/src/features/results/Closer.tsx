// One value, or one column, of a result beside its rows.
import { useMemo } from 'react'
import { exactnessOf } from '../../query-run/exactness.ts'
import { isRunning } from '../../query-run/run-state.ts'
import { CellViewer } from './CellViewer.tsx'
import { textAt } from './grid-columns.ts'
import { StatsPanel } from './StatsPanel.tsx'
import type { ResultRowsProps } from './use-result-rows.ts'

/** `row` is its number in the result, from 0. */
export type Looking = { kind: 'cell'; column: number; row: number } | { kind: 'stats'; column: number } | null

interface CloserProps extends ResultRowsProps {
  looking: Looking
  zone: string
  onClose: () => void
}

export function Closer({ run, snapshot, columns, looking, zone, onClose }: CloserProps) {
  const { buffer } = run
  const column = columns[looking?.column ?? -1]
  // Kept as it was found: its row may leave memory while it is looked at.
  const text = useMemo(
    () => (looking?.kind === 'cell' ? textAt(buffer, columns, looking.column, looking.row, { zone }) : null),
    [buffer, columns, looking, zone],
  )
  if (looking === null || column === undefined) return null
  if (looking.kind === 'cell')
    return text === undefined ? null : (
      <CellViewer column={column} row={looking.row} text={text} onClose={onClose} />
    )
  const { rowCount, state } = snapshot
  return (
    <StatsPanel
      buffer={buffer}
      columns={columns}
      column={looking.column}
      // Counts the rows that are there when it opens, and again when no more are arriving.
      key={String(isRunning(state))}
      exactness={exactnessOf(state, rowCount).text}
      onClose={onClose}
    />
  )
}
