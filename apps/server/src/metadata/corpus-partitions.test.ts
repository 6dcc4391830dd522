// Partition values and bounds of real tables, as Spark, Trino, Impala, Flink and others wrote them: the transforms here
// must make the same partition values of the same column values, and avsc must decode the same entries.
import { typePartitionFields } from '@lake/core/expr/partition-types.ts'
import { compareLiterals, decodeBound } from '@lake/core/iceberg/literal.ts'
import { indexFields, primitiveTypeOf } from '@lake/core/iceberg/schema.ts'
import { applyTransform } from '@lake/core/iceberg/transform.ts'
import avsc from 'avsc'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import { findSnapshot } from '@lake/core/iceberg/snapshot.ts'
import { ALL_PRUNING, NO_PRUNING } from '@lake/core/scan/table-scan.ts'
import type { PruningSwitches, ScanPlan } from '@lake/core/scan/table-scan.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { decodeManifest } from './manifest-decoder.ts'
import { readSnapshotManifests } from './manifest-reader.ts'
import { planSnapshotScan } from './scan-planner.ts'
import type { ManifestSource } from './manifest-reader.ts'
import { longType } from './test/avro-file.ts'
import { corpus, hasCorpus, liveEntries, metadataOf, sourceOf, tables } from './test/corpus.ts'

const signal = new AbortController().signal

describe.skipIf(!hasCorpus)('real tables (skipped where LAKE_CORPUS_DIR is absent)', () => {
  test('[EX7] transforms make the partition values that other engines wrote', async () => {
    const checked = new Map<string, number>()
    for (const [name, table] of tables) {
      const metadata = metadataOf(name, table)
      const current = metadata.currentSnapshotId
      const computed = table.snapshots.find(({ id }) => id === String(current))
      if (current === undefined || computed?.missing !== null || name.includes('meta_perf')) continue
      const schema = metadata.schemas.find(({ schemaId }) => schemaId === metadata.currentSchemaId)!
      const index = indexFields(schema)
      for (const { file } of await liveEntries(sourceOf(name, table), metadata, current)) {
        const spec = metadata.partitionSpecs.find(({ specId }) => specId === file.specId)!
        for (const field of typePartitionFields(spec, (id) => primitiveTypeOf(index, id))) {
          const { sourceId, sourceType, transform, fieldId } = field
          if (sourceId === undefined || !sourceType) continue
          const [lower, upper] = [file.lowerBounds, file.upperBounds].map((bounds) => {
            const bytes = bounds?.get(sourceId)
            return bytes && decodeBound(sourceType, bytes)
          })
          const value = file.partition.get(fieldId)
          if (lower === undefined || upper === undefined || value === null || value === undefined) continue
          const [low, high] = [lower, upper].map((bound) => applyTransform(transform, sourceType, bound))
          if (low === null || low === undefined || high === null || high === undefined) continue
          const where = `${name} ${field.name} ${file.path}`
          const isExact = compareLiterals(lower, upper) === 0
          if (transform.kind === 'bucket' && !isExact) continue
          expect(
            compareLiterals(low, value),
            `${where}: ${String(low)} ${String(value)}`,
          ).toBeLessThanOrEqual(0)
          if (isExact) expect(compareLiterals(high, value), where).toBe(0)
          const key = `${transform.kind} ${sourceType.kind}`
          checked.set(key, (checked.get(key) ?? 0) + 1)
        }
      }
    }
    const kinds = new Set([...checked.keys()].map((key) => key.split(' ')[0]))
    expect(kinds).toEqual(new Set(['bucket', 'day', 'hour', 'identity', 'month', 'truncate', 'year']))
    expect(checked.get('bucket string')).toBeGreaterThan(0)
  })

  test('[SP4] without a predicate, pruning changes no plan', async () => {
    for (const [name, table] of tables) {
      const metadata = metadataOf(name, table)
      const current = metadata.currentSnapshotId
      const computed = table.snapshots.find(({ id }) => id === String(current))
      if (current === undefined || computed?.missing !== null || name.includes('meta_perf')) continue
      const source = sourceOf(name, table)
      const [pruned, whole] = [
        await plan(source, metadata, ALL_PRUNING),
        await plan(source, metadata, NO_PRUNING),
      ]
      expect(pruned.tasks, name).toEqual(whole.tasks)
      expect(pruned.filesTotal, name).toBe(computed.dataFiles)
    }
  })

  test('avsc decodes the same manifests', async () => {
    let compared = 0
    for (const [name, table] of tables.filter((_, index) => index % 6 === 0)) {
      const metadata = metadataOf(name, table)
      const whole = table.snapshots.findLast(({ missing }) => missing === null)
      const snapshot = whole && findSnapshot(metadata, BigInt(whole.id))
      if (!snapshot || name.includes('meta_perf')) continue
      const source = sourceOf(name, table)
      for (const manifest of (await readSnapshotManifests(source, snapshot, signal)).slice(0, 3)) {
        const uri = source.paths.canonicalUri(manifest.path)
        const bytes = readFileSync(join(corpus, uri.slice('s3://corpus/'.length)))
        const spec = metadata.partitionSpecs.find(({ specId }) => specId === manifest.partitionSpecId)!
        const ours = await decodeManifest({ bytes, manifest }, { spec, schema: metadata.schemas[0]! }, signal)
        const theirs = await decodeWithAvsc(bytes)
        expect(
          ours.map(({ file }) => [file.path, BigInt(file.recordCount), BigInt(file.fileSizeBytes)]),
          manifest.path,
        ).toEqual(theirs)
        compared += ours.length
      }
    }
    expect(compared).toBeGreaterThan(20)
  })
})

/** The plan of the whole current snapshot. */
async function plan(
  source: ManifestSource,
  metadata: TableMetadata,
  pruning: PruningSwitches,
): Promise<ScanPlan> {
  const snapshot = findSnapshot(metadata, metadata.currentSnapshotId!)
  const schema = metadata.schemas.find(({ schemaId }) => schemaId === metadata.currentSchemaId)!
  const lenient = { ...source, paths: { canonicalUri: (path: string) => spelt(source, path) } }
  return await planSnapshotScan(
    lenient,
    { metadata, snapshot, schema, predicate: ALWAYS_TRUE, pruning },
    signal,
  )
}

/** Some delete files name data files with a scheme that no prefix maps: those paths are compared as they are. */
function spelt(source: ManifestSource, path: string): string {
  try {
    return source.paths.canonicalUri(path)
  } catch {
    return path
  }
}

interface AvscEntry {
  readonly data_file: {
    readonly file_path: string
    readonly record_count: bigint
    readonly file_size_in_bytes: bigint
  }
}

async function decodeWithAvsc(bytes: Buffer): Promise<readonly (readonly [string, bigint, bigint])[]> {
  const decoder = new avsc.streams.BlockDecoder({
    parseHook: (schema: avsc.Schema) =>
      avsc.Type.forSchema(schema, {
        registry: { long: longType },
        wrapUnions: false,
        noAnonymousTypes: false,
        typeHook: (attributes: avsc.Schema | string) =>
          typeof attributes === 'object' && (attributes as { type?: unknown }).type === 'long'
            ? longType
            : undefined,
      }),
  })
  const rows: (readonly [string, bigint, bigint])[] = []
  decoder.on('data', ({ data_file: file }: AvscEntry) => {
    rows.push([file.file_path, file.record_count, file.file_size_in_bytes])
  })
  const ended = new Promise<void>((resolve, reject) => {
    decoder.on('end', resolve).on('error', reject)
  })
  decoder.end(bytes)
  await ended
  return rows
}
