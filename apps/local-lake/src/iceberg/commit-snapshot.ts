// Commits one snapshot to a table: adds files, removes files, or both. Manifests that lose a file are rewritten, the
// others are carried over. The commit goes the way of any client's, with requirements, and starts again on the newest
// metadata when another commit was first.
import { randomBytes } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import { CatalogError } from '../catalog/catalog-error.ts'
import {
  asInt,
  asLong,
  asObject,
  asObjects,
  asString,
  asStringMap,
  formatJson,
  parseJson,
} from '../catalog/json.ts'
import type { JsonObject } from '../catalog/json.ts'
import { LIMITS } from '../limits.ts'
import type { ObjectFiles } from '../s3/object-files.ts'
import {
  readLiveEntries,
  readManifestList,
  STATUS,
  writeManifest,
  writeManifestList,
} from './manifest-files.ts'
import type { DataFile, ManifestEntry, ManifestFile, SnapshotInfo } from './manifest-files.ts'
import { defaultSpec } from './partition-columns.ts'
import { snapshotSummary } from './snapshot-summary.ts'

export interface TableIdent {
  readonly namespace: readonly string[]
  readonly name: string
}

export interface SnapshotChange {
  readonly operation: 'append' | 'delete' | 'overwrite'
  /** Data and delete files. */
  readonly added: readonly DataFile[]
  /** Paths of data and delete files of the snapshot before. */
  readonly removedPaths?: ReadonlySet<string>
  readonly timestampMs: number
  /** Where it goes; a branch that is not there begins at what is current. Default: main. */
  readonly branch?: string
}

export interface Lake {
  readonly catalog: Catalog
  readonly objects: ObjectFiles
}

/** @throws CatalogError 409 when other commits were first each time */
export async function commitSnapshot(lake: Lake, table: TableIdent, change: SnapshotChange): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptCommit(lake, table, change)
    } catch (error) {
      const isConflict = error instanceof CatalogError && error.status === 409
      if (!isConflict || attempt === LIMITS.commitAttemptsMax) throw error
    }
  }
}

async function attemptCommit(
  { catalog, objects }: Lake,
  table: TableIdent,
  change: SnapshotChange,
): Promise<void> {
  const { metadataText } = await catalog.loadTable(table.namespace, table.name)
  const metadata = asObject(parseJson(metadataText), 'metadata')
  const branch = change.branch ?? 'main'
  const head = headOf(metadata, branch)
  const parent = snapshotOf(metadata, head ?? headOf(metadata, 'main'))
  const snapshot: SnapshotInfo = {
    location: asString(metadata['location'], 'location'),
    snapshotId: randomBytes(8).readBigUInt64BE() >> 1n,
    sequenceNumber: asLong(metadata['last-sequence-number'], 'last-sequence-number') + 1n,
    ...currentSchema(metadata),
    spec: defaultSpec(metadata),
  }
  const before = parent === undefined ? [] : await readManifestList(objects, parent.manifestList)
  const removedPaths = change.removedPaths ?? new Set<string>()
  const removed: DataFile[] = []
  const manifests: ManifestFile[] = []
  for (const manifest of before.filter(hasLiveFiles))
    manifests.push(await withoutFiles(objects, snapshot, manifest, { removedPaths, removed }))
  if (removed.length !== removedPaths.size) throw new Error('A file to remove is not in the snapshot before')
  for (const content of [0, 1] as const) {
    const files = change.added.filter((file) => (file.content === 0 ? 0 : 1) === content)
    const entries = files.map((file) => addedEntry(file, snapshot.snapshotId))
    if (entries.length > 0) manifests.unshift(await writeManifest(objects, snapshot, content, entries))
  }
  const manifestList = await writeManifestList(objects, snapshot, parent?.snapshotId, manifests)
  const summary = snapshotSummary(change.operation, { added: change.added, removed }, parent?.summary ?? {})
  const added: JsonObject = {
    'snapshot-id': snapshot.snapshotId,
    ...(parent === undefined ? {} : { 'parent-snapshot-id': parent.snapshotId }),
    'sequence-number': Number(snapshot.sequenceNumber),
    'timestamp-ms': change.timestampMs,
    'manifest-list': manifestList,
    summary,
    'schema-id': snapshot.schemaId,
  }
  await catalog.commitTable(
    table.namespace,
    table.name,
    {
      requirements: [
        { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
        { type: 'assert-ref-snapshot-id', ref: branch, 'snapshot-id': head ?? null },
      ],
      updates: [
        { action: 'add-snapshot', snapshot: added },
        {
          action: 'set-snapshot-ref',
          'ref-name': branch,
          type: 'branch',
          'snapshot-id': snapshot.snapshotId,
        },
      ],
    },
    change.timestampMs,
  )
}

function hasLiveFiles(manifest: ManifestFile): boolean {
  return manifest.added_files_count + manifest.existing_files_count > 0
}

function addedEntry(file: DataFile, snapshotId: bigint): ManifestEntry {
  return {
    status: STATUS.added,
    snapshot_id: snapshotId,
    sequence_number: null,
    file_sequence_number: null,
    data_file: file,
  }
}

/** The manifest itself, or a rewritten one in which the files to remove are marked as deleted. */
async function withoutFiles(
  objects: ObjectFiles,
  snapshot: SnapshotInfo,
  manifest: ManifestFile,
  target: { readonly removedPaths: ReadonlySet<string>; readonly removed: DataFile[] },
): Promise<ManifestFile> {
  if (target.removedPaths.size === 0) return manifest
  const entries = await readLiveEntries(objects, manifest)
  const isRemoved = (entry: ManifestEntry): boolean => target.removedPaths.has(entry.data_file.file_path)
  if (!entries.some(isRemoved)) return manifest
  if (manifest.partition_spec_id !== snapshot.spec.specId)
    throw new Error('Manifests of an older partition spec are not rewritten here')
  target.removed.push(...entries.filter(isRemoved).map((entry) => entry.data_file))
  const rewritten = entries.map((entry) =>
    isRemoved(entry)
      ? { ...entry, status: STATUS.deleted, snapshot_id: snapshot.snapshotId }
      : { ...entry, status: STATUS.existing },
  )
  return writeManifest(objects, snapshot, manifest.content === 0 ? 0 : 1, rewritten)
}

function headOf(metadata: JsonObject, branch: string): bigint | undefined {
  const ref = asObject(metadata['refs'] ?? {}, 'refs')[branch]
  return ref === undefined ? undefined : asLong(asObject(ref, 'ref')['snapshot-id'], 'snapshot-id')
}

function snapshotOf(
  metadata: JsonObject,
  snapshotId: bigint | undefined,
): { snapshotId: bigint; manifestList: string; summary: Record<string, string> } | undefined {
  const snapshot = asObjects(metadata['snapshots'] ?? [], 'snapshots').find(
    (known) => asLong(known['snapshot-id'], 'snapshot-id') === snapshotId,
  )
  if (snapshot === undefined || snapshotId === undefined) return undefined
  return {
    snapshotId,
    manifestList: asString(snapshot['manifest-list'], 'manifest-list'),
    summary: asStringMap(snapshot['summary'], 'summary'),
  }
}

function currentSchema(metadata: JsonObject): { schemaText: string; schemaId: number } {
  const schemaId = asInt(metadata['current-schema-id'], 'current-schema-id')
  const schema = asObjects(metadata['schemas'], 'schemas').find((known) => known['schema-id'] === schemaId)
  return { schemaText: formatJson(schema ?? null), schemaId }
}
