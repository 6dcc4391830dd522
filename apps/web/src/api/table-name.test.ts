import { describe, expect, it } from 'vitest'
import { parseTableName, sqlTableName } from './table-name.ts'

describe('table names', () => {
  it.each([
    [['sales'], 'orders', 'iceberg.sales.orders'],
    [['sales'], 'order lines', 'iceberg.sales."order lines"'],
    [['Sales'], 'order', 'iceberg."Sales"."order"'],
    [['a', 'b'], 'say "x"', 'iceberg."a.b"."say ""x"""'],
  ])('quotes only where needed: %j %s', (namespace, table, expected) => {
    expect(sqlTableName({ namespace, table })).toBe(expected)
    expect(parseTableName(expected, [namespace])).toEqual({ namespace, table })
  })

  it('reads names without the catalog, and dotted levels', () => {
    expect(parseTableName('sales.orders', [])).toEqual({ namespace: ['sales'], table: 'orders' })
    expect(parseTableName('iceberg.a.b.t', [['a', 'b']])).toEqual({ namespace: ['a', 'b'], table: 't' })
    expect(parseTableName('iceberg.t', [['iceberg']])).toEqual({ namespace: ['iceberg'], table: 't' })
  })

  it.each(['', 'orders', 'a..b', '.a.b', 'a.b.', 'a."b', 'a b.c'])('refuses %j', (text) => {
    expect(parseTableName(text, [])).toBeNull()
  })
})
