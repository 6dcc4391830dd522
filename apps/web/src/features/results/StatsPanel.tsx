// What a column holds over the loaded rows, beside the grid.
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { STATS_DISTINCT_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { countText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { ScrollRegion } from '../../ui/ScrollRegion.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import { columnStats, type ColumnStats } from './column-stats.ts'
import { displayText, type ResultColumn } from './grid-columns.ts'

interface StatsPanelProps {
  buffer: ResultBuffer
  columns: readonly ResultColumn[]
  column: number
  /** As `exact` or `first 5 rows, total unknown`. */
  exactness: string
  onClose: () => void
}

function Histogram({ bins }: { bins: readonly number[] }) {
  if (bins.length === 0) return null
  const greatest = Math.max(...bins)
  return (
    <svg className="histogram" viewBox={`0 0 ${bins.length * 4} 40`} preserveAspectRatio="none" aria-hidden>
      {bins.map((count, i) => {
        const height = count === 0 ? 0 : Math.max(1, (count / greatest) * 40)
        // oxlint-disable-next-line react/no-array-index-key -- a bin is its place
        return <rect key={i} x={i * 4} y={40 - height} width={3} height={height} />
      })}
    </svg>
  )
}

const shareText = (part: number, whole: number): string =>
  whole === 0 ? '' : ` · ${((part / whole) * 100).toFixed(part === 0 || part === whole ? 0 : 1)} %`

function Facts({ stats }: { stats: ColumnStats }) {
  const { rowCount, nullCount, distinctCount, min, max } = stats
  const facts: [string, string][] = [
    ['values', countText(rowCount - nullCount)],
    ['NULL', countText(nullCount) + shareText(nullCount, rowCount)],
    [
      'distinct',
      distinctCount === null ? `more than ${countText(STATS_DISTINCT_MAX)}` : countText(distinctCount),
    ],
    ['least', min === null ? 'none' : displayText(min, 200)],
    ['greatest', max === null ? 'none' : displayText(max, 200)],
  ]
  return (
    <dl className="facts">
      {facts.map(([label, value]) => (
        <div key={label} className="fact">
          <dt>{label}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const rowsText = (count: number, all: number): string =>
  count < all ? `first ${countText(count)} rows` : `${countText(count)} loaded rows`

export function StatsPanel({ buffer, columns, column, exactness, onClose }: StatsPanelProps) {
  const [stats, setStats] = useState<{ column: number; stats: ColumnStats } | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    const make = async () => {
      const made = await columnStats(buffer, columns, column, abort.signal)
      if (!abort.signal.aborted) setStats({ column, stats: made })
    }
    // Statistics that are no longer wanted end by their signal.
    make().catch(() => undefined)
    return () => abort.abort()
  }, [buffer, columns, column])
  const shown = stats?.column === column ? stats.stats : null
  const { name = '', sqlType = '' } = columns[column] ?? {}
  return (
    <aside className="side-panel" aria-label="Column statistics">
      <header className="side-panel-header">
        <h2>{visibleName(name)}</h2>
        <IconButton label="Close statistics" onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <ScrollRegion label="Statistics of the column">
        <p className="cell-type">
          {sqlType}
          {shown !== null && ` · over the ${rowsText(shown.rowCount, buffer.rowCount)}`} · {exactness}
        </p>
        {shown === null ? (
          <p className="page-note">counting…</p>
        ) : (
          <>
            <Histogram bins={shown.histogram} />
            <Facts stats={shown} />
            {(shown.commonest[0]?.count ?? 0) > 1 && (
              <section className="receipt-section">
                <h3>Commonest values</h3>
                <dl className="facts">
                  {shown.commonest.map(({ text, count }) => (
                    <div key={text} className="fact">
                      <dt className="tabular">{countText(count)}</dt>
                      <dd>{text === '' ? '""' : displayText(text, 120)}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            )}
          </>
        )}
      </ScrollRegion>
    </aside>
  )
}
