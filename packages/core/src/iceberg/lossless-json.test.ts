import { expect, test } from 'vitest'
import { parseLosslessJson } from './lossless-json.ts'

test('[TM2] [H2] integers beyond 2^53 become decimal strings, others stay numbers', () => {
  const text =
    '{"id": 7505300640432048841, "min": -9223372036854775808, "safe": 9007199254740991, "next": 9007199254740992, "ts":1609459200000}'
  expect(parseLosslessJson(text)).toEqual({
    id: '7505300640432048841',
    min: '-9223372036854775808',
    safe: 9007199254740991,
    next: '9007199254740992',
    ts: 1609459200000,
  })
})

test('digits inside strings are left alone, with escapes around them', () => {
  const value = {
    a: 'x: 1234567890123456789, ',
    'k"1234567890123456789': '\\',
    b: 'ends with quote \\" 1234567890123456789"',
    list: ['[1234567890123456789]', '\u2028'],
  }
  const text = JSON.stringify({ ...value, id: 0 }).replace('"id":0', '"id":1234567890123456789')
  expect(parseLosslessJson(text)).toEqual({ ...value, id: '1234567890123456789' })
})

test('fractions and exponents stay numbers', () => {
  expect(
    parseLosslessJson('[12345678901234567890.5, 1234567890123456789e0, 1e400, -0, 0.00000000000000000001]'),
  ).toEqual([Number('12345678901234567890.5'), Number('1234567890123456789'), Infinity, -0, 1e-20])
})

test('bare and nested arrays of long integers are read', () => {
  expect(parseLosslessJson('1234567890123456789')).toBe('1234567890123456789')
  expect(parseLosslessJson('[[1234567890123456789],\n-1234567890123456789]')).toEqual([
    ['1234567890123456789'],
    '-1234567890123456789',
  ])
})

test.each([
  '{1234567890123456789: 1}',
  '01234567890123456789',
  '1234567890123456789abc',
  '+1234567890123456789',
  '{"a": 1234567890123456789',
  '"1234567890123456789',
  '--1234567890123456789',
  '1234567890123456789.',
])('malformed text %s is refused as JSON.parse refuses it', (text) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  expect(() => parseLosslessJson(text)).toThrow(SyntaxError)
})

test('a __proto__ key changes no prototype', () => {
  const parsed = parseLosslessJson('{"__proto__": {"isAdmin": true}, "id": 1234567890123456789}') as object
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  expect((parsed as { isAdmin?: boolean }).isAdmin).toBeUndefined()
})

test('[TM2] random documents are as JSON.parse has them, but for long integers', () => {
  let seed = 42
  const random = (max: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % max
  }
  const texts = ['', '"', '\\', '1234567890123456789', ',:[]{}', '\n', 'é😀', ' 9007199254740993 ']
  const make = (depth: number): unknown => {
    switch (random(depth > 3 ? 4 : 6)) {
      case 0:
        return random(1e6)
      case 1:
        return texts[random(texts.length)]
      case 2:
        return BigInt(random(1e6)) * 10n ** 14n
      case 3:
        return random(2) === 0 ? null : random(1000) / 8
      case 4:
        return Array.from({ length: random(4) }, () => make(depth + 1))
      default:
        return Object.fromEntries(
          Array.from({ length: random(4) }, (_, i) => [
            `${texts[random(texts.length)]}${i}`,
            make(depth + 1),
          ]),
        )
    }
  }
  const print = (value: unknown): string => {
    if (typeof value === 'bigint') return String(value)
    if (Array.isArray(value)) return `[${value.map(print).join(', ')}]`
    if (typeof value === 'object' && value !== null) {
      return `{${Object.entries(value)
        .map(([key, item]) => `${JSON.stringify(key)} : ${print(item)}`)
        .join(',')}}`
    }
    return JSON.stringify(value)
  }
  const expected = (value: unknown): unknown => {
    if (typeof value === 'bigint')
      return value > BigInt(Number.MAX_SAFE_INTEGER) ? String(value) : Number(value)
    if (Array.isArray(value)) return value.map(expected)
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expected(item)]))
    }
    return value
  }
  for (let round = 0; round < 500; round += 1) {
    const value = make(0)
    expect(parseLosslessJson(print(value))).toEqual(expected(value))
  }
})
