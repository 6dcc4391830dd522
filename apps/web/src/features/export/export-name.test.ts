import { expect, it } from 'vitest'
import { exportFileName } from './export-name.ts'

it('names a file by its statement and snapshot, in characters that file systems take', () => {
  const orders = { table: 'orders', snapshotId: '6361481734010172001' }
  expect(exportFileName('Revenue by day', [orders], 'csv')).toBe(
    'Revenue-by-day_orders-6361481734010172001.csv',
  )
  expect(exportFileName('a/b\\c:"*?<>|', [orders, { table: 'x', snapshotId: null }], 'parquet')).toBe(
    'a-b-c_orders-6361481734010172001_and-1-more.parquet',
  )
  expect(exportFileName('../..', [], 'jsonl')).toBe('result.jsonl')
  expect(exportFileName('Käufe 🚀', [{ table: 'leer', snapshotId: null }], 'xlsx')).toBe('Käufe_leer.xlsx')
  expect(exportFileName('x'.repeat(300), [], 'csv').length).toBeLessThan(80)
})
