// What changed in a table between two snapshots: commits, columns, files and rows. From metadata alone.
import { ArrowLeftRight, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { useTable } from '../../api/queries.ts'
import { namespaceLabel, type TableName } from '../../api/table-name.ts'
import type { RunSnapshot } from '../../query-run/query-run.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { countedText, countText, instantText, shortId } from '../../ui/format-quantity.ts'
import { commitsBetween } from './commits-between.ts'
import { fileChangesSql, type ComparedSnapshots } from './file-changes.ts'
import { PartitionChanges } from './PartitionChanges.tsx'
import { changeText, schemaChanges } from '../../schema/schema-changes.ts'
import { useFileChanges } from './use-file-changes.ts'
import { visibleName } from '../../ui/visible-text.ts'

interface ComparePageProps {
  name: TableName
  snapshots: ComparedSnapshots
  onCompare: (snapshots: ComparedSnapshots) => void
  onOpenTable: () => void
  onOpenSql: (title: string, sql: string) => void
  /** The line that says what an answer was made from. */
  renderReceipt: (run: RunSnapshot) => ReactNode
}

const optionText = ({ snapshotId, committedAtMs, operation }: SnapshotInfo): string =>
  `${instantText(committedAtMs)} · ${operation ?? 'unknown'} · ${shortId(snapshotId)}`

interface SnapshotChoiceProps {
  label: string
  value: string
  table: TableResponse
  onChoose: (snapshotId: string) => void
}

function SnapshotChoice({ label, value, table, onChoose }: SnapshotChoiceProps) {
  const isKnown = table.snapshots.some(({ snapshotId }) => snapshotId === value)
  return (
    <label className="compare-choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {!isKnown && <option value={value}>{shortId(value)}, not in the table any more</option>}
        {table.snapshots.map((snapshot) => (
          <option key={snapshot.snapshotId} value={snapshot.snapshotId}>
            {optionText(snapshot)}
          </option>
        ))}
      </select>
    </label>
  )
}

function Commits({ table, snapshots }: { table: TableResponse; snapshots: ComparedSnapshots }) {
  const between = commitsBetween(table.snapshots, snapshots.older, snapshots.newer)
  const columnsOf = (snapshotId: string) => {
    const schemaId = table.snapshots.find((snapshot) => snapshot.snapshotId === snapshotId)?.schemaId
    return table.schemas.find((schema) => schema.schemaId === schemaId)?.columns
  }
  const [older, newer] = [columnsOf(snapshots.older), columnsOf(snapshots.newer)]
  const changes = older && newer ? schemaChanges(older, newer) : null
  return (
    <>
      <section aria-labelledby="commits-title">
        <h2 id="commits-title">Commits</h2>
        {between === null ? (
          <p className="page-note">
            The first is no ancestor of the second: the table was rolled back, they are on different branches,
            or commits between them have expired. Files are compared all the same.
          </p>
        ) : (
          <ul className="compare-commits">
            {between.map((snapshot) => (
              <li key={snapshot.snapshotId}>{commitLine(snapshot)}</li>
            ))}
            {between.length === 0 && <li>None: it is the same snapshot.</li>}
          </ul>
        )}
      </section>
      <section aria-labelledby="columns-title">
        <h2 id="columns-title">Columns</h2>
        {changes === null && (
          <p className="page-note">A snapshot does not say with which schema it was written.</p>
        )}
        {changes?.length === 0 && <p className="page-note">The schema is the same.</p>}
        {changes !== null && changes.length > 0 && (
          <ul className="compare-commits">
            {changes.map((change) => (
              <li key={`${change.fieldId} ${change.kind}`} data-kind={change.kind}>
                <span className="mono">{change.path}</span> {changeText(change)}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  )
}

function commitLine(snapshot: SnapshotInfo): string {
  const rows = (key: string, sign: string): string => {
    const text = snapshot.summary[key]
    return text === undefined || !/^\d+$/.test(text) ? '' : ` ${sign}${countText(BigInt(text))}`
  }
  const changed = rows('added-records', '+') + rows('deleted-records', '−')
  return optionText(snapshot) + (changed === '' ? '' : ` ·${changed} rows, as its summary says`)
}

function Files({
  name,
  snapshots,
  table,
  onOpenSql,
  renderReceipt,
}: Omit<ComparePageProps, 'onCompare' | 'onOpenTable'> & { table: TableResponse }) {
  const isPartitioned = table.partitionSpecs.some(({ fields }) => fields.length > 0)
  const changes = useFileChanges(name, snapshots, isPartitioned)
  return (
    <section aria-labelledby="files-title" aria-busy={changes.isPending}>
      <h2 id="files-title">
        Files and rows
        <button
          type="button"
          className="button button-quiet"
          onClick={() => onOpenSql(`${name.table} compared`, fileChangesSql(name, snapshots, isPartitioned))}
        >
          <Play size={12} aria-hidden /> Open as SQL
        </button>
      </h2>
      <p className="page-note">
        Rows are those of files that came or went. A rewritten file counts on both sides, and rows that delete
        files take away are not counted as removed.
      </p>
      {changes.isPending && <p className="page-note">comparing the files of both snapshots…</p>}
      {changes.isError && <ErrorNotice error={changes.error} onRetry={() => void changes.refetch()} />}
      {changes.isSuccess && (
        <>
          {renderReceipt(changes.data.run)}
          <PartitionChanges changes={changes.data.changes} />
        </>
      )}
    </section>
  )
}

export function ComparePage(props: ComparePageProps) {
  const { name, snapshots, onCompare, onOpenTable, onOpenSql, renderReceipt } = props
  const table = useTable(name.namespace, name.table)
  const { older, newer } = snapshots
  return (
    <article className="table-page" aria-busy={table.isPending}>
      <header className="table-header">
        <div className="table-heading">
          <p className="table-namespace">iceberg ▸ {namespaceLabel(name.namespace)}</p>
          <h1>{visibleName(name.table)}: what changed</h1>
        </div>
        <button type="button" className="button" onClick={onOpenTable}>
          The table
        </button>
      </header>
      {table.isPending && <p className="page-note">loading the table’s metadata…</p>}
      {table.isError && <ErrorNotice error={table.error} onRetry={() => void table.refetch()} />}
      {table.isSuccess && (
        <>
          <div className="compare-choices">
            <SnapshotChoice
              label="From"
              value={older}
              table={table.data}
              onChoose={(snapshotId) => onCompare({ older: snapshotId, newer })}
            />
            <button
              type="button"
              className="button button-quiet"
              title="Swap the snapshots"
              aria-label="Swap the snapshots"
              onClick={() => onCompare({ older: newer, newer: older })}
            >
              <ArrowLeftRight size={14} aria-hidden />
            </button>
            <SnapshotChoice
              label="To"
              value={newer}
              table={table.data}
              onChoose={(snapshotId) => onCompare({ older, newer: snapshotId })}
            />
            <span className="page-note">{countedText(table.data.snapshots.length, 'snapshot')}</span>
          </div>
          <Commits table={table.data} snapshots={snapshots} />
          <Files
            name={name}
            snapshots={snapshots}
            table={table.data}
            onOpenSql={onOpenSql}
            renderReceipt={renderReceipt}
          />
        </>
      )}
    </article>
  )
}
