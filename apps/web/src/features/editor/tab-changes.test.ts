// What is written of the tabs, what is read back of whatever is stored, and two windows that change the same tabs.
import { describe, expect, it } from 'vitest'
import {
  changesBetween,
  isNothing,
  parseOldTabs,
  tabsOfStored,
  takeOver,
  type StoredTab,
  type TabChanges,
  type Windows,
} from './tab-changes.ts'
import { activateTab, closeTab, editTab, initialTabs, openTab, type TabsState } from './tabs-state.ts'

const PIN = { namespace: ['a'], table: 't', snapshotId: '9007199254740993', committedAtMs: 1 }
const two: TabsState = openTab(editTab(initialTabs('a'), 'a', { sql: "select '😀'" }), {
  id: 'b',
  pins: [PIN],
})

/** What a database holds after some writes. */
class Stored {
  readonly records = new Map<string, StoredTab>()
  layout: unknown
  write({ put, removedIds, layout }: TabChanges): void {
    for (const tab of put) this.records.set(tab.id, tab)
    for (const id of removedIds) this.records.delete(id)
    this.layout = layout
  }
  read(activeId: string | null = null): TabsState | null {
    return tabsOfStored([...this.records.values()], this.layout, activeId)
  }
}

describe('stored tabs', () => {
  it('[ED6] come back as they were: order, texts, pins, the active one, closed ones in turn', () => {
    const stored = new Stored()
    stored.write(changesBetween(null, two, 1))
    expect(stored.read()).toEqual(two)
    const edited = editTab(closeTab(openTab(two, { id: 'c', sql: 'select 3' }), 'c', 'x'), 'a', {
      sql: 'select 4',
    })
    const closed = closeTab(edited, 'a', 'x')
    stored.write(changesBetween(two, closed, 2))
    expect(stored.read()).toEqual(closed)
    expect(closed.closed.map(({ sql }) => sql)).toEqual(['select 3', 'select 4'])
  })

  it('[ED6] are written one by one: only what changed', () => {
    const edited = editTab(two, 'b', { sql: 'select 2' })
    expect(changesBetween(two, edited, 1).put.map(({ id }) => id)).toEqual(['b'])
    expect(isNothing(changesBetween(two, activateTab(two, 'a'), 1))).toBe(true)
    expect(changesBetween(two, closeTab(two, 'b', 'x'), 1).removedIds).toEqual(['b'])
  })

  it('[ED6] the window’s own active tab is shown, else the last one of any window', () => {
    const stored = new Stored()
    stored.write(changesBetween(null, two, 1))
    expect([stored.read()?.activeId, stored.read('a')?.activeId, stored.read('gone')?.activeId]).toEqual([
      'b',
      'a',
      'b',
    ])
  })

  it('a tab that no order names comes last, and anything that is no tab is left out', () => {
    const stored = [...two.open.map((tab) => ({ ...tab, closedAtMs: null })), null, 7, { id: 1 }, { id: 'x' }]
    const layout = { openIds: ['b'], activeId: 'gone' }
    expect(tabsOfStored(stored, layout, null)?.open.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(tabsOfStored([null, {}], 'x', null)).toBeNull()
    const damaged = [{ ...two.open[1], pins: [{ ...PIN, snapshotId: 7 }] }]
    expect(tabsOfStored(damaged, null, null)?.open[0]?.pins).toEqual([])
  })

  it('tabs of the time before the database are taken over, and anything else is not', () => {
    expect(parseOldTabs(JSON.stringify(two))).toEqual(two)
    for (const text of [null, '', '{', '[]', '7', '{"open":[{"id":1}]}', '{"open":{}}'])
      expect(parseOldTabs(text)).toBeNull()
  })
})

describe('[ED7] two windows', () => {
  const windowOf = (tabs: TabsState): Windows => ({ mine: tabs, saved: tabs })
  let count = 0
  const freshId = () => `fresh ${(count += 1)}`
  /** What the other window writes after a change. */
  const written = (before: TabsState, after: TabsState) => changesBetween(before, after, 1)

  it('take over what the other opens, writes and closes, and write none of it again', () => {
    const opened = openTab({ ...two, activeId: 'a' }, { id: 'c', sql: 'select 3' })
    const after = takeOver(windowOf(two), written(two, opened), freshId)
    expect(after.mine.open.map(({ id }) => id)).toEqual(['a', 'c', 'b'])
    expect(after.mine.activeId).toBe('b')
    const edited = takeOver(after, written(opened, editTab(opened, 'b', { sql: 'select 5' })), freshId)
    expect(edited.mine.open.at(-1)?.sql).toBe('select 5')
    expect(isNothing(changesBetween(edited.saved, edited.mine, 1))).toBe(true)
    const closed = takeOver(edited, written(opened, closeTab(opened, 'c', 'x')), freshId)
    expect([closed.mine.open.length, closed.mine.closed.at(-1)?.sql]).toEqual([2, 'select 3'])
    expect(isNothing(changesBetween(closed.saved, closed.mine, 1))).toBe(true)
  })

  it('keep their own texts that are not written yet, and the other’s among the closed tabs', () => {
    const mine = editTab(two, 'a', { sql: 'mine' })
    const theirs = written(two, editTab(two, 'a', { sql: 'theirs' }))
    const { mine: after, saved } = takeOver({ mine, saved: two }, theirs, freshId)
    expect(after.open.find(({ id }) => id === 'a')?.sql).toBe('mine')
    expect(after.closed.map(({ title, sql }) => [title, sql])).toEqual([['Query 1 (other window)', 'theirs']])
    expect(changesBetween(saved, after, 1).put.map(({ sql }) => sql)).toEqual(['mine', 'theirs'])
  })

  it('have an open tab and an active one whatever the other closes', () => {
    const none = closeTab(closeTab(two, 'b', 'x'), 'a', 'y')
    const { mine } = takeOver(
      windowOf({ ...two, activeId: 'a' }),
      written(two, { ...none, open: [] }),
      freshId,
    )
    expect(mine.open).toHaveLength(1)
    expect(mine.activeId).toBe(mine.open[0]?.id)
    expect(mine.closed.map(({ id }) => id)).toEqual(['a'])
    const { mine: left } = takeOver(windowOf(two), written(two, closeTab(two, 'b', 'x')), freshId)
    expect(left.activeId).toBe('a')
  })
})
