import { describe, expect, it } from 'vitest'
import {
  initialView,
  moveColumn,
  shownColumns,
  toggleHidden,
  togglePinned,
  viewOfStored,
} from './grid-view.ts'

describe('the arrangement of columns', () => {
  const view = initialView(4)

  it('moves, hides and pins', () => {
    expect(shownColumns(moveColumn(view, 0, 2))).toEqual([1, 2, 0, 3])
    expect(shownColumns(togglePinned(view, 2))).toEqual([2, 0, 1, 3])
    const hidden = toggleHidden(view, 1)
    expect(shownColumns(hidden)).toEqual([0, 2, 3])
    expect(shownColumns(moveColumn(hidden, 2, 0))).toEqual([3, 0, 2])
    expect(shownColumns(toggleHidden(moveColumn(hidden, 2, 0), 1))).toHaveLength(4)
  })

  it('always shows one column', () => {
    const one = initialView(1)
    expect(toggleHidden(one, 0)).toBe(one)
  })

  it.each([
    [null],
    [{ order: [0, 1, 2], hidden: [], pinned: [] }],
    [{ order: [0, 1, 2, 2], hidden: [], pinned: [] }],
    [{ order: [0, 1, 2, 3], hidden: [0, 1, 2, 3], pinned: [] }],
    [{ order: [0, 1, 2, 9], hidden: [], pinned: [] }],
    [{ order: 'x', hidden: [], pinned: [] }],
  ])('that does not fit the columns starts afresh: %j', (stored) => {
    expect(viewOfStored(stored, 4)).toEqual(view)
  })

  it('comes back as it was kept', () => {
    const arranged = togglePinned(moveColumn(view, 3, 0), 1)
    expect(viewOfStored(JSON.parse(JSON.stringify(arranged)), 4)).toEqual(arranged)
    expect(viewOfStored({ ...view, widths: { 1: 90, 2: 'wide', 3: 1e9 } }, 4).widths).toEqual({ 1: 90 })
  })
})
