// Variants as JSON: every fixture of the Parquet project, shredded or not, against the variant that it states, and values
// that lie about themselves.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { IcebergType, NestedField } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeVariantNames } from '../../src/parquet/variant/variant-bytes.ts'
import { VariantText, writeVariant } from '../../src/parquet/variant/variant-json.ts'
import { CORPUS_DIRECTORY, CORPUS_MISSING } from '../support/corpus.ts'
import { openDuck, rowsOf } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'

const FIXTURES = join(CORPUS_DIRECTORY, '_fixtures', 'parquet-testing')

function jsonOf(metadata: Uint8Array, value: Uint8Array): string {
  const text = new VariantText()
  writeVariant(value, decodeVariantNames(metadata), 0, text)
  return text.toString()
}

/** A file of the fixtures holds the dictionary and, right behind it, the value. */
function statedJson(path: string): string {
  const bytes = new Uint8Array(readFileSync(path))
  const width = ((bytes[0] ?? 0) >> 6) + 1
  const read = (at: number): number =>
    Array.from({ length: width }, (_, index) => (bytes[at + index] ?? 0) * 256 ** index).reduce(
      (a, b) => a + b,
    )
  const count = read(1)
  const end = 1 + width + (count + 1) * width + read(1 + width + count * width)
  return jsonOf(bytes.subarray(0, end), bytes.subarray(end))
}

interface Case {
  readonly case_number: number
  readonly test?: string
  readonly parquet_file?: string
  readonly variant_file?: string
  readonly variant_files?: readonly (string | null)[]
  readonly error_message?: string
}

const struct = (...fields: NestedField[]): IcebergType => ({ kind: 'struct', fields })

