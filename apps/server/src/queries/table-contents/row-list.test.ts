import { describe, expect, it } from 'vitest'
import { finishSteps } from '@lake/core/scan/steps.ts'
import { sortInSteps } from '../../concurrency/sort-in-steps.ts'
import { createRowList } from './row-list.ts'

/** Numbers below `bound` that look random and are the same each time. */
function numbers(count: number, bound: number): number[] {
  let state = 1
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state % bound
  })
}

describe('sorting in steps', () => {
  it.each([0, 1, 2, 511, 512, 513, 1_024, 1_537, 10_000])('is the stable order of %i items', (count) => {
    const keys = numbers(count, 100)
    const expected = keys.map((_key, index) => index).sort((left, right) => keys[left]! - keys[right]!)
    const sorted = finishSteps(sortInSteps(count, (left, right) => keys[left]! - keys[right]!))
    expect([...sorted]).toEqual(expected)
  })

  it('[TC4] gives way after some thousands of comparisons, whatever the number of items', () => {
    const keys = numbers(100_000, 1_000_000)
    let [inStep, most] = [0, 0]
    const steps = sortInSteps(keys.length, (left, right) => {
      inStep += 1
      return keys[left]! - keys[right]!
    })
    while (steps.next().done !== true) {
      most = Math.max(most, inStep)
      inStep = 0
    }
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(6_000)
  })
})

describe('a list', () => {
  const rows = numbers(3_000, 50).map((size, id) => ({ id, size }))
  const list = createRowList(rows, {
    id: (left, right) => left.id - right.id,
    size: (left, right) => left.size - right.size,
  })

  it('[TC1] has every row on one page of an order, and equal ones in their own order', () => {
    for (const order of ['asc', 'desc'] as const) {
      const paged = Array.from({ length: 31 }, (_page, page) =>
        finishSteps(
          list.page(
            { sort: 'size', order, offset: page * 100, limit: 100 },
            () => true,
            () => undefined,
          ),
        ),
      )
      const sign = order === 'asc' ? 1 : -1
      const expected = rows.toSorted((left, right) => sign * (left.size - right.size) || left.id - right.id)
      expect(paged.flatMap((page) => page.rows)).toEqual(expected)
      expect(paged.map(({ rowCount }) => rowCount)).toEqual(paged.map(() => 3_000))
    }
  })

  it('[TC1] pages and counts the wanted rows alone', () => {
    let sum = 0
    const page = list.page(
      { sort: 'id', order: 'asc', offset: 2, limit: 3 },
      ({ id }) => id % 1_000 < 2,
      ({ id }) => (sum += id),
    )
    expect(finishSteps(page)).toEqual({ rowCount: 6, rows: [rows[1_000], rows[1_001], rows[2_000]] })
    expect(sum).toBe(0 + 1 + 1_000 + 1_001 + 2_000 + 2_001)
  })
})
