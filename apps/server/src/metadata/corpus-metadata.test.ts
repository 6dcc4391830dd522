// Reads the metadata of every table of the corpus and compares counts with those computed by an independent reader.
import { parseLosslessJson } from '@lake/core/iceberg/lossless-json.ts'
import type { ManifestEntry } from '@lake/core/iceberg/manifest.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import { findSnapshot, schemaForSnapshot } from '@lake/core/iceberg/snapshot.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ObjectStore } from '../storage/object-store.ts'
import { createTablePaths } from '../storage/table-paths.ts'
import type { ManifestSource } from './manifest-reader.ts'
import { readManifest, readSnapshotManifests } from './manifest-reader.ts'

const corpus = resolve(
  process.env['LAKE_CORPUS_DIR'] ?? join(import.meta.dirname, '../../../../../shared/corpus'),
)
const countsPath = join(corpus, '_computed/counts.json')
const hasCorpus = existsSync(countsPath)

interface ComputedSnapshot {
  readonly id: string
  readonly dataFiles: number
  readonly positionDeleteFiles: number
  readonly equalityDeleteFiles: number
  readonly deletionVectors: number
  readonly records: number
  readonly missing: string | null
}
interface ComputedTable {
  readonly formatVersion: number
  readonly metadata: string
  readonly prefixes: Readonly<Record<string, number>>
  readonly snapshots: readonly ComputedSnapshot[]
}

/** Of two tables the corpus has the metadata file alone. */
const isRelocatable = (table: ComputedTable): boolean =>
  table.snapshots.length === 0 ||
  Object.keys(table.prefixes).some((prefix) => !prefix.includes('(outside table dir)'))

const tables = hasCorpus
  ? Object.entries(JSON.parse(readFileSync(countsPath, 'utf8')) as Record<string, ComputedTable>)
  : []

function sourceOf(name: string, table: ComputedTable): ManifestSource {
  const root = `s3://corpus/${name}/`
  const store: ObjectStore = {
    readObject: async (uri) => await readFile(join(corpus, uri.slice('s3://corpus/'.length))),
    readRange: () => Promise.reject(new Error('not used')),
    statObject: async (uri) => ({ sizeBytes: (await stat(uri)).size }),
  }
  return {
    store,
    paths: createTablePaths(new Map(Object.keys(table.prefixes).map((prefix) => [prefix, root]))),
  }
}

function metadataOf(name: string, table: ComputedTable): TableMetadata {
  const bytes = readFileSync(join(corpus, name, table.metadata))
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8')
  return parseTableMetadata(parseLosslessJson(text))
}

async function liveEntries(
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

function countOf(entries: readonly ManifestEntry[]) {
  const files = entries.map(({ file }) => file)
  const data = files.filter(({ content }) => content === 'data')
  const positions = files.filter(({ content }) => content === 'position-deletes')
  return {
    dataFiles: data.length,
    positionDeleteFiles: positions.filter(({ format }) => format !== 'puffin').length,
    deletionVectors: positions.filter(({ format }) => format === 'puffin').length,
    equalityDeleteFiles: files.filter(({ content }) => content === 'equality-deletes').length,
    records: data.reduce((total, file) => total + file.recordCount, 0),
  }
}

describe.skipIf(!hasCorpus)('corpus of real tables (skipped where LAKE_CORPUS_DIR is absent)', () => {
  for (const [name, table] of tables.filter(([, table]) => isRelocatable(table))) {
    test(`${name} has the files and records that an independent reader counted`, async () => {
      const source = sourceOf(name, table)
      const metadata = metadataOf(name, table)
      expect(metadata.formatVersion).toBe(table.formatVersion)
      for (const expected of table.snapshots.filter(({ missing }) => missing === null)) {
        const entries = await liveEntries(source, metadata, BigInt(expected.id))
        const { dataFiles, positionDeleteFiles, equalityDeleteFiles, deletionVectors, records } = expected
        expect(countOf(entries), `snapshot ${expected.id}`).toEqual({
          dataFiles,
          positionDeleteFiles,
          deletionVectors,
          equalityDeleteFiles,
          records,
        })
      }
    })
  }
})
