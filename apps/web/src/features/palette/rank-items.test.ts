import { describe, expect, it } from 'vitest'
import { rankItems, type PaletteItem } from './rank-items.ts'

const item = (title: string, detail = ''): PaletteItem => ({
  id: title,
  kind: 'table',
  title,
  detail,
  run: () => undefined,
})
const titles = (items: readonly PaletteItem[], search: string, max = 10) =>
  rankItems(items, search, max).map(({ title }) => title)

describe('rankItems', () => {
  const items = [
    item('reorders'),
    item('sales.orders'),
    item('orders_2024'),
    item('orders'),
    item('x', 'orders'),
  ]

  it('puts a whole name first, then starts, starts of words, insides, and details', () => {
    expect(titles(items, 'ORDERS')).toEqual(['orders', 'orders_2024', 'sales.orders', 'reorders', 'x'])
  })

  it('wants every word', () => {
    expect(titles(items, 'ord sales')).toEqual(['sales.orders'])
    expect(titles(items, 'ord nothing')).toEqual([])
    expect(titles(items, '', 2)).toEqual(['reorders', 'sales.orders'])
  })

  it('keeps no more than asked for, also of 200,000 entries', () => {
    const many = Array.from({ length: 200_000 }, (_, i) => item(`table_${i}`, `namespace_${i % 40}`))
    expect(titles(many, 'table_1999', 5)[0]).toBe('table_1999')
    expect(titles(many, 'table', 5)).toHaveLength(5)
  })

  it('looks at each entry a few times, however many match', () => {
    let readCount = 0
    const counted = Array.from({ length: 5_000 }, (_, i) => ({
      ...item(''),
      get title() {
        readCount += 1
        return `table_${i}`
      },
    }))
    rankItems(counted, 'table 1', 5)
    expect(readCount).toBeLessThan(counted.length * 4)
  })
})
