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
})
