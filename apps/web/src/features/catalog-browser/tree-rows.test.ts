import { describe, expect, it } from 'vitest'
import { TREE_TABLES_STEP } from '../../limits.ts'
import { sqlOfRow } from './tree-menu.ts'
import { moveInTree, namespaceId, tableId, treeRows, typedInTree, type TreeInput } from './tree-rows.ts'

const sales = namespaceId(['sales'])
const orders = tableId({ namespace: ['sales'], table: 'orders' })

const input = (change: Partial<TreeInput> = {}): TreeInput => ({
  namespaces: [['sales'], ['a', 'b']],
  openIds: new Set([sales]),
  tables: new Map([
    [sales, { kind: 'loaded', value: { tables: ['orders', 'returns'], isTruncated: false } }],
  ]),
  columns: new Map(),
  filter: '',
  shownMax: new Map(),
  canList: true,
  ...change,
})

describe('treeRows', () => {
  it('shows tables under an open namespace', () => {
    expect(treeRows(input()).map((row) => ('label' in row ? row.label : ''))).toEqual([
      'sales',
      'orders',
      'returns',
      'a.b',
    ])
  })

  it('leaves out tables that do not match, and says so when none does', () => {
    expect(treeRows(input({ filter: 'ret' })).map((row) => row.kind)).toEqual([
      'namespace',
      'table',
      'namespace',
    ])
    expect(treeRows(input({ filter: 'x' }))[1]).toMatchObject({ kind: 'note', label: 'no table matches' })
  })

  it('draws the first of very many tables, and a row that stands for the others', () => {
    const names = Array.from({ length: TREE_TABLES_STEP + 7 }, (_, i) => `t${i}`)
    const tables = new Map([
      [sales, { kind: 'loaded', value: { tables: names, isTruncated: false } } as const],
    ])
    const rows = treeRows(input({ tables }))
    expect(rows).toHaveLength(1 + TREE_TABLES_STEP + 1 + 1)
    const nextId = tableId({ namespace: ['sales'], table: `t${TREE_TABLES_STEP}` })
    const label = '7 more tables: show some, or filter'
    expect(rows.at(-2)).toMatchObject({ kind: 'rest', parentId: sales, nextId, label })
    const more = treeRows(input({ tables, shownMax: new Map([[sales, 2 * TREE_TABLES_STEP]]) }))
    expect(more.filter(({ kind }) => kind === 'table')).toHaveLength(TREE_TABLES_STEP + 7)
    expect(more.some(({ kind }) => kind === 'rest')).toBe(false)
    const found = treeRows(input({ tables, filter: `t${TREE_TABLES_STEP + 6}` }))
    expect(found.map(({ kind }) => kind)).toEqual(['namespace', 'table', 'namespace'])
  })

  it('offers a retry where a list failed', () => {
    const tables = new Map([[sales, { kind: 'failed', error: new Error('x') } as const]])
    expect(treeRows(input({ tables }))[1]).toMatchObject({ kind: 'failure', retryId: sales })
  })
})

describe('moveInTree', () => {
  const rows = treeRows(input())
  it.each([
    [sales, 'ArrowDown', { kind: 'focus', id: orders }],
    [sales, 'ArrowRight', { kind: 'focus', id: orders }],
    [sales, 'ArrowLeft', { kind: 'toggle', id: sales }],
    [orders, 'ArrowLeft', { kind: 'focus', id: sales }],
    [orders, 'ArrowRight', { kind: 'toggle', id: orders }],
    [sales, 'End', { kind: 'focus', id: namespaceId(['a', 'b']) }],
    [sales, 'ArrowUp', null],
  ])('from %s by %s', (from, key, expected) => {
    expect(moveInTree(rows, from, key)).toEqual(expected)
  })
})

describe('typedInTree', () => {
  const tables = ['orders', 'order lines', 'Returns', 'refunds']
  const rows = treeRows(
    input({ tables: new Map([[sales, { kind: 'loaded', value: { tables, isTruncated: false } }]]) }),
  )
  const id = (table: string) => tableId({ namespace: ['sales'], table })
  it.each([
    [sales, 'r', id('Returns')],
    [id('Returns'), 'r', id('refunds')],
    [id('refunds'), 'rr', id('Returns')],
    [id('Returns'), 're', id('Returns')],
    [id('Returns'), 'ref', id('refunds')],
    [id('orders'), 'order ', id('order lines')],
    [sales, 'x', null],
  ])('from %s by %s', (from, typed, expected) => {
    expect(typedInTree(rows, from, typed)).toBe(expected)
  })

  it('names stand in SQL quoted only where they have to be', () => {
    expect(rows.map(sqlOfRow)).toEqual([
      null,
      'iceberg.sales.orders',
      'iceberg.sales."order lines"',
      'iceberg.sales."Returns"',
      'iceberg.sales.refunds',
      null,
    ])
  })
})
