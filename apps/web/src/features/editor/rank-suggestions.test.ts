import { describe, expect, it } from 'vitest'
import { rankSuggestions } from './rank-suggestions.ts'

const names = (labels: readonly string[]) => labels.map((label) => ({ label, rank: 0 }))

describe('rankSuggestions', () => {
  it('offers what starts with the letters, then what holds them, then what has them apart', () => {
    const { shown, isCut } = rankSuggestions(names(['my_order', 'x', 'Orders', 'o_r_d']), 'ord', 10)
    expect(shown.map(({ label }) => label)).toEqual(['Orders', 'my_order', 'o_r_d'])
    expect(isCut).toBe(false)
  })

  it('says when it offers only some', () => {
    expect(rankSuggestions(names(['a1', 'a2', 'a3']), 'a', 2)).toMatchObject({ isCut: true })
    expect(rankSuggestions(names(['a1', 'a2', 'a3']), 'a', 2).shown).toHaveLength(2)
  })

  it('[ED2] answers among 5,000 tables, and among the columns of many of them, within 100 ms', () => {
    const tables = names(Array.from({ length: 5_000 }, (_, i) => `table_number_${i}`))
    const columns = names(Array.from({ length: 300 * 64 }, (_, i) => `column_${i % 300}_of_${i}`))
    for (const many of [tables, columns]) {
      rankSuggestions(many, 'n', 300)
      const start = performance.now()
      for (const typed of ['', 'n', 'nu', 'numb', 'number_49']) rankSuggestions(many, typed, 300)
      expect((performance.now() - start) / 5).toBeLessThan(100)
    }
  })
})
