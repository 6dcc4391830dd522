// What a tab's last run gave: rows, the reason there are none, or the failure with its place. A failure after rows
// keeps them and says that they are not the whole answer.
import { useMemo, useState } from 'react'
import { errorRange } from '../../api/api-error.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { countedText } from '../../ui/format-quantity.ts'
import { CellViewer } from './CellViewer.tsx'
import { columnsOf, textAt, type ResultColumn } from './grid-columns.ts'
import { ResultGrid } from './ResultGrid.tsx'
import { RUN_SHORTCUT } from './RunBar.tsx'

interface ResultsPaneProps {
  run: QueryRun
  snapshot: RunSnapshot
  /** Offset in the tab's whole text. */
  onPlaceCursor: (offset: number) => void
  onRunAgain: () => void
}

function Failure({ run, snapshot, onPlaceCursor, onRunAgain }: ResultsPaneProps) {
  if (snapshot.state.kind !== 'failed') return null
  const { error } = snapshot.state
  const range = errorRange(error)
  const before = run.source.sql.slice(0, range?.startOffset ?? 0)
  return (
    <ErrorNotice error={error} onRetry={error.isRetryable ? onRunAgain : undefined} retryLabel="Run again">
      {range !== null && (
        <button
          type="button"
          className="button"
          onClick={() => onPlaceCursor(run.source.startOffset + range.startOffset)}
        >
          Go to line {run.source.startLine + before.split('\n').length - 1}
        </button>
      )}
    </ErrorNotice>
  )
}

function PausedNotice({ run, snapshot }: Pick<ResultsPaneProps, 'run' | 'snapshot'>) {
  if (snapshot.state.kind !== 'paused') return null
  return (
    <div className="pause-notice">
      <output>
        The first {countedText(snapshot.rowCount, 'row')} are here. Reading is paused so that this browser
        does not run out of memory; there may be more.
      </output>
      <button type="button" className="button" onClick={() => run.continueReading()}>
        Continue reading
      </button>
      <button type="button" className="button" onClick={() => void run.stop()}>
        Stop here
      </button>
    </div>
  )
}

/** The last result stays in view, dimmed and out of reach, until the new one has rows. */
function PreviousRows({ previous }: { previous: QueryRun }) {
  const { schema, rowCount } = previous.buffer
  const columns = useMemo(() => (schema === null ? [] : columnsOf(schema)), [schema])
  const ignore = () => undefined
  return (
    <div className="previous-result" inert>
      <p>the previous result, until there are new rows</p>
      <ResultGrid
        buffer={previous.buffer}
        columns={columns}
        rowCount={rowCount}
        onOpenCell={ignore}
        onCopyRefused={ignore}
      />
    </div>
  )
}

function Rows({ run, snapshot, columns }: ResultsPaneProps & { columns: readonly ResultColumn[] }) {
  const [cell, setCell] = useState<{ column: number; row: number } | null>(null)
  const [isCopyRefused, setCopyRefused] = useState(false)
  const openColumn = cell === null ? undefined : columns[cell.column]
  if (snapshot.rowCount === 0 && snapshot.state.kind === 'finished')
    return (
      <div className="empty-result">
        <p>No rows: the statement is answered, and the answer is empty.</p>
        <p className="faint">{columns.map((column) => `${column.name} ${column.sqlType}`).join(', ')}</p>
      </div>
    )
  if (snapshot.rowCount === 0)
    return run.previous === null ? null : <PreviousRows key="previous" previous={run.previous} />
  return (
    <div className="result-body">
      <div className="result-main">
        {isCopyRefused && (
          <p className="pause-notice" role="alert">
            The selection is too large to copy whole, so nothing was copied. Select fewer rows.
            <button type="button" className="button" onClick={() => setCopyRefused(false)}>
              Close
            </button>
          </p>
        )}
        <ResultGrid
          buffer={run.buffer}
          columns={columns}
          rowCount={snapshot.rowCount}
          onOpenCell={(column, row) => setCell({ column, row })}
          onCopyRefused={() => setCopyRefused(true)}
        />
      </div>
      {cell !== null && openColumn !== undefined && (
        <CellViewer
          column={openColumn}
          row={cell.row}
          text={textAt(run.buffer, columns, cell.column, cell.row) ?? null}
          onClose={() => setCell(null)}
        />
      )}
    </div>
  )
}

export function ResultsPane(props: ResultsPaneProps) {
  const { run, snapshot } = props
  const { schema } = run.buffer
  const columns = useMemo(() => (schema === null ? [] : columnsOf(schema)), [schema])
  return (
    <div className="results" data-state={snapshot.state.kind}>
      <Failure {...props} />
      <PausedNotice run={run} snapshot={snapshot} />
      <Rows {...props} columns={columns} />
    </div>
  )
}

/** Before anything was run in a tab. */
export function NoResult() {
  return (
    <div className="empty-result">
      <p>
        Rows appear here. <kbd>{RUN_SHORTCUT}</kbd> runs the statement under the cursor.
      </p>
      <p className="faint">
        Tables are named in full: <code>SELECT * FROM iceberg.namespace.table LIMIT 100</code>
      </p>
    </div>
  )
}
