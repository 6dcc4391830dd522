import { describe, expect, test } from 'vitest'
import { compareLiterals, decodeBound, formatLiteralSql, literalFromJson, parseLiteral } from './literal.ts'
import { encodeBound } from './literal-bytes.ts'
import { parsePrimitiveType } from './schema.ts'
import type { LiteralValue } from './types.ts'
import { encodeUtf8, formatHex } from './utf8.ts'

const parse = (type: string, text: string) => parseLiteral(parsePrimitiveType(type), text)
const sql = (type: string, value: LiteralValue) => formatLiteralSql(parsePrimitiveType(type), value)
const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

describe('parseLiteral', () => {
  test.each<[string, string, LiteralValue | undefined]>([
    ['int', '5', 5n],
    ['int', '-2147483648', -2147483648n],
    ['int', '2147483648', undefined],
    ['int', '2.5', undefined],
    ['int', '2.0', 2n],
    ['int', '1e3', 1000n],
    ['int', '1e9999', undefined],
    ['int', '', undefined],
    ['int', '.', undefined],
    ['long', '9223372036854775807', 9223372036854775807n],
    ['long', '9223372036854775808', undefined],
    ['decimal(5, 2)', '123.45', 12345n],
    ['decimal(5, 2)', '-0.05', -5n],
    ['decimal(5, 2)', '123.450', 12345n],
    ['decimal(5, 2)', '123.456', undefined],
    ['decimal(5, 2)', '1000', undefined],
    ['double', '0.1', 0.1],
    ['double', 'nan', Number.NaN],
    ['double', '-inf', -Infinity],
    ['double', '1e400', undefined],
    ['double', '-0.0', -0],
    ['float', '0.1', Math.fround(0.1)],
    ['float', '1e39', undefined],
    ['float', 'e5', undefined],
    ['boolean', 'true', true],
    ['boolean', 'FALSE', false],
    ['boolean', '1', undefined],
    ['date', '2024-01-01', 19723n],
    ['date', '1969-12-31', -1n],
    ['date', '2023-02-29', undefined],
    ['date', '2024-01-01 00:00:00', 19723n],
    ['date', '2024-01-01 00:00:01', undefined],
    ['date', '0001-12-31 (BC)', -719163n],
    ['date', 'infinity', undefined],
    ['time', '22:31:08', 81068000000n],
    ['time', '24:00:00', undefined],
    ['timestamp', '1969-12-31 23:59:59.999999', -1n],
    ['timestamp', '2024-01-01', 1704067200000000n],
    ['timestamp', '2024-01-01T00:00:00.1234567', undefined],
    ['timestamp', '2024-01-01 00:00:00.123456000', 1704067200123456n],
    ['timestamp', '2024-01-01 00:00:00+00', undefined],
    ['timestamp', '999999-01-01 00:00:00', undefined],
    ['timestamptz', '2024-01-01 02:00:00+02', 1704067200000000n],
    ['timestamptz', '2023-12-31 18:30:00-05:30', 1704067200000000n],
    ['timestamptz', '2024-01-01 00:00:00Z', 1704067200000000n],
    ['timestamp_ns', '2024-01-01 00:00:00.123456789', 1704067200123456789n],
    ['timestamp_ns', '2300-01-01 00:00:00', undefined],
    ['string', "it's", "it's"],
    ['variant', '1', undefined],
  ])('[LT1] %s %s is %s', (type, text, expected) => {
    const value = parse(type, text)
    expect(value).toBe(expected)
  })

  test('[LT1] uuid, fixed and binary become bytes', () => {
    expect(parse('uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7')).toEqual(
      bytes('f79c3e09677c4bbda4793f349cb785e7'),
    )
    expect(parse('uuid', 'f79c3e09')).toBeUndefined()
    expect(parse('binary', '\\x00A\\xFf')).toEqual(bytes('0041ff'))
    expect(parse('binary', '\\x0')).toBeUndefined()
    expect(parse('fixed[2]', 'AB')).toEqual(bytes('4142'))
    expect(parse('fixed[2]', 'ABC')).toBeUndefined()
  })
})

describe('compareLiterals', () => {
  test('[LT2] [H55] orders as DuckDB does', () => {
    expect(compareLiterals(Number.NaN, Infinity)).toBeGreaterThan(0)
    expect(compareLiterals(-Infinity, Number.NaN)).toBeLessThan(0)
    expect(compareLiterals(Number.NaN, Number.NaN)).toBe(0)
    expect(compareLiterals(-0, 0)).toBe(0)
    expect(compareLiterals(bytes('7f'), bytes('80'))).toBeLessThan(0)
    expect(compareLiterals(bytes('01'), bytes('0100'))).toBeLessThan(0)
    expect(compareLiterals(false, true)).toBeLessThan(0)
    expect(compareLiterals(-(2n ** 63n), 0n)).toBeLessThan(0)
  })

  test('[LT2] [H53] text is ordered by UTF-8 bytes, also beyond the basic plane', () => {
    const words = ['', 'a', 'ab', 'z', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '😀a', '\u{10ffff}']
    const hex = (text: string) => formatHex(encodeUtf8(text))
    for (const left of words) {
      for (const right of words) {
        expect(Math.sign(compareLiterals(left, right))).toBe(
          hex(left) < hex(right) ? -1 : hex(left) > hex(right) ? 1 : 0,
        )
      }
    }
  })
})

