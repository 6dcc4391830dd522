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

test('the smallest gaps are joined over first, as long as they are a small part of what is wanted', () => {
  const ranges = [
    [0, 50],
    [60, 110],
    [112, 162],
    [165, 215],
  ].map(([start, end]) => ({ start: start!, end: end! }))
  const count = (gapShareMax: number, more = {}) =>
    joinRanges(ranges, { gapBytesMax: 10, joinedBytesMax: 1_000, gapShareMax, ...more }).length
  expect([0, 0.01, 0.024, 0.025, 0.075, 1].map((share) => count(share))).toEqual([4, 3, 3, 2, 1, 1])
  expect([1, 2, 3, 4].map((rangesMax) => count(0, { rangesMax }))).toEqual([1, 2, 3, 4])
  expect(joinRanges([], { gapBytesMax: 10, joinedBytesMax: 10, gapShareMax: 0 })).toEqual([])
})

test('equal gaps are joined over all or none', () => {
  const ranges = [0, 20, 40].map((start) => ({ start, end: start + 10 }))
  const joined = joinRanges(ranges, { gapBytesMax: 10, joinedBytesMax: 1_000, gapShareMax: 0.4 })
  expect(joined).toHaveLength(3)
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
