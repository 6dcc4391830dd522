// Snapshots, newest first. Ids are whole and can be copied: as numbers
// they would be rounded.
import { Diff, Eye, History } from 'lucide-react'
import type { SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ageText, countText, instantText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { LIST_PAGE_ROWS } from '../../limits.ts'
import { PageTurner } from '../../ui/PageTurner.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { useNow } from '../../ui/use-now.ts'

function summaryNumber(snapshot: SnapshotInfo, key: string): string {
  const text = snapshot.summary[key]
  if (text === undefined) return ''
  return /^\d+$/.test(text) ? countText(BigInt(text)) : text
}

interface SnapshotRowProps {
  snapshot: SnapshotInfo
  refs: string[]
  now: number
  isShown: boolean
  onQuery: (snapshot: SnapshotInfo) => void
  onShow: (snapshotId: string) => void
  /** undefined: the snapshot before this one is gone. */
  onCompare: (() => void) | undefined
}

function SnapshotRow({ snapshot, refs, now, isShown, onQuery, onShow, onCompare }: SnapshotRowProps) {
  const added = summaryNumber(snapshot, 'added-records')
  const deleted = summaryNumber(snapshot, 'deleted-records')
  // Rows that a commit takes away by naming them are counted apart.
  const named = summaryNumber(snapshot, 'added-position-deletes')
  return (
    <tr aria-current={isShown ? 'true' : undefined}>
      <td className="mono nowrap">
        {snapshot.snapshotId}
        <CopyButton text={snapshot.snapshotId} label={`Copy snapshot id ${snapshot.snapshotId}`} />
        <IconButton
          label={`Show the table as of snapshot ${snapshot.snapshotId}`}
          className="copy-button"
          onClick={() => onShow(snapshot.snapshotId)}
        >
          <Eye size={14} />
        </IconButton>
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
      <td className="numeric deleted">
        {[deleted, named]
          .filter((text) => text !== '' && text !== '0')
          .map((text) => `−${text}`)
          .join(' ')}
      </td>
      <td className="numeric">{summaryNumber(snapshot, 'total-records')}</td>
      <td className="numeric faint">{snapshot.schemaId ?? ''}</td>
    </tr>
  )
}

interface SnapshotsTableProps {
  table: TableResponse
  /** Of which the page is; null where nothing was committed. */
  shownId: string | null
  /** From 0. */
  page: number
  onPage: (page: number) => void
  onQuery: (snapshot: SnapshotInfo) => void
  onShow: (snapshotId: string) => void
  onCompare: (older: string, newer: string) => void
}

export function SnapshotsTable(props: SnapshotsTableProps) {
  const { table, shownId, page, onPage, onQuery, onShow, onCompare } = props
  const now = useNow(30_000)
  const shown = table.snapshots.slice(page * LIST_PAGE_ROWS, (page + 1) * LIST_PAGE_ROWS)
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
        <TableFrame label="Table of snapshots">
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
                isShown={snapshot.snapshotId === shownId}
                onQuery={onQuery}
                onShow={onShow}
                onCompare={compareWithParent(snapshot)}
              />
            ))}
          </tbody>
        </TableFrame>
      )}
      <PageTurner
        what="snapshots"
        page={page}
        pageRows={LIST_PAGE_ROWS}
        rowCount={table.snapshots.length}
        onPage={onPage}
      />
    </section>
  )
}
