import { describe, expect, it } from 'vitest'
import { nameAt } from './name-at.ts'

const at = (marked: string) => {
  const place = nameAt(marked.replace('|', ''), marked.indexOf('|'))
  return place === null ? null : `${place.name}: ${place.tables.map(({ table }) => table).join(' ')}`
}

describe('nameAt', () => {
  it.each([
    ['select am|ount from iceberg.sales.orders', 'amount: orders'],
    ['select o.am|ount from iceberg.sales.orders o, iceberg.sales.lines l', 'amount: orders'],
    ['select am|ount from iceberg.sales.orders o, iceberg.sales.lines l', 'amount: orders lines'],
    ['select 1 from iceberg.sales.ord|ers', 'orders: orders'],
    ['select "od|d name" from iceberg.sales."order lines"', 'odd name: order lines'],
    ["select 'am|ount' from iceberg.sales.orders", null],
    ['select x.am|ount from iceberg.sales.orders o', null],
    ['select am|ount', null],
    ['select 1 from iceberg.sa|les.orders', null],
    ['select a from iceberg.x.y; select am|ount from iceberg.sales.orders', 'amount: orders'],
  ])('%s', (marked, expected) => expect(at(marked)).toBe(expected))
})
