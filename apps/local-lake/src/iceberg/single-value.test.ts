// Bounds in binary form, against the examples and rules of the table spec's appendix D.
import { describe, expect, it } from 'vitest'
import { encodeBound, encodeValue } from './single-value.ts'

const hex = (buffer: Buffer | undefined): string | undefined => buffer?.toString('hex')

describe('encodeValue', () => {
  it.each([
    ['boolean', '1', '01'],
    ['boolean', 'false', '00'],
    ['int', '-2', 'feffffff'],
    ['long', '9223372036854775807', 'ffffffffffffff7f'],
    ['date', '1969-12-31', 'ffffffff'],
    ['timestamptz', '1970-01-01 00:00:01.5+00', '60e3160000000000'],
    ['timestamptz', '1969-12-31 23:59:59.999999+00', 'ffffffffffffffff'],
    ['double', '-1.5e+300', Buffer.from(new Float64Array([-1.5e300]).buffer).toString('hex')],
    ['decimal(12, 3)', '14.200', '3778'],
    ['decimal(12, 3)', '-0.128', '80'],
    ['decimal(12, 3)', '0.128', '0080'],
    ['decimal(38, 10)', '0.0000000000', '00'],
    ['uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 'f79c3e09677c4bbda4793f349cb785e7'],
  ])('writes %s %s', (type, text, expected) => {
    expect(hex(encodeValue(type, text))).toBe(expected)
  })

  it('refuses a type or a time that it does not know', () => {
    expect(() => encodeValue('variant', 'x')).toThrow('variant')
    expect(() => encodeValue('timestamptz', '2026-01-01 00:00:00+02')).toThrow('UTC')
  })
})

describe('encodeBound', () => {
  const long = `${'é'.repeat(20)}z`

  it('cuts a lower bound, and cuts and raises an upper one', () => {
    expect(encodeBound('string', long, 'lower')?.toString()).toBe('é'.repeat(16))
    expect(encodeBound('string', long, 'upper')?.toString()).toBe(`${'é'.repeat(15)}ê`)
    expect(encodeBound('string', 'short', 'upper')?.toString()).toBe('short')
    expect(hex(encodeBound('binary', `${'ab'.repeat(15)}ff99`, 'upper'))).toBe(`${'ab'.repeat(14)}ac`)
  })

  it('skips surrogates, and gives no upper bound where none can be written', () => {
    expect(encodeBound('string', '\uD7FF'.repeat(17), 'upper')?.toString()).toBe(
      `${'\uD7FF'.repeat(15)}\uE000`,
    )
    expect(encodeBound('string', '\u{10FFFF}'.repeat(17), 'upper')).toBeUndefined()
    expect(encodeBound('binary', 'ff'.repeat(17), 'upper')).toBeUndefined()
  })
})
