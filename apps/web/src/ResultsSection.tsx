// Below the editor: Run with what it would read, the shown result of the tab, and beside it why these files.
import { useCallback, useEffect, useState, type RefObject } from 'react'
import type { RunText } from './features/editor/sql-editor.ts'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import type { Tab } from './features/editor/tabs-state.ts'
import { BackgroundOffer } from './features/statements/BackgroundOffer.tsx'
import { EstimatePanel } from './features/estimate/EstimatePanel.tsx'
import { ScanPreview } from './features/estimate/ScanPreview.tsx'
import { useEstimate } from './features/estimate/use-estimate.ts'
import { LastRun } from './LastRun.tsx'
import { NoResult } from './features/results/ResultsPane.tsx'
import { ResultTabs } from './features/results/ResultTabs.tsx'
import { RunBar } from './features/results/RunBar.tsx'
import { startRun, stopTab, useRunSnapshot, useTabRuns } from './query-run/run-registry.ts'
import { useStoredRuns } from './query-run/stored-runs.ts'
import { toApiError } from './api/api-error.ts'
import { postPoll } from './api/client.ts'
import { useSession } from './api/queries.ts'
import type { QueryRun } from './query-run/query-run.ts'
import { infoOf } from './query-run/run-state.ts'
import { ResultArea } from './ResultArea.tsx'
import { bindParameters } from './sql/parameters.ts'
import { StartHere } from './StartHere.tsx'
import { sourceOf } from './statements.ts'
import { say } from './ui/notice.ts'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'

/** Alt Enter shows what Run would read. */
function useExplainKey(toggle: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      toggle()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [toggle])
}

/** What Run would take in a tab: told by its editor after a rest. */
interface Target {
  tabId: string
  sql: string | null
}

/** What Run would read in the tab, and whether the panel that says why is open. */
export function useEstimatePanel({ id, pins, parameters = [] }: Tab) {
  const [target, setTarget] = useState<Target | null>(null)
  const [isOpen, setOpen] = useState(false)
  const onTarget = useCallback(
    (tabId: string, text: RunText | null) => setTarget({ tabId, sql: text?.sql ?? null }),
    [],
  )
  const toggle = useCallback(() => setOpen((wasOpen) => !wasOpen), [])
  useExplainKey(toggle)
  const text = target?.tabId === id ? target.sql : null
  const bound = text === null ? null : bindParameters(text, parameters)
  const shown = useEstimate(bound?.kind === 'bound' ? bound.sql : null, pins)
  return { shown, onTarget, isOpen, toggle }
}

function runInBackground(tab: Tab, text: RunText | null): void {
  const bound = text === null ? null : bindParameters(text.sql, tab.parameters ?? [])
  if (text === null || bound === null) say('There is no statement to run yet.')
  else if (bound.kind === 'unbound')
    say(`Give ${bound.names.map((name) => `$${name}`).join(', ')} a value first.`, 'warn')
  else startRun({ ...sourceOf(tab, tab.id, text), background: { kind: 'submit' } })
}

/** The interactive run goes on until the statement is in the queue, at the very snapshots that it reads. */
async function continueInBackground(run: QueryRun | null): Promise<void> {
  const info = run && infoOf(run.snapshot.state)
  if (run === null || info === null) return
  try {
    const request = { ticket: info.ticket, idempotencyKey: info.statementId }
    const { statementId } = await postPoll(request, new AbortController().signal)
    startRun({ ...run.source, background: { kind: 'open', statementId } })
  } catch (error) {
    say(toApiError(error).message, 'warn')
  }
}

interface ResultsSectionProps {
  tab: Tab
  editor: RefObject<EditorHandle | null>
  estimate: ReturnType<typeof useEstimatePanel>
}

export function ResultsSection({ tab, editor, estimate }: ResultsSectionProps) {
  const { id: tabId, title } = tab
  const { shown, isOpen, toggle } = estimate
  const tabRuns = useTabRuns(tabId)
  const run = tabRuns?.shown ?? null
  const snapshot = useRunSnapshot(run)
  const isComing = useStoredRuns(tabId, run === null)
  const hasBackground = useSession().data?.hasBackground === true
  return (
    <section className="results-pane" aria-label="Results" data-zone="results">
      <ErrorBoundary name="The result">
        <RunBar
          snapshot={snapshot}
          waitingCount={tabRuns?.waiting.length ?? 0}
          onRun={() => editor.current?.run()}
          onRunAll={() => editor.current?.runAll()}
          onStop={() => stopTab(tabId)}
          background={
            hasBackground && (
              <BackgroundOffer
                snapshot={snapshot}
                bytesNeeded={shown.estimate?.bytesNeeded ?? null}
                onRun={() => runInBackground(tab, editor.current?.target() ?? null)}
                onContinue={() => void continueInBackground(run)}
              />
            )
          }
          hint={<ScanPreview shown={shown} isPanelOpen={isOpen} onTogglePanel={toggle} />}
        />
        <div className="results-beside">
          <div className="results-main">
            {tabRuns !== null && <ResultTabs tab={tabRuns} />}
            {snapshot !== null && snapshot.storedAtMs !== null && (
              <LastRun tab={tab} afterMs={snapshot.startedAtMs} />
            )}
            {run === null || snapshot === null ? (
              isComing ? (
                <output className="empty-result faint">Taking up the rows that this browser has kept…</output>
              ) : (
                <>
                  <NoResult />
                  <LastRun tab={tab} />
                  {tab.sql.trim() === '' && <StartHere editor={editor} />}
                </>
              )
            ) : (
              <ResultArea
                key={run.source.startOffset}
                run={run}
                snapshot={snapshot}
                title={title}
                onPlaceCursor={(offset) => editor.current?.placeCursor(offset)}
              />
            )}
          </div>
          {isOpen && shown.estimate !== null && <EstimatePanel estimate={shown.estimate} onClose={toggle} />}
        </div>
      </ErrorBoundary>
    </section>
  )
}
