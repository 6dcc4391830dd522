// Deletion vectors, from bitmaps of every kind of container to the envelope around them, right and wrong.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPositionSet, type PositionSet } from '@lake/core/scan/position-set.ts'
import { CORPUS_DIRECTORY, CORPUS_MISSING } from '../../test/support/corpus.ts'
import { decodeDeletionVector } from './deletion-vector.ts'
import { checkVectorIsListed, decodePuffinFooter, puffinFooterStart } from './puffin.ts'
import { readRoaring64 } from './roaring-bitmap.ts'
import { encodePuffin, encodeRoaring64, encodeVector } from './test/deletion-vector-file.ts'

const ANY_COUNT = Number.POSITIVE_INFINITY
const corrupt = expect.objectContaining({ code: 'TABLE_CORRUPT' })

function positionsIn(set: PositionSet, start: number, end: number): number[] {
  const { bits } = set.select(start, end)
  return Array.from({ length: end - start }, (_, row) => row)
    .filter((row) => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0)
    .map((row) => row + start)
}

const evens = Array.from({ length: 6_000 }, (_, index) => index * 2)
const stretch = Array.from({ length: 70_000 }, (_, index) => 60_000 + index)

describe('a roaring bitmap', () => {
  it.each([
    ['empty', [], 'plain'],
    ['a list', [0, 1, 65_535, 65_536, 200_000, 1_000_000], 'plain'],
    ['bits', evens, 'plain'],
    ['runs of few containers', stretch, 'run'],
    ['runs of many containers', [...stretch, 300_000, 400_000, 500_000, 600_000, 700_000], 'run'],
    ['several high halves', [5, 2 ** 32 + 7, 2 ** 33 + 9], 'plain'],
  ] as const)('of %s gives its positions', (_name, values, kind) => {
    const set = createPositionSet()
    expect(readRoaring64(encodeRoaring64(values, kind), set, values.length)).toBe(values.length)
    for (const start of new Set(values.map((value) => Math.floor(value / 100_000) * 100_000))) {
      expect(positionsIn(set, start, start + 100_000)).toEqual(
        values.filter((value) => value >= start && value < start + 100_000),
      )
    }
  })

  it('of which a byte is missing, or one too many, is refused', () => {
    const bytes = encodeRoaring64([1, 5, 70_000])
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => readRoaring64(bytes.subarray(0, length), createPositionSet(), ANY_COUNT)).toThrow(
        RangeError,
      )
    }
    expect(() => readRoaring64(Uint8Array.of(...bytes, 0), createPositionSet(), ANY_COUNT)).toThrow(
      RangeError,
    )
  })

  it('of positions that no file has is refused', () => {
    expect(() => readRoaring64(encodeRoaring64([2 ** 40]), createPositionSet(), ANY_COUNT)).toThrow(
      RangeError,
    )
  })

  const fixtures = join(
    CORPUS_DIRECTORY,
    '_fixtures/apache-iceberg/core/src/test/resources/org/apache/iceberg/deletes',
  )
  it.skipIf(CORPUS_MISSING !== undefined).each([
    ['64mapempty.bin', 0],
    ['64map32bitvals.bin', 10],
  ])('written by others in %s is read', (name, count) => {
    expect(readRoaring64(readFileSync(join(fixtures, name)), createPositionSet(), ANY_COUNT)).toBe(count)
  })

  it.skipIf(CORPUS_MISSING !== undefined).each([
    ['empty-position-index.bin', 0],
    ['small-alternating-values-position-index.bin', 5],
    ['all-container-types-position-index.bin', undefined],
  ])('[DL3] in the vector %s of another engine is read', (name, count) => {
    const blob = readFileSync(join(fixtures, name))
    const found = readRoaring64(blob.subarray(8, -4), createPositionSet(), ANY_COUNT)
    if (count !== undefined) expect(found).toBe(count)
    decodeDeletionVector(blob, { path: name, recordCount: found })
    expect(() => decodeDeletionVector(blob, { path: name, recordCount: found + 1 })).toThrow(corrupt)
  })
})

describe('a deletion vector', () => {
  const blob = encodeVector(encodeRoaring64([1, 2, 3, 80_000]))
  const file = { path: 'dv.puffin', recordCount: 4 }

  it('gives its positions', () => {
    expect(positionsIn(decodeDeletionVector(blob, file), 0, 90_000)).toEqual([1, 2, 3, 80_000])
  })

  it('[DL3] [H89] with any byte changed or missing is corrupt', () => {
    for (let index = 0; index < blob.length; index += 1) {
      const changed = blob.slice()
      changed[index] = (changed[index] ?? 0) ^ 0x10
      expect(() => decodeDeletionVector(changed, file), `byte ${index}`).toThrow(corrupt)
      expect(() => decodeDeletionVector(blob.subarray(0, index), file), `${index} bytes`).toThrow(corrupt)
    }
  })

  it('[DL3] [H89] with another number of positions than its entry says is corrupt', () => {
    expect(() => decodeDeletionVector(blob, { ...file, recordCount: 3 })).toThrow(corrupt)
  })
})

describe('a Puffin file', () => {
  const blob = encodeVector(encodeRoaring64([1]))
  const footerOf = ({ bytes }: { readonly bytes: Uint8Array }) =>
    decodePuffinFooter(bytes.subarray(puffinFooterStart(bytes.slice(-12), bytes.length, 'p')), 'p')
  const check = (file: ReturnType<typeof encodePuffin>, change = 0): void => {
    const { offset, sizeBytes } = file.places[0]!
    checkVectorIsListed(footerOf(file)!, { path: 'p', offset: offset + change, sizeBytes })
  }

  it('lists its vectors', () => {
    check(encodePuffin([blob, blob]))
  })

  it('[DL3] [H91] that lists no vector where the entry says, or another kind of blob, is corrupt', () => {
    expect(() => {
      check(encodePuffin([blob]), 1)
    }).toThrow(corrupt)
    expect(() => {
      check(encodePuffin([blob], { type: 'apache-datasketches-theta-v1' }))
    }).toThrow(corrupt)
    expect(() => {
      check(encodePuffin([blob], { codec: 'zstd' }))
    }).toThrow(expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }))
  })

  it('[H91] with a compressed footer says nothing of its blobs', () => {
    expect(footerOf(encodePuffin([blob], { flags: 1 }))).toBeUndefined()
  })

  it('[DL3] [H91] [B8] that is a bare vector, is cut, or has a garbled footer is corrupt', () => {
    const { bytes } = encodePuffin([blob])
    expect(() => footerOf({ bytes: blob })).toThrow(corrupt)
    expect(() => footerOf({ bytes: bytes.subarray(0, -1) })).toThrow(corrupt)
    const garbled = bytes.slice()
    garbled[bytes.length - 20] = 0xff
    expect(() => footerOf({ bytes: garbled })).toThrow(corrupt)
    const oversized = bytes.slice()
    oversized[bytes.length - 9] = 0x7f
    expect(() => footerOf({ bytes: oversized })).toThrow(corrupt)
  })
})
