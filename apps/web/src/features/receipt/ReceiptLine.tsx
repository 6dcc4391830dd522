// The line above every result: exactness, each table at its snapshot, what was read, rows and time. Same order always.
import { ReceiptText } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import { isRunning } from '../../query-run/run-state.ts'
import { ageText, durationText, instantText } from '../../ui/format-quantity.ts'
import { useNow } from '../../ui/use-now.ts'
import { tableLabel } from '../../api/table-name.ts'
import { receiptKey, snapshotLabel, tableFacts, tablesOf, totalFacts } from './receipt-facts.ts'

const TABLES_SHOWN_MAX = 3

interface ReceiptLineProps {
  snapshot: RunSnapshot
  isPanelOpen?: boolean
  /** Without it the line stands alone, with no panel. */
  onTogglePanel?: () => void
  /** What else can be done with the answer, before the button of the panel. */
  actions?: ReactNode
}

/** One table at its snapshot. */
export function TableFacts({ table, now }: { table: TableReceipt; now: number }) {
  const committed = table.committedAtMs === null ? '' : ` · committed ${instantText(table.committedAtMs)}`
  return (
    <span
      className="receipt-table"
      data-past={!table.isCurrent}
      title={`snapshot ${table.snapshotId ?? 'none'}${committed}`}
    >
      <span className="receipt-name">{tableLabel(table)}</span>
      <span className="receipt-snapshot"> @ {snapshotLabel(table)}</span>
      {!table.isCurrent && <span className="receipt-past"> · as of an older snapshot</span>}
      {table.isStale && (
        <span className="receipt-stale"> · catalog unreachable, seen {ageText(table.metadataAgeMs)}</span>
      )}
      {tableFacts(table, now).map((fact) => (
        <span key={fact}> · {fact}</span>
      ))}
    </span>
  )
}

/** That it is an answer from before, and when that was made. */
const keptText = ({ endedAtMs }: PollInfo, now: number): string =>
  `kept result · ${ageText(Math.max(0, now - (endedAtMs ?? now)))}`

/** Server time of a finished statement; else what this browser has waited. The run bar counts while it runs. */
function elapsedText(snapshot: RunSnapshot): string {
  if (snapshot.state.kind === 'finished') return durationText(snapshot.state.receipt.elapsedMs)
  return durationText(Math.max(0, (snapshot.endedAtMs ?? snapshot.startedAtMs) - snapshot.startedAtMs))
}

export function ReceiptLine({ snapshot, isPanelOpen = false, onTogglePanel, actions }: ReceiptLineProps) {
  const { state, rowCount } = snapshot
  const isLive = isRunning(state)
  const now = useNow(15_000)
  const exactness = exactnessOf(state, rowCount)
  const tables = tablesOf(state)
  return (
    <section className="receipt-line" aria-label="Receipt">
      <output className="exactness" data-tone={exactness.tone} title={exactness.title}>
        {exactness.text}
      </output>
      <span className="receipt-facts">
        {tables.slice(0, TABLES_SHOWN_MAX).map((table) => (
          <TableFacts key={receiptKey(table)} table={table} now={now} />
        ))}
        {tables.length > TABLES_SHOWN_MAX && (
          <span className="receipt-table">and {tables.length - TABLES_SHOWN_MAX} more tables</span>
        )}
        {snapshot.background?.isReused === true && (
          <span
            className="receipt-kept"
            title="The same statement at the same snapshots was answered before: that answer is the answer"
          >
            {keptText(snapshot.background, now)}
          </span>
        )}
        {snapshot.storedAtMs !== null && (
          <span
            className="receipt-stored"
            title={`The rows that came then, kept on this computer since ${instantText(snapshot.storedAtMs)}; the server was not asked`}
          >
            from this browser’s store · {ageText(Math.max(0, now - snapshot.storedAtMs))}
          </span>
        )}
        {!isLive && (
          <span className="receipt-total">
            {totalFacts(state, rowCount, elapsedText(snapshot)).join(' · ')}
          </span>
        )}
      </span>
      <span className="receipt-actions">
        {actions}
        {onTogglePanel !== undefined && (
          <button
            type="button"
            className="button button-quiet receipt-toggle"
            aria-expanded={isPanelOpen}
            onClick={onTogglePanel}
          >
            <ReceiptText size={14} aria-hidden /> Receipt
          </button>
        )}
      </span>
    </section>
  )
}
