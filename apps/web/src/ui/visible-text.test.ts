import { describe, expect, it } from 'vitest'
import { visibleName, visibleText } from './visible-text.ts'

describe('a name as it is shown', () => {
  it('[NS1] shows what turns text round or hides', () => {
    expect(visibleName('a\u202Ecod.exe')).toBe('a⟨U+202E⟩cod.exe')
    expect(visibleName('\u2066x\u2069')).toBe('⟨U+2066⟩x⟨U+2069⟩')
    expect(visibleName('or\u200Bders')).toBe('or⟨U+200B⟩ders')
    expect(visibleName('\uFEFFid')).toBe('⟨U+FEFF⟩id')
    expect(visibleName('a\u3164b\u00ADc')).toBe('a⟨U+3164⟩b⟨U+00AD⟩c')
    expect(visibleName('a\nb\tc\u0000\u001B\u007F\u0085\u2028')).toBe('a↵b⇥c␀␛␡⟨U+0085⟩⟨U+2028⟩')
    expect(visibleName('a\uD800b')).toBe('a⟨U+D800⟩b')
    expect(visibleName('a\u{E0041}')).toBe('a⟨U+E0041⟩')
  })

  it('shows spaces that are not seen as one between words', () => {
    expect(visibleName('order lines')).toBe('order lines')
    expect(visibleName('order\u00A0lines')).toBe('order⟨U+00A0⟩lines')
    expect(visibleName(' a  b ')).toBe('␣a  b␣')
    expect(visibleName('  ')).toBe('␣␣')
    expect(visibleName('')).toBe('""')
  })

  it('leaves every script and emoji as it is written', () => {
    for (const name of [
      'größe',
      '売上',
      'שם',
      'می\u200Cخواهم',
      'क्\u200Dष',
      '👩\u200D👩\u200D👧',
      '❤\uFE0F\u200D🔥',
      '1\uFE0F⃣',
      '葛\u{E0100}',
    ])
      expect(visibleName(name)).toBe(name)
    expect(visibleName('🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}')).not.toContain('U+')
  })

  it('tells names apart that differ by what is not seen', () => {
    const names = ['id', 'id\u200B', 'id\u200D', 'id ', 'i\u00ADd', 'id\uFE0F']
    expect(new Set(names.map(visibleName)).size).toBe(names.length)
  })
})

describe('a message or a value as it is shown', () => {
  it('keeps lines, tabs and spaces, and shows what turns round or hides', () => {
    expect(visibleText('no table "a\u202Eb"\n\tat 10\u00A0%')).toBe('no table "a⟨U+202E⟩b"\n\tat 10\u00A0%')
    expect(visibleText(' plain ')).toBe(' plain ')
    expect(visibleText('a\r\nb\rc')).toBe('a\r\nb␍c')
  })
})
