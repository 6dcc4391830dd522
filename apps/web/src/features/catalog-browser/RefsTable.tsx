// Branches and tags, and where they stand against what is current.
import { Eye } from 'lucide-react'
import { useMemo } from 'react'
import type { TableResponse } from '@lake/core/api/contract.ts'
import { lineageOf } from '../../freshness/lineage.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { countedText, instantText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { visibleName } from '../../ui/visible-text.ts'

/** How many commits lie between a snapshot and what is current, on one side or the other, in words. */
function standTexts({ snapshots, currentSnapshotId }: TableResponse): (snapshotId: string) => string {
  const line = lineageOf(snapshots, currentSnapshotId)
  const stepsBefore = new Map(line.map(({ snapshotId }, index) => [snapshotId, index]))
  return (snapshotId) => {
    const before = stepsBefore.get(snapshotId)
    if (before === 0) return 'what is current'
    if (before !== undefined) return `${countedText(before, 'commit')} before what is current`
    const beyond = lineageOf(snapshots, snapshotId).findIndex((each) => each.snapshotId === currentSnapshotId)
    return beyond > 0 ? `${countedText(beyond, 'commit')} beyond what is current` : 'aside of what is current'
  }
}

interface RefsTableProps {
  table: TableResponse
  onShow: (snapshotId: string) => void
}

export function RefsTable({ table, onShow }: RefsTableProps) {
  const standText = useMemo(() => standTexts(table), [table])
  if (table.refs.length === 0) return null
  return (
    <section aria-labelledby="refs-title">
      <h2 id="refs-title">Branches and tags</h2>
      <TableFrame label="Table of branches and tags">
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">kind</th>
            <th scope="col">snapshot id</th>
            <th scope="col">committed</th>
            <th scope="col">stands</th>
          </tr>
        </thead>
        <tbody>
          {table.refs.map((ref) => {
            const snapshot = table.snapshots.find(({ snapshotId }) => snapshotId === ref.snapshotId)
            return (
              <tr key={ref.name}>
                <th scope="row" className="nowrap">
                  {visibleName(ref.name)}
                </th>
                <td>{ref.kind}</td>
                <td className="mono nowrap">
                  {ref.snapshotId}
                  <CopyButton text={ref.snapshotId} label={`Copy snapshot id of ${ref.name}`} />
                  <IconButton
                    label={`Show the table as of ${ref.name}`}
                    className="copy-button"
                    onClick={() => onShow(ref.snapshotId)}
                  >
                    <Eye size={14} />
                  </IconButton>
                </td>
                <td className="nowrap tabular">
                  {snapshot === undefined ? '' : instantText(snapshot.committedAtMs)}
                </td>
                <td className="nowrap faint">{standText(ref.snapshotId)}</td>
              </tr>
            )
          })}
        </tbody>
      </TableFrame>
    </section>
  )
}
