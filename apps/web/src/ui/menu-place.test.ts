import { expect, it } from 'vitest'
import { menuInsets } from './menu-place.ts'

const PAGE = { width: 1_000, height: 800 }
const at = (left: number, top: number) => ({ left, top, bottom: top + 20 })

it('opens a menu under its button where it fits, and within the window', () => {
  expect(menuInsets(at(10, 100), { width: 200, height: 300 }, PAGE)).toEqual({
    left: 10,
    top: 124,
    maxHeight: 672,
  })
  expect(menuInsets(at(950, 100), { width: 200, height: 300 }, PAGE).left).toBe(796)
})

it('opens it above where there is little room below, and no higher than there is room', () => {
  expect(menuInsets(at(10, 700), { width: 200, height: 480 }, PAGE)).toEqual({
    left: 10,
    bottom: 104,
    maxHeight: 692,
  })
  expect(menuInsets(at(10, 300), { width: 200, height: 2_000 }, PAGE)).toEqual({
    left: 10,
    top: 324,
    maxHeight: 472,
  })
})
