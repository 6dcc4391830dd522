import { describe, expect, test } from 'vitest'
import { parseLiteral } from './literal.ts'
import { parsePrimitiveType } from './schema.ts'
import {
  applyTransform,
  hashLiteral,
  isReliablePartitionValue,
  parseTransform,
  transformResultType,
} from './transform.ts'
import type { LiteralValue } from './types.ts'

const apply = (transform: string, type: string, value: LiteralValue | null) =>
  applyTransform(parseTransform(transform), parsePrimitiveType(type), value)

/** Of -1 in eight bytes. */
const BEFORE_1970 = 1651860712

test.each<[string, string, number]>([
  ['int', '34', 2017239379],
  ['long', '34', 2017239379],
  ['decimal(9, 2)', '14.20', -500754589],
  ['date', '2017-11-16', -653330422],
  ['time', '22:31:08', -662762989],
  ['timestamp', '2017-11-16 22:31:08', -2047944441],
  ['timestamp', '2017-11-16 22:31:08.000001', -1207196810],
  ['timestamptz', '2017-11-16 14:31:08-08:00', -2047944441],
  ['timestamp_ns', '2017-11-16 22:31:08.000001001', -1207196810],
  // The microsecond before 1970, whatever its nanoseconds.
  ['timestamp', '1969-12-31 23:59:59.999999', BEFORE_1970],
  ['timestamp_ns', '1969-12-31 23:59:59.999999', BEFORE_1970],
  ['timestamp_ns', '1969-12-31 23:59:59.999999999', BEFORE_1970],
  ['string', 'iceberg', 1210000089],
  ['uuid', 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 1488055340],
  ['fixed[4]', '\\x00\\x01\\x02\\x03', -188683207],
  ['binary', '\\x00\\x01\\x02\\x03', -188683207],
])('[EX7] [H39] the hash of %s %s is that of the spec', (typeText, text, expected) => {
  const type = parsePrimitiveType(typeText)
  expect(hashLiteral(type, parseLiteral(type, text)!)).toBe(expected)
})

describe('applyTransform', () => {
  test.each<[string, string, LiteralValue, LiteralValue]>([
    ['truncate[10]', 'int', 1n, 0n],
    ['truncate[10]', 'int', -1n, -10n],
    ['truncate[50]', 'decimal(9, 2)', 1065n, 1050n],
    ['truncate[3]', 'string', 'iceberg', 'ice'],
    ['truncate[2]', 'string', '😀😀😀', '😀😀'],
    ['truncate[5]', 'string', 'ab', 'ab'],
    ['year', 'timestamp', -1n, -1n],
    ['month', 'timestamp', -1n, -1n],
    ['day', 'timestamp', -1n, -1n],
    ['hour', 'timestamp', -1n, -1n],
    ['year', 'date', 17486n, 47n],
    ['month', 'date', 17486n, 574n],
    ['day', 'date', 17486n, 17486n],
    ['hour', 'timestamptz', 3_600_000_000n, 1n],
    ['day', 'timestamp_ns', -1n, -1n],
    ['IDENTITY', 'long', 5n, 5n],
  ])('[EX7] [H40] [H41] [B27] %s of %s %s is %s', (transform, type, value, expected) => {
    expect(apply(transform, type, value)).toBe(expected)
  })

  test('[EX7] [H39] [H40] truncate cuts binary by bytes, bucket is never negative', () => {
    expect(apply('truncate[2]', 'binary', Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1, 2))
    expect(apply('bucket[100]', 'decimal(9, 2)', 1420n)).toBe(BigInt((-500754589 & 0x7fffffff) % 100))
  })

  test('[H36] null stays null, and void makes null of everything', () => {
    expect(apply('bucket[4]', 'string', null)).toBeNull()
    expect(apply('void', 'string', 'x')).toBeNull()
  })

  test.each([
    ['zorder[3]', 'int'],
    ['bucket[0]', 'int'],
    ['bucket', 'int'],
    ['truncate[3]', 'double'],
    ['bucket[3]', 'boolean'],
    ['hour', 'date'],
    ['year', 'string'],
  ])('[EX8] %s of %s is not computed', (transform, type) => {
    expect(apply(transform, type, 1n)).toBeUndefined()
    expect(transformResultType(parseTransform(transform), parsePrimitiveType(type))).toBeUndefined()
  })

  test('[EX9] [H40] [H44] results beyond the type are not computed', () => {
    expect(apply('truncate[10000]', 'int', -2147483648n)).toBeUndefined()
    expect(apply('hour', 'timestamp', 9_223_372_036_854_775_807n)).toBeUndefined()
  })

  test('[EX9] [H40] [H44] values that Java gets by overflow are known as such', () => {
    const truncate = parseTransform('truncate[10000]')
    expect(isReliablePartitionValue(truncate, { kind: 'int' }, 2147477296n)).toBe(false)
    expect(isReliablePartitionValue(truncate, { kind: 'long' }, 2147477296n)).toBe(false)
    expect(isReliablePartitionValue(truncate, { kind: 'int' }, 50_000n)).toBe(true)
    expect(isReliablePartitionValue(parseTransform('hour'), { kind: 'timestamp' }, -1_800_000_000n)).toBe(
      false,
    )
  })
})
