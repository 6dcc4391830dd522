import { describe, expect, it } from 'vitest'
import { splitStatements, statementAt } from './split-statements.ts'

const texts = (sql: string) => splitStatements(sql).map((s) => sql.slice(s.startOffset, s.endOffset))

describe('splitStatements', () => {
  it('splits at semicolons and trims white space', () => {
    expect(texts(' select 1 ;\r\n\tselect 2;; ')).toEqual(['select 1', 'select 2'])
  })

  it.each([
    ["select ';' ; select 2", ["select ';'", 'select 2']],
    ["select 'it''s;' ; select 2", ["select 'it''s;'", 'select 2']],
    ["select E'\\';' ; select 2", ["select E'\\';'", 'select 2']],
    ["select 'back\\' ; select 2", ["select 'back\\'", 'select 2']],
    ['select "a;""b" ; select 2', ['select "a;""b"', 'select 2']],
    ['select 1 -- a; b\n, 2; select 3', ['select 1 -- a; b\n, 2', 'select 3']],
    ['select /* ; /* ; */ ; */ 1; select 2', ['select /* ; /* ; */ ; */ 1', 'select 2']],
    ['select $$ ; $$; select 2', ['select $$ ; $$', 'select 2']],
    ['select $t$ ; $$ ; $t$; select 2', ['select $t$ ; $$ ; $t$', 'select 2']],
    ['select $1; select $2', ['select $1', 'select $2']],
    ["select '😀;'; select 2", ["select '😀;'", 'select 2']],
  ])('does not split inside a token: %s', (sql, expected) => {
    expect(texts(sql)).toEqual(expected)
  })

  it('takes an unclosed string or comment to the end', () => {
    expect(texts("select 'a; b")).toEqual(["select 'a; b"])
    expect(texts('select 1 /* ; x')).toEqual(['select 1 /* ; x'])
  })

  it('finds nothing in comments alone', () => {
    expect(texts('-- one\n/* two */ ;; ')).toEqual([])
  })
})

describe('statementAt', () => {
  const sql = 'select 1; \n\nselect 2\n;\n'
  it.each([
    [0, 'select 1'],
    [8, 'select 1'],
    [10, 'select 1'],
    [11, 'select 2'],
    [20, 'select 2'],
    [24, 'select 2'],
  ])('at offset %i means %s', (offset, expected) => {
    const found = statementAt(sql, offset)
    expect(found && sql.slice(found.startOffset, found.endOffset)).toBe(expected)
  })

  it('is null in an empty text', () => expect(statementAt(' -- x', 2)).toBeNull())
})
