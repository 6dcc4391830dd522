// Cells that the lists of files and of manifests have in common: where an object is, its partition, when it was added.
import type { ReactNode } from 'react'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Disclosure } from '../../ui/Disclosure.tsx'
import { instantText, shortId } from '../../ui/format-quantity.ts'

/** Where a file is inside of its table; the whole path where it is elsewhere. */
export const placeText = (path: string, location: string): string =>
  location !== '' && path.startsWith(`${location}/`) ? path.slice(location.length + 1) : path

interface PathCellProps {
  path: string
  location: string
  isOpen: boolean
  onToggle: () => void
  /** Of the row that it opens. */
  controls: string
  children?: ReactNode
}

export function PathCell({ path, location, isOpen, onToggle, controls, children }: PathCellProps) {
  const place = placeText(path, location)
  return (
    <th scope="row" className="path-cell">
      <span className="path-parts">
        <Disclosure isOpen={isOpen} onToggle={onToggle} controls={controls} label={`Details of ${place}`} />
        <span className="path-text mono" title={path}>
          <bdi dir="ltr">{place}</bdi>
        </span>
        <CopyButton text={path} label={`Copy path ${place}`} />
        {children}
      </span>
    </th>
  )
}

export function PartitionCell({ text }: { text: string | null }) {
  return (
    <td className="mono partition-cell" title={text ?? undefined}>
      {text}
    </td>
  )
}

/** When the snapshot was committed that added it; its id where the table has it no more. */
export function addedText(
  snapshotId: string | null,
  snapshots: readonly SnapshotInfo[],
): { text: string; title: string } | null {
  if (snapshotId === null) return null
  const snapshot = snapshots.find((each) => each.snapshotId === snapshotId)
  if (snapshot === undefined)
    return {
      text: shortId(snapshotId),
      title: `snapshot ${snapshotId}, which the table does not have any more`,
    }
  return { text: instantText(snapshot.committedAtMs).slice(0, 16), title: `snapshot ${snapshotId}, UTC` }
}
