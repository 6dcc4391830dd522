import { expect, it } from 'vitest'
import { leaveText } from './leave-words.ts'

it('[BG6] leaving says what ends and what goes on', () => {
  const of = (endingCount: number, backgroundCount: number, isTextLost = false) =>
    leaveText({ endingCount, backgroundCount, isTextLost })
  expect(of(1, 0)).toBe('Leaving stops 1 statement here.')
  expect(of(2, 3)).toBe('Leaving stops 2 statements here; 3 in the background will go on.')
  expect(of(1, 1, true)).toBe(
    'Leaving stops 1 statement here and loses text that is not saved; 1 in the background will go on.',
  )
  expect(of(0, 0, true)).toBe('Leaving loses text that is not saved.')
})
