// What a tab's last run gave: rows, the reason there are none, or the failure with its place. A failure after rows
// keeps them and says that they are not the whole answer.
import { useMemo } from 'react'
import { errorRange } from '../../api/api-error.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { showPrevious } from '../../query-run/run-registry.ts'
import { isRunning } from '../../query-run/run-state.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { bytesText, countedText } from '../../ui/format-quantity.ts'
import { visibleName } from '../../ui/visible-text.ts'
import { columnsOf, type ResultColumn } from './grid-columns.ts'
import { PreviousRows, ResultRows } from './ResultRows.tsx'
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
  // Of a kept or stored result that cannot be had any more, the statement can.
  const isKept = snapshot.background?.state === 'finished' || snapshot.storedAtMs !== null
  const before = run.source.sql.slice(0, range?.startOffset ?? 0)
  return (
    <ErrorNotice
      error={error}
      onRetry={error.isRetryable || isKept ? onRunAgain : undefined}
      retryLabel="Run again"
    >
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
  const { movedByteCount } = run.buffer
  return (
    <div className="pause-notice">
      <output>
        The first {countedText(snapshot.rowCount, 'row')} are here
        {movedByteCount > 0 && `, ${bytesText(movedByteCount)} of them on this computer’s disk`}. Reading is
        paused so that this browser does not run out of {movedByteCount > 0 ? 'disk space' : 'memory'}; there
        may be more.
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

/** Rows of a kept result that are looked at and could not be fetched. */
function RowsFailure({ run, snapshot }: Pick<ResultsPaneProps, 'run' | 'snapshot'>) {
  if (snapshot.rowsFailure === null || snapshot.state.kind === 'failed') return null
  return (
    <ErrorNotice
      error={snapshot.rowsFailure}
      onRetry={() => run.buffer.retry()}
      retryLabel="Fetch the rows again"
    />
  )
}

const COLUMNS_LISTED_MAX = 24

/** What the rows would have had. */
function columnList(columns: readonly ResultColumn[]): string {
  const listed = columns
    .slice(0, COLUMNS_LISTED_MAX)
    .map(({ name, sqlType }) => `${visibleName(name)} ${sqlType}`)
    .join(', ')
  const moreCount = columns.length - COLUMNS_LISTED_MAX
  return moreCount > 0 ? `${listed} and ${countedText(moreCount, 'more column')}` : listed
}

function Rows({ run, snapshot, columns }: ResultsPaneProps & { columns: readonly ResultColumn[] }) {
  if (snapshot.rowCount === 0 && snapshot.state.kind === 'finished')
    return (
      <div className="empty-result">
        <p>No rows: the statement is answered, and the answer is empty.</p>
        <p className="faint">{columnList(columns)}</p>
      </div>
    )
  if (snapshot.rowCount === 0)
    return run.previous === null ? null : (
      <PreviousRows
        key="previous"
        previous={run.previous}
        onShow={isRunning(snapshot.state) ? undefined : () => showPrevious(run)}
      />
    )
  return <ResultRows run={run} snapshot={snapshot} columns={columns} />
}

export function ResultsPane(props: ResultsPaneProps) {
  const { run, snapshot } = props
  const { schema } = run.buffer
  const columns = useMemo(() => (schema === null ? [] : columnsOf(schema)), [schema])
  return (
    <div className="results" data-state={snapshot.state.kind}>
      <Failure {...props} />
      <RowsFailure run={run} snapshot={snapshot} />
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
