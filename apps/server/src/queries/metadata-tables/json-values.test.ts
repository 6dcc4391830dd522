// Values through JSON lines and the real engine: what comes out is what went in.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { IcebergType, NestedField } from '@lake/core/iceberg/types.ts'
import { collect, never, startTestEngine } from '../../../test/engine-support.ts'
import { duckdbType } from '../../sql/duckdb-type.ts'
import { jsonType, toJson } from './json-values.ts'
import { BINARY, BOOLEAN, field, INT, listOf, LONG, mapOf, STRING, TIMESTAMPTZ } from './schema-fields.ts'

const test = await startTestEngine()
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

/** The value as the engine prints it, after a way through a file. */
async function through(type: IcebergType, value: unknown): Promise<unknown> {
  await using session = await test.engine.acquire(never)
  const path = join(session.directory, 'rows.json')
  await writeFile(path, `{"c0":${toJson(type, value)}}\n`)
  const table = {
    schemaName: 's',
    tableName: 't$x',
    columns: [{ name: 'v', sqlType: duckdbType(type) ?? '' }],
  }
  const source = { kind: 'json', path, jsonTypes: new Map([[0, jsonType(type)]]) } as const
  await session.defineScans([{ table, columnIndexes: new Set([0]), source }], never)
  const rows = await collect(session, 'SELECT v::VARCHAR, typeof(v) FROM iceberg.s.t$x')
  const unquoted = (text: unknown): string => String(text).replaceAll('"', '')
  expect(unquoted(rows.getChildAt(1)?.get(0))).toBe(unquoted(duckdbType(type)))
  return rows.getChildAt(0)?.get(0) as unknown
}

const struct = (...fields: NestedField[]): IcebergType => ({ kind: 'struct', fields })
const bytes = Uint8Array.from({ length: 256 }, (_byte, index) => index)

describe('[MT3] a value stays what it is', () => {
  it.each<[string, IcebergType, unknown, string | null]>([
    ['the greatest long', LONG, 9_223_372_036_854_775_807n, '9223372036854775807'],
    ['the least long', LONG, -9_223_372_036_854_775_808n, '-9223372036854775808'],
    ['a long that a double rounds', LONG, 9_007_199_254_740_993n, '9007199254740993'],
    ['an int as a number', INT, -5, '-5'],
    ['a boolean', BOOLEAN, false, 'false'],
    ['null', LONG, undefined, null],
    ['text', STRING, 'é😀 "\\\' \n\t{}', 'é😀 "\\\' \n\t{}'],
    ['a NUL in text', STRING, 'a\0b', 'a\0b'],
    ['text that looks like JSON', STRING, 'null', 'null'],
    ['bytes', BINARY, Uint8Array.of(0, 10, 65, 92, 255), '\\x00\\x0AA\\x5C\\xFF'],
    ['a time with zone', TIMESTAMPTZ, 1_600_000_000_123_456n, '2020-09-13 12:26:40.123456+00'],
    ['a time before 1970', TIMESTAMPTZ, -1n, '1969-12-31 23:59:59.999999+00'],
    ['a date before Christ', { kind: 'date' }, -800_000n, '0222-09-04 (BC)'],
    [
      'a time in nanoseconds',
      { kind: 'timestamp_ns' },
      1_600_000_000_123_456_789n,
      '2020-09-13 12:26:40.123456789',
    ],
    [
      'a decimal of 38 digits',
      { kind: 'decimal', precision: 38, scale: 2 },
      -(10n ** 38n - 1n),
      '-999999999999999999999999999999999999.99',
    ],
    ['NaN', { kind: 'double' }, Number.NaN, 'nan'],
    ['minus zero', { kind: 'double' }, -0, '-0.0'],
    ['minus infinity', { kind: 'float' }, -Infinity, '-inf'],
    ['a small double', { kind: 'double' }, 5e-324, '5e-324'],
    ['a uuid', { kind: 'uuid' }, bytes.slice(0, 16), '00010203-0405-0607-0809-0a0b0c0d0e0f'],
    ['an empty list', listOf(1, LONG), [], '[]'],
    ['a list with null', listOf(1, LONG), [1n, null], '[1, NULL]'],
    [
      'a map of ids',
      mapOf(1, INT, 2, BINARY),
      new Map([
        [7, Uint8Array.of(1)],
        [-1, Uint8Array.of()],
      ]),
      "{7=\\x01, -1=''}",
    ],
    [
      'a map of texts',
      mapOf(1, STRING, 2, STRING),
      new Map([
        ['a"b', '1'],
        ['', 'x'],
      ]),
      `{'a"b'=1, ''=x}`,
    ],
    [
      'a struct with odd names',
      struct(
        field(1, 'a.b', INT),
        field(2, 'q"q', STRING),
        field(3, "it's é", BOOLEAN),
        field(4, '__proto__', INT),
      ),
      { 'a.b': 1, 'q"q': 'x', "it's é": true },
      `{'a.b': 1, 'q"q': x, 'it\\'s é': true, '__proto__': NULL}`,
    ],
  ])('%s', async (_what, type, value, expected) => {
    expect(await through(type, value)).toBe(expected)
  })

  it('all bytes', async () => {
    const text = String(await through(BINARY, bytes))
    expect(text.startsWith('\\x00\\x01')).toBe(true)
    expect(text.endsWith('\\xFE\\xFF')).toBe(true)
  })
})

it('refuses an integer beyond 64 bits', () => {
  expect(() => toJson(LONG, 2n ** 63n)).toThrow(expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }))
  expect(() => toJson(listOf(1, LONG), [2n ** 64n])).toThrow(
    expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }),
  )
})
