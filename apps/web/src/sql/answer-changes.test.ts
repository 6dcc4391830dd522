import { expect, it } from 'vitest'
import { answerChangesSql } from './answer-changes.ts'

it('[TV6] compares the statement at its snapshots with itself, whatever it ends with', () => {
  const sql = "SELECT ';' AS s FROM iceberg.sales.orders o -- ;\n; -- done"
  const changes = answerChangesSql(sql, [
    { namespace: 'sales', table: 'orders', snapshotId: '9007199254740993' },
  ])
  expect(changes.split('\n').slice(1)).toEqual([
    'WITH answer_then AS (',
    "SELECT ';' AS s FROM iceberg.sales.orders o AT (VERSION => 9007199254740993) -- ;",
    ' -- done',
    '), answer_now AS (',
    "SELECT ';' AS s FROM iceberg.sales.orders o -- ;",
    ' -- done',
    ')',
    "SELECT '-' AS change, * FROM (FROM answer_then EXCEPT ALL FROM answer_now)",
    'UNION ALL',
    "SELECT '+' AS change, * FROM (FROM answer_now EXCEPT ALL FROM answer_then)",
  ])
})
