import { expect, it } from 'vitest'
import { LIMITS } from '../limits.ts'
import { createUnreadableLooks } from './unreadable-looks.ts'

it('[ST6] how long a statement is unreadable counts from the first look, and anew after another server had it', () => {
  const looks = createUnreadableLooks()
  let nowMs = 4 * 3_600_000
  // However old the statement is.
  expect(looks.note('s', nowMs)).toBe(0)
  for (let look = 1; look <= 20; look += 1)
    expect(looks.note('s', (nowMs += LIMITS.unreadableGapMs))).toBe(look * LIMITS.unreadableGapMs)
  expect(looks.note('other', nowMs)).toBe(0)
  expect(looks.note('s', (nowMs += LIMITS.unreadableGapMs + 1))).toBe(0)
  expect(looks.note('s', nowMs + 5)).toBe(5)
})
