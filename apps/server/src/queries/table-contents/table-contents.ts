// What a table holds at one snapshot, for its page: lists that are sorted and paged here, and statistics of columns. All of it
// from manifests; no data file is opened. The caller has authorized the table.
import type {
  TableFilesQuery,
  TableFilesResponse,
  TableManifestsQuery,
  TableManifestsResponse,
  TableStatisticsResponse,
} from '@lake/core/api/table-contents.ts'
import { indexFields, isPrimitive } from '@lake/core/iceberg/schema.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import type { TableIdent } from '../../catalog/rest-catalog.ts'
import { runSteps } from '../../concurrency/turns.ts'
import { pinTable, type PinnedTable } from '../pinned-table.ts'
import type { QueryServices } from '../query-services.ts'
import { describeColumns } from './column-words.ts'
import { pageOfFiles } from './file-list.ts'
import { createKeptContents, type KeptContents } from './kept-contents.ts'
import { pageOfManifests, type ManifestList } from './manifest-rows.ts'
import {
  readFiles,
  readManifestList,
  readStatistics,
  type FilesContent,
  type StatisticsContent,
} from './read-contents.ts'

/** All throw NO_SUCH_TABLE, NO_SUCH_SNAPSHOT, TABLE_*, OBJECT_MISSING, CATALOG_*, STORAGE_*, BUSY, DEADLINE_EXCEEDED. */
export interface TableContents {
  /** Throws SCAN_TOO_LARGE too. */
  listFiles(ident: TableIdent, query: TableFilesQuery, signal: AbortSignal): Promise<TableFilesResponse>
  listManifests(
    ident: TableIdent,
    query: TableManifestsQuery,
    signal: AbortSignal,
  ): Promise<TableManifestsResponse>
  /** @param snapshotId the current one where it is undefined */
  describeColumns(
    ident: TableIdent,
    snapshotId: string | undefined,
    signal: AbortSignal,
  ): Promise<TableStatisticsResponse>
}

type Services = Pick<QueryServices, 'snapshotCache' | 'openStorage'>

export function createTableContents(services: Services): TableContents {
  const files = createKeptContents<FilesContent>(({ list }) => list.rows.length)
  const manifestLists = createKeptContents<ManifestList>(({ rows }) => rows.length)
  const statistics = createKeptContents<StatisticsContent>(({ leaves }) => leaves.length)

  const pin = async (
    ident: TableIdent,
    id: string | undefined,
    signal: AbortSignal,
  ): Promise<PinnedTable> => {
    const version = id === undefined ? undefined : ({ kind: 'snapshot', snapshotId: BigInt(id) } as const)
    return pinTable(await services.snapshotCache.load(ident, signal), version)
  }
  const contentOf = async <Content>(
    kept: KeptContents<Content>,
    pinned: PinnedTable,
    read: (...of: [PinnedTable, ReturnType<Services['openStorage']>, AbortSignal]) => Promise<Content>,
    signal: AbortSignal,
  ): Promise<Content> =>
    await kept.get(
      contentKey(pinned),
      async (shared) => await read(pinned, services.openStorage(pinned.loaded), shared),
      signal,
    )

  return {
    async listFiles(ident, query, signal) {
      const pinned = await pin(ident, query.snapshot, signal)
      const { list, manifestCount } = await contentOf(files, pinned, readFiles, signal)
      const page = await runSteps(pageOfFiles(list, query), signal)
      return { table: readReceipt(pinned, manifestCount, manifestCount), ...page }
    },

    async listManifests(ident, query, signal) {
      const pinned = await pin(ident, query.snapshot, signal)
      const list = await contentOf(manifestLists, pinned, readManifestList, signal)
      const page = await runSteps(pageOfManifests(list, query), signal)
      return { table: readReceipt(pinned, list.rows.length, 0), ...page }
    },

    async describeColumns(ident, snapshotId, signal) {
      const pinned = await pin(ident, snapshotId, signal)
      const content = await contentOf(statistics, pinned, readStatistics, signal)
      const { manifestCount, dataFileCount, recordCount, deletes, leaves } = content
      const leafCount = [...indexFields(pinned.tableSchema).values()].filter(({ type }) =>
        isPrimitive(type),
      ).length
      return {
        table: readReceipt(pinned, manifestCount, manifestCount),
        dataFileCount,
        recordCount,
        deletes,
        columns: describeColumns(leaves, pinned.loaded.metadata, pinned.snapshot),
        isTruncated: leaves.length < leafCount,
      }
    },
  }
}

/** A table that was dropped and made again has another uuid, or at least other files. */
function contentKey({ loaded, snapshot, tableSchema }: PinnedTable): string {
  const { ident, metadata } = loaded
  return JSON.stringify([
    ident.namespace,
    ident.table,
    metadata.tableUuid,
    metadata.location,
    snapshot && [String(snapshot.snapshotId), snapshot.manifestList],
    // Names of columns and partitions are the schema's, and specs may have been added.
    tableSchema.schemaId,
    metadata.schemas.length,
    metadata.partitionSpecs.length,
  ])
}

/** The snapshot, with the manifests that were read of it: now or, since it does not change, before. */
function readReceipt({ receipt }: PinnedTable, manifestsTotal: number, manifestsRead: number): TableReceipt {
  const none = { filesTotal: 0, filesPlanned: 0, filesRead: 0, rowGroupsTotal: 0, rowGroupsRead: 0 }
  return {
    ...receipt,
    scan: {
      manifestsTotal,
      manifestsRead,
      ...none,
      bytesTotal: 0,
      bytesRead: 0,
      requests: 0,
      isMetadataOnly: true,
    },
  }
}
