// An export from choice to file: what it is made from, the format, how far it has come, and where the file is.
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import { pinsOfReceipt } from '../../link/link.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { focusHere } from '../../ui/focus-here.ts'
import { ExportEnd, ExportRunning } from './ExportProgress.tsx'
import { exportFileName, type ExportFormat } from './export-name.ts'
import { ExportRun } from './export-run.ts'
import { defaultChoices, hasReceiptBeside, targetOf, XLSX_ROWS_MAX } from './export-target.ts'
import { FormatOptions } from './FormatOptions.tsx'
import { saveFile } from '../../ui/save-file.ts'

interface ExportDialogProps {
  sql: string
  info: FlightInfoResponse
  snapshot: RunSnapshot
  /** Of the tab, for the file's name. */
  title: string
  format: ExportFormat
  /** The receipt of the result, as it stands above it. */
  receipt: ReactNode
  onClose: () => void
}

/** What planning the statement again heals. */
const PLANNED_AGAIN: readonly string[] = ['TICKET_EXPIRED', 'NO_SUCH_STATEMENT', 'RESULT_CORRUPT']

/** Rows of the whole answer, where that is known. */
const totalRowsOf = ({ state }: RunSnapshot): number | null =>
  state.kind === 'finished' ? state.receipt.rowCount : null

/** What the file will hold, against what is on the screen. */
function extentText(snapshot: RunSnapshot): string {
  const { text, tone } = exactnessOf(snapshot.state, snapshot.rowCount)
  const total = totalRowsOf(snapshot)
  if (tone === 'ok' && total !== null)
    return `The export holds all ${countedText(total, 'row')}, as the screen does.`
  return `On the screen: ${text}. The export holds all rows.`
}

function useExport({ sql, info, snapshot, title }: ExportDialogProps) {
  const [run] = useState(() => {
    const pins = pinsOfReceipt(info.tables)
    return new ExportRun({
      sql,
      info,
      keptId: snapshot.background?.state === 'finished' ? snapshot.background.statementId : null,
      pins: pins.map(({ namespace, table, snapshotId }) => ({ namespace, table, snapshotId })),
    })
  })
  const state = useSyncExternalStore(run.subscribe, run.getState)
  useEffect(() => () => void run.stop(), [run])
  const nameOf = (format: ExportFormat): string => exportFileName(title, info.tables, format)
  const save = (): void => {
    if (run.state.kind === 'done')
      saveFile(nameOf(run.state.document.file.format as ExportFormat), run.state.file)
  }
  const saveReceipt = (): void => {
    if (run.state.kind !== 'done') return
    const { document } = run.state
    const name = nameOf(document.file.format as ExportFormat)
    const text = `${JSON.stringify({ ...document, file: { name, ...document.file } }, null, 2)}\n`
    saveFile(`${name}.receipt.json`, new Blob([text], { type: 'application/json' }))
  }
  return { run, state, nameOf, save, saveReceipt }
}

const refusalIn =
  (total: number | null) =>
  (format: ExportFormat): string | null =>
    format === 'xlsx' && total !== null && total > XLSX_ROWS_MAX
      ? `An XLSX sheet holds ${countText(XLSX_ROWS_MAX)} rows; the result has ${countText(total)}.`
      : null

interface ExportBodyProps {
  snapshot: RunSnapshot
  format: ExportFormat
  exporting: ReturnType<typeof useExport>
}

/** The choices and their outcome, of which one is shown at a time. */
function ExportBody({ snapshot, format, exporting }: ExportBodyProps) {
  const { run, state, nameOf, save, saveReceipt } = exporting
  const [choices, setChoices] = useState(() => defaultChoices(format))
  const total = totalRowsOf(snapshot)
  const refusalOf = refusalIn(total)
  const start = async (isPlannedAgain = false) => {
    await run.start(targetOf(choices), isPlannedAgain)
    if (run.getState().kind !== 'done') return
    save()
    if (hasReceiptBeside(choices.format)) saveReceipt()
  }
  if (state.kind === 'running' || state.kind === 'stopping')
    return <ExportRunning state={state} totalRows={total} onStop={() => void run.stop()} />
  if (state.kind === 'done')
    return (
      <ExportEnd
        name={nameOf(choices.format)}
        document={state.document}
        screenRows={total}
        isReceiptBeside={hasReceiptBeside(choices.format)}
        onSave={save}
        onSaveReceipt={saveReceipt}
        onAnother={() => run.reset()}
      />
    )
  return (
    <>
      {state.kind === 'failed' && (
        <ErrorNotice error={state.error}>
          {PLANNED_AGAIN.includes(state.error.code) && (
            <button type="button" className="button" onClick={() => void start(true)}>
              Plan again at the same snapshots, and export
            </button>
          )}
        </ErrorNotice>
      )}
      {state.kind === 'stopped' && (
        <output className="export-words">
          Stopped; nothing was saved.{' '}
          {state.isConfirmed ? 'The work on the server has ended.' : 'The server has not confirmed its end.'}
        </output>
      )}
      <FormatOptions choices={choices} onChoices={setChoices} refusalOf={refusalOf} />
      <div className="export-actions">
        <code className="export-name">{nameOf(choices.format)}</code>
        <button
          ref={focusHere}
          type="button"
          className="button button-primary"
          disabled={refusalOf(choices.format) !== null}
          onClick={() => void start()}
        >
          Export
        </button>
      </div>
    </>
  )
}

export function ExportDialog(props: ExportDialogProps) {
  const { snapshot, format, receipt, onClose } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const exporting = useExport(props)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} className="sheet export" aria-labelledby="export-title" onClose={onClose}>
      <header className="sheet-header">
        <h2 id="export-title">Export</h2>
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
      </header>
      {receipt}
      <div className="export-body">
        <p className="export-words">{extentText(snapshot)}</p>
        <ExportBody snapshot={snapshot} format={format} exporting={exporting} />
      </div>
    </dialog>
  )
}
