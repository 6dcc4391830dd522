import { describe, expect, it } from 'vitest'
import { completionContext, tablesInScope } from './sql-scope.ts'

describe('tablesInScope', () => {
  it.each([
    ['select 1 from iceberg.sales.orders', ['sales/orders/orders']],
    ['from iceberg.sales.orders o join iceberg.sales.lines AS l on', ['sales/orders/o', 'sales/lines/l']],
    ['from iceberg.sales.orders where x', ['sales/orders/orders']],
    ['from iceberg."a.b"."order lines" "my o"', ['a.b/order lines/my o']],
    ["select 'from iceberg.a.b' -- iceberg.c.d\n/* iceberg.e.f */ from iceberg.g.h", ['g/h/h']],
  ])('finds names and aliases: %s', (sql, expected) => {
    const found = tablesInScope(sql).map(({ namespace, table, name }) => `${namespace}/${table}/${name}`)
    expect(found).toEqual(expected)
  })
})

describe('completionContext', () => {
  const at = (marked: string) => completionContext(marked.replace('|', ''), marked.indexOf('|'))

  it('offers namespaces and tables along a full name', () => {
    expect(at('select * from iceberg.|')).toEqual({ kind: 'namespaces' })
    expect(at('select * from iceberg.sa|')).toEqual({ kind: 'namespaces' })
    expect(at('select * from iceberg."a.b".or|')).toEqual({ kind: 'tables', namespace: 'a.b' })
  })

  it('knows an alias that is named later in the statement', () => {
    expect(at('select o.| from iceberg.sales.orders o')).toMatchObject({
      kind: 'columns',
      table: { namespace: 'sales', table: 'orders' },
    })
    expect(at('select x.| from iceberg.sales.orders o')).toEqual({ kind: 'none' })
  })

  it('looks at the statement under the cursor only', () => {
    const context = at('select 1 from iceberg.a.b;\nselect | from iceberg.c.d')
    expect(context).toMatchObject({ kind: 'any', tables: [{ namespace: 'c' }] })
  })

  it('offers everything in an empty text', () =>
    expect(at('|')).toEqual({ kind: 'any', tables: [], ctes: [] }))
})
