// Theta sketches against known hashes, and against what DataSketches' own library says of the same values.
import { expect, it } from 'vitest'
import { murmur3x128 } from './murmur3-128.ts'
import { encodeValue } from './single-value.ts'
import { thetaSketch } from './theta-sketch.ts'

it.each([
  ['', 0n, 0n, 0n],
  ['The quick brown fox jumps over the lazy dog', 0n, 0xe34bbc7bbc071b6cn, 0x7a433ca9c49a9347n],
  // A block and no more, a block and a tail of nine bytes.
  ['0123456789abcdef', 0n, 0x4be06d94cf4ad1a7n, 0x87c35b5c63a708dan],
])('the hash of %j', (text, seed, first, second) => {
  expect(murmur3x128(Buffer.from(text), seed)).toEqual([first, second])
})

const longs = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, n) => encodeValue('long', String(n + 1)))

it('few values are all there, in the order of their hashes, and counted exactly', () => {
  const { bytes, estimate } = thetaSketch([...longs(500), ...longs(20)])
  expect(estimate).toBe(500n)
  expect(bytes.length).toBe(16 + 500 * 8)
  // Preamble, version, family, flags, and the hash of the seed 9001 that readers expect.
  expect(bytes.subarray(0, 8).toString('hex')).toBe('02030300001acc93')
  const hashes = Array.from({ length: 500 }, (_, n) => bytes.readBigInt64LE(16 + n * 8))
  expect(hashes).toEqual(hashes.toSorted((left, right) => (left < right ? -1 : 1)))
  expect(thetaSketch(longs(1)).bytes.toString('hex')).toMatch(/^01030300003acc93[0-9a-f]{16}$/)
})

it('of many values the least hashes are kept, and the count is near', () => {
  const { bytes, estimate } = thetaSketch(longs(5_200))
  expect(bytes[0]).toBe(3)
  expect(bytes.length).toBe(24 + 4_096 * 8)
  // Read by datasketches 5 for Python: 5220.78.
  expect(estimate).toBe(5_221n)
})
