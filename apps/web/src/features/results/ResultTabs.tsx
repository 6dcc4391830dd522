// One small tab for each statement of a text that was run at once: how it went, in a sign and in words.
import type { QueryRun } from '../../query-run/query-run.ts'
import { showRun, useRunSnapshot, type TabRuns } from '../../query-run/run-registry.ts'
import { isRunning, type RunState } from '../../query-run/run-state.ts'
import { countedText } from '../../ui/format-quantity.ts'

function wordsOf(state: RunState, rowCount: number): { sign: string; words: string; tone: string } {
  if (isRunning(state)) return { sign: '●', words: 'running', tone: 'busy' }
  if (state.kind === 'finished') return { sign: '✓', words: countedText(rowCount, 'row'), tone: 'ok' }
  if (state.kind === 'failed') return { sign: '✗', words: 'failed', tone: 'error' }
  return { sign: '■', words: 'cancelled', tone: 'warn' }
}

const firstLine = (sql: string): string => sql.replaceAll(/\s+/g, ' ').slice(0, 40)

function ResultTab({ run, number, isShown }: { run: QueryRun; number: number; isShown: boolean }) {
  const snapshot = useRunSnapshot(run)
  const { sign, words, tone } = wordsOf(run.snapshot.state, snapshot?.rowCount ?? 0)
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isShown}
      tabIndex={isShown ? 0 : -1}
      className="result-tab"
      data-tone={tone}
      title={run.source.sql.slice(0, 500)}
      onClick={() => showRun(run)}
    >
      <span className="result-tab-sign" aria-hidden>
        {sign}
      </span>
      {number} <span className="result-tab-sql">{firstLine(run.source.sql)}</span>{' '}
      <span className="faint">{words}</span>
    </button>
  )
}

export function ResultTabs({ tab }: { tab: TabRuns }) {
  if (tab.runs.length + tab.waiting.length < 2) return null
  return (
    <div className="result-tabs">
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the tabs in it take the focus */}
      <div
        role="tablist"
        aria-label="Results of the statements"
        className="result-tab-list"
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
          const at = tab.runs.indexOf(tab.shown) + step
          const run = tab.runs[at]
          if (step === 0 || run === undefined) return
          showRun(run)
          event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
          event.preventDefault()
        }}
      >
        {tab.runs.map((run, i) => (
          <ResultTab key={run.source.startOffset} run={run} number={i + 1} isShown={run === tab.shown} />
        ))}
      </div>
      {tab.waiting.length > 0 && <span className="result-tabs-note">{tab.waiting.length} waiting</span>}
    </div>
  )
}
