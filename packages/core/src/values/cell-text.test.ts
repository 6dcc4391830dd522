// The golden table: extremes of every type, as they must appear in the grid and in a copy.
import {
  Binary,
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int32,
  Int64,
  IntervalMonthDayNano,
  List,
  makeData,
  Map_,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint64,
  Utf8,
  vectorFromArray,
  type Data,
} from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { cellText } from './cell-text.ts'

const text = (data: Data, index = 0, sqlType = '') => cellText(data, index, { sqlType })

function decimalData(values: readonly bigint[], scale: number): Data {
  const words = new Uint32Array(values.length * 4)
  values.forEach((value, row) => {
    for (let i = 0; i < 4; i++) words[row * 4 + i] = Number(BigInt.asUintN(32, value >> BigInt(32 * i)))
  })
  return makeData({ type: new Decimal(scale, 38, 128), length: values.length, data: words })
}

const utf8 = (values: readonly (string | null)[]) => vectorFromArray([...values], new Utf8()).data[0]!

describe('numbers', () => {
  it('keeps all digits of 64-bit integers', () => {
    const data = makeData({
      type: new Int64(),
      length: 2,
      data: new BigInt64Array([9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n]),
    })
    expect([text(data, 0), text(data, 1)]).toEqual(['9223372036854775807', '-9223372036854775808'])
    const unsigned = makeData({ type: new Uint64(), length: 1, data: new BigUint64Array([2n ** 64n - 1n]) })
    expect(text(unsigned)).toBe('18446744073709551615')
  })

  it('places the point of decimals', () => {
    const unscaled = [1234n, -1n, 0n, 12345678901234567890123456789012345678n, -(10n ** 38n - 1n)]
    const shown = unscaled.map((_, i) => text(decimalData(unscaled, 6), i))
    expect(shown).toEqual([
      '0.001234',
      '-0.000001',
      '0.000000',
      '12345678901234567890123456789012.345678',
      '-99999999999999999999999999999999.999999',
    ])
    expect(text(decimalData([9007199254740994n], 0))).toBe('9007199254740994')
  })

  it('writes floats as short as they read back', () => {
    const single = makeData({
      type: new Float32(),
      length: 5,
      data: new Float32Array([0.1, -0, 3.4028234663852886e38, 1e-45, 16777216]),
    })
    expect([0, 1, 2, 3, 4].map((i) => text(single, i))).toEqual([
      '0.1',
      '-0',
      '3.4028235e+38',
      '1e-45',
      '16777216',
    ])
    const double = makeData({
      type: new Float64(),
      length: 5,
      data: new Float64Array([Number.NaN, Infinity, -Infinity, -0, 0.1]),
    })
    expect([0, 1, 2, 3, 4].map((i) => text(double, i))).toEqual(['NaN', 'Infinity', '-Infinity', '-0', '0.1'])
  })
})

describe('dates and times', () => {
  it('keeps every fraction digit and never shifts a timestamp without zone', () => {
    const us = makeData({
      type: new TimestampMicrosecond(),
      length: 4,
      data: new BigInt64Array([
        1_735_894_190_123_456n,
        253_402_300_799_999_999n,
        -1n,
        1_735_894_190_120_000n,
      ]),
    })
    expect([0, 1, 2, 3].map((i) => text(us, i))).toEqual([
      '2025-01-03 08:49:50.123456',
      '9999-12-31 23:59:59.999999',
      '1969-12-31 23:59:59.999999',
      '2025-01-03 08:49:50.12',
    ])
    const ns = makeData({
      type: new TimestampNanosecond(),
      length: 1,
      data: new BigInt64Array([1_735_894_190_123_456_789n]),
    })
    expect(text(ns)).toBe('2025-01-03 08:49:50.123456789')
    const ms = makeData({
      type: new TimestampMillisecond(),
      length: 1,
      data: new BigInt64Array([1_735_894_190_123n]),
    })
    expect(text(ms)).toBe('2025-01-03 08:49:50.123')
    const s = makeData({ type: new TimestampSecond(), length: 1, data: new BigInt64Array([0n]) })
    expect(text(s)).toBe('1970-01-01 00:00:00')
  })

  it('names the zone of a timestamp with zone', () => {
    const data = makeData({
      type: new TimestampMicrosecond('UTC'),
      length: 1,
      data: new BigInt64Array([1_735_894_190_000_000n]),
    })
    expect(text(data)).toBe('2025-01-03 08:49:50+00')
  })

  it('is right beyond year 9999, before year 1 and at infinity', () => {
    const data = makeData({
      type: new TimestampMicrosecond(),
      length: 4,
      data: new BigInt64Array([
        253_402_300_800_000_000n,
        -62_167_219_200_000_000n,
        9_223_372_036_854_775_807n,
        -9_223_372_036_854_775_807n,
      ]),
    })
    expect([0, 1, 2, 3].map((i) => text(data, i))).toEqual([
      '10000-01-01 00:00:00',
      '0001-01-01 (BC) 00:00:00',
      'infinity',
      '-infinity',
    ])
    const dates = makeData({
      type: new DateDay(),
      length: 5,
      data: new Int32Array([20_091, -719_529, 2_147_483_647, -2_147_483_647, 11_016]),
    })
    expect([0, 1, 2, 3, 4].map((i) => text(dates, i))).toEqual([
      '2025-01-03',
      '0002-12-31 (BC)',
      'infinity',
      '-infinity',
      '2000-02-29',
    ])
  })

  it('writes times and intervals as the engine does', () => {
    const time = makeData({
      type: new TimeMicrosecond(),
      length: 2,
      data: new BigInt64Array([31_790_123_456n, 86_400_000_000n]),
    })
    expect([text(time, 0), text(time, 1)]).toEqual(['08:49:50.123456', '24:00:00'])
    const interval = makeData({
      type: new IntervalMonthDayNano(),
      length: 2,
      data: new Int32Array([14, -3, 1_000_000_000, 0, 0, 0, 0, 0]),
    })
    expect([text(interval, 0), text(interval, 1)]).toEqual(['1 year 2 months -3 days 00:00:01', '00:00:00'])
  })
})

