// The files of a snapshot as rows of a table's page. Pure.
import type { TableFile, TableFilesQuery, TableFilesResponse } from '@lake/core/api/table-contents.ts'
import type { ManifestEntry } from '@lake/core/iceberg/manifest.ts'
import { findField } from '@lake/core/iceberg/schema.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { Steps } from '@lake/core/scan/steps.ts'
import { sortInSteps } from '../../concurrency/sort-in-steps.ts'
import { comparePartitions, createPartitionWords, type Partition } from './partition-words.ts'
import { createRowList, createTextFilter, type RowList } from './row-list.ts'

export interface FileRow {
  readonly file: TableFile
  readonly partition: Partition
  readonly sequenceNumber: bigint
}

export type FileList = RowList<FileRow, TableFilesQuery['sort']>

/** Makes rows of live entries. */
export function createFileRows(
  metadata: TableMetadata,
  tableSchema: Schema,
): (entry: ManifestEntry) => FileRow {
  const { partitionOf } = createPartitionWords(metadata, tableSchema)
  const nameOf = createColumnNames(metadata)
  return ({ file, sequenceNumber, snapshotId, details }) => {
    const partition = partitionOf(file)
    const isVector = file.content === 'position-deletes' && file.contentOffset !== undefined
    return {
      partition,
      sequenceNumber,
      file: {
        path: file.path,
        content: isVector ? 'deletion-vector' : file.content,
        format: file.format,
        specId: file.specId,
        partition: partition.text,
        recordCount: file.recordCount,
        bytes: isVector ? (file.contentSizeBytes ?? file.fileSizeBytes) : file.fileSizeBytes,
        sequenceNumber: String(sequenceNumber),
        snapshotId: snapshotId === undefined ? null : String(snapshotId),
        sortOrderId: details?.sortOrderId ?? null,
        rowGroupCount: file.splitCount ?? null,
        equalityColumns: file.equalityIds?.map(nameOf) ?? null,
        referencedDataFile: file.referencedDataFile ?? null,
      },
    }
  }
}

/** Names of columns by id, dropped ones too. */
function createColumnNames({ schemas }: TableMetadata): (fieldId: number) => string {
  return (fieldId) => {
    for (const schema of schemas.toReversed()) {
      const found = findField(schema, fieldId)
      if (found) return found.path.join('.')
    }
    return `field ${fieldId}`
  }
}

/** Deletion vectors of one file stand under one path. */
const comparePlaces = ({ file: left }: FileRow, { file: right }: FileRow): number =>
  compareTexts(left.path, right.path) ||
  compareTexts(left.referencedDataFile ?? '', right.referencedDataFile ?? '')

export const compareTexts = (left: string, right: string): number =>
  left === right ? 0 : left < right ? -1 : 1

/** @param rows in any order */
export function* createFileList(rows: readonly FileRow[]): Steps<FileList> {
  const byPlace = yield* sortInSteps(rows.length, (left, right) =>
    comparePlaces(rows[left] as FileRow, rows[right] as FileRow),
  )
  const sorted: FileRow[] = []
  for (const index of byPlace) sorted.push(rows[index] as FileRow)
  return createRowList(sorted, {
    path: comparePlaces,
    partition: (left, right) => comparePartitions(left.partition, right.partition),
    rows: (left, right) => left.file.recordCount - right.file.recordCount,
    bytes: (left, right) => left.file.bytes - right.file.bytes,
    sequence: (left, right) => Number(left.sequenceNumber - right.sequenceNumber),
  })
}

/** One page, and sums over all pages. */
export function* pageOfFiles(
  list: FileList,
  query: TableFilesQuery,
): Steps<Omit<TableFilesResponse, 'table'>> {
  const { content, find, offset } = query
  const sums = { dataFileCount: 0, deleteFileCount: 0, recordCount: 0, bytes: 0 }
  const holds = createTextFilter(find)
  const isWanted = ({ file }: FileRow): boolean =>
    (content === 'all' || (content === 'data') === (file.content === 'data')) &&
    holds(file.path, file.partition)
  const add = ({ file }: FileRow): void => {
    sums.bytes += file.bytes
    if (file.content !== 'data') sums.deleteFileCount += 1
    else {
      sums.dataFileCount += 1
      sums.recordCount += file.recordCount
    }
  }
  const { rowCount, rows } = yield* list.page(query, isWanted, add)
  return { rowCount, offset, ...sums, files: rows.map(({ file }) => file) }
}
