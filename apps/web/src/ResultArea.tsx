// What one run gave: the receipt above, the comparison with a link's answer, the rows, and the receipt's panel beside.
import { ChartColumn as ChartIcon, RotateCw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { tabActions } from './features/editor/tabs-store.ts'
import { ExportMenu } from './features/export/ExportMenu.tsx'
import { DataMoved } from './features/receipt/DataMoved.tsx'
import { LinkMenu } from './features/receipt/LinkMenu.tsx'
import { LinkVerdict, linkVerdict } from './features/receipt/LinkVerdict.tsx'
import { tableLabel } from './api/table-name.ts'
import { tablesOf, versionsOf } from './features/receipt/receipt-facts.ts'
import { ReceiptLine } from './features/receipt/ReceiptLine.tsx'
import { ReceiptPanel } from './features/receipt/ReceiptPanel.tsx'
import { ResultsPane } from './features/results/ResultsPane.tsx'
import { fingerprintOf, useComparison } from './features/results/use-fingerprint.ts'
import { exactnessOf } from './query-run/exactness.ts'
import type { QueryRun, RunSnapshot, RunSource } from './query-run/query-run.ts'
import { startRun } from './query-run/run-registry.ts'
import { infoOf } from './query-run/run-state.ts'
import { comparePath } from './route.ts'
import { answerChangesSql } from './sql/answer-changes.ts'
import { hasTopLevelLimit } from './sql/blank-literals.ts'
import { say } from './ui/notice.ts'

/** To run a background statement again is to submit it again. */
const againOf = (source: RunSource): RunSource =>
  source.background === undefined ? source : { ...source, background: { kind: 'submit' } }

/** Again, whatever is kept. */
const anewOf = (source: RunSource): RunSource => ({ ...againOf(source), isAnew: true })

function RunAnew({ onRunAnew }: { onRunAnew: () => void }) {
  return (
    <button
      type="button"
      className="button button-quiet receipt-toggle"
      title="Reads the tables again instead of showing the kept result"
      onClick={onRunAnew}
    >
      <RotateCw size={14} aria-hidden /> Run anew
    </button>
  )
}

/** Runs the statement that says which rows of the answer are others now, in a tab of its own. */
function compareAnswers({ source }: QueryRun, { state }: RunSnapshot, title: string): void {
  const { parameters } = source
  const columns = (infoOf(state)?.schema ?? []).map(({ name }) => name)
  const sql = answerChangesSql({ sql: source.sql, versions: versionsOf(tablesOf(state)), columns })
  if (sql === null) {
    say('Not compared: the statement names a table in a way that its version cannot be added to.', 'warn')
    return
  }
  const tabId = tabActions.open({ title: `${title}: changes`, sql, parameters })
  if (tabId !== null) startRun({ tabId, sql, startOffset: 0, startLine: 1, pins: [], parameters })
}

const ChartPane = lazy(async () => {
  const module = await import('./features/charts/ChartPane.tsx')
  return { default: module.ChartPane }
})

/** The receipt in one line of plain text, for what leaves the page as a picture. */
function receiptText({ state, rowCount }: RunSnapshot): string {
  const tables = tablesOf(state).map((table) => `${tableLabel(table)} @ ${table.snapshotId ?? 'no snapshot'}`)
  return [exactnessOf(state, rowCount).text, ...tables, 'Lake Workbench'].join(' · ')
}

interface ChartToggleProps {
  isPressed: boolean
  isPossible: boolean
  onToggle: () => void
}

function ChartToggle({ isPressed, isPossible, onToggle }: ChartToggleProps) {
  return (
    <button
      type="button"
      className="button button-quiet receipt-toggle"
      aria-pressed={isPressed}
      disabled={!isPossible}
      onClick={onToggle}
    >
      <ChartIcon size={14} aria-hidden /> Chart
    </button>
  )
}

interface ResultActionsProps {
  run: QueryRun
  snapshot: RunSnapshot
  title: string
  isChart: boolean
  onToggleChart: () => void
  onRunAnew: () => void
}

function ResultActions(props: ResultActionsProps) {
  const { run, snapshot, title, isChart, onToggleChart, onRunAnew } = props
  return (
    <>
      {snapshot.background?.isReused === true && <RunAnew onRunAnew={onRunAnew} />}
      <ChartToggle
        isPressed={isChart}
        isPossible={isChart || snapshot.rowCount > 0}
        onToggle={onToggleChart}
      />
      <ExportMenu run={run} snapshot={snapshot} title={title} receipt={<ReceiptLine snapshot={snapshot} />} />
      <LinkMenu run={run} snapshot={snapshot} title={title} onFingerprint={() => fingerprintOf(run)} />
    </>
  )
}

interface ResultAreaProps {
  run: QueryRun
  snapshot: RunSnapshot
  /** Of the tab, for links. */
  title: string
  onPlaceCursor: (offset: number) => void
}

export function ResultArea({ run, snapshot, title, onPlaceCursor }: ResultAreaProps) {
  const [isPanelOpen, setPanelOpen] = useState(false)
  const [isChart, setChart] = useState(false)
  const compared = useComparison(run, snapshot)
  const { sql, linkedFingerprint } = run.source
  const runAnew = () => startRun(anewOf(run.source))
  const isPast = infoOf(snapshot.state)?.tables.some((table) => !table.isCurrent) ?? false
  return (
    <>
      <ReceiptLine
        snapshot={snapshot}
        isPanelOpen={isPanelOpen}
        onTogglePanel={() => setPanelOpen((isOpen) => !isOpen)}
        actions={
          <ResultActions
            run={run}
            snapshot={snapshot}
            title={title}
            isChart={isChart}
            onToggleChart={() => setChart((shown) => !shown)}
            onRunAnew={runAnew}
          />
        }
      />
      <DataMoved
        snapshot={snapshot}
        onRunAgain={() => startRun({ ...againOf(run.source), linkedFingerprint: undefined })}
        onCompareAnswers={() => compareAnswers(run, snapshot, title)}
        onCompare={(table, newer) => navigate(comparePath(table, table.snapshotId ?? newer, newer))}
      />
      {linkedFingerprint !== undefined && (
        <LinkVerdict verdict={linkVerdict(snapshot.state, compared, hasTopLevelLimit(sql))} />
      )}
      <div className="result-area" data-past={isPast}>
        {isChart && snapshot.rowCount > 0 ? (
          <Suspense>
            <ChartPane
              key={snapshot.startedAtMs}
              run={run}
              snapshot={snapshot}
              title={title}
              receiptText={receiptText(snapshot)}
            />
          </Suspense>
        ) : (
          <ResultsPane
            key={`${run.source.startOffset} ${snapshot.startedAtMs}`}
            run={run}
            snapshot={snapshot}
            onPlaceCursor={onPlaceCursor}
            onRunAgain={runAnew}
          />
        )}
        {isPanelOpen && (
          <ReceiptPanel
            sql={run.sentSql}
            snapshot={snapshot}
            onFingerprint={() => fingerprintOf(run)}
            onClose={() => setPanelOpen(false)}
          />
        )}
      </div>
    </>
  )
}
