// A quiet line when a table behind the shown result has been committed to since. Looks at the tables' metadata now and
// then, only while the page is seen and only for results that read what was current.
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

const isFollowed = (table: TableReceipt): boolean =>
  table.isCurrent && table.requested === undefined && table.metadataTable === undefined

interface DataMovedProps {
  snapshot: RunSnapshot
  onRunAgain: () => void
  /** Opens what changed in a table since the result's snapshot. */
  onCompare: (table: TableReceipt, currentSnapshotId: string) => void
}

export function DataMoved({ snapshot, onRunAgain, onCompare }: DataMovedProps) {
  const { state } = snapshot
  const tables = state.kind === 'finished' ? state.receipt.tables.filter(isFollowed) : []
  const followed = tables.slice(0, DATA_MOVED_TABLES_MAX)
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
  if (moved.length === 0) return null
  return (
    <p className="data-moved">
      <output>{moved.map(({ text }) => text).join(' · ')}</output>
      <button type="button" className="link-button" onClick={onRunAgain}>
        Re-run
      </button>
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
