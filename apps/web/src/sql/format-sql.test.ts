import { describe, expect, it } from 'vitest'
import { formatSql } from './format-sql.ts'

describe('formatSql', () => {
  it('lays out and keeps names, strings and comments as they are', () => {
    const sql = `select a, "B c", 'it''s;' as s -- why\nfrom iceberg.ns."T" where x >= 1`
    const formatted = formatSql(sql) ?? ''
    expect(formatted).toContain(`"B c"`)
    expect(formatted).toContain(`'it''s;' AS s -- why`)
    expect(formatted).toMatch(/^SELECT\n {2}a,/)
    expect(formatted).toContain('iceberg.ns."T"')
    expect(formatSql(formatted)).toBe(formatted)
  })

  it.each([
    'SELECT * FROM iceberg.a.t AT (VERSION => 6361000000000000172)',
    "SELECT list_transform([1], x -> x + 1), {'a': 1}, $$text$$",
  ])('loses nothing of what DuckDB has of its own: %s', (sql) => {
    const words = (text: string) => text.replaceAll(/\s+/g, '').toLowerCase()
    expect(words(formatSql(sql) ?? sql)).toBe(words(sql))
  })
})
