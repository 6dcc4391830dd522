import { describe, expect, it } from 'vitest'
import { callAt } from './call-at.ts'
import { ctesOf } from './cte-scope.ts'

describe('[ED5] common table expressions', () => {
  it('are found with the columns that their text names', () => {
    const sql = `WITH daily AS (SELECT day, sum(amount) AS revenue, max(price) top, o.id, count(*)
      FROM iceberg.sales.orders o GROUP BY 1), "B c"(x, "y z") AS MATERIALIZED (VALUES (1, 2)),
      every AS (SELECT DISTINCT * FROM daily d JOIN "B c" ON true) SELECT`
    expect(ctesOf(sql)).toEqual([
      { name: 'daily', columns: ['day', 'revenue', 'top', 'id'], starsOf: [] },
      { name: 'B c', columns: ['x', 'y z'], starsOf: [] },
      { name: 'every', columns: [], starsOf: ['daily', 'B c'] },
    ])
  })

  it('may be unfinished', () => {
    expect(ctesOf('WITH RECURSIVE a AS (SELECT 1 AS one, (SELECT')).toEqual([
      { name: 'a', columns: ['one'], starsOf: [] },
    ])
    expect(ctesOf('SELECT 1')).toEqual([])
  })
})

describe('callAt', () => {
  it.each([
    ['SELECT date_trunc(', { name: 'date_trunc', argument: 0 }],
    ["SELECT date_trunc('day, (', ts", { name: 'date_trunc', argument: 1 }],
    ['SELECT f(a, g(b, c), [1, 2], ', { name: 'f', argument: 3 }],
    ['SELECT f(a, g(b, ', { name: 'g', argument: 1 }],
    ['SELECT f(a, [1, ', { name: 'f', argument: 1 }],
    ['SELECT f(1)', null],
    ['SELECT f(1; SELECT ', null],
  ] as const)('%s', (text, call) => {
    expect(callAt(text, text.length)).toEqual(call)
  })
})