const directory = mkdtempSync(join(tmpdir(), 'variant-'))
let duck: Awaited<ReturnType<typeof openDuck>>
beforeAll(async () => {
  duck = await openDuck()
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

describe.skipIf(CORPUS_MISSING !== undefined)('fixtures', () => {
  const shredded = join(FIXTURES, 'shredded_variant')
  const cases = existsSync(shredded)
    ? (JSON.parse(readFileSync(join(shredded, 'cases.json'), 'utf8')) as Case[])
    : []
  const files = cases.filter((entry) => entry.parquet_file !== undefined)

  test('[VA3] [H77] every shredded file is put together as it states, or refused where it is invalid', async () => {
    const wrong: unknown[] = []
    let right = 0
    let refused = 0
    for (const entry of files) {
      const path = join(shredded, entry.parquet_file ?? '')
      const schema = schemaOf(field(1, 'id', 'int'), field(2, 'var', { kind: 'variant' }))
      try {
        const outcome = await excerptOf(path, schema, directory)
        const rows = (await excerptRows(duck, outcome, 'INTEGER', 'JSON')) as [number, string | null][]
        const stated = (entry.variant_files ?? [entry.variant_file ?? null]).map((name) =>
          name === null ? null : statedJson(join(shredded, name)),
        )
        const ours = rows.map((row) => row[1])
        if (entry.error_message !== undefined || JSON.stringify(ours) !== JSON.stringify(stated)) {
          wrong.push([entry.case_number, entry.test, entry.error_message, ours, stated])
        } else right += 1
      } catch (error) {
        if (isAppError(error) && entry.error_message !== undefined) refused += 1
        else wrong.push([entry.case_number, entry.test, String(error)])
      }
    }
    expect(wrong).toEqual([])
    expect([right, refused]).toEqual([131, 6])
  })

  test('[VA1] every primitive, array and object has exactly the JSON that it means', () => {
    const variants = join(FIXTURES, 'variant')
    const json = Object.fromEntries(
      readdirSync(variants)
        .filter((name) => name.endsWith('.metadata'))
        .map((name) => {
          const bytesOf = (ending: string): Uint8Array =>
            new Uint8Array(readFileSync(join(variants, name.replace('.metadata', ending))))
          return [name.replace('.metadata', ''), jsonOf(bytesOf('.metadata'), bytesOf('.value'))]
        }),
    )
    expect(json).toMatchInlineSnapshot(`
      {
        "array_empty": "[]",
        "array_nested": "[{"id":1,"thing":{"names":["Contrarian","Spider"]}},null,{"id":2,"names":["Apple","Ray",null],"type":"if"}]",
        "array_primitive": "[2,1,5,9]",
        "long_string": ""This string is for sure and certainly longer than 64 bytes and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!"",
        "object_empty": "{}",
        "object_nested": "{"id":1,"observation":{"location":"In the Volcano","time":"12:34:56","value":{"humidity":456,"temperature":123}},"species":{"name":"lava monster","population":6789}}",
        "object_primitive": "{"boolean_false_field":false,"boolean_true_field":true,"double_field":1.23456789,"int_field":1,"null_field":null,"string_field":"Apache Parquet","timestamp_field":"2025-04-16T12:34:56.78"}",
        "primitive_binary": ""AxM33q2+78r+"",
        "primitive_boolean_false": "false",
        "primitive_boolean_true": "true",
        "primitive_date": ""2025-04-16"",
        "primitive_decimal16": "12345678912345678.90",
        "primitive_decimal4": "12.34",
        "primitive_decimal8": "12345678.90",
        "primitive_double": "1234567890.1234",
        "primitive_float": "1234568000.0",
        "primitive_int16": "1234",
        "primitive_int32": "123456",
        "primitive_int64": "1234567890123456789",
        "primitive_int8": "42",
        "primitive_null": "null",
        "primitive_string": ""This string is longer than 64 bytes and therefore does not fit in a short_string and it also includes several non ascii characters such as 🐢, 💖, ♥️, 🎣 and 🤦!!"",
        "primitive_time": ""12:33:54.123456"",
        "primitive_timestamp": ""2025-04-16T16:34:56.780000+00:00"",
        "primitive_timestamp_nanos": ""2024-11-07T12:33:54.123456789+00:00"",
        "primitive_timestampntz": ""2025-04-16T12:34:56.780000"",
        "primitive_timestampntz_nanos": ""2024-11-07T12:33:54.123456789"",
        "primitive_uuid": ""f24f9b64-81fa-49d1-b74e-8c09a6e31c56"",
        "short_string": ""Less than 64 bytes (❤️ with utf8)"",
      }
    `)
  })
})

describe('variants inside of columns', () => {
  const element = struct(
    field(3, 'x', 'long'),
    field(4, 'v', { kind: 'variant' }),
    field(5, 'l', { kind: 'list', elementId: 6, element: { kind: 'long' }, isElementRequired: false }),
  )
  const schema = schemaOf(
    field(1, 'items', { kind: 'list', elementId: 2, element, isElementRequired: false }),
    field(7, 'pairs', {
      kind: 'map',
      keyId: 8,
      key: { kind: 'string' },
      valueId: 9,
      value: struct(field(10, 'v', { kind: 'variant' }), field(11, 't', 'string')),
      isValueRequired: false,
    }),
    field(
      12,
      's',
      struct(field(13, 'i', struct(field(14, 'v', { kind: 'variant' }))), field(15, 'd', 'double')),
    ),
  )
  /** @param v SQL of the variant of an integer */
  const rowsWith = (v: (sql: string) => string): string => `SELECT
    CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN [] ELSE [
      CASE WHEN i % 5 = 0 THEN NULL ELSE {'x': CASE WHEN i % 3 > 0 THEN i END, 'v': CASE WHEN i % 4 > 0 THEN ${v('i')} END, 'l': CASE WHEN i % 6 > 0 THEN [i, NULL] END} END,
      {'x': i, 'v': ${v('i + 1')}, 'l': []}] END AS items,
    CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN MAP {} ELSE MAP {'a': {'v': ${v('i')}, 't': 'é'}, 'b': NULL, 'c': {'v': NULL, 't': NULL}} END AS pairs,
    CASE WHEN i % 11 = 0 THEN NULL ELSE {'i': CASE WHEN i % 2 = 0 THEN {'v': CASE WHEN i % 8 > 0 THEN ${v('i')} END} END, 'd': i / 3} END AS s
    FROM range(5000) t(i)`

  test('[VA5] are JSON where they are, and everything beside them stays as it is', async () => {
    const path = join(directory, 'nested.parquet')
    const bytes = (sql: string): string =>
      `{'metadata': from_hex('010000'), 'value': from_hex('0c' || lpad(to_hex((${sql}) % 100), 2, '0'))}`
    const ids = `{items: {__duckdb_field_id: 1, element: {__duckdb_field_id: 2, x: 3, v: 4, l: {__duckdb_field_id: 5, element: 6}}},
      pairs: {__duckdb_field_id: 7, key: 8, value: {__duckdb_field_id: 9, v: 10, t: 11}},
      s: {__duckdb_field_id: 12, i: {__duckdb_field_id: 13, v: 14}, d: 15}}`
    await duck.run(
      `COPY (${rowsWith(bytes)}) TO '${path}' (FORMAT parquet, FIELD_IDS ${ids}, ROW_GROUP_SIZE 2048)`,
    )
    const json = (sql: string): string => `((${sql}) % 100)::VARCHAR::JSON`
    const expected = (await rowsOf(duck, rowsWith(json))).map((row): unknown => JSON.parse(row))
    const types = [
      'STRUCT(x BIGINT, v JSON, l BIGINT[])[]',
      'MAP(VARCHAR, STRUCT(v JSON, t VARCHAR))',
      'STRUCT(i STRUCT(v JSON), d DOUBLE)',
    ]
    expect(await excerptRows(duck, await excerptOf(path, schema, directory), ...types)).toEqual(expected)
  })
})

describe('large row groups', () => {
  const write = async (value: string, name: string): Promise<string> => {
    const path = join(directory, name)
    const sql = `SELECT i::INTEGER AS id, {'metadata': from_hex('0101000161'), 'value': from_hex(${value})} AS v FROM range(20000) t(i)`
    await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, FIELD_IDS {id: 1, v: 2})`)
    return path
  }
  const schema = schemaOf(field(1, 'id', 'int'), field(2, 'v', { kind: 'variant' }))

  test('[VA6] are rewritten in a thread, value for value', async () => {
    const path = await write(`'0201000005' || '14' || lpad(to_hex(i), 6, '0') || '00'`, 'large.parquet')
    const outcome = await excerptOf(path, schema, directory)
    const rows = (await excerptRows(duck, outcome, 'INTEGER', 'JSON')) as [number, string][]
    const valueOf = (id: number): number => (id & 0xff) * 65_536 + (id & 0xff00) + (id >> 16)
    expect(rows.length).toBe(20_000)
    expect(rows.every(([id, v]) => v === `{"a":${valueOf(id)}}`)).toBe(true)
  })

  test('[VA6] fail with the reason of their failure, and end when cancelled', async () => {
    const path = await write(`CASE WHEN i = 19999 THEN 'ff' ELSE '00' END`, 'damaged.parquet')
    await expect(excerptOf(path, schema, directory)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    const good = await write(`'00'`, 'good.parquet')
    const controller = new AbortController()
    const reason = new AppError('CANCELLED', 'stopped')
    setTimeout(() => {
      controller.abort(reason)
    }, 5)
    await expect(excerptOf(good, schema, directory, {}, controller.signal)).rejects.toBe(reason)
  })
})

describe('damaged pages', () => {
  test('[VA4] any changed byte gives rows or a typed error', async () => {
    const path = join(directory, 'small.parquet')
    const sql = `SELECT CASE WHEN i % 5 > 0 THEN {'metadata': from_hex('010000'), 'value': from_hex('0c' || lpad(to_hex(i), 2, '0'))} END AS v FROM range(12) t(i)`
    await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, FIELD_IDS {v: 2})`)
    const bytes = readFileSync(path)
    const end = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
    const changed = join(directory, 'changed.parquet')
    const schema = schemaOf(field(2, 'v', { kind: 'variant' }))
    for (let at = 4; at < end; at += 5) {
      for (const value of [0, 0x80]) {
        writeFileSync(
          changed,
          Uint8Array.from(bytes, (byte, index) => (index === at ? value : byte)),
        )
        const error: unknown = await excerptOf(changed, schema, directory).then(
          () => undefined,
          (reason: unknown) => reason,
        )
        expect(error === undefined || isAppError(error), `${at}: ${String(error)}`).toBe(true)
      }
    }
  }, 60_000)
})

