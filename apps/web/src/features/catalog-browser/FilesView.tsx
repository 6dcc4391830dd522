// The live files of one snapshot, sorted and paged by the server.
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import type { TableFile, TableFilesResponse } from '@lake/core/api/table-contents.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { toApiError } from '../../api/api-error.ts'
import type { TableName } from '../../api/table-name.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { DetailsRow } from '../../ui/Disclosure.tsx'
import { bytesText, countedText, countText } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { useOpenRows, type OpenRows } from '../../ui/use-open-rows.ts'
import { fileDetails, fileKey, CONTENT_WORDS } from './contents-details.ts'
import { addedText, PartitionCell, PathCell, placeText } from './ContentsCells.tsx'
import { ContentsWait } from './ContentsWait.tsx'
import { ListControls } from './ListControls.tsx'
import { SortHeader } from './SortHeader.tsx'
import { sortedBy, type FileContent, type FileSort, type TableView } from './table-view.ts'
import { useTableFiles } from './use-table-contents.ts'

interface FileRowProps {
  file: TableFile
  /** Its place in the list, by which its details are named. */
  index: number
  hasDeletes: boolean
  location: string
  snapshots: readonly SnapshotInfo[]
  open: OpenRows
  onQuery: (file: TableFile) => void
}

function FileRow({ file, index, hasDeletes, location, snapshots, open, onQuery }: FileRowProps) {
  const added = addedText(file.snapshotId, snapshots)
  const key = fileKey(file)
  const isOpen = open.isOpen(key)
  const detailsId = `file-${index}`
  return (
    <>
      <tr>
        <PathCell
          path={file.path}
          location={location}
          isOpen={isOpen}
          onToggle={() => open.toggle(key)}
          controls={detailsId}
        >
          {file.content === 'data' && (
            <IconButton
              label={`Query the rows of ${placeText(file.path, location)}`}
              className="copy-button"
              onClick={() => onQuery(file)}
            >
              <Play size={14} />
            </IconButton>
          )}
        </PathCell>
        {hasDeletes && <td className="nowrap">{CONTENT_WORDS[file.content]}</td>}
        <PartitionCell text={file.partition} />
        <td className="numeric">{countText(file.recordCount)}</td>
        <td className="numeric">{bytesText(file.bytes)}</td>
        <td className="numeric">{file.rowGroupCount === null ? '' : countText(file.rowGroupCount)}</td>
        <td className="nowrap">{file.format}</td>
        <td className="nowrap tabular" title={added?.title}>
          {added?.text}
        </td>
      </tr>
      {isOpen && (
        <DetailsRow
          id={detailsId}
          label={placeText(file.path, location)}
          columnCount={7 + Number(hasDeletes)}
          facts={fileDetails(file, snapshots)}
        />
      )}
    </>
  )
}

const CONTENTS: readonly [FileContent, string][] = [
  ['all', 'all files'],
  ['data', 'data files'],
  ['deletes', 'delete files'],
]

function ContentChoice({
  content,
  onContent,
}: {
  content: FileContent
  onContent: (content: FileContent) => void
}) {
  return (
    <label className="list-choice">
      <span className="visually-hidden">Which files</span>
      <select value={content} onChange={(event) => onContent(event.currentTarget.value as FileContent)}>
        {CONTENTS.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

interface FilesViewProps {
  name: TableName
  location: string
  snapshots: readonly SnapshotInfo[]
  snapshot: string
  view: TableView
  onView: (view: TableView) => void
  onOpenSql: (title: string, sql: string) => void
  sqlOfFile: (path: string) => string
  sqlOfFiles: string
  renderReceipt: (table: TableReceipt, facts: readonly string[]) => ReactNode
}

const totals = ({ dataFileCount, deleteFileCount, recordCount, bytes }: TableFilesResponse): string[] => [
  countedText(dataFileCount, 'data file'),
  ...(deleteFileCount > 0 ? [countedText(deleteFileCount, 'delete file')] : []),
  `${countedText(recordCount, 'row')}${deleteFileCount > 0 ? ', deleted ones included' : ''}`,
  bytesText(bytes),
]

function FilesTable({
  data,
  isBusy,
  ...props
}: FilesViewProps & { data: TableFilesResponse; isBusy: boolean }) {
  const { name, location, snapshots, view, onView, onOpenSql, sqlOfFile } = props
  const present = { sort: view.fileSort, isDescending: view.isDescending }
  const onSort = (sort: FileSort): void => {
    const sorted = sortedBy(present, sort)
    onView({ ...view, fileSort: sorted.sort, isDescending: sorted.isDescending, page: 0 })
  }
  const open = useOpenRows()
  const hasDeletes = data.files.some(({ content }) => content !== 'data')
  const header = { present, onSort }
  return (
    <TableFrame label="Table of files" isBusy={isBusy}>
      <thead>
        <tr>
          <SortHeader label="file" sort="path" {...header} />
          {hasDeletes && <th scope="col">content</th>}
          <SortHeader label="partition" sort="partition" {...header} />
          <SortHeader label="rows" sort="rows" isNumeric {...header} />
          <SortHeader label="size" sort="bytes" isNumeric {...header} />
          <th scope="col" className="numeric">
            row groups
          </th>
          <th scope="col">format</th>
          <SortHeader label="added" sort="sequence" {...header} />
        </tr>
      </thead>
      <tbody>
        {data.files.map((file, index) => (
          <FileRow
            key={fileKey(file)}
            file={file}
            index={index}
            open={open}
            hasDeletes={hasDeletes}
            location={location}
            snapshots={snapshots}
            onQuery={({ path }) => onOpenSql(`${name.table} file`, sqlOfFile(path))}
          />
        ))}
      </tbody>
    </TableFrame>
  )
}

export function FilesView(props: FilesViewProps) {
  const { name, snapshot, view, onView, onOpenSql, sqlOfFiles, renderReceipt } = props
  const files = useTableFiles(name, snapshot, view)
  const { data } = files
  const isTooLong = files.isError && toApiError(files.error).code === 'SCAN_TOO_LARGE'
  return (
    <section aria-labelledby="files-title">
      <h2 id="files-title" className="visually-hidden">
        Files
      </h2>
      <div className="view-facts">
        {files.isPending && <ContentsWait name={name} snapshot={snapshot} />}
        {data !== undefined && renderReceipt(data.table, totals(data))}
      </div>
      <ListControls what="files" view={view} onView={onView} rowCount={data?.rowCount}>
        <ContentChoice
          content={view.content}
          onContent={(content) => onView({ ...view, content, page: 0 })}
        />
        <button
          type="button"
          className="button button-quiet"
          onClick={() => onOpenSql(`${name.table} files`, sqlOfFiles)}
        >
          <Play size={12} aria-hidden /> Open as SQL
        </button>
      </ListControls>
      {files.isError && (
        <ErrorNotice error={files.error} onRetry={isTooLong ? undefined : () => void files.refetch()} />
      )}
      {data !== undefined && data.rowCount > 0 && (
        <FilesTable {...props} data={data} isBusy={files.isPlaceholderData} />
      )}
      {data?.rowCount === 0 && <NoFiles view={view} />}
    </section>
  )
}

function NoFiles({ view }: { view: TableView }) {
  return (
    <p className="page-note">
      {view.find === '' && view.content === 'all'
        ? 'The snapshot has no files: the table is empty.'
        : 'No file of the snapshot is so.'}
    </p>
  )
}
