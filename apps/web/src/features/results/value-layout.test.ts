import { describe, expect, it } from 'vitest'
import { VALUE_LAID_OUT_CHARS_MAX, VALUE_SHOWN_CHARS_MAX } from '../../limits.ts'
import { dumpHex, indentNested, shownValue } from './value-layout.ts'

describe('[RW7] a value is laid out to be read', () => {
  it('indents structs, lists and maps, and changes no letter of what they hold', () => {
    expect(
      indentNested('{"a": [1, 2.50], "b": {"c": "x, {y}: \\" [", "d": 9007199254740993}, "e": []}'),
    ).toBe(
      [
        '{',
        '  "a": [',
        '    1,',
        '    2.50',
        '  ],',
        '  "b": {',
        '    "c": "x, {y}: \\" [",',
        '    "d": 9007199254740993',
        '  },',
        '  "e": []',
        '}',
      ].join('\n'),
    )
  })

  it('takes JSON without spaces, and with lines of its own', () => {
    const expected = '{\n  "a": {},\n  "b": 1e400\n}'
    expect(indentNested('{"a":{},"b":1e400}')).toBe(expected)
    expect(indentNested('{\n\t"a": { },\n\t"b": 1e400\n}')).toBe(expected)
    expect(indentNested('{\n    "a" : {},\n    "b": 1e400 }')).toBe(expected)
    expect(indentNested('{1: "x", 2: [3]}')).toBe('{\n  1: "x",\n  2: [\n    3\n  ]\n}')
  })

  it('keeps the colons of keys that are times', () => {
    expect(indentNested('{2025-01-03 08:49:50: 1}')).toBe('{\n  2025-01-03 08:49:50: 1\n}')
  })

  it('ends on text that is cut or no JSON at all', () => {
    for (const text of ['{"a', ']]]', '[{', '"', '{"a": "\\'])
      expect(indentNested(text)).toContain(text.at(-1))
  })

  it('shows bytes with their places and letters', () => {
    expect(dumpHex('00ff41'.padEnd(34, '2'))).toBe(
      [
        `0000  00 ff 41 ${Array(13).fill('22').join(' ')}  ..A${'"'.repeat(13)}`,
        `0010  22${' '.repeat(45)}  "`,
      ].join('\n'),
    )
  })

  it('leaves alone what is read as it is', () => {
    const layoutOf = (sqlType: string, text: string) => shownValue(sqlType, text).laidOut
    expect(layoutOf('VARCHAR', 'plain, text')).toBeNull()
    expect(layoutOf('VARCHAR', '[not json')).toBeNull()
    expect(layoutOf('BIGINT', '42')).toBeNull()
    expect(layoutOf('BLOB', '0x')).toBeNull()
    expect(layoutOf('INTEGER[]', '[]')).toBeNull()
    expect(layoutOf('VARCHAR', '{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(layoutOf('STRUCT(a INTEGER)', '{"a": 1}')).toBe('{\n  "a": 1\n}')
    expect(layoutOf('BLOB', '0x41')).toBe(`0000  41${' '.repeat(45)}  A`)
  })

  it('draws the start of what is too long, and never half a character', () => {
    expect(shownValue('VARCHAR', 'abcdef', 4)).toEqual({ kind: 'text', start: 'abcd', laidOut: null })
    expect(shownValue('VARCHAR', 'abcdef', 6).start).toBe('abcdef')
    expect(shownValue('VARCHAR', 'abc😀def', 4).start).toBe('abc')
    expect(shownValue('VARCHAR', 'abc😀def', 5).start).toBe('abc😀')
    expect(shownValue('VARCHAR', '[1,2,3,4]', 4)).toEqual({
      kind: 'nested',
      start: '[1,2',
      laidOut: '[\n  1,\n  2',
    })
    expect(shownValue('BLOB', '0x414243', 6).laidOut).toContain('41 42')
  })

  it('bounds what is drawn of any value', () => {
    const big = `[${'{"a": "😀"},'.repeat(500_000)}{}]`
    const { start, laidOut } = shownValue('VARCHAR', big)
    expect(start.length).toBeLessThanOrEqual(VALUE_SHOWN_CHARS_MAX)
    expect(laidOut?.length).toBeLessThan(VALUE_LAID_OUT_CHARS_MAX)
    // Each bracket would be indented deeper than the one before: 10 GB of blanks.
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    expect(shownValue('JSON', deep)).toEqual({ kind: 'nested', start: deep, laidOut: null })
  })
})
