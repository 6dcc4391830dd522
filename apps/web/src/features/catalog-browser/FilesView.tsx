// The live files of one snapshot, sorted and paged by the server.
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import type { TableFile, TableFilesResponse } from '@lake/core/api/table-contents.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { toApiError } from '../../api/api-error.ts'
import type { TableName } from '../../api/table-name.ts'
import { LIST_PAGE_ROWS } from '../../limits.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { bytesText, countedText, countText, instantText, shortId } from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageTurner } from '../../ui/PageTurner.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { ContentsWait } from './ContentsWait.tsx'
import { FindField } from './ListControls.tsx'
import { SortHeader } from './SortHeader.tsx'
import { sortedBy, type FileContent, type FileSort, type TableView } from './table-view.ts'
import { useTableFiles } from './use-table-contents.ts'

const CONTENT_WORDS: Record<TableFile['content'], string> = {
  data: 'data',
  'position-deletes': 'position deletes',
  'equality-deletes': 'equality deletes',
  'deletion-vector': 'deletion vector',
}

/** Where a file is inside of its table; the whole path where it is elsewhere. */
const placeText = (path: string, location: string): string =>
  location !== '' && path.startsWith(`${location}/`) ? path.slice(location.length + 1) : path

export function PathCell({
  path,
  location,
  children,
}: {
  path: string
  location: string
  children?: ReactNode
}) {
  const place = placeText(path, location)
  return (
    <th scope="row" className="path-cell">
      <span className="path-parts">
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

interface FileRowProps {
  file: TableFile
  hasDeletes: boolean
  location: string
  snapshots: readonly SnapshotInfo[]
  onQuery: (file: TableFile) => void
}

function FileRow({ file, hasDeletes, location, snapshots, onQuery }: FileRowProps) {
  const added = addedText(file.snapshotId, snapshots)
  const of = file.equalityColumns?.join(', ') ?? file.referencedDataFile
  return (
    <tr>
      <PathCell path={file.path} location={location}>
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
      {hasDeletes && (
        <td className="nowrap" title={of ?? undefined}>
          {CONTENT_WORDS[file.content]}
        </td>
      )}
      <PartitionCell text={file.partition} />
      <td className="numeric">{countText(file.recordCount)}</td>
      <td className="numeric">{bytesText(file.bytes)}</td>
      <td className="numeric">{file.rowGroupCount === null ? '' : countText(file.rowGroupCount)}</td>
      <td className="nowrap">{file.format}</td>
      <td className="nowrap tabular" title={added?.title}>
        {added?.text}
      </td>
    </tr>
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

/** What is looked for, which files, and the pages. */
function FileControls({
  view,
  onView,
  rowCount,
  onOpenSql,
}: Pick<FilesViewProps, 'view' | 'onView'> & {
  /** undefined until it is known. */
  rowCount: number | undefined
  onOpenSql: () => void
}) {
  return (
    <div className="list-controls">
      <FindField
        label="Find in paths and partitions"
        find={view.find}
        onFind={(find) => onView({ ...view, find, page: 0 })}
      />
      <ContentChoice content={view.content} onContent={(content) => onView({ ...view, content, page: 0 })} />
      <button type="button" className="button button-quiet" onClick={onOpenSql}>
        <Play size={12} aria-hidden /> Open as SQL
      </button>
      {rowCount !== undefined && (
        <PageTurner
          what="files"
          page={view.page}
          pageRows={LIST_PAGE_ROWS}
          rowCount={rowCount}
          onPage={(page) => onView({ ...view, page })}
        />
      )}
    </div>
  )
}

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
          <th scope="col" className="numeric" title="As the writer’s split offsets say">
            row groups
          </th>
          <th scope="col">format</th>
          <SortHeader label="added" sort="sequence" {...header} />
        </tr>
      </thead>
      <tbody>
        {data.files.map((file) => (
          <FileRow
            key={`${file.path} ${file.referencedDataFile}`}
            file={file}
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
      <FileControls
        view={view}
        onView={onView}
        rowCount={data?.rowCount}
        onOpenSql={() => onOpenSql(`${name.table} files`, sqlOfFiles)}
      />
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
