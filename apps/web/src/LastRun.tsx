// What became of the statement that ran last in a tab whose rows are not here any more: after a reload, a crash, a
// closed browser. Where the browser's store has its rows, they are shown instead; what they were made from is known always,
// so they can be had again.
import type { Tab } from './features/editor/tabs-state.ts'
import { useRecords } from './history/browser-store.ts'
import { lastOfTab, type HistoryEntry } from './history/history.ts'
import { pinsOfReceipt } from './link/link.ts'
import { STORED_RESULT_BYTES_MAX } from './limits.ts'
import { startRun } from './query-run/run-registry.ts'
import { sourceOf } from './statements.ts'
import { ageText, bytesText, countedText, durationText, instantText } from './ui/format-quantity.ts'
import { useNow } from './ui/use-now.ts'

const STORE_LIMIT = `takes ${bytesText(STORED_RESULT_BYTES_MAX)} of a result at most, and none where the browser has no room`

function becameOf({ outcome, isBackground, rowCount, elapsedMs, errorCode }: HistoryEntry): string {
  const rows = countedText(rowCount, 'row')
  switch (outcome) {
    case 'left':
    case 'running':
      return isBackground === true
        ? 'goes on in the background, where you find it and its rows.'
        : 'was still running when its page went away. The server has stopped it, and no rows were kept.'
    case 'finished':
      if (isBackground === true)
        return `gave ${rows} in ${durationText(elapsedMs)}. You find them among the background statements.`
      return `gave ${rows} in ${durationText(elapsedMs)}. This browser’s store, which ${STORE_LIMIT}, has no rows of it.`
    case 'stopped':
      return `was stopped after ${rows}.`
    case 'failed':
      return `failed: ${errorCode ?? 'without a cause'}.`
  }
}

/** Of the statements of one text, those that ran after the first are no later run. */
const isLater = ({ startedAtMs, outcome }: HistoryEntry, afterMs: number): boolean =>
  startedAtMs > afterMs && outcome !== 'finished'

function runAgain(tab: Tab, entry: HistoryEntry, isPinned: boolean): void {
  const startOffset = Math.max(0, tab.sql.indexOf(entry.sql))
  const source = sourceOf(tab, tab.id, { sql: entry.sql, startOffset })
  startRun(isPinned ? { ...source, pins: pinsOfReceipt(entry.tables) } : source)
}

interface LastRunProps {
  tab: Tab
  /** Only one that began later is told of: the rows of the one then are shown. */
  afterMs?: number
}

/** Null where nothing is known of the tab. */
export function LastRun({ tab, afterMs = 0 }: LastRunProps) {
  const entry = lastOfTab(useRecords().history, tab.id)
  const now = useNow(30_000)
  if (entry === null || (afterMs > 0 && !isLater(entry, afterMs))) return null
  const pins = pinsOfReceipt(entry.tables)
  return (
    <section className="last-run" aria-label="Last run" data-outcome={entry.outcome}>
      <p>
        The last statement of this tab, run{' '}
        <time dateTime={new Date(entry.startedAtMs).toISOString()} title={instantText(entry.startedAtMs)}>
          {ageText(Math.max(0, now - entry.startedAtMs))}
        </time>
        , {becameOf(entry)}
      </p>
      <pre className="last-run-sql">{entry.sql.trim().split('\n').slice(0, 4).join('\n').slice(0, 400)}</pre>
      <p className="last-run-actions">
        <button type="button" className="button" onClick={() => runAgain(tab, entry, false)}>
          Run again
        </button>
        {pins.length > 0 && (
          <button type="button" className="button" onClick={() => runAgain(tab, entry, true)}>
            Run at the same snapshots
          </button>
        )}
      </p>
    </section>
  )
}
