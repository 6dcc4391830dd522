// Reads what a table's page shows of one snapshot: its manifest list, and its manifests, of which no entry is held longer than
// it takes to look at it.
import { AppError } from '@lake/core/errors.ts'
import type { DataFile, ManifestEntry, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { createColumnStatistics, type LeafStatistics } from '@lake/core/scan/column-statistics.ts'
import { stepsOf, type Steps } from '@lake/core/scan/steps.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import { runSteps } from '../../concurrency/turns.ts'
import { LIMITS } from '../../limits.ts'
import { readManifest, readSnapshotManifests } from '../../metadata/manifest-reader.ts'
import type { TableStorage } from '../../storage/table-storage.ts'
import { withDroppedColumns } from '../metadata-tables/partition-struct.ts'
import { tableName, type PinnedTable } from '../pinned-table.ts'
import { createFileList, createFileRows, type FileList, type FileRow } from './file-list.ts'
import { createManifestList, type ManifestList } from './manifest-rows.ts'

export interface FilesContent {
  readonly list: FileList
  readonly manifestCount: number
}

export interface StatisticsContent {
  readonly leaves: readonly LeafStatistics[]
  readonly manifestCount: number
  readonly dataFileCount: number
  readonly recordCount: number
  readonly bytes: number
  readonly deletes: {
    positionFileCount: number
    vectorCount: number
    positionCount: number
    equalityFileCount: number
  }
}

export async function readManifestList(
  { snapshot, loaded, tableSchema }: PinnedTable,
  storage: TableStorage,
  signal: AbortSignal,
): Promise<ManifestList> {
  const manifests = snapshot ? await readSnapshotManifests(storage, snapshot, signal) : []
  return createManifestList(manifests, loaded.metadata, tableSchema)
}

/** @throws AppError SCAN_TOO_LARGE where there are more files than a page sorts, and what reading manifests throws */
export async function readFiles(
  pinned: PinnedTable,
  storage: TableStorage,
  signal: AbortSignal,
): Promise<FilesContent> {
  const toRow = createFileRows(pinned.loaded.metadata, pinned.tableSchema)
  const rows: FileRow[] = []
  const manifestCount = await readEntries(
    pinned,
    storage,
    {
      metricsFieldIds: new Set(),
      beforeReading: (manifests) =>
        refuseMany(
          manifests.reduce((sum, each) => sum + filesOf(each), 0),
          pinned,
        ),
      onEntry: (entry) => {
        rows.push(toRow(entry))
        refuseMany(rows.length, pinned)
      },
    },
    signal,
  )
  return { list: await runSteps(createFileList(rows), signal), manifestCount }
}

/** Counts that the manifest list says; those that it does not are found while reading. */
const filesOf = ({ addedFilesCount = 0, existingFilesCount = 0 }: ManifestFile): number =>
  addedFilesCount + existingFilesCount

function refuseMany(fileCount: number, { loaded }: PinnedTable): void {
  if (fileCount <= LIMITS.filesListedMax) return
  throw new AppError(
    'SCAN_TOO_LARGE',
    `The snapshot has more than the ${LIMITS.filesListedMax} files that are listed here; the metadata table ${tableName(loaded)}$files has them all`,
    { details: { limit: 'files', limitMax: LIMITS.filesListedMax } },
  )
}

export async function readStatistics(
  pinned: PinnedTable,
  storage: TableStorage,
  signal: AbortSignal,
): Promise<StatisticsContent> {
  const statistics = createColumnStatistics(pinned.tableSchema, LIMITS.statisticsColumnsMax)
  const deletes = { positionFileCount: 0, vectorCount: 0, positionCount: 0, equalityFileCount: 0 }
  let [dataFileCount, recordCount, bytes] = [0, 0, 0]
  const addDeletes = (file: DataFile): void => {
    if (file.content === 'equality-deletes') {
      deletes.equalityFileCount += 1
      return
    }
    if (file.contentOffset === undefined) deletes.positionFileCount += 1
    else deletes.vectorCount += 1
    deletes.positionCount += file.recordCount
  }
  const manifestCount = await readEntries(
    pinned,
    storage,
    {
      metricsFieldIds: new Set(statistics.leaves().map(({ fieldId }) => fieldId)),
      onEntry: ({ file }) => {
        if (file.content !== 'data') {
          addDeletes(file)
          return
        }
        dataFileCount += 1
        recordCount += file.recordCount
        bytes += file.fileSizeBytes
        statistics.add(file)
      },
    },
    signal,
  )
  return { leaves: statistics.leaves(), manifestCount, dataFileCount, recordCount, bytes, deletes }
}

interface Reading {
  /** Fields whose metrics are decoded. */
  readonly metricsFieldIds: ReadonlySet<number>
  readonly beforeReading?: (manifests: readonly ManifestFile[]) => void
  /** Live ones, in no order. */
  readonly onEntry: (entry: ManifestEntry) => void
}

/** Shows each live entry of the snapshot. @returns the number of manifests */
async function readEntries(
  { snapshot, loaded, tableSchema }: PinnedTable,
  storage: TableStorage,
  { metricsFieldIds, beforeReading, onEntry }: Reading,
  signal: AbortSignal,
): Promise<number> {
  const { metadata } = loaded
  const schema = withDroppedColumns(metadata, tableSchema)
  const specs = new Map(metadata.partitionSpecs.map((spec) => [spec.specId, spec]))
  const manifests = snapshot ? await readSnapshotManifests(storage, snapshot, signal) : []
  beforeReading?.(manifests)
  const read = async (manifest: ManifestFile, itemSignal: AbortSignal): Promise<void> => {
    const spec = specs.get(manifest.partitionSpecId)
    if (spec === undefined)
      throw new AppError(
        'TABLE_CORRUPT',
        `Manifest ${manifest.path} has a partition spec that the table does not have`,
      )
    const context = { spec, schema, metricsFieldIds, hasDetails: true }
    const entries = await readManifest(storage, manifest, context, itemSignal)
    await runSteps(showEntries(entries, onEntry), itemSignal)
  }
  await mapConcurrently(manifests, LIMITS.manifestsReadAtOnceMax, read, signal)
  return manifests.length
}

function* showEntries(
  entries: readonly ManifestEntry[],
  onEntry: (entry: ManifestEntry) => void,
): Steps<undefined> {
  for (const step of stepsOf(entries)) {
    for (const entry of step) if (entry.status !== 'deleted') onEntry(entry)
    yield
  }
  return undefined
}
