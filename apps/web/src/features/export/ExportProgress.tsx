// How far an export has come, and what it ended in.
import type { ExportReceipt } from '@lake/core/flight/receipt.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { bytesText, countedText, countText } from '../../ui/format-quantity.ts'
import { focusHere } from '../../ui/focus-here.ts'
import type { ExportState } from './export-run.ts'

interface ExportRunningProps {
  state: Extract<ExportState, { kind: 'running' | 'stopping' }>
  /** Rows of the whole result, where they are known. */
  totalRows: number | null
  onStop: () => void
}

export function ExportRunning({ state, totalRows, onStop }: ExportRunningProps) {
  const progress = state.kind === 'running' ? state.progress : null
  const rows = progress?.rowCount ?? 0
  const of = totalRows === null ? '' : ` of ${countText(totalRows)}`
  const isStopping = state.kind === 'stopping'
  return (
    <div className="export-running">
      <progress
        aria-label="Rows exported"
        {...(totalRows !== null && totalRows > 0 && progress !== null && { value: rows / totalRows })}
      />
      <p className="export-words tabular">
        {progress === null ? 'Reading…' : `${countText(rows)}${of} rows · ${bytesText(progress.byteCount)}`}
      </p>
      <button
        ref={focusHere}
        type="button"
        className="button button-stop"
        disabled={isStopping}
        onClick={onStop}
      >
        {isStopping ? 'Stopping' : 'Stop'}
      </button>
    </div>
  )
}

interface ExportEndProps {
  name: string
  document: ExportReceipt
  screenRows: number | null
  isReceiptBeside: boolean
  onSave: () => void
  onSaveReceipt: () => void
  onAnother: () => void
}

export function ExportEnd(props: ExportEndProps) {
  const { name, document, screenRows, isReceiptBeside, onSave, onSaveReceipt, onAnother } = props
  const { rowCount, file } = document
  return (
    <div className="export-end">
      <output className="export-words">
        <strong>{name}</strong> is whole: {countedText(rowCount, 'row')}, {bytesText(file.byteCount)}.
      </output>
      {isReceiptBeside && (
        <p className="export-words">
          Its receipt is saved beside it: if the browser asks whether it may save several files, allow it.
        </p>
      )}
      {screenRows !== null && screenRows !== rowCount && (
        <p className="export-words export-warning">
          The screen has {countedText(screenRows, 'row')}: at the same snapshots the statement does not give
          the same rows each time, as one that draws lots does.
        </p>
      )}
      <p className="export-words">
        SHA-256 <code className="mono break">{file.sha256}</code>
        <CopyButton text={file.sha256} label="Copy SHA-256" />
      </p>
      <div className="export-actions">
        <button ref={focusHere} type="button" className="button" onClick={onAnother}>
          Another format
        </button>
        <button type="button" className="button" onClick={onSaveReceipt}>
          Save receipt
        </button>
        <button type="button" className="button" onClick={onSave}>
          Save again
        </button>
      </div>
    </div>
  )
}
