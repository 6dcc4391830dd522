import { describe, expect, it } from 'vitest'
import { displayText, fitText } from './grid-columns.ts'

const measure = (text: string) => text.length * 10

describe('drawn text', () => {
  it('shows where a value is cut', () => {
    expect(fitText('12345', 50, measure)).toBe('12345')
    expect(fitText('123456', 50, measure)).toBe('1234…')
    expect(fitText('123456', 5, measure)).toBe('…')
  })

  it('is one line', () => {
    expect(displayText('a\r\nb\nc\td')).toBe('a↵b↵c⇥d')
    expect(displayText('abcdef', 3)).toBe('abc…')
  })
})
