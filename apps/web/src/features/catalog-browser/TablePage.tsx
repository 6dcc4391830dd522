// A table's page: what its metadata says of one snapshot, part by part. Of data files only the preview reads any.
import { Play } from 'lucide-react'
import { useCallback, useEffect, type ReactNode } from 'react'
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { useTable } from '../../api/queries.ts'
import { namespaceLabel, sqlTableName, type TableName } from '../../api/table-name.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { ColumnsView } from './ColumnsView.tsx'
import { FilesView } from './FilesView.tsx'
import { FreshnessNote } from './FreshnessNote.tsx'
import { rememberTable } from './known-tables.ts'
import { ManifestsView } from './ManifestsView.tsx'
import { PartLinks } from './PartLinks.tsx'
import { PastStrip } from './PastStrip.tsx'
import { RefsTable } from './RefsTable.tsx'
import { SchemasTable } from './SchemasTable.tsx'
import { SnapshotsTable } from './SnapshotsTable.tsx'
import { StorageAccess } from './StorageAccess.tsx'
import { TableFigures } from './TableFigures.tsx'
import { PartitionsAndOrders, Properties } from './TableLayout.tsx'
import { quoted } from '../../sql/quoted.ts'
import { parseTableView, PLAIN_VIEW, tableViewSearch, type TableView } from './table-view.ts'
import { visibleName } from '../../ui/visible-text.ts'

interface TablePageProps {
  name: TableName
  /** Path of the page, and its query: the state of the page. */
  path: string
  search: string
  onSearch: (search: string) => void
  /** Without a snapshot: whatever is current when the statement runs. */
  onQuery: (name: TableName, snapshot?: SnapshotInfo) => void
  /** Snapshot ids. */
  onCompare: (older: string, newer: string) => void
  /** With a snapshot: as of it. */
  onOpenSql: (title: string, sql: string, snapshot?: SnapshotInfo) => void
  /** The line that says which snapshot something is of, and what more is known of it. */
  renderReceipt: (table: TableReceipt, facts: readonly string[]) => ReactNode
  /** The first rows as of a snapshot. */
  renderPreview: (snapshot: SnapshotInfo) => ReactNode
}

interface PartProps extends Omit<TablePageProps, 'search' | 'onSearch'> {
  table: TableResponse
  /** Of which the page is; undefined where nothing was committed. */
  snapshot: SnapshotInfo | undefined
  view: TableView
  onView: (view: TableView) => void
}

const NothingYet = () => <p className="page-note">Nothing has been committed to this table yet.</p>

/** What a part says of files and manifests; none of it without a snapshot. */
function ContentsPart({ snapshot, table, view, ...props }: PartProps) {
  const { name, onView, onOpenSql, renderReceipt } = props
  if (snapshot === undefined) return <NothingYet />
  const { location, snapshots, currentSnapshotId } = table
  const { snapshotId } = snapshot
  const common = { name, location, snapshots, snapshot: snapshotId, view, onView, renderReceipt }
  if (view.part === 'manifests') return <ManifestsView {...common} />
  const pin = snapshotId === currentSnapshotId ? undefined : snapshot
  const from = sqlTableName(name)
  const filesOf = sqlTableName({ ...name, table: `${name.table}$files` })
  return (
    <FilesView
      {...common}
      onOpenSql={(title, sql) => onOpenSql(title, sql, pin)}
      sqlOfFile={(path) => `SELECT *, _pos\nFROM ${from}\nWHERE _file = ${quoted(path)}\nLIMIT 100\n`}
      sqlOfFiles={`SELECT file_path, record_count, file_size_in_bytes\nFROM ${filesOf}\nORDER BY file_path\n`}
    />
  )
}

function Part(props: PartProps) {
  const { name, table, snapshot, view, onView, onQuery, onCompare, renderReceipt, renderPreview } = props
  const show = (snapshotId: string): void =>
    onView({ ...PLAIN_VIEW, snapshot: snapshotId === table.currentSnapshotId ? null : snapshotId })
  switch (view.part) {
    case 'columns':
      return (
        <ColumnsView
          name={name}
          table={table}
          snapshot={snapshot?.snapshotId ?? null}
          renderReceipt={renderReceipt}
        />
      )
    case 'preview':
      return snapshot === undefined ? <NothingYet /> : renderPreview(snapshot)
    case 'snapshots':
      return (
        <>
          <SnapshotsTable
            table={table}
            shownId={snapshot?.snapshotId ?? null}
            page={view.page}
            onPage={(page) => onView({ ...view, page })}
            onQuery={(of) => onQuery(name, of)}
            onShow={show}
            onCompare={onCompare}
          />
          <RefsTable table={table} onShow={show} />
        </>
      )
    case 'files':
    case 'manifests':
      return <ContentsPart {...props} />
    case 'details':
      return (
        <>
          <SchemasTable table={table} onShow={show} />
          <PartitionsAndOrders table={table} />
          <StorageAccess name={name} />
          <Properties table={table} />
        </>
      )
  }
}

function TableDetails({ table, ...props }: Omit<PartProps, 'snapshot'>) {
  const { view, onView } = props
  const shownId = view.snapshot ?? table.currentSnapshotId
  const snapshot = table.snapshots.find(({ snapshotId }) => snapshotId === shownId)
  const isPast = shownId !== table.currentSnapshotId
  const isGone = isPast && snapshot === undefined
  return (
    <>
      {isPast && shownId !== null && (
        <PastStrip
          table={table}
          snapshotId={shownId}
          onCurrent={() => onView({ ...view, snapshot: null, page: 0 })}
        />
      )}
      <TableFigures table={table} snapshot={snapshot} />
      <PartLinks path={props.path} view={view} onView={onView} />
      <div className="table-part" data-part={view.part}>
        {isGone && view.part !== 'snapshots' && view.part !== 'details' ? null : (
          <Part {...props} table={table} snapshot={snapshot} />
        )}
      </div>
    </>
  )
}

export function TablePage(props: TablePageProps) {
  const { name, search, onSearch, onQuery } = props
  const table = useTable(name.namespace, name.table)
  const view = parseTableView(search)
  const isFound = table.isSuccess
  useEffect(() => {
    if (isFound) rememberTable(name)
  }, [isFound, name])
  const onView = useCallback((next: TableView) => onSearch(tableViewSearch(next)), [onSearch])
  const isPast = view.snapshot !== null && view.snapshot !== table.data?.currentSnapshotId
  const past = table.data?.snapshots.find(({ snapshotId }) => snapshotId === view.snapshot)
  return (
    <article className="table-page" aria-busy={table.isPending} data-past={isPast}>
      <header className="table-header">
        <div className="table-heading">
          <p className="table-namespace">iceberg ▸ {namespaceLabel(name.namespace)}</p>
          <h1>
            {visibleName(name.table)}
            <CopyButton text={sqlTableName(name)} label="Copy full name" />
          </h1>
          {table.isSuccess && (
            <FreshnessNote
              isStale={table.data.isStale}
              answeredAtMs={table.dataUpdatedAt}
              metadataAgeMs={table.data.metadataAgeMs}
            />
          )}
        </div>
        {!table.isError && (
          <button
            type="button"
            className="button button-primary"
            onClick={() => onQuery(name, isPast ? past : undefined)}
          >
            <Play size={14} aria-hidden /> Query this table
          </button>
        )}
      </header>
      {table.isPending && <p className="page-note">loading the table’s metadata…</p>}
      {table.isError && <ErrorNotice error={table.error} onRetry={() => void table.refetch()} />}
      {table.isSuccess && <TableDetails {...props} table={table.data} view={view} onView={onView} />}
    </article>
  )
}
