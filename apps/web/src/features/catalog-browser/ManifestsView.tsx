// The manifests of one snapshot, as its manifest list has them; sorted and paged by the server.
import type { ReactNode } from 'react'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import type { TableManifest, TableManifestsResponse } from '@lake/core/api/table-contents.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { TableName } from '../../api/table-name.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { DetailsRow } from '../../ui/Disclosure.tsx'
import { bytesText, countText } from '../../ui/format-quantity.ts'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { useOpenRows, type OpenRows } from '../../ui/use-open-rows.ts'
import { manifestDetails } from './contents-details.ts'
import { addedText, PartitionCell, PathCell, placeText } from './ContentsCells.tsx'
import { ListControls } from './ListControls.tsx'
import { SortHeader } from './SortHeader.tsx'
import { sortedBy, type ManifestSort, type TableView } from './table-view.ts'
import { useTableManifests } from './use-table-contents.ts'

const known = (count: number | string | null): string => (count === null ? '' : countText(BigInt(count)))

const liveFiles = ({ addedFiles, existingFiles }: TableManifest): string =>
  addedFiles === null || existingFiles === null ? '' : countText(addedFiles + existingFiles)

interface ManifestRowProps {
  manifest: TableManifest
  /** Its place in the list, by which its details are named. */
  index: number
  open: OpenRows
  hasDeletes: boolean
  location: string
  snapshots: readonly SnapshotInfo[]
}

function ManifestRow({ manifest, index, open, hasDeletes, location, snapshots }: ManifestRowProps) {
  const added = addedText(manifest.snapshotId, snapshots)
  const isOpen = open.isOpen(manifest.path)
  const detailsId = `manifest-${index}`
  return (
    <>
      <tr>
        <PathCell
          path={manifest.path}
          location={location}
          isOpen={isOpen}
          onToggle={() => open.toggle(manifest.path)}
          controls={detailsId}
        />
        {hasDeletes && <td>{manifest.content}</td>}
        <td className="numeric faint">{manifest.specId}</td>
        <PartitionCell text={manifest.partitions} />
        <td className="numeric">{liveFiles(manifest)}</td>
        <td className="numeric">{known(manifest.addedFiles)}</td>
        <td className="numeric">{known(manifest.deletedFiles)}</td>
        <td className="numeric">{known(manifest.recordCount)}</td>
        <td className="numeric">{bytesText(manifest.bytes)}</td>
        <td className="nowrap tabular" title={added?.title}>
          {added?.text}
        </td>
      </tr>
      {isOpen && (
        <DetailsRow
          id={detailsId}
          label={placeText(manifest.path, location)}
          columnCount={9 + Number(hasDeletes)}
          facts={manifestDetails(manifest, snapshots)}
        />
      )}
    </>
  )
}

interface ManifestsViewProps {
  name: TableName
  location: string
  snapshots: readonly SnapshotInfo[]
  snapshot: string
  view: TableView
  onView: (view: TableView) => void
  renderReceipt: (table: TableReceipt, facts: readonly string[]) => ReactNode
}

const totals = ({ deleteManifestCount, bytes }: TableManifestsResponse): string[] => [
  ...(deleteManifestCount > 0 ? [`${countText(deleteManifestCount)} of delete files`] : []),
  bytesText(bytes),
]

function ManifestsTable({
  data,
  isBusy,
  ...props
}: ManifestsViewProps & { data: TableManifestsResponse; isBusy: boolean }) {
  const { location, snapshots, view, onView } = props
  const present = { sort: view.manifestSort, isDescending: view.isDescending }
  const onSort = (sort: ManifestSort): void => {
    const sorted = sortedBy(present, sort)
    onView({ ...view, manifestSort: sorted.sort, isDescending: sorted.isDescending, page: 0 })
  }
  const open = useOpenRows()
  const hasDeletes = data.deleteManifestCount > 0
  const header = { present, onSort }
  return (
    <TableFrame label="Table of manifests" isBusy={isBusy}>
      <thead>
        <tr>
          <SortHeader label="manifest" sort="path" {...header} />
          {hasDeletes && <th scope="col">content</th>}
          <th scope="col" className="numeric">
            spec
          </th>
          <th scope="col">partitions</th>
          <SortHeader label="files" sort="files" isNumeric {...header} />
          <th scope="col" className="numeric">
            new
          </th>
          <th scope="col" className="numeric">
            removed
          </th>
          <SortHeader label="rows" sort="rows" isNumeric {...header} />
          <SortHeader label="size" sort="bytes" isNumeric {...header} />
          <SortHeader label="added" sort="sequence" {...header} />
        </tr>
      </thead>
      <tbody>
        {data.manifests.map((manifest, index) => (
          <ManifestRow
            key={manifest.path}
            manifest={manifest}
            index={index}
            open={open}
            hasDeletes={hasDeletes}
            location={location}
            snapshots={snapshots}
          />
        ))}
      </tbody>
    </TableFrame>
  )
}

export function ManifestsView(props: ManifestsViewProps) {
  const { name, snapshot, view, onView, renderReceipt } = props
  const manifests = useTableManifests(name, snapshot, view)
  const { data } = manifests
  return (
    <section aria-labelledby="manifests-title">
      <h2 id="manifests-title" className="visually-hidden">
        Manifests
      </h2>
      <div className="view-facts">
        {manifests.isPending && <output className="page-note">reading the manifest list…</output>}
        {data !== undefined && renderReceipt(data.table, totals(data))}
      </div>
      <ListControls what="manifests" view={view} onView={onView} rowCount={data?.rowCount} />
      {manifests.isError && <ErrorNotice error={manifests.error} onRetry={() => void manifests.refetch()} />}
      {data !== undefined && data.rowCount > 0 && (
        <ManifestsTable {...props} data={data} isBusy={manifests.isPlaceholderData} />
      )}
      {data?.rowCount === 0 && <p className="page-note">No manifest of the snapshot is so.</p>}
    </section>
  )
}
