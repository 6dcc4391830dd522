import { describe, expect, it } from 'vitest'
import { sqlAtVersions } from './at-versions.ts'
import { hasTopLevelLimit, hasTopLevelOrder } from './blank-literals.ts'

const versions = [
  { namespace: 'sales', table: 'orders', snapshotId: '6361000000000000172' },
  { namespace: 'a.b', table: 'order lines', snapshotId: '5' },
]

describe('sqlAtVersions', () => {
  it.each([
    ['FROM iceberg.sales.orders', 'FROM iceberg.sales.orders AT (VERSION => 6361000000000000172)'],
    [
      'from iceberg.sales.orders o join iceberg."a.b"."order lines" as "l 1" on true',
      'from iceberg.sales.orders o AT (VERSION => 6361000000000000172) join iceberg."a.b"."order lines" as "l 1" AT (VERSION => 5) on true',
    ],
    [
      'from iceberg.sales.orders where x',
      'from iceberg.sales.orders AT (VERSION => 6361000000000000172) where x',
    ],
    [
      'from iceberg.sales.orders as o(a, "b c") limit 1',
      'from iceberg.sales.orders as o(a, "b c") AT (VERSION => 6361000000000000172) limit 1',
    ],
    ['from iceberg.sales.orders AT (VERSION => 7)', 'from iceberg.sales.orders AT (VERSION => 7)'],
    [
      'from iceberg.sales.orders o at (timestamp => now())',
      'from iceberg.sales.orders o at (timestamp => now())',
    ],
    [
      "select 'iceberg.sales.orders' -- iceberg.sales.orders",
      "select 'iceberg.sales.orders' -- iceberg.sales.orders",
    ],
    ['from iceberg.sales.other', 'from iceberg.sales.other'],
    [
      'from "iceberg"."sales"."orders" o',
      'from "iceberg"."sales"."orders" o AT (VERSION => 6361000000000000172)',
    ],
    ['select 1 as "x""iceberg".sales.orders', 'select 1 as "x""iceberg".sales.orders'],
  ])('[LK5] puts the version after name and alias: %s', (sql, expected) => {
    expect(sqlAtVersions(sql, versions)).toBe(expected)
  })
})

describe('clauses of the statement itself', () => {
  it.each([
    ['select a from t order by a', true],
    ['select a from (select a from t order by a) s', false],
    ['select sum(a) over (order by b) from t', false],
    ["select 'order by' from t -- order by a", false],
    ['select "order by" from t', false],
    ['select list(a order by a) from t\nORDER\n BY 1', true],
  ])('finds ORDER BY at the top only: %s', (sql, expected) => expect(hasTopLevelOrder(sql)).toBe(expected))

  it('finds LIMIT at the top only', () => {
    expect(hasTopLevelLimit('select a from (select 1 limit 3)')).toBe(false)
    expect(hasTopLevelLimit('select a from t limit 3')).toBe(true)
  })
})