describe('decodeBound', () => {
  test.each<[string, string, LiteralValue | undefined]>([
    ['boolean', '01', true],
    ['int', 'feffffff', -2n],
    ['long', '0500000000000000', 5n],
    ['decimal(9, 2)', 'ff', -1n],
    ['decimal(38, 0)', '0080', 128n],
    ['string', '6963', 'ic'],
    ['date', 'ffffffff', -1n],
    ['double', '000000000000f03f', 1],
  ])('%s %s is %s', (type, hex, expected) => {
    expect(decodeBound(parsePrimitiveType(type), bytes(hex))).toBe(expected)
  })

  test('[LT3] [H56] widths from before a promotion are understood', () => {
    expect(decodeBound({ kind: 'long' }, bytes('feffffff'))).toBe(-2n)
    expect(decodeBound({ kind: 'double' }, bytes('0000803f'))).toBe(1)
    expect(decodeBound({ kind: 'timestamp' }, bytes('01000000'))).toBe(86_400_000_000n)
    expect(decodeBound({ kind: 'timestamp_ns' }, bytes('ffffffff'))).toBe(-86_400_000_000_000n)
  })

  test.each([
    ['double', '000000000000f87f'],
    ['float', '0000c07f'],
    ['int', '00'],
    ['int', '0000000000000000'],
    ['long', ''],
    ['timestamptz', '01000000'],
    ['uuid', '00'],
    ['string', 'f09f98'],
    ['boolean', ''],
    ['decimal(9, 2)', ''],
    ['variant', '00'],
    ['geometry', '00'],
  ])('[LT4] [H54] [H57] %s %s is no bound', (type, hex) => {
    expect(decodeBound(parsePrimitiveType(type), bytes(hex))).toBeUndefined()
  })

  test('a text that begins with a byte order mark keeps it', () => {
    expect(decodeBound({ kind: 'string' }, bytes('efbbbf61'))).toBe('\ufeffa')
  })

  test.each<[string, LiteralValue]>([
    ['int', -7n],
    ['long', -(2n ** 63n)],
    ['decimal(38, 3)', -(10n ** 37n)],
    ['decimal(38, 3)', 0n],
    ['float', Math.fround(1.1)],
    ['double', -0],
    ['string', 'é😀'],
    ['timestamptz_ns', -1n],
    ['boolean', false],
    ['fixed[3]', bytes('000102')],
  ])('%s %s survives encoding', (typeText, value) => {
    const type = parsePrimitiveType(typeText)
    expect(decodeBound(type, encodeBound(type, value))).toEqual(value)
  })
})

describe('formatLiteralSql', () => {
  test.each<[string, LiteralValue, string]>([
    ['boolean', true, 'TRUE'],
    ['int', -2147483648n, "CAST('-2147483648' AS INTEGER)"],
    ['long', -9223372036854775808n, "CAST('-9223372036854775808' AS BIGINT)"],
    ['double', Number.NaN, "CAST('nan' AS DOUBLE)"],
    ['float', -Infinity, "CAST('-inf' AS FLOAT)"],
    ['double', -0, "CAST('-0.0' AS DOUBLE)"],
    ['decimal(18, 2)', -5n, "CAST('-0.05' AS DECIMAL(18,2))"],
    ['decimal(18, 0)', 7n, "CAST('7' AS DECIMAL(18,0))"],
    ['date', 19723n, "DATE '2024-01-01'"],
    ['date', -719163n, "DATE '0001-12-31 (BC)'"],
    ['time', 81068000001n, "TIME '22:31:08.000001'"],
    ['timestamp', -1n, "TIMESTAMP '1969-12-31 23:59:59.999999'"],
    ['timestamptz', 1704067200000000n, "TIMESTAMPTZ '2024-01-01 00:00:00+00'"],
    ['timestamp_ns', 1n, "TIMESTAMP_NS '1970-01-01 00:00:00.000000001'"],
    ['string', "it's", "'it''s'"],
    ['string', 'a\0b', "('a' || chr(0) || 'b')"],
    [
      'uuid',
      bytes('f79c3e09677c4bbda4793f349cb785e7'),
      "CAST('f79c3e09-677c-4bbd-a479-3f349cb785e7' AS UUID)",
    ],
    ['binary', bytes('00ff'), "from_hex('00ff')"],
    ['fixed[1]', bytes('41'), "from_hex('41')"],
  ])('[LT5] %s %s', (type, value, expected) => {
    expect(sql(type, value)).toBe(expected)
  })

  test('[LT5] dates of all eras are read back as they were', () => {
    for (const days of [
      -2_000_000n,
      -719_529n,
      -719_528n,
      -719_163n,
      -719_162n,
      -1n,
      0n,
      11_016n,
      19_782n,
      2_932_896n,
    ]) {
      const text = /'(.*)'/.exec(sql('date', days))?.[1] ?? ''
      expect(parse('date', text), text).toBe(days)
    }
  })
})

test.each<[string, unknown, LiteralValue | undefined]>([
  ['int', 34, 34n],
  ['long', '9007199254740993', 9007199254740993n],
  ['decimal(9, 2)', '14.20', 1420n],
  ['double', 1.5, 1.5],
  ['date', '2017-11-16', 17486n],
  ['timestamptz', '2017-11-16T22:31:08.000001+00:00', 1510871468000001n],
  ['boolean', true, true],
  ['boolean', 'true', undefined],
  ['string', 5, undefined],
  ['int', {}, undefined],
])('[LT6] [H2] JSON default of %s %s is %s', (type, json, expected) => {
  expect(literalFromJson(parsePrimitiveType(type), json)).toBe(expected)
})

test('[LT6] JSON defaults of bytes are hexadecimal', () => {
  expect(literalFromJson({ kind: 'binary' }, '00ff')).toEqual(bytes('00ff'))
  expect(literalFromJson({ kind: 'fixed', lengthBytes: 1 }, '00ff')).toBeUndefined()
  expect(literalFromJson({ kind: 'binary' }, 'xx')).toBeUndefined()
})
