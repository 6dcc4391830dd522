// Between editor and runs: what the editor shows of the runs of its tab, and how a text becomes a run.
import { errorRange } from './api/api-error.ts'
import type { ErrorMarker, RunText, StatementSign } from './features/editor/sql-editor.ts'
import type { Tab } from './features/editor/tabs-state.ts'
import type { QueryRun, RunSource } from './query-run/query-run.ts'
import type { TabRuns } from './query-run/run-registry.ts'
import { isRunning, type RunState } from './query-run/run-state.ts'

function signOf(state: RunState): StatementSign['sign'] {
  if (isRunning(state)) return 'running'
  if (state.kind === 'finished') return 'ok'
  return state.kind === 'failed' ? 'error' : 'stopped'
}

const NO_SIGNS: readonly StatementSign[] = []

export function signsOf(tab: TabRuns | null): readonly StatementSign[] {
  if (tab === null) return NO_SIGNS
  const started = tab.runs.map(({ source: { sql, startOffset }, snapshot }) => ({
    sql,
    startOffset,
    sign: signOf(snapshot.state),
  }))
  return [
    ...started,
    ...tab.waiting.map(({ sql, startOffset }) => ({ sql, startOffset, sign: 'waiting' as const })),
  ]
}

/** Where a failed run points in its tab's text. */
export function markerOf(run: QueryRun | undefined): ErrorMarker | null {
  if (run?.snapshot.state.kind !== 'failed') return null
  const { error } = run.snapshot.state
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

export function sourceOf(tab: Tab | undefined, tabId: string, { sql, startOffset }: RunText): RunSource {
  const startLine = tab?.sql.slice(0, startOffset).split('\n').length ?? 1
  const linkedFingerprint = tab?.linked?.sql === sql ? tab.linked.fingerprint : undefined
  const { pins = [], parameters } = tab ?? {}
  return { tabId, sql, startOffset, startLine, pins, parameters, linkedFingerprint }
}
