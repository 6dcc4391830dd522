import { expect, it } from 'vitest'
import { answerChangesSql } from './answer-changes.ts'

const versions = [{ namespace: 'sales', table: 'orders', snapshotId: '9007199254740993' }]

it('[TV6] compares the statement at its snapshots with itself, by name, whatever it ends with', () => {
  const sql = "SELECT ';' AS s FROM iceberg.sales.orders o -- ;\n; -- done"
  const changes = answerChangesSql({ sql, versions, columns: ['s', 'a "b"'] })
  expect(changes?.split('\n').slice(1)).toEqual([
    'WITH answer_then AS (',
    "SELECT ';' AS s FROM iceberg.sales.orders o AT (VERSION => 9007199254740993) -- ;",
    ' -- done',
    '), answer_now AS (',
    "SELECT ';' AS s FROM iceberg.sales.orders o -- ;",
    ' -- done',
    ')',
    `SELECT '-' AS change, * FROM (SELECT s, "a ""b""" FROM answer_then EXCEPT ALL SELECT s, "a ""b""" FROM answer_now)`,
    'UNION ALL',
    `SELECT '+' AS change, * FROM (SELECT s, "a ""b""" FROM answer_now EXCEPT ALL SELECT s, "a ""b""" FROM answer_then)`,
  ])
})

it('[TV6] compares by place where two columns have one name, and says what a LIMIT does', () => {
  const sql = 'SELECT id, ID FROM iceberg.sales.orders LIMIT 5'
  const changes = answerChangesSql({ sql, versions, columns: ['id', 'ID'] })
  expect(changes).toContain('SELECT * FROM answer_then EXCEPT ALL SELECT * FROM answer_now')
  expect(changes).toContain('-- The statement takes some rows of more')
})

it('[TV6] compares nothing where a version has no place in the text', () => {
  const sql = 'SELECT 1 FROM iceberg.sales.orders'
  const others = [...versions, { namespace: 'sales', table: 'items', snapshotId: '5' }]
  expect(answerChangesSql({ sql, versions: others, columns: ['1'] })).toBeNull()
})
