// Snapshots, newest first, and the branches and tags that point at them. Ids are whole and can be copied: as numbers
// they would be rounded.
import { Diff, History } from 'lucide-react'
import { useState } from 'react'
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ageText, countText, instantText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { useNow } from '../../ui/use-now.ts'

const SHOWN_AT_FIRST = 20

function summaryNumber(snapshot: SnapshotInfo, key: string): string {
  const text = snapshot.summary[key]
  if (text === undefined) return ''
  return /^\d+$/.test(text) ? countText(BigInt(text)) : text
}

interface SnapshotRowProps {
  snapshot: SnapshotInfo
  refs: string[]
  now: number
  onQuery: (snapshot: SnapshotInfo) => void
  /** undefined: the snapshot before this one is gone. */
  onCompare: (() => void) | undefined
}

function SnapshotRow({ snapshot, refs, now, onQuery, onCompare }: SnapshotRowProps) {
  const added = summaryNumber(snapshot, 'added-records')
  const deleted = summaryNumber(snapshot, 'deleted-records')
  return (
    <tr>
      <td className="mono nowrap">
        {snapshot.snapshotId}
        <CopyButton text={snapshot.snapshotId} label={`Copy snapshot id ${snapshot.snapshotId}`} />
        <IconButton
          label={`Query as of snapshot ${snapshot.snapshotId}`}
          className="copy-button"
          onClick={() => onQuery(snapshot)}
        >
          <History size={14} />
        </IconButton>
        {onCompare !== undefined && (
          <IconButton
            label={`What changed in snapshot ${snapshot.snapshotId}`}
            className="copy-button"
            onClick={onCompare}
          >
            <Diff size={14} />
          </IconButton>
        )}
        {refs.map((ref) => (
          <span key={ref} className="chip">
            {ref}
          </span>
        ))}
      </td>
      <td className="nowrap tabular">{instantText(snapshot.committedAtMs)}</td>
      <td className="nowrap faint">{ageText(now - snapshot.committedAtMs)}</td>
      <td>
        <span className="badge" data-operation={snapshot.operation ?? 'unknown'}>
          {snapshot.operation ?? 'unknown'}
        </span>
      </td>
      <td className="numeric added">{added === '' || added === '0' ? '' : `+${added}`}</td>
      <td className="numeric deleted">{deleted === '' || deleted === '0' ? '' : `−${deleted}`}</td>
      <td className="numeric">{summaryNumber(snapshot, 'total-records')}</td>
      <td className="numeric faint">{snapshot.schemaId ?? ''}</td>
    </tr>
  )
}

interface SnapshotsTableProps {
  table: TableResponse
  onQuery: (snapshot: SnapshotInfo) => void
  onCompare: (older: string, newer: string) => void
}

export function SnapshotsTable({ table, onQuery, onCompare }: SnapshotsTableProps) {
  const now = useNow(30_000)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? table.snapshots : table.snapshots.slice(0, SHOWN_AT_FIRST)
  const known = new Set(table.snapshots.map(({ snapshotId }) => snapshotId))
  const compareWithParent = ({ snapshotId, parentSnapshotId }: SnapshotInfo) =>
    parentSnapshotId !== null && known.has(parentSnapshotId)
      ? () => onCompare(parentSnapshotId, snapshotId)
      : undefined
  const refsOf = (id: string) => table.refs.filter((ref) => ref.snapshotId === id).map((ref) => ref.name)
  return (
    <section aria-labelledby="snapshots-title">
      <h2 id="snapshots-title">
        Snapshots <span className="h2-note">{countText(table.snapshots.length)}, newest first</span>
      </h2>
      {table.snapshots.length === 0 ? (
        <p className="page-note">Nothing has been committed to this table yet.</p>
      ) : (
        <div className="data-table-frame">
          <table className="data-table">
            <thead>
              <tr>
                <th scope="col">snapshot id</th>
                <th scope="col">committed</th>
                <th scope="col">age</th>
                <th scope="col">operation</th>
                <th scope="col" className="numeric">
                  added
                </th>
                <th scope="col" className="numeric">
                  deleted
                </th>
                <th scope="col" className="numeric">
                  total rows
                </th>
                <th scope="col" className="numeric">
                  schema
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((snapshot) => (
                <SnapshotRow
                  key={snapshot.snapshotId}
                  snapshot={snapshot}
                  refs={refsOf(snapshot.snapshotId)}
                  now={now}
                  onQuery={onQuery}
                  onCompare={compareWithParent(snapshot)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < table.snapshots.length && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show all {countText(table.snapshots.length)}
        </button>
      )}
    </section>
  )
}

export function RefsTable({ table }: { table: TableResponse }) {
  if (table.refs.length === 0) return null
  return (
    <section aria-labelledby="refs-title">
      <h2 id="refs-title">Branches and tags</h2>
      <div className="data-table-frame">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">kind</th>
              <th scope="col">snapshot id</th>
            </tr>
          </thead>
          <tbody>
            {table.refs.map((ref) => (
              <tr key={ref.name}>
                <th scope="row">{ref.name}</th>
                <td>{ref.kind}</td>
                <td className="mono">{ref.snapshotId}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
