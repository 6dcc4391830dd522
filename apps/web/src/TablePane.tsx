// A table's page with what other features give it: the receipt's line, the preview's rows, and the way to the editor.
import { lazy, Suspense } from 'react'
import { navigate, useSearch } from 'wouter/use-browser-location'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import type { TableName } from './api/table-name.ts'
import { TablePage } from './features/catalog-browser/TablePage.tsx'
import { TableReceiptLine } from './features/receipt/TableReceiptLine.tsx'
import type { StatementLink } from './link/link.ts'
import { comparePath, tablePath } from './route.ts'

const TablePreview = lazy(async () => {
  const module = await import('./TablePreview.tsx')
  return { default: module.TablePreview }
})

export type QueryTable = (name: TableName, snapshot?: SnapshotInfo) => void

export const pinOf = (name: TableName, { snapshotId, committedAtMs }: SnapshotInfo) => ({
  namespace: [...name.namespace],
  table: name.table,
  snapshotId,
  committedAtMs,
})

interface TablePaneProps {
  name: TableName
  onQueryTable: QueryTable
  onOpenStatement: (statement: StatementLink) => void
}

export function TablePane({ name, onQueryTable, onOpenStatement }: TablePaneProps) {
  const search = useSearch()
  const path = tablePath(name)
  return (
    <TablePage
      name={name}
      path={path}
      search={search}
      onSearch={(next) => navigate(path + next)}
      onQuery={onQueryTable}
      onCompare={(older, newer) => navigate(comparePath(name, older, newer))}
      onOpenSql={(title, sql, snapshot) =>
        onOpenStatement({ title, sql, pins: snapshot === undefined ? [] : [pinOf(name, snapshot)] })
      }
      renderReceipt={(table, facts) => <TableReceiptLine table={table} facts={facts} />}
      renderPreview={(snapshot) => (
        <Suspense>
          <TablePreview
            key={snapshot.snapshotId}
            name={name}
            snapshot={snapshot}
            onQuery={() => onQueryTable(name, snapshot)}
          />
        </Suspense>
      )}
    />
  )
}
