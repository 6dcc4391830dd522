// Damaged deletion vectors: bitmaps, vectors with a right checksum, and the Puffin files around them.
import { describe } from 'vitest'
import { createPositionSet } from '@lake/core/scan/position-set.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { decodeDeletionVector } from '../../src/metadata/deletion-vector.ts'
import { readRoaring64 } from '../../src/metadata/roaring-bitmap.ts'
import { encodePuffin, encodeRoaring64, encodeVector } from '../../src/metadata/test/deletion-vector-file.ts'
import { readDeletionVectors } from '../../src/queries/read-deletion-vectors.ts'
import { fuzz } from './fuzz.ts'
import { fixtureFiles, memoryReader, NEVER } from './inputs.ts'
import { mutateBytes } from './mutate-bytes.ts'

const bytesTarget = { mutate: mutateBytes, sizeOf: (bytes: Uint8Array) => bytes.byteLength }
const evens = Array.from({ length: 6_000 }, (_, index) => index * 2)
const stretch = Array.from({ length: 70_000 }, (_, index) => 60_000 + index)
const LISTS: readonly (readonly number[])[] = [
  [],
  [0, 1, 65_535, 65_536, 200_000, 1_000_000],
  [5, 2 ** 32 + 7, 2 ** 33 + 9],
  evens,
]
const bitmaps = [
  ...LISTS.map((positions) => encodeRoaring64(positions)),
  encodeRoaring64(stretch, 'run'),
  encodeRoaring64([...stretch, 300_000, 400_000, 500_000, 600_000, 700_000], 'run'),
]
/** As many positions as manifests say at most; the last bitmap has the most. */
const COUNT_MAX = 100_000

describe('[H89] [FZ1] deletion vectors', () => {
  fuzz('roaring bitmaps behind a right checksum', {
    ...bytesTarget,
    inputs: bitmaps,
    runs: 1_000,
    run: (bitmap) => {
      const count = countOf(bitmap)
      return decodeDeletionVector(encodeVector(bitmap), { path: 'v', recordCount: count })
    },
  })
  fuzz('vectors', {
    ...bytesTarget,
    inputs: [encodeVector(encodeRoaring64([1, 2, 9]))],
    run: (blob) => decodeDeletionVector(blob, { path: 'v', recordCount: 3 }),
  })
  fuzz('Puffin files', {
    ...bytesTarget,
    inputs: [
      encodePuffin([encodeVector(encodeRoaring64([1, 2, 9])), encodeVector(encodeRoaring64([4]))]).bytes,
      ...fixtureFiles(/\.puffin$/),
    ],
    run: async (bytes) => {
      const vector = dataFile('s3://b/v.puffin', {
        format: 'puffin',
        content: 'position-deletes',
        fileSizeBytes: bytes.byteLength,
        recordCount: 3,
        contentOffset: 4,
        contentSizeBytes: encodeVector(encodeRoaring64([1, 2, 9])).byteLength,
      })
      return await readDeletionVectors(memoryReader(bytes), [vector], NEVER)
    },
  })
})

/** What a manifest would say: so that a damaged bitmap is not refused for its count alone. */
function countOf(bitmap: Uint8Array): number {
  try {
    return readRoaring64(bitmap, createPositionSet(), COUNT_MAX)
  } catch {
    return COUNT_MAX
  }
}
