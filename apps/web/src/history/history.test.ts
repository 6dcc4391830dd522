import { describe, expect, it } from 'vitest'
import {
  boundHistory,
  changedSinceSaved,
  lastOfTab,
  leftEntries,
  recentQueries,
  recentTables,
  searchEntries,
  type HistoryEntry,
} from './history.ts'

const entry = (id: string, sql: string, table = 't'): HistoryEntry => ({
  id,
  sql,
  startedAtMs: 0,
  elapsedMs: 1,
  outcome: 'finished',
  rowCount: 1,
  errorCode: null,
  tables: [{ namespace: ['sales'], table, snapshotId: '5', committedAtMs: 0 }],
})

describe('history', () => {
  const entries = [
    entry('a', 'SELECT Alpha'),
    entry('b', 'SELECT beta', 'orders'),
    entry('c', 'x'.repeat(90)),
  ]

  it('[ED3] keeps the newest entries within its bounds, and the newest one in any case', () => {
    expect(boundHistory(entries, 2).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(boundHistory(entries, 9, 30).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(boundHistory(entries, 9, 1).map(({ id }) => id)).toEqual(['a'])
    expect(boundHistory(entries)).toBe(entries)
    expect(boundHistory([])).toEqual([])
  })

  it('is searched by all words, in text and tables, whatever their case', () => {
    expect(searchEntries(entries, 'select  ALPHA').map(({ id }) => id)).toEqual(['a'])
    expect(searchEntries(entries, 'sales.orders').map(({ id }) => id)).toEqual(['b'])
    expect(searchEntries(entries, ' ')).toBe(entries)
    expect(searchEntries(entries, 'gamma')).toEqual([])
  })

  it('[ED8] what ran in a window that is gone was left with it; what runs in open ones still runs', () => {
    const running = (id: string, windowId: string): HistoryEntry => ({
      ...entry(id, 'x'),
      outcome: 'running',
      windowId,
      tabId: id,
    })
    const all = [
      running('a', 'gone'),
      running('b', 'open'),
      { ...running('c', 'gone'), outcome: 'failed' as const },
    ]
    expect(leftEntries(all, new Set(['open'])).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'left'],
    ])
    expect(lastOfTab(all, 'b')?.id).toBe('b')
    expect(lastOfTab(all, 'z')).toBeNull()
  })

  it('the last queries and tables are told, each once, and failed ones are not asked again', () => {
    const all = [
      { ...entry('a', 'no such'), outcome: 'failed' as const },
      entry('b', 'one'),
      entry('c', 'two', 'orders'),
      entry('d', 'one'),
    ]
    expect(recentQueries(all, 3).map(({ id }) => id)).toEqual(['b', 'c'])
    expect(recentTables(all, 1).map(({ table }) => table)).toEqual(['t'])
    expect(recentTables(all, 3).map(({ table }) => table)).toEqual(['t', 'orders'])
  })
})

describe('changedSinceSaved', () => {
  it('names tabs that are not as they were saved, and no others', () => {
    const saved = { id: 'a', title: 'A', sql: 'SELECT 1', savedAtMs: 0 }
    const parameters = [{ name: 'day', type: 'text' as const, text: 'x' }]
    expect([...changedSinceSaved([saved], [saved])]).toEqual([])
    expect([...changedSinceSaved([{ ...saved, parameters: [] }], [saved])]).toEqual([])
    for (const change of [{ sql: 'SELECT 2' }, { title: 'B' }, { parameters }])
      expect([...changedSinceSaved([{ ...saved, ...change }], [saved])]).toEqual(['a'])
    expect([...changedSinceSaved([{ ...saved, id: 'never' }], [saved])]).toEqual([])
    const opened = { ...saved, id: 'b', savedId: 'a' }
    expect([...changedSinceSaved([opened], [saved])]).toEqual([])
    expect([...changedSinceSaved([{ ...opened, sql: 'SELECT 2' }], [saved])]).toEqual(['b'])
  })
})
