// Reads manifest lists and manifests of a snapshot from object storage. Decoding is in `manifest-list-decoder.ts` and
// `manifest-decoder.ts`, which are pure; here are paths, size limits and the v1 snapshots that have no list.
import { AppError } from '@lake/core/errors.ts'
import type { ManifestEntry, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { Snapshot } from '@lake/core/iceberg/table-metadata.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { TablePaths } from '../storage/table-paths.ts'
import { corruptAvro, decodeAvroHeader, metadataText } from './avro-container.ts'
import { decodeManifest } from './manifest-decoder.ts'
import type { ManifestContext } from './manifest-decoder.ts'
import { decodeManifestList } from './manifest-list-decoder.ts'

/** Where the files of one table are. Paths of metadata are made canonical here, so callers pass them as written. */
export interface ManifestSource {
  readonly store: ObjectStore
  readonly paths: TablePaths
}

/**
 * The manifests of a snapshot, from its manifest list or, in old v1 tables, from the snapshot itself.
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, OBJECT_MISSING and what the store throws
 */
export async function readSnapshotManifests(
  source: ManifestSource,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<ManifestFile[]> {
  if (snapshot.manifestList !== undefined)
    return await readManifestList(source, snapshot.manifestList, signal)
  if (snapshot.manifests === undefined) {
    throw new AppError('TABLE_CORRUPT', `Snapshot ${snapshot.snapshotId} names no manifest list`, {
      details: { snapshotId: String(snapshot.snapshotId) },
    })
  }
  const describe = async (path: string, itemSignal: AbortSignal): Promise<ManifestFile> =>
    await describeListlessManifest(source, { path, snapshot }, itemSignal)
  return await mapConcurrently(snapshot.manifests, LIMITS.manifestsReadAtOnceMax, describe, signal)
}

/** @param path as the snapshot has it */
async function readManifestList(
  source: ManifestSource,
  path: string,
  signal: AbortSignal,
): Promise<ManifestFile[]> {
  const uri = source.paths.canonicalUri(path)
  const bytes = await source.store.readObject(uri, { bytesMax: LIMITS.manifestListBytesMax }, signal)
  return await decodeManifestList(bytes, path, signal)
}

/**
 * The entries of a manifest in its order, deleted ones too.
 * @param context the spec that the manifest was written with (`partitionSpecId`), and the schema to type its values by
 */
export async function readManifest(
  source: ManifestSource,
  manifest: ManifestFile,
  context: ManifestContext,
  signal: AbortSignal,
): Promise<ManifestEntry[]> {
  const bytes = await readManifestBytes(source, manifest.path, signal)
  return await decodeManifest({ bytes, manifest }, context, signal)
}

async function readManifestBytes(
  { store, paths }: ManifestSource,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return await store.readObject(paths.canonicalUri(path), { bytesMax: LIMITS.manifestBytesMax }, signal)
}

/** What a list would say of a manifest of a v1 snapshot without one. Counts are unknown, so nothing skips it. */
async function describeListlessManifest(
  source: ManifestSource,
  { path, snapshot }: { readonly path: string; readonly snapshot: Snapshot },
  signal: AbortSignal,
): Promise<ManifestFile> {
  const bytes = await readManifestBytes(source, path, signal)
  const specId = metadataText(decodeAvroHeader(bytes, path).metadata, 'partition-spec-id') ?? '0'
  // Another spec than the file's own would read its partitions wrong.
  if (!/^\d{1,9}$/.test(specId)) throw corruptAvro(path, 'has a partition spec id that is no number')
  return {
    path,
    lengthBytes: bytes.length,
    partitionSpecId: Number(specId),
    content: 'data',
    sequenceNumber: 0n,
    minSequenceNumber: 0n,
    addedSnapshotId: snapshot.snapshotId,
    addedFilesCount: undefined,
    existingFilesCount: undefined,
    deletedFilesCount: undefined,
    addedRowsCount: undefined,
    existingRowsCount: undefined,
    partitions: undefined,
    hasKeyMetadata: false,
    firstRowId: undefined,
  }
}
