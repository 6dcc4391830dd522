// The first rows of a table as of a snapshot, on its page: one row group of one data file is read, and the receipt says so.
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import type { TableName } from './api/table-name.ts'
import { ReceiptLine } from './features/receipt/ReceiptLine.tsx'
import { ReceiptPanel } from './features/receipt/ReceiptPanel.tsx'
import { ResultsPane } from './features/results/ResultsPane.tsx'
import { previewRun } from './query-run/preview-runs.ts'
import { useRunSnapshot } from './query-run/run-registry.ts'

interface TablePreviewProps {
  name: TableName
  snapshot: SnapshotInfo
  onQuery: () => void
}

export function TablePreview({ name, snapshot, onQuery }: TablePreviewProps) {
  const [run, setRun] = useState(() => previewRun(name, snapshot))
  const [isPanelOpen, setPanelOpen] = useState(false)
  const state = useRunSnapshot(run)
  return (
    <section className="table-preview" aria-labelledby="preview-title">
      <h2 id="preview-title">
        Preview <span className="h2-note">rows of one row group of one data file; nothing more is read</span>
        <button type="button" className="button button-quiet" onClick={onQuery}>
          <Play size={12} aria-hidden /> Read on in a query
        </button>
      </h2>
      {state !== null && (
        <>
          <ReceiptLine
            snapshot={state}
            isPanelOpen={isPanelOpen}
            onTogglePanel={() => setPanelOpen((isOpen) => !isOpen)}
          />
          <div className="result-area">
            <ResultsPane
              key={state.startedAtMs}
              run={run}
              snapshot={state}
              onPlaceCursor={onQuery}
              onRunAgain={() => setRun(previewRun(name, snapshot))}
            />
            {isPanelOpen && (
              <ReceiptPanel sql={run.sentSql} snapshot={state} onClose={() => setPanelOpen(false)} />
            )}
          </div>
        </>
      )}
    </section>
  )
}
