// Run, Stop and what is happening now, between the editor and its result. Facts instead of a spinner.
import { Play, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { isRunning, progressOf } from '../../query-run/run-state.ts'
import { shortcutText } from '../../ui/commands.ts'
import { bytesText, countedText, countText, durationText } from '../../ui/format-quantity.ts'
import { useNow } from '../../ui/use-now.ts'

export const RUN_SHORTCUT = shortcutText('Mod Enter')
const RUN_ALL_SHORTCUT = shortcutText('Mod Shift Enter')

interface RunBarProps {
  snapshot: RunSnapshot | null
  /** Statements of the same text that run after this one. */
  waitingCount: number
  onRun: () => void
  onRunAll: () => void
  onStop: () => void
  /** What Run would take, or would read. */
  hint: ReactNode
  /** Beside Run or Stop: running without anybody who waits. */
  background: ReactNode
}

/** A statement in the background: its rows come from where they are kept, once it has finished. */
function backgroundFacts(background: PollInfo, seconds: string): string {
  const { state, progress, bytesRead, attemptCount } = background
  if (state === 'queued') return `in background · waiting for its turn · ${seconds}`
  if (state === 'finished') return `in background · finished · ${countedText(background.rowCount, 'row')}`
  const again = attemptCount > 1 ? [`attempt ${attemptCount}`] : []
  const read = background.bytesPlanned === 0 ? [] : [`${Math.floor(progress * 100)} %`, bytesText(bytesRead)]
  const facts = [...read, countedText(background.rowCount, 'row'), seconds]
  return ['in background', state, ...again, ...facts].join(' · ')
}

/** What a running statement is doing, in one line. */
function factsOf({ state, rowCount, startedAtMs, background }: RunSnapshot, now: number): string {
  const seconds = durationText(Math.max(0, now - startedAtMs))
  if (state.kind === 'planning') return `planning · ${seconds}`
  if (state.kind === 'stopping') return `stopping · ${countedText(rowCount, 'row')} kept`
  if (background !== null) return backgroundFacts(background, seconds)
  const progress = progressOf(state)
  const facts = [state.kind === 'paused' ? 'paused' : (progress?.phase ?? 'reading')]
  if (progress !== null) {
    facts.push(`${countText(progress.filesRead)}/${countedText(progress.filesPlanned, 'file')} read`)
    facts.push(bytesText(progress.bytesRead))
  }
  return [...facts, countedText(rowCount, 'row'), seconds].join(' · ')
}

/** Share of what is planned that was read, from 0 to 1; null while nothing is planned. */
function shareOf({ state, background }: RunSnapshot): number | null {
  if (background !== null) return background.bytesPlanned === 0 ? null : background.progress
  const progress = progressOf(state)
  if (progress === null || progress.filesPlanned === 0) return null
  return Math.min(1, progress.filesRead / progress.filesPlanned)
}

export function RunBar(props: RunBarProps) {
  const { snapshot, waitingCount, onRun, onRunAll, onStop, hint, background } = props
  const isBusy = snapshot !== null && isRunning(snapshot.state)
  const now = useNow(100, isBusy)
  const share = isBusy ? shareOf(snapshot) : null
  return (
    <div className="run-bar" role="toolbar" aria-label="Run">
      {isBusy ? (
        <button
          type="button"
          className="button button-stop"
          disabled={snapshot.state.kind === 'stopping'}
          title="Stop (Esc)"
          onClick={onStop}
        >
          <Square size={12} aria-hidden /> {snapshot.state.kind === 'stopping' ? 'Stopping' : 'Stop'}
        </button>
      ) : (
        <button
          type="button"
          className="button button-primary"
          title={`Run (${RUN_SHORTCUT})`}
          onClick={onRun}
        >
          <Play size={12} aria-hidden /> Run <kbd>{RUN_SHORTCUT}</kbd>
        </button>
      )}
      {isBusy && (
        <span className="run-facts">
          {factsOf(snapshot, now)}
          {waitingCount > 0 && ` · ${countedText(waitingCount, 'statement')} waiting`}
        </span>
      )}
      {!isBusy && (
        <button
          type="button"
          className="button button-quiet"
          title={`Run all statements (${RUN_ALL_SHORTCUT})`}
          onClick={onRunAll}
        >
          Run all
        </button>
      )}
      {background}
      {!isBusy && hint}
      {isBusy && (
        <>
          <progress
            className="visually-hidden"
            aria-label="Files read"
            {...(share !== null && { value: share })}
          />
          <div className="progress" aria-hidden data-determinate={share !== null}>
            <div className="progress-bar" style={{ inlineSize: `${(share ?? 0) * 100}%` }} />
          </div>
        </>
      )}
    </div>
  )
}
