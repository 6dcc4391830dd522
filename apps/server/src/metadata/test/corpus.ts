// The corpus of real tables for tests: metadata and manifests of each, from local files. Absent in a plain checkout.
import { parseLosslessJson } from '@lake/core/iceberg/lossless-json.ts'
import type { ManifestEntry } from '@lake/core/iceberg/manifest.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import { findSnapshot, schemaForSnapshot } from '@lake/core/iceberg/snapshot.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ObjectStore } from '../../storage/object-store.ts'
import { createTablePaths } from '../../storage/table-paths.ts'
import type { ManifestSource } from '../manifest-reader.ts'
import { readManifest, readSnapshotManifests } from '../manifest-reader.ts'

/** Folder of the corpus; it may not exist. */
export const corpus = resolve(
  process.env['LAKE_CORPUS_DIR'] ?? join(import.meta.dirname, '../../../../../../shared/corpus'),
)
const countsPath = join(corpus, '_computed/counts.json')
export const hasCorpus = existsSync(countsPath)

interface ComputedSnapshot {
  readonly id: string
  readonly dataFiles: number
  readonly positionDeleteFiles: number
  readonly equalityDeleteFiles: number
  readonly deletionVectors: number
  readonly records: number
  readonly missing: string | null
}
export interface ComputedTable {
  readonly formatVersion: number
  readonly metadata: string
  readonly prefixes: Readonly<Record<string, number>>
  readonly snapshots: readonly ComputedSnapshot[]
}

/** Of two tables the corpus has the metadata file alone. */
const isRelocatable = (table: ComputedTable): boolean =>
  table.snapshots.length === 0 ||
  Object.keys(table.prefixes).some((prefix) => !prefix.includes('(outside table dir)'))

/** Name and computed facts of each table whose files are there. */
export const tables: readonly (readonly [string, ComputedTable])[] = hasCorpus
  ? Object.entries(JSON.parse(readFileSync(countsPath, 'utf8')) as Record<string, ComputedTable>).filter(
      ([, table]) => isRelocatable(table),
    )
  : []

export function sourceOf(name: string, table: ComputedTable): ManifestSource {
  const root = `s3://corpus/${name}/`
  const store: ObjectStore = {
    readObject: (uri) => Promise.resolve(readFileSync(join(corpus, uri.slice('s3://corpus/'.length)))),
    readRange: () => Promise.reject(new Error('not used')),
    statObject: () => Promise.reject(new Error('not used')),
  }
  return {
    store,
    paths: createTablePaths(new Map(Object.keys(table.prefixes).map((prefix) => [prefix, root]))),
  }
}

export function metadataOf(name: string, table: ComputedTable): TableMetadata {
  const bytes = readFileSync(join(corpus, name, table.metadata))
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8')
  return parseTableMetadata(parseLosslessJson(text))
}

export async function liveEntries(
  source: ManifestSource,
  metadata: TableMetadata,
  snapshotId: bigint,
): Promise<ManifestEntry[]> {
  const signal = new AbortController().signal
  const snapshot = findSnapshot(metadata, snapshotId)!
  const schema = schemaForSnapshot(metadata, snapshot, { isPinned: true })
  const entries: ManifestEntry[] = []
  for (const manifest of await readSnapshotManifests(source, snapshot, signal)) {
    const spec = metadata.partitionSpecs.find(({ specId }) => specId === manifest.partitionSpecId)!
    entries.push(...(await readManifest(source, manifest, { spec, schema }, signal)))
  }
  return entries.filter(({ status }) => status !== 'deleted')
}
