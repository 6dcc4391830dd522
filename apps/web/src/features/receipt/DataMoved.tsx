// A quiet line when the answer may be another one now: where a table behind the shown result has been committed to since, or
// where it reads older snapshots. Looks at the tables' metadata now and then, only while the page is seen and only for
// tables of which the result read what was current.
import { useQueries } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { tableQuery } from '../../api/query-client.ts'
import { movedSince, type Moved } from '../../freshness/moved-since.ts'
import { DATA_MOVED_POLL_MS, DATA_MOVED_TABLES_MAX } from '../../limits.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { tableLabel } from '../../api/table-name.ts'
import { receiptKey } from './receipt-facts.ts'

/** What happened, in words; null where nothing did. */
function movedText(label: string, moved: Moved): string | null {
  if (moved.kind === 'same') return null
  if (moved.kind === 'other') return `${label}: its history has changed since`
  const { count, rowDelta } = moved
  const sign = rowDelta === null || rowDelta < 0n ? '' : '+'
  const rows = rowDelta === null ? '' : ` (${sign}${countText(rowDelta)} rows, as its commits say)`
  return `${label}: ${countedText(count, 'commit')} since${rows}`
}

/** Read as the tab has it, not as the statement says. */
const isOfTab = (table: TableReceipt): boolean =>
  table.requested === undefined && table.metadataTable === undefined

const PAST_TEXT = 'an answer of older snapshots'

interface DataMovedProps {
  snapshot: RunSnapshot
  onRunAgain: () => void
  /** Asks which rows of the answer are others now. */
  onCompareAnswers: () => void
  /** Opens what changed in a table since the result's snapshot. */
  onCompare: (table: TableReceipt, currentSnapshotId: string) => void
}

export function DataMoved({ snapshot, onRunAgain, onCompareAnswers, onCompare }: DataMovedProps) {
  const { state } = snapshot
  const tables = state.kind === 'finished' ? state.receipt.tables.filter(isOfTab) : []
  const isPast = tables.some((table) => !table.isCurrent)
  // A table that had no snapshot cannot be read as it was then.
  const isComparable = tables.every((table) => table.snapshotId !== null)
  const followed = tables.filter((table) => table.isCurrent).slice(0, DATA_MOVED_TABLES_MAX)
  const queries = useQueries({
    queries: followed.map((table) => ({
      ...tableQuery(table),
      staleTime: DATA_MOVED_POLL_MS,
      refetchInterval: DATA_MOVED_POLL_MS,
      refetchIntervalInBackground: false,
      retry: false,
    })),
  })
  const { endedAtMs } = snapshot
  useEffect(() => {
    // What others loaded while it ran is fresh enough for them, and says nothing here.
    for (const { data, dataUpdatedAt, isFetching, refetch } of queries)
      if (data !== undefined && !isFetching && dataUpdatedAt < (endedAtMs ?? 0)) void refetch()
    // Once for each result; after that at the pace of the poll.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [endedAtMs])
  const moved = followed.flatMap((table, i) => {
    const query = queries[i]
    // What was loaded before the result was made says nothing about later commits.
    if (query?.data === undefined || query.dataUpdatedAt < (endedAtMs ?? 0)) return []
    const text = movedText(tableLabel(table), movedSince(query.data, table.snapshotId))
    return text === null ? [] : [{ table, text, currentSnapshotId: query.data.currentSnapshotId }]
  })
  if (moved.length === 0 && !isPast) return null
  return (
    <p className="data-moved" data-past={isPast}>
      <output>{[...(isPast ? [PAST_TEXT] : []), ...moved.map(({ text }) => text)].join(' · ')}</output>
      {!isPast && (
        <button type="button" className="link-button" onClick={onRunAgain}>
          Re-run
        </button>
      )}
      {isComparable && (
        <button type="button" className="link-button" onClick={onCompareAnswers}>
          Compare answers
        </button>
      )}
      {moved.map(({ table, currentSnapshotId }) =>
        table.snapshotId === null || currentSnapshotId === null ? null : (
          <button
            key={receiptKey(table)}
            type="button"
            className="link-button"
            onClick={() => onCompare(table, currentSnapshotId)}
          >
            {moved.length === 1 ? 'Compare' : `Compare ${tableLabel(table)}`}
          </button>
        ),
      )}
    </p>
  )
}
