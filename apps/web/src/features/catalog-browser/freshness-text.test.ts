import { expect, test } from 'vitest'
import { freshnessText } from './freshness-text.ts'

test.each([
  [false, 400, 'as the catalog had it just now'],
  [false, 42_000, 'as the catalog had it 42 s ago'],
  [true, 12_000, 'The catalog could not be reached: this is how it was 12 s ago.'],
  [true, 59_999, 'The catalog could not be reached: this is how it was 59 s ago.'],
])('stale: %s, %i ms old: %s', (isStale, ageMs, text) => {
  expect(freshnessText(isStale, ageMs)).toBe(text)
})
