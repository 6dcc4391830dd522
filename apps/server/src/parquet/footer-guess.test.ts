import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { createFooterGuess, createFooterGuesses } from './footer-guess.ts'

const narrow = { leafCount: 12, rowGroupCount: 1 }
const wide = { leafCount: 2_000, rowGroupCount: 40 }

test('the first guess follows the shape and is bounded', () => {
  const guess = createFooterGuess()
  expect(guess.guessBytes(narrow)).toBeLessThan(4_096)
  expect(guess.guessBytes({ ...narrow, rowGroupCount: 3 })).toBeGreaterThan(guess.guessBytes(narrow))
  expect(guess.guessBytes(wide)).toBe(LIMITS.parquetFooterGuessBytes)
})

test('what was learned covers the next footer of the kind, with little to spare', () => {
  for (const footerBytes of [600, 1_304, 9_000]) {
    const guess = createFooterGuess()
    guess.learn(narrow, footerBytes)
    expect(guess.guessBytes(narrow)).toBeGreaterThanOrEqual(footerBytes + 8)
    expect(guess.guessBytes(narrow)).toBeLessThan(footerBytes * 1.03 + 100)
  }
})

test('one large footer is forgotten by and by, and no guess grows beyond its bound', () => {
  const guess = createFooterGuess()
  guess.learn(narrow, 10_000_000)
  expect(guess.guessBytes(narrow)).toBe(LIMITS.parquetFooterGuessBytesMax)
  for (let round = 0; round < 200; round += 1) guess.learn(narrow, 1_304)
  expect(guess.guessBytes(narrow)).toBeLessThan(1_600)
})

test('tables have guesses of their own, and those used longest ago are forgotten', () => {
  const guesses = createFooterGuesses()
  guesses.of('a').learn(narrow, 5_000)
  expect(guesses.of('b').guessBytes(narrow)).not.toBe(guesses.of('a').guessBytes(narrow))
  const learned = guesses.of('a').guessBytes(narrow)
  for (let index = 0; index < LIMITS.footerGuessTablesMax - 1; index += 1) guesses.of(`t${index}`)
  expect(guesses.of('a').guessBytes(narrow)).toBe(learned)
  for (let index = 0; index < LIMITS.footerGuessTablesMax; index += 1) guesses.of(`u${index}`)
  expect(guesses.of('a').guessBytes(narrow)).not.toBe(learned)
})
