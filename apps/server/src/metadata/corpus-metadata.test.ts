// Reads the metadata of every table of the corpus and compares counts with those computed by an independent reader.
import type { ManifestEntry } from '@lake/core/iceberg/manifest.ts'
import { describe, expect, test } from 'vitest'
import { hasCorpus, liveEntries, metadataOf, sourceOf, tables } from './test/corpus.ts'

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
  for (const [name, table] of tables) {
    test(`${name} has the files and records that an independent reader counted`, async () => {
      const source = sourceOf(name, table)
      const metadata = metadataOf(name, table)
      expect(metadata.formatVersion).toBe(table.formatVersion)
      const whole = table.snapshots.filter(({ missing }) => missing === null)
      for (const expected of whole.slice(name.includes('meta_perf') ? -1 : 0)) {
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
