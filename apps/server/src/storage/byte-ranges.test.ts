import { expect, test } from 'vitest'
import { joinRanges, sliceRange } from './byte-ranges.ts'

const limits = { gapBytesMax: 10, joinedBytesMax: 100 }
const join = (...ranges: [number, number][]) =>
  joinRanges(
    ranges.map(([start, end]) => ({ start, end })),
    limits,
  ).map(({ range, members }) => [range.start, range.end, ...members])

test('near ranges are joined, far ones are not', () => {
  expect(join([0, 5], [15, 20], [31, 40])).toEqual([
    [0, 20, 0, 1],
    [31, 40, 2],
  ])
})

test('a joined range does not grow beyond its bound', () => {
  expect(join([0, 60], [60, 100], [100, 101])).toEqual([
    [0, 100, 0, 1],
    [100, 101, 2],
  ])
})

test('a single range beyond the bound stays whole', () => {
  expect(join([0, 500], [100, 200], [505, 506])).toEqual([
    [0, 500, 0, 1],
    [505, 506, 2],
  ])
})

test('order, repeats and empty ranges do not matter', () => {
  expect(join([20, 30], [0, 15], [5, 5], [20, 30])).toEqual([[0, 30, 1, 0, 3]])
})

test('every wanted range is cut back exactly, for seeded random ranges', () => {
  let seed = 7
  const random = (max: number) => (seed = (seed * 48_271) % 2_147_483_647) % max
  const object = Uint8Array.from({ length: 2_000 }, (_, i) => i % 251)
  for (let round = 0; round < 200; round += 1) {
    const wanted = Array.from({ length: random(20) }, () => {
      const start = random(1_900)
      return { start, end: start + random(100) }
    })
    const seen = new Set<number>()
    for (const { range, members } of joinRanges(wanted, limits)) {
      const bytes = object.slice(range.start, range.end)
      for (const index of members) {
        expect(seen.has(index)).toBe(false)
        seen.add(index)
        expect(sliceRange(bytes, range, wanted[index]!)).toEqual(
          object.slice(wanted[index]!.start, wanted[index]!.end),
        )
      }
    }
    expect(seen.size).toBe(wanted.filter((range) => range.end > range.start).length)
  }
})
