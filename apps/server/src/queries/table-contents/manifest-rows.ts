// The manifests of a snapshot as rows of a table's page. Pure.
import type {
  TableManifest,
  TableManifestsQuery,
  TableManifestsResponse,
} from '@lake/core/api/table-contents.ts'
import type { ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { Steps } from '@lake/core/scan/steps.ts'
import { compareTexts } from './file-list.ts'
import { createPartitionWords } from './partition-words.ts'
import { createRowList, createTextFilter, type RowList } from './row-list.ts'

export type ManifestList = RowList<TableManifest, TableManifestsQuery['sort']>

/** @param manifests in the order of the manifest list */
export function createManifestList(
  manifests: readonly ManifestFile[],
  metadata: TableMetadata,
  tableSchema: Schema,
): ManifestList {
  const { boundsOf } = createPartitionWords(metadata, tableSchema)
  const rows = manifests.map((manifest): TableManifest => {
    const { addedRowsCount, existingRowsCount, addedSnapshotId } = manifest
    const isCounted = addedRowsCount !== undefined && existingRowsCount !== undefined
    return {
      path: manifest.path,
      content: manifest.content,
      bytes: manifest.lengthBytes,
      specId: manifest.partitionSpecId,
      sequenceNumber: String(manifest.sequenceNumber),
      snapshotId: addedSnapshotId === undefined ? null : String(addedSnapshotId),
      addedFiles: manifest.addedFilesCount ?? null,
      existingFiles: manifest.existingFilesCount ?? null,
      deletedFiles: manifest.deletedFilesCount ?? null,
      recordCount: isCounted ? String(addedRowsCount + existingRowsCount) : null,
      partitions: boundsOf(manifest),
    }
  })
  const filesOf = ({ addedFiles, existingFiles }: TableManifest): number =>
    (addedFiles ?? 0) + (existingFiles ?? 0)
  return createRowList(rows, {
    list: () => 0,
    path: (left, right) => compareTexts(left.path, right.path),
    bytes: (left, right) => left.bytes - right.bytes,
    files: (left, right) => filesOf(left) - filesOf(right),
    rows: (left, right) => Number(BigInt(left.recordCount ?? 0) - BigInt(right.recordCount ?? 0)),
    sequence: (left, right) => Number(BigInt(left.sequenceNumber) - BigInt(right.sequenceNumber)),
  })
}

/** One page, and sums over all pages. */
export function* pageOfManifests(
  list: ManifestList,
  query: TableManifestsQuery,
): Steps<Omit<TableManifestsResponse, 'table'>> {
  const sums = { dataManifestCount: 0, deleteManifestCount: 0, bytes: 0 }
  const holds = createTextFilter(query.find)
  const { rowCount, rows } = yield* list.page(
    query,
    ({ path, partitions }) => holds(path, partitions),
    ({ content, bytes }) => {
      sums[content === 'data' ? 'dataManifestCount' : 'deleteManifestCount'] += 1
      sums.bytes += bytes
    },
  )
  return { rowCount, offset: query.offset, ...sums, manifests: rows }
}
