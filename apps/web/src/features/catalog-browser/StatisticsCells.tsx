// What the manifests say of one column, in few words; the row that it opens has all of it.
import type { ColumnStatistics, TableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { bytesText } from '../../ui/format-quantity.ts'
import { boundFact, countFact, distinctFact, shareText, type ColumnFact } from './column-facts.ts'

function Fact({ fact, className = '' }: { fact: ColumnFact | null; className?: string }) {
  return (
    <td className={className} title={fact === null ? undefined : (fact.value ?? fact.note)}>
      {fact?.text}
    </td>
  )
}

/** Of what all columns take in storage. */
function SizeCell({ bytes, total }: { bytes: number; total: number }) {
  return (
    <td className="numeric size" title={shareText(bytes, total)}>
      {bytesText(bytes)}
      <span className="size-bar">
        <span style={{ inlineSize: `${(100 * bytes) / Math.max(1, total)}%` }} />
      </span>
    </td>
  )
}

interface StatisticsCellsProps {
  column: ColumnStatistics | undefined
  statistics: TableStatisticsResponse | undefined
  totalBytes: number
  hasNans: boolean
  hasDistinct: boolean
}

export function StatisticsCells({
  column,
  statistics,
  totalBytes,
  hasNans,
  hasDistinct,
}: StatisticsCellsProps) {
  const count = 4 + Number(hasNans) + Number(hasDistinct)
  if (column === undefined || statistics === undefined) return <td colSpan={count}>{''}</td>
  const { dataFileCount, table } = statistics
  return (
    <>
      <Fact className="numeric" fact={countFact(column.nulls, column.values, 'NULL', dataFileCount)} />
      {hasNans && (
        <Fact className="numeric" fact={countFact(column.nans, column.values, 'NaN', dataFileCount)} />
      )}
      {hasDistinct && <Fact className="numeric" fact={distinctFact(column, table.snapshotId)} />}
      <Fact className="bound" fact={boundFact(column, 'lower', dataFileCount)} />
      <Fact className="bound" fact={boundFact(column, 'upper', dataFileCount)} />
      {column.bytes.fileCount === 0 ? (
        <Fact fact={null} />
      ) : (
        <SizeCell bytes={column.bytes.count} total={totalBytes} />
      )}
    </>
  )
}
