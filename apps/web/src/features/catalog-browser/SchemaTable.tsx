// Columns of a schema with their field ids, and beside each what the manifests say of its values. Parts of nested types are rows
// of their own, indented. The columns of the figures are there before the figures, so that nothing moves when they come. Each row
// opens to all that is known of its column: tips are for those who have a mouse.
import { KeyRound } from 'lucide-react'
import type { ColumnNode } from '@lake/core/api/contract.ts'
import type { ReactNode } from 'react'
import type { ColumnStatistics, TableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { DetailsRow, Disclosure } from '../../ui/Disclosure.tsx'
import { countedText } from '../../ui/format-quantity.ts'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { useOpenRows } from '../../ui/use-open-rows.ts'
import { visibleName } from '../../ui/visible-text.ts'
import { columnDetails } from './column-details.ts'
import { columnHistory, type SchemaVersion } from './schema-history.ts'
import { StatisticsCells } from './StatisticsCells.tsx'

function flatten(columns: readonly ColumnNode[], depth = 0): { column: ColumnNode; depth: number }[] {
  return columns.flatMap((column) => [{ column, depth }, ...flatten(column.children, depth + 1)])
}

/** `NULL before, 0 since` in words. */
function DefaultsText({ column }: { column: ColumnNode }) {
  const { initialDefault, writeDefault } = column
  if (initialDefault === null && writeDefault === null) return null
  return (
    <span className="mono column-default">
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

interface ColumnCellsProps {
  column: ColumnNode
  depth: number
  isKey: boolean
  /** Around its name. */
  renderName: (name: ReactNode) => ReactNode
}

function ColumnCells({ column, depth, isKey, renderName }: ColumnCellsProps) {
  return (
    <>
      <td className="numeric faint">{column.id}</td>
      <th scope="row" style={{ paddingInlineStart: 4 + depth * 16 }} data-nested={depth > 0}>
        {renderName(
          <span>
            {visibleName(column.name)}
            {isKey && (
              <span className="column-key">
                <KeyRound size={12} aria-hidden />
                <span className="visually-hidden">, identifies rows</span>
              </span>
            )}
          </span>,
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
  /** Of the table's schemas. */
  history: readonly SchemaVersion[]
  /** Whether the table has numbers of distinct values. */
  hasDistinct: boolean
  /** undefined until they are there, and where there are none. */
  statistics: TableStatisticsResponse | undefined
  isWaiting: boolean
}

interface ColumnRowsProps extends SchemaShape {
  column: ColumnNode
  depth: number
  isKey: boolean
  isOpen: boolean
  onToggle: () => void
  history: readonly SchemaVersion[]
  statistics: TableStatisticsResponse | undefined
  figures: ColumnStatistics | undefined
  totalBytes: number
}

function ColumnRows({ column, depth, isKey, isOpen, onToggle, history, ...props }: ColumnRowsProps) {
  const { figures, statistics, totalBytes, hasNans, hasDistinct, hasDocs } = props
  const detailsId = `column-${column.id}`
  return (
    <>
      <tr>
        <ColumnCells
          column={column}
          depth={depth}
          isKey={isKey}
          renderName={(name) => (
            <Disclosure isOpen={isOpen} onToggle={onToggle} controls={detailsId}>
              {name}
            </Disclosure>
          )}
        />
        <StatisticsCells
          column={figures}
          statistics={statistics}
          totalBytes={totalBytes}
          hasNans={hasNans}
          hasDistinct={hasDistinct}
        />
        {hasDocs && <td className="doc">{column.doc}</td>}
      </tr>
      {isOpen && (
        <DetailsRow
          id={detailsId}
          label={column.name}
          columnCount={7 + Number(hasNans) + Number(hasDistinct) + Number(hasDocs)}
          facts={columnDetails({
            column,
            isKey,
            history: columnHistory(history, column.id),
            hasDistinct,
            statistics,
            figures,
            totalBytes,
          })}
        />
      )}
    </>
  )
}

export function SchemaTable(props: SchemaTableProps) {
  const { columns, identifierFieldIds, history, hasDistinct, statistics, isWaiting } = props
  const open = useOpenRows()
  if (columns.length === 0) return <p className="page-note">The schema has no columns.</p>
  const rows = flatten(columns)
  const shape = {
    hasNans: rows.some(({ column }) => column.type === 'float' || column.type === 'double'),
    hasDistinct,
    hasDocs: rows.some(({ column }) => column.doc !== null),
  }
  const known = statistics?.columns ?? []
  const byId = new Map(known.map((figures) => [figures.fieldId, figures]))
  const totalBytes = known.reduce((sum, { bytes }) => sum + bytes.count, 0)
  return (
    <TableFrame label={`Schema, ${countedText(rows.length, 'column')}`} isBusy={isWaiting}>
      <SchemaHead {...shape} />
      <tbody>
        {rows.map(({ column, depth }) => (
          <ColumnRows
            key={column.id}
            column={column}
            depth={depth}
            isKey={identifierFieldIds.includes(column.id)}
            isOpen={open.isOpen(String(column.id))}
            onToggle={() => open.toggle(String(column.id))}
            history={history}
            statistics={statistics}
            figures={byId.get(column.id)}
            totalBytes={totalBytes}
            {...shape}
          />
        ))}
      </tbody>
    </TableFrame>
  )
}
