import { expect, it } from 'vitest'
import { tsvOf } from './tsv.ts'

it("keeps NULL, '' and special characters apart in a copy", () => {
  expect(tsvOf([[null, '', 'NULL', 'a\tb', 'say "x"']])).toBe('\t""\tNULL\t"a\tb"\t"say ""x"""')
})

it('refuses a copy that is too large instead of cutting it', () => {
  expect(tsvOf([['12345'], ['67890']], 8)).toBeNull()
})
