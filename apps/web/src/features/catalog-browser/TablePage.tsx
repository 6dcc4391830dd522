// A table's page: what its metadata says. Nothing is read from data files.
import { Play } from 'lucide-react'
import { useEffect } from 'react'
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { useTable } from '../../api/queries.ts'
import { namespaceText, sqlTableName, type TableName } from '../../api/table-name.ts'
import { commitRhythm, rhythmText } from '../../freshness/commit-rhythm.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { ageText, bytesText, countText, instantText } from '../../ui/format-quantity.ts'
import { useNow } from '../../ui/use-now.ts'
import { FreshnessNote } from './FreshnessNote.tsx'
import { rememberTable } from './known-tables.ts'
import { PartitionsAndOrders, Properties } from './TableLayout.tsx'
import { SchemaTable } from './SchemaTable.tsx'
import { RefsTable, SnapshotsTable } from './SnapshotsTable.tsx'
import { StorageAccess } from './StorageAccess.tsx'

interface TablePageProps {
  name: TableName
  /** Without a snapshot: whatever is current when the statement runs. */
  onQuery: (name: TableName, snapshot?: SnapshotInfo) => void
  /** Snapshot ids. */
  onCompare: (older: string, newer: string) => void
}

/** A summary value that is a whole number, as a number for people; null where the engine wrote none. */
function summaryCount(table: TableResponse, key: string): number | null {
  const current = table.snapshots.find((snapshot) => snapshot.snapshotId === table.currentSnapshotId)
  const text = current?.summary[key]
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

interface FigureProps {
  label: string
  value: string
  /** Where the figure comes from, when it is not ours. */
  note?: string | undefined
  title?: string | undefined
}

function Figure({ label, value, note, title }: FigureProps) {
  return (
    <div className="figure" title={title}>
      <dt>
        {label}
        {note !== undefined && <span className="figure-note">, {note}</span>}
      </dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Summaries are written by whoever committed, and checked by no one. */
const STATED = 'as the last commit says'

function Figures({ table }: { table: TableResponse }) {
  const now = useNow(30_000)
  const records = summaryCount(table, 'total-records')
  const files = summaryCount(table, 'total-data-files')
  const bytes = summaryCount(table, 'total-files-size')
  const current = table.snapshots.find((snapshot) => snapshot.snapshotId === table.currentSnapshotId)
  const rhythm = commitRhythm(
    table.snapshots.map(({ committedAtMs }) => committedAtMs),
    now,
  )
  return (
    <>
      <dl className="figures">
        {records !== null && (
          <Figure label="rows" note={STATED} value={countText(records)} title="total-records" />
        )}
        {files !== null && (
          <Figure label="data files" note={STATED} value={countText(files)} title="total-data-files" />
        )}
        {bytes !== null && (
          <Figure label="size" note={STATED} value={bytesText(bytes)} title="total-files-size" />
        )}
        <Figure
          label="last commit"
          value={current === undefined ? 'never' : ageText(now - current.committedAtMs)}
          title={current === undefined ? undefined : instantText(current.committedAtMs)}
        />
        <Figure label="snapshots" value={countText(table.snapshots.length)} />
        <Figure label="format" value={`v${table.formatVersion}`} />
      </dl>
      {rhythm !== null && (
        <p className="rhythm" data-late={rhythm.lateByMs > 0}>
          {rhythmText(rhythm, now)}
        </p>
      )}
    </>
  )
}

interface TableDetailsProps {
  table: TableResponse
  onQuery: (snapshot: SnapshotInfo) => void
  onCompare: TablePageProps['onCompare']
}

function TableDetails({ table, onQuery, onCompare }: TableDetailsProps) {
  const current = table.schemas.find((schema) => schema.schemaId === table.currentSchemaId)
  return (
    <>
      <Figures table={table} />
      <section aria-labelledby="schema-title">
        <h2 id="schema-title">
          Schema <span className="h2-note">id {table.currentSchemaId}</span>
        </h2>
        <SchemaTable columns={current?.columns ?? []} />
      </section>
      <SnapshotsTable table={table} onQuery={onQuery} onCompare={onCompare} />
      <RefsTable table={table} />
      <PartitionsAndOrders table={table} />
      <StorageAccess name={{ namespace: table.namespace, table: table.table }} />
      <Properties table={table} />
    </>
  )
}

export function TablePage({ name, onQuery, onCompare }: TablePageProps) {
  const table = useTable(name.namespace, name.table)
  const isFound = table.isSuccess
  useEffect(() => {
    if (isFound) rememberTable(name)
  }, [isFound, name])
  return (
    <article className="table-page" aria-busy={table.isPending}>
      <header className="table-header">
        <div className="table-heading">
          <p className="table-namespace">iceberg ▸ {namespaceText(name.namespace)}</p>
          <h1>
            {name.table}
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
          <button type="button" className="button button-primary" onClick={() => onQuery(name)}>
            <Play size={14} aria-hidden /> Query this table
          </button>
        )}
      </header>
      {table.isPending && <p className="page-note">loading the table’s metadata…</p>}
      {table.isError && <ErrorNotice error={table.error} onRetry={() => void table.refetch()} />}
      {table.isSuccess && (
        <TableDetails
          table={table.data}
          onQuery={(snapshot) => onQuery(name, snapshot)}
          onCompare={onCompare}
        />
      )}
    </article>
  )
}
