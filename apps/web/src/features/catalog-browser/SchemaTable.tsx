// Columns of a schema with their field ids, and beside each what the manifests say of its values. Parts of nested types are rows
// of their own, indented. The columns of the figures are there before the figures, so that nothing moves when they come.
import { KeyRound } from 'lucide-react'
import type { ColumnNode } from '@lake/core/api/contract.ts'
import type { ColumnStatistics, TableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { bytesText, countedText } from '../../ui/format-quantity.ts'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { boundFact, countFact, distinctFact, shareText, type ColumnFact } from './column-facts.ts'

function flatten(columns: readonly ColumnNode[], depth = 0): { column: ColumnNode; depth: number }[] {
  return columns.flatMap((column) => [{ column, depth }, ...flatten(column.children, depth + 1)])
}

function Fact({ fact, className = '' }: { fact: ColumnFact | null; className?: string }) {
  return (
    <td className={className} title={fact?.title}>
      {fact?.text}
    </td>
  )
}

/** Of what all columns take in storage. */
function SizeCell({ bytes, total }: { bytes: number; total: number }) {
  return (
    <td className="numeric size" title={`${shareText(bytes, total)} of what the columns take in storage`}>
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

function StatisticsCells({ column, statistics, totalBytes, hasNans, hasDistinct }: StatisticsCellsProps) {
  const count = 4 + Number(hasNans) + Number(hasDistinct)
  if (column === undefined || statistics === undefined) return <td colSpan={count}>{''}</td>
  const { dataFileCount, table } = statistics
  return (
    <>
      <Fact className="numeric" fact={countFact(column.nulls, column.values, 'NULLs', dataFileCount)} />
      {hasNans && (
        <Fact className="numeric" fact={countFact(column.nans, column.values, 'NaNs', dataFileCount)} />
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

/** `NULL before, 0 since` in words. */
function DefaultsText({ column }: { column: ColumnNode }) {
  const { initialDefault, writeDefault } = column
  if (initialDefault === null && writeDefault === null) return null
  return (
    <span
      className="mono column-default"
      title="Of rows from before the column was added; of rows that are written now"
    >
      {initialDefault === writeDefault
        ? `default ${initialDefault}`
        : `default ${initialDefault ?? 'NULL'} in older rows, ${writeDefault ?? 'none'} in new ones`}
    </span>
  )
}

interface SchemaShape {
  hasNans: boolean
  hasDistinct: boolean
  hasDocs: boolean
}

function SchemaHead({ hasNans, hasDistinct, hasDocs }: SchemaShape) {
  return (
    <thead>
      <tr>
        <th scope="col" className="numeric">
          id
        </th>
        <th scope="col">column</th>
        <th scope="col">type</th>
        <th scope="col" className="numeric share" title="Share of NULL among the values">
          NULL
        </th>
        {hasNans && (
          <th scope="col" className="numeric share" title="Share of NaN among the values">
            NaN
          </th>
        )}
        {hasDistinct && (
          <th scope="col" className="numeric share" title="About so many different values">
            distinct
          </th>
        )}
        <th scope="col" className="bound">
          least
        </th>
        <th scope="col" className="bound">
          greatest
        </th>
        <th scope="col" className="numeric size">
          size
        </th>
        {hasDocs && <th scope="col">doc</th>}
      </tr>
    </thead>
  )
}

function ColumnCells({ column, depth, isKey }: { column: ColumnNode; depth: number; isKey: boolean }) {
  return (
    <>
      <td className="numeric faint">{column.id}</td>
      <th scope="row" style={{ paddingInlineStart: 8 + depth * 16 }} data-nested={depth > 0}>
        {column.name}
        {isKey && (
          <span className="column-key" title="Part of what tells rows apart, as the writers promise">
            <KeyRound size={12} aria-hidden />
            <span className="visually-hidden">, identifies rows</span>
          </span>
        )}
      </th>
      <td className="column-type">
        <span className="mono" title={column.type}>
          {column.children.length === 0 ? column.type : column.type.replace(/<.*$/s, '')}
        </span>
        {column.isRequired && <span className="faint"> required</span>}
        <DefaultsText column={column} />
      </td>
    </>
  )
}

interface SchemaTableProps {
  columns: readonly ColumnNode[]
  identifierFieldIds: readonly number[]
  /** Whether the table has numbers of distinct values. */
  hasDistinct: boolean
  /** undefined until they are there, and where there are none. */
  statistics: TableStatisticsResponse | undefined
  isWaiting: boolean
}

export function SchemaTable(props: SchemaTableProps) {
  const { columns, identifierFieldIds, hasDistinct, statistics, isWaiting } = props
  if (columns.length === 0) return <p className="page-note">The schema has no columns.</p>
  const rows = flatten(columns)
  const known = statistics?.columns ?? []
  const byId = new Map(known.map((column) => [column.fieldId, column]))
  const shape = {
    hasNans: rows.some(({ column }) => column.type === 'float' || column.type === 'double'),
    hasDistinct,
    hasDocs: rows.some(({ column }) => column.doc !== null),
  }
  const totalBytes = known.reduce((sum, { bytes }) => sum + bytes.count, 0)
  return (
    <TableFrame label={`Schema, ${countedText(rows.length, 'column')}`} isBusy={isWaiting}>
      <SchemaHead {...shape} />
      <tbody>
        {rows.map(({ column, depth }) => (
          <tr key={column.id}>
            <ColumnCells column={column} depth={depth} isKey={identifierFieldIds.includes(column.id)} />
            <StatisticsCells
              column={byId.get(column.id)}
              statistics={statistics}
              totalBytes={totalBytes}
              {...shape}
            />
            {shape.hasDocs && <td className="doc">{column.doc}</td>}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}
