// Editor above, its tab's result below. Puts the features beside each other: none of them knows another.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { errorRange } from './api/api-error.ts'
import { EditorPane } from './features/editor/EditorPane.tsx'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { activeTab, useTabs } from './features/editor/tabs-store.ts'
import { LinkMenu } from './features/receipt/LinkMenu.tsx'
import { LinkVerdict, linkVerdict } from './features/receipt/LinkVerdict.tsx'
import { ReceiptLine } from './features/receipt/ReceiptLine.tsx'
import { ReceiptPanel } from './features/receipt/ReceiptPanel.tsx'
import { NoResult, ResultsPane } from './features/results/ResultsPane.tsx'
import { RunBar } from './features/results/RunBar.tsx'
import { fingerprintOf, useComparison } from './features/results/use-fingerprint.ts'
import type { QueryRun, RunSnapshot } from './query-run/query-run.ts'
import { dropRun, startRun, useRun, useRunningTabs, useRunSnapshot } from './query-run/run-registry.ts'
import { infoOf, isRunning } from './query-run/run-state.ts'
import { hasTopLevelLimit } from './sql/blank-literals.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'

/** Where the last failed run of the active tab points in its text. */
function markerOf(run: QueryRun | null, snapshot: RunSnapshot | null) {
  if (run === null || snapshot?.state.kind !== 'failed') return null
  const { error } = snapshot.state
  const range = errorRange(error)
  if (range === null) return null
  const { sql, startOffset } = run.source
  return {
    sql,
    sqlStartOffset: startOffset,
    startOffset: startOffset + range.startOffset,
    endOffset: startOffset + range.endOffset,
    message: error.message,
  }
}

function ResultArea({
  run,
  snapshot,
  title,
  onPlaceCursor,
}: {
  run: QueryRun
  snapshot: RunSnapshot
  title: string
  onPlaceCursor: (offset: number) => void
}) {
  const [isPanelOpen, setPanelOpen] = useState(false)
  const compared = useComparison(run, snapshot)
  const { sql, linkedFingerprint } = run.source
  const isPast = infoOf(snapshot.state)?.tables.some((table) => !table.isCurrent) ?? false
  return (
    <>
      <ReceiptLine
        snapshot={snapshot}
        isPanelOpen={isPanelOpen}
        onTogglePanel={() => setPanelOpen((isOpen) => !isOpen)}
        actions={
          <LinkMenu run={run} snapshot={snapshot} title={title} onFingerprint={() => fingerprintOf(run)} />
        }
      />
      {linkedFingerprint !== undefined && (
        <LinkVerdict verdict={linkVerdict(snapshot.state, compared, hasTopLevelLimit(sql))} />
      )}
      <div className="result-area" data-past={isPast}>
        <ResultsPane
          key={snapshot.startedAtMs}
          run={run}
          snapshot={snapshot}
          onPlaceCursor={onPlaceCursor}
          onRunAgain={() => startRun(run.source)}
        />
        {isPanelOpen && <ReceiptPanel sql={sql} snapshot={snapshot} onClose={() => setPanelOpen(false)} />}
      </div>
    </>
  )
}

export function Workbench({ isHidden }: { isHidden: boolean }) {
  const tabsSnapshot = useTabs()
  const editor = useRef<EditorHandle>(null)
  const run = useRun(tabsSnapshot.tabs.activeId)
  const snapshot = useRunSnapshot(run)
  const runningIds = useRunningTabs()
  const marker = useMemo(() => markerOf(run, snapshot), [run, snapshot])
  const { open } = tabsSnapshot.tabs
  const onRun = useCallback(
    (tabId: string, sql: string, startOffset: number) => {
      const tab = open.find(({ id }) => id === tabId)
      const startLine = tab?.sql.slice(0, startOffset).split('\n').length ?? 1
      const linkedFingerprint = tab?.linked?.sql === sql ? tab.linked.fingerprint : undefined
      startRun({ tabId, sql, startOffset, startLine, pins: tab?.pins ?? [], linkedFingerprint })
    },
    [open],
  )

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isStop = event.key === 'Escape' || (event.key === '.' && (event.ctrlKey || event.metaKey))
      const isInEditor = event.target instanceof Element && event.target.closest('.sql-editor') !== null
      if (isStop && (event.key !== 'Escape' || !isInEditor) && run !== null && isRunning(run.snapshot.state))
        void run.stop()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [run])

  return (
    <div className="workbench" hidden={isHidden}>
      <h1 className="visually-hidden">Queries</h1>
      <Group orientation="vertical" className="workbench-split">
        <Panel defaultSize="42%" minSize="120px" className="workbench-panel">
          <ErrorBoundary name="The editor">
            <EditorPane
              snapshot={tabsSnapshot}
              runningIds={runningIds}
              marker={marker}
              handle={editor}
              onRun={onRun}
              onClosed={dropRun}
            />
          </ErrorBoundary>
        </Panel>
        <Separator className="splitter" aria-label="Height of the editor" />
        <Panel minSize="140px" className="workbench-panel">
          <section className="results-pane" aria-label="Results">
            <ErrorBoundary name="The result">
              <RunBar run={run} snapshot={snapshot} onRun={() => editor.current?.run()} />
              {run === null || snapshot === null ? (
                <NoResult />
              ) : (
                <ResultArea
                  run={run}
                  snapshot={snapshot}
                  title={activeTab(tabsSnapshot.tabs).title}
                  onPlaceCursor={(offset) => editor.current?.placeCursor(offset)}
                />
              )}
            </ErrorBoundary>
          </section>
        </Panel>
      </Group>
    </div>
  )
}
