import { describe, expect, it } from 'vitest'
import { closeTab, editTab, initialTabs, openTab, pinTable, reopenTab, tabsOf } from './tabs-state.ts'

describe('tabs', () => {
  it('reopens a closed tab with its text', () => {
    const edited = editTab(initialTabs('a'), 'a', { sql: 'select 1' })
    const closed = closeTab(edited, 'a', 'b')
    expect(closed.open.map((tab) => tab.id)).toEqual(['b'])
    const reopened = reopenTab(closed, 'fresh')
    expect(reopened.activeId).toBe('a')
    expect(reopened.open.at(-1)?.sql).toBe('select 1')
  })

  it('activates a neighbour when the active tab closes', () => {
    const three = openTab(openTab(initialTabs('a'), { id: 'b' }), { id: 'c' })
    expect(closeTab(three, 'c', 'x').activeId).toBe('b')
    expect(closeTab({ ...three, activeId: 'a' }, 'a', 'x').activeId).toBe('b')
  })

  it('gives new tabs the first free number', () => {
    const two = openTab(initialTabs('a'), { id: 'b' })
    expect(two.open.map((tab) => tab.title)).toEqual(['Query 1', 'Query 2'])
    expect(openTab(closeTab(two, 'a', 'x'), { id: 'c' }).open.at(-1)?.title).toBe('Query 1')
  })
})

it('[ED10] a reopened tab is saved as its own where another has its saved query by now', () => {
  const closed = closeTab(editTab(initialTabs('a'), 'a', { sql: 'select 1' }), 'a', 'b')
  expect(reopenTab(closed, 'fresh').open.at(-1)?.savedId).toBeUndefined()
  const taken = openTab(closed, { id: 'c', sql: 'select 1', savedId: 'a' })
  expect(reopenTab(taken, 'fresh').open.at(-1)).toMatchObject({ id: 'a', savedId: 'fresh' })
})

it('[ED10] a stored tab is still the saved query that it was opened from', () => {
  const stored = JSON.parse(JSON.stringify(openTab(initialTabs('a'), { id: 'b', savedId: 'q' }).open))
  expect(tabsOf(stored).map(({ savedId }) => savedId)).toEqual([undefined, 'q'])
  expect(tabsOf([{ ...stored[1], savedId: 7 }])[0]?.savedId).toBeUndefined()
})

it('[TV3] a table of a tab is read at one snapshot or as it is now, and other pins stay', () => {
  const tabs = initialTabs('a')
  const orders = { namespace: ['sales'], table: 'orders' }
  const at = (snapshotId: string) => ({ snapshotId, committedAtMs: 1 })
  const both = pinTable(pinTable(tabs, 'a', orders, at('1')), 'a', { ...orders, table: 'lines' }, at('2'))
  const moved = pinTable(both, 'a', orders, at('3'))
  expect(moved.open[0]?.pins.map(({ table, snapshotId }) => [table, snapshotId])).toEqual([
    ['lines', '2'],
    ['orders', '3'],
  ])
  expect(pinTable(moved, 'a', orders, null).open[0]?.pins).toHaveLength(1)
  expect(pinTable(moved, 'gone', orders, null)).toBe(moved)
  // Tabs are stored: nothing but the pin is taken over from whatever names the commit.
  const named = { ...at('9007199254740993'), addedRows: 5n }
  expect(pinTable(tabs, 'a', orders, named).open[0]?.pins).toEqual([{ ...orders, ...at('9007199254740993') }])
})