describe('text, binary and nested values', () => {
  it("tells NULL, '' and 'NULL' apart", () => {
    const data = utf8([null, '', 'NULL'])
    expect([0, 1, 2].map((i) => text(data, i))).toEqual([null, '', 'NULL'])
  })

  it('writes binary as hex and a UUID as one', () => {
    const binary = vectorFromArray([new Uint8Array([0, 255])], new Binary()).data[0]!
    expect(text(binary)).toBe('0x00ff')
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i * 17)
    const uuid = makeData({ type: new FixedSizeBinary(16), length: 1, data: bytes })
    expect(text(uuid, 0, 'UUID')).toBe('00112233-4455-6677-8899-aabbccddeeff')
  })

  it('writes a geometry as well-known text, and bytes that are none as hex', () => {
    const point = Uint8Array.from([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 0, 64])
    const data = vectorFromArray([point, new Uint8Array([9])], new Binary()).data[0]!
    expect([text(data, 0, 'GEOMETRY'), text(data, 1, 'GEOMETRY')]).toEqual(['POINT (1 2)', '0x09'])
    expect(text(data, 0, 'BLOB')).toMatch(/^0x0101/)
  })

  it('reads booleans bit by bit', () => {
    const data = vectorFromArray([true, null, false], new Bool()).data[0]!
    expect([0, 1, 2].map((i) => text(data, i))).toEqual(['true', null, 'false'])
  })

  it('walks lists, structs and maps with exact leaves', () => {
    const ids = makeData({ type: new Int64(), length: 2, data: new BigInt64Array([2n ** 53n + 1n, 2n]) })
    const list = makeData({
      type: new List(new Field('item', new Int64(), true)),
      length: 2,
      valueOffsets: new Int32Array([0, 2, 2]),
      child: ids,
    })
    expect([text(list, 0), text(list, 1)]).toEqual(['[9007199254740993, 2]', '[]'])
    const names = utf8(['a "b"', null])
    const fields = [new Field('id', new Int64()), new Field('name', new Utf8())]
    const struct = makeData({
      type: new Struct(fields),
      length: 2,
      nullCount: 0,
      children: [ids, names],
    })
    expect(text(struct, 0)).toBe('{"id": 9007199254740993, "name": "a \\"b\\""}')
    expect(text(struct, 1)).toBe('{"id": 2, "name": null}')
    const entries = makeData({
      type: new Struct([new Field('key', new Utf8()), new Field('value', new Int64())]),
      length: 2,
      nullCount: 0,
      children: [utf8(['x', 'y']), ids],
    })
    const map = makeData({
      type: new Map_(new Field('entries', entries.type) as never),
      length: 1,
      valueOffsets: new Int32Array([0, 2]),
      child: entries as never,
    })
    expect(text(map)).toBe('{"x": 9007199254740993, "y": 2}')
  })

  it('looks dictionary values up', () => {
    const data = makeData({
      type: new Dictionary(new Utf8(), new Int32()),
      length: 3,
      data: new Int32Array([1, 0, 1]),
      dictionary: vectorFromArray(['lo', 'hi'], new Utf8()),
    })
    expect([0, 1, 2].map((i) => text(data, i))).toEqual(['hi', 'lo', 'hi'])
  })
})