describe('hostile variants', () => {
  const EMPTY = Uint8Array.of(1, 0, 0)
  const failure = (value: Uint8Array, metadata = EMPTY): unknown => {
    try {
      jsonOf(metadata, value)
      return undefined
    } catch (error) {
      return error
    }
  }

  test('[VA4] bytes cut off or changed anywhere give a value or a typed error', () => {
    const object = Uint8Array.of(2, 2, 0, 1, 0, 5, 8, 0x14, 1, 0, 0, 0, 9, 0x78, 0x79)
    const metadata = Uint8Array.of(1, 2, 0, 1, 2, 0x61, 0x62)
    expect(jsonOf(metadata, object)).toBe('{"a":1,"b":"xy"}')
    for (const bytes of [object, metadata]) {
      for (let at = 0; at < bytes.length; at += 1) {
        const cut = bytes.slice(0, at)
        const errors = [bytes === object ? failure(cut, metadata) : failure(object, cut)]
        for (let value = 0; value < 256; value += 1) {
          const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? value : byte))
          errors.push(bytes === object ? failure(changed, metadata) : failure(object, changed))
        }
        for (const error of errors) expect(error === undefined || isAppError(error)).toBe(true)
      }
    }
  })

  test('[VA4] a value that holds one part of itself many times is refused, not written out', () => {
    // Every level is an array of 16 elements that are all the next level.
    let value = Uint8Array.of(0x0c, 7)
    for (let level = 0; level < 12; level += 1) {
      const offsets = [0, ...Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? value.length : 0))]
      value = Uint8Array.from([
        0x03 | (1 << 2),
        16,
        ...offsets.flatMap((at) => [at & 0xff, at >> 8]),
        ...value,
      ])
    }
    expect(isAppError(failure(value))).toBe(true)
    let deep = Uint8Array.of(0)
    for (let level = 0; level < 300; level += 1) {
      deep = Uint8Array.from([
        0x03 | (3 << 2),
        1,
        0,
        0,
        0,
        0,
        deep.length & 0xff,
        deep.length >> 8,
        0,
        0,
        ...deep,
      ])
    }
    expect(failure(deep)).toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })

  test('[VA2] numbers that JSON lacks are strings, and floats keep their shortest exact text', () => {
    const double = (value: number): Uint8Array => {
      const bytes = new Uint8Array(9)
      bytes[0] = 7 << 2
      new DataView(bytes.buffer).setFloat64(1, value, true)
      return bytes
    }
    const values = [NaN, Infinity, -Infinity, -0, 5, 1e300, 0.1]
    expect(values.map((value) => jsonOf(EMPTY, double(value)))).toEqual([
      '"NaN"',
      '"Infinity"',
      '"-Infinity"',
      '-0.0',
      '5.0',
      '1e+300',
      '0.1',
    ])
  })

  test('[VA2] a decimal of 38 digits loses none', () => {
    const bytes = new Uint8Array(18)
    bytes[0] = 10 << 2
    bytes[1] = 10
    const view = new DataView(bytes.buffer)
    const unscaled = -99999999999999999999999999999999999999n
    view.setBigUint64(2, BigInt.asUintN(64, unscaled), true)
    view.setBigInt64(10, unscaled >> 64n, true)
    expect(jsonOf(EMPTY, bytes)).toBe('-9999999999999999999999999999.9999999999')
  })
})
