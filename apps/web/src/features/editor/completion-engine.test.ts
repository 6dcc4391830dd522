import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SUGGESTIONS_MAX } from '../../limits.ts'
import {
  listId,
  listsFor,
  parseSignatures,
  suggest,
  type ListItem,
  type ListKey,
} from './completion-engine.ts'

const signatures = parseSignatures(readFileSync(`${import.meta.dirname}/functions.txt`, 'utf8'))
const item = (name: string, type = ''): ListItem => ({ name, type })
const columnsOf = (table: string): ListKey => ({ kind: 'columns', namespace: 'sales', table })
const lists = new Map<string, readonly ListItem[]>([
  [listId(columnsOf('orders')), [item('id', 'long'), item('Order date', 'date')]],
  [listId({ kind: 'tables', namespace: 'sales' }), [item('orders'), item('lines')]],
])
/** At the mark; the letters before it are typed. */
function offered(marked: string) {
  const offset = marked.indexOf('¦')
  const text = marked.replace('¦', '')
  const word = /[\w]*$/.exec(text.slice(0, offset))?.[0] ?? ''
  return suggest({ text, offset, word }, lists, signatures)
}
const labels = (marked: string): string[] => offered(marked).shown.map(({ label }) => label)

describe('[ED5] completion', () => {
  it('offers columns with their types, quoted where they need it', () => {
    const { shown } = offered('SELECT o.¦ FROM iceberg.sales.orders o')
    expect(shown.slice(0, 2)).toMatchObject([
      { label: 'id', insertText: 'id', detail: 'long · o', kind: 'column' },
      { label: 'Order date', insertText: '"Order date"', detail: 'date · o' },
    ])
    expect(labels('SELECT x.¦ FROM iceberg.sales.orders o')).toEqual([])
  })

  it('offers reserved columns behind those of the table, and none that the table has itself', () => {
    const own = new Map([...lists, [listId(columnsOf('lines')), [item('_FILE', 'int'), item('id', 'long')]]])
    const text = 'SELECT l. FROM iceberg.sales.lines l'
    const names = suggest({ text, offset: 9, word: '' }, own, signatures).shown.map(({ label }) => label)
    expect(names.slice(0, 2).toSorted()).toEqual(['_FILE', 'id'])
    expect(names).toContain('_row_id')
    expect(names).not.toContain('_file')
  })

  it('knows common table expressions, their columns and those of their `*`', () => {
    const sql = `WITH a AS (SELECT id AS key FROM iceberg.sales.orders), b AS (SELECT * FROM a),
      c AS (SELECT * FROM iceberg.sales.orders) SELECT`
    expect(labels(`${sql} b.¦ FROM b`)).toEqual(['key'])
    expect(labels(`${sql} z.¦ FROM c AS z`)).toEqual(['id', 'Order date'])
    expect(labels(`${sql} * FROM a¦`)).toContain('a')
  })

  it('ends where expressions select from each other', () => {
    expect(labels('WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT a.¦ FROM a')).toEqual(
      [],
    )
  })

  it('offers functions with their signatures', () => {
    const found = offered('SELECT date_tr¦').shown.find(({ label }) => label === 'date_trunc')
    expect(found?.detail).toMatch(/^\(part VARCHAR, timestamp DATE\) → TIMESTAMP {2}\+\d$/)
  })

  it('asks for the lists of a place, and for no others', () => {
    expect(listsFor('SELECT * FROM iceberg.sales.', 28)).toEqual([{ kind: 'tables', namespace: 'sales' }])
    expect(listsFor('SELECT  FROM iceberg.sales.orders', 7)).toEqual([columnsOf('orders')])
  })
})

it('[ED2] hands on a bounded list, of 5,000 tables and of the columns of 64', () => {
  const tables = Array.from({ length: 5_000 }, (_, i) => item(`table_number_${i}`))
  const many = new Map<string, readonly ListItem[]>([
    [listId({ kind: 'tables', namespace: 'sales' }), tables],
  ])
  for (const { name } of tables) many.set(listId(columnsOf(name)), [item('column_a'), item('column_b')])
  const joined = tables.slice(0, 200).map(({ name }) => `iceberg.sales.${name}`)
  for (const [text, word] of [
    ['SELECT * FROM iceberg.sales.table_n', 'table_n'],
    [`SELECT a.c FROM ${joined.join(', ')} WHERE col`, 'col'],
  ] as const) {
    const { shown, isCut } = suggest({ text, offset: text.length, word }, many, signatures)
    expect([shown.length, isCut]).toEqual([SUGGESTIONS_MAX, true])
  }
})
