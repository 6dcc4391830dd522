import { describe, expect, it } from 'vitest'
import { createPositionSet, type PositionSet } from './position-set.ts'

function positionsIn(set: PositionSet, start: number, end: number): number[] {
  const { bits, deletedCount } = set.select(start, end)
  const found = Array.from({ length: end - start }, (_, row) => row)
    .filter((row) => ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0)
    .map((row) => row + start)
  expect(deletedCount).toBe(found.length)
  return found
}

describe('a set of positions', () => {
  it('[DF8] takes positions unsorted and more than once, and gives those of any stretch of rows', () => {
    const set = createPositionSet()
    for (const position of [7, 70_000, 3, 7, 0, 65_535, 65_536, 131_071, 3]) set.add(position)
    expect(positionsIn(set, 0, 140_000)).toEqual([0, 3, 7, 65_535, 65_536, 70_000, 131_071])
    expect(positionsIn(set, 3, 65_536)).toEqual([3, 7, 65_535])
    expect(positionsIn(set, 65_535, 65_537)).toEqual([65_535, 65_536])
    expect(positionsIn(set, 8, 8)).toEqual([])
  })

  it('[DF8] agrees with a plain set, list or bits', () => {
    const seed = 20_260_731
    let state = seed
    const next = (max: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * max)
    }
    for (const count of [10, 4_095, 4_097, 30_000]) {
      const set = createPositionSet()
      const expected = new Set<number>()
      for (let index = 0; index < count; index += 1) {
        const position = next(150_000)
        set.add(position)
        expected.add(position)
      }
      const start = next(70_000)
      set.addRange(start, start + 5_000)
      for (let position = start; position < start + 5_000; position += 1) expected.add(position)
      set.add(start)
      const from = next(60_000)
      const inside = [...expected].filter((position) => position >= from && position < 149_990)
      expect(set.count(from, 149_990), `seed ${seed}`).toBe(inside.length)
      // As many rows as a manifest may claim.
      expect(set.count(0, 2 ** 52), `seed ${seed}`).toBe(expected.size)
      expect(positionsIn(set, from, 149_990), `seed ${seed}`).toEqual(
        [...expected].filter((position) => position >= from && position < 149_990).sort((a, b) => a - b),
      )
    }
  })

  it('refuses what is no position', () => {
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 40]) {
      expect(() => {
        createPositionSet().add(wrong)
      }).toThrow(RangeError)
    }
  })
})
