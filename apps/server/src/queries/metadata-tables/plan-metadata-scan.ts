// Plans the reading of a metadata table: which manifests it is made from, and which of them have to be read.
import { AppError } from '@lake/core/errors.ts'
import type { ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { Snapshot } from '@lake/core/iceberg/table-metadata.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import { LIMITS } from '../../limits.ts'
import { readSnapshotManifests, type ManifestSource } from '../../metadata/manifest-reader.ts'
import type { TableStorage } from '../../storage/table-storage.ts'
import type { PinnedTable } from '../pinned-table.ts'
import type { ScanPlan } from '../plan-scan.ts'
import type { MetadataTableName } from './metadata-table-name.ts'

/** What a metadata table is made from. */
export interface MetadataScan {
  /** In the lists' order; empty where the table's metadata alone answers. */
  readonly manifests: readonly ManifestFile[]
  /** Of `manifests`, those that have to be read. */
  readonly read: readonly ManifestFile[]
}

/** A table that is pinned as a metadata table. */
export type PinnedMetadataTable = PinnedTable & { readonly metadataTable: MetadataTableName }

export function isMetadataTable(pinned: PinnedTable): pinned is PinnedMetadataTable {
  return pinned.metadataTable !== undefined
}

/** @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, OBJECT_MISSING, STORAGE_*, CANCELLED, DEADLINE_EXCEEDED */
export async function planMetadataScan(
  pinned: PinnedMetadataTable,
  source: ManifestSource,
  signal: AbortSignal,
): Promise<MetadataScan> {
  const { metadataTable: name, loaded, snapshot } = pinned
  if (name === 'snapshots' || name === 'history' || name === 'refs') return { manifests: [], read: [] }
  const snapshots = name.startsWith('all_') ? loaded.metadata.snapshots : snapshot ? [snapshot] : []
  const manifests = await readManifestLists(snapshots, source, signal)
  return { manifests, read: name === 'manifests' ? [] : manifests.filter(isNeededBy(name)) }
}

/** Manifests of all the snapshots. Snapshots share most of them; each counts once. */
async function readManifestLists(
  snapshots: readonly Snapshot[],
  source: ManifestSource,
  signal: AbortSignal,
): Promise<ManifestFile[]> {
  const manifests = new Map<string, ManifestFile>()
  const read = async (snapshot: Snapshot, itemSignal: AbortSignal): Promise<ManifestFile[]> =>
    await readSnapshotManifests(source, snapshot, itemSignal)
  for (let start = 0; start < snapshots.length; start += LIMITS.manifestsReadAtOnceMax) {
    const batch = snapshots.slice(start, start + LIMITS.manifestsReadAtOnceMax)
    for (const list of await mapConcurrently(batch, LIMITS.manifestsReadAtOnceMax, read, signal)) {
      for (const manifest of list) manifests.set(manifest.path, manifest)
    }
    if (manifests.size > LIMITS.manifestsPerSnapshotMax) {
      throw new AppError('SCAN_TOO_LARGE', 'The snapshots of the table have too many manifests')
    }
  }
  return [...manifests.values()]
}

function isNeededBy(name: MetadataTableName): (manifest: ManifestFile) => boolean {
  if (name.endsWith('data_files')) return ({ content }) => content === 'data'
  if (name.endsWith('delete_files')) return ({ content }) => content === 'deletes'
  return () => true
}

/** The plan of a metadata table, which opens no data file. */
export function metadataScanPlan({ manifests, read }: MetadataScan, storage: TableStorage): ScanPlan {
  return {
    tasks: [],
    rowsOnly: undefined,
    neededBytes: 0,
    neededBytesOf: () => 0,
    rowsMax: 0,
    report: {
      manifestsTotal: manifests.length,
      manifestsRead: read.length,
      filesTotal: 0,
      filesPlanned: 0,
      filesRead: 0,
      rowGroupsTotal: 0,
      rowGroupsRead: 0,
      bytesTotal: 0,
      bytesRead: 0,
      requests: 0,
      isMetadataOnly: true,
    },
    storage,
    nameMapping: undefined,
    specOf(specId) {
      throw new RangeError(`a metadata table has no files of spec ${specId}`)
    },
  }
}
