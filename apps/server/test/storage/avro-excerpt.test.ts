// Avro data files read by the same rules as Parquet ones, exact to the last digit.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseNameMapping } from '@lake/core/iceberg/name-mapping.ts'
import type { IcebergType, Schema } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExcerptOutcome, ExcerptRequest } from '../../src/parquet/excerpt-writer.ts'
import { avroExcerptOf, list, logical, map, struct, writeAvro } from './avro-data.ts'
import { openDuck } from './duck.ts'
import { excerptRows, field, schemaOf } from './excerpt.ts'

const directory = mkdtempSync(join(tmpdir(), 'avro-excerpt-'))
let duck: Awaited<ReturnType<typeof openDuck>>
beforeAll(async () => {
  duck = await openDuck()
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

const write = (fields: readonly unknown[], rows: readonly unknown[], options = {}): string =>
  writeAvro(directory, fields, rows, options)
const excerptOf = async (
  path: string,
  schema: Schema,
  more: Partial<ExcerptRequest> = {},
): Promise<ExcerptOutcome> => await avroExcerptOf(directory, path, schema, more)

describe('[AV1] every type', () => {
  const columns: [
    name: string,
    avro: unknown,
    type: IcebergType,
    sql: string,
    value: unknown,
    expected: unknown,
  ][] = [
    ['flag', 'boolean', { kind: 'boolean' }, 'BOOLEAN', true, true],
    ['small', 'int', { kind: 'int' }, 'INTEGER', -2147483648, -2147483648],
    ['large', 'long', { kind: 'long' }, 'BIGINT', -9223372036854775808n, '-9223372036854775808'],
    ['widened', 'int', { kind: 'long' }, 'BIGINT', 2147483647, '2147483647'],
    ['single', 'float', { kind: 'float' }, 'FLOAT', 0.5, 0.5],
    ['doubled', 'float', { kind: 'double' }, 'DOUBLE', 0.25, 0.25],
    ['ratio', 'double', { kind: 'double' }, 'DOUBLE', 0.1, 0.1],
    [
      'price',
      { type: 'fixed', name: 'price', size: 16, logicalType: 'decimal', precision: 38, scale: 10 },
      { kind: 'decimal', precision: 38, scale: 10 },
      'DECIMAL(38,10)',
      Buffer.from('b4c4b357a5793b85f675ddc000000001', 'hex'),
      '-9999999999999999999999999999.9999999999',
    ],
    ['day', logical('int', 'date'), { kind: 'date' }, 'DATE', -1, '1969-12-31'],
    ['clock', logical('long', 'time-micros'), { kind: 'time' }, 'TIME', 45296123456n, '12:34:56.123456'],
    [
      'moment',
      logical('long', 'timestamp-micros', { 'adjust-to-utc': false }),
      { kind: 'timestamp' },
      'TIMESTAMP',
      -1n,
      '1969-12-31 23:59:59.999999',
    ],
    [
      'instant',
      logical('long', 'timestamp-micros', { 'adjust-to-utc': true }),
      { kind: 'timestamptz' },
      'TIMESTAMPTZ',
      0n,
      '1970-01-01 00:00:00+00',
    ],
    [
      'nanos',
      logical('long', 'timestamp-nanos', { 'adjust-to-utc': false }),
      { kind: 'timestamp_ns' },
      'TIMESTAMP_NS',
      1730982834123456789n,
      '2024-11-07 12:33:54.123456789',
    ],
    ['promoted', logical('int', 'date'), { kind: 'timestamp' }, 'TIMESTAMP', 1, '1970-01-02 00:00:00'],
    ['text', 'string', { kind: 'string' }, 'VARCHAR', 'ü\u0000🐢', 'ü\u0000🐢'],
    [
      'uid',
      { type: 'fixed', name: 'uid', size: 16, logicalType: 'uuid' },
      { kind: 'uuid' },
      'UUID',
      Buffer.from('f24f9b6481fa49d1b74e8c09a6e31c56', 'hex'),
      'f24f9b64-81fa-49d1-b74e-8c09a6e31c56',
    ],
    ['bytes', 'bytes', { kind: 'binary' }, 'BLOB', Buffer.from([0, 255]), String.raw`\x00\xFF`],
    [
      'four',
      { type: 'fixed', name: 'four', size: 4 },
      { kind: 'fixed', lengthBytes: 4 },
      'BLOB',
      Buffer.from('abcd'),
      'abcd',
    ],
    [
      'list',
      { type: 'array', items: ['null', 'long'], 'element-id': 100 },
      list(100, { kind: 'long' }),
      'BIGINT[]',
      [1n, null, 3n],
      ['1', null, '3'],
    ],
    ['none', { type: 'array', items: 'int' }, list(101, { kind: 'int' }), 'INTEGER[]', [], []],
    [
      'nested',
      { type: 'array', items: ['null', { type: 'array', items: ['null', 'string'] }] },
      list(102, list(103, { kind: 'string' })),
      'VARCHAR[][]',
      [['a', null], null, []],
      [['a', null], null, []],
    ],
    [
      'byText',
      { type: 'map', values: ['null', 'int'] },
      map(104, { kind: 'string' }, 105, { kind: 'int' }),
      'MAP(VARCHAR, INTEGER)',
      { a: 1, b: null },
      [
        { key: 'a', value: 1 },
        { key: 'b', value: null },
      ],
    ],
    [
      'byNumber',
      {
        type: 'array',
        logicalType: 'map',
        items: {
          type: 'record',
          name: 'k106_v107',
          fields: [
            { name: 'key', type: 'long', 'field-id': 106 },
            { name: 'value', type: ['null', 'string'], 'field-id': 107 },
          ],
        },
      },
      map(106, { kind: 'long' }, 107, { kind: 'string' }),
      'MAP(BIGINT, VARCHAR)',
      [{ key: 5n, value: 'five' }],
      [{ key: '5', value: 'five' }],
    ],
    [
      'pairs',
      {
        type: 'array',
        items: {
          type: 'record',
          name: 'r108',
          fields: [
            { name: 'key', type: 'int', 'field-id': 109 },
            { name: 'value', type: 'int', 'field-id': 110 },
          ],
        },
      },
      list(108, struct(field(109, 'key', 'int'), field(110, 'value', 'int'))),
      'STRUCT("key" INTEGER, "value" INTEGER)[]',
      [
        { key: 1, value: 1 },
        { key: 1, value: 2 },
      ],
      [
        { key: 1, value: 1 },
        { key: 1, value: 2 },
      ],
    ],
    [
      'inner',
      {
        type: 'record',
        name: 'r111',
        fields: [
          { name: 'x_old', type: 'int', 'field-id': 112 },
          { name: 'dropped', type: 'string', 'field-id': 199 },
        ],
      },
      struct(field(113, 'added', 'string', { initialDefault: 'new' }), field(112, 'x', 'long')),
      'STRUCT(added VARCHAR, x BIGINT)',
      { x_old: 7, dropped: 'gone' },
      { added: 'new', x: '7' },
    ],
  ]

  test.each(['null', 'deflate', 'snappy', 'zstandard'] as const)('is exact, with codec %s', async (codec) => {
    const fields = columns.map(([name, avro], index) => ({ name, type: avro, 'field-id': index + 1 }))
    const path = write(fields, [Object.fromEntries(columns.map(([name, , , , value]) => [name, value]))], {
      codec,
    })
    const schema = schemaOf(...columns.map(([name, , type], index) => field(index + 1, `t_${name}`, type)))
    const outcome = await excerptOf(path, schema)
    const [row] = (await excerptRows(duck, outcome, ...columns.map(([, , , sql]) => sql))) as [unknown[]]
    columns.forEach(([name, , , , , expected], index) => {
      expect(row[index], name).toEqual(expected)
    })
  })

  test('is null where the file has null', async () => {
    const nullable = columns.filter(([name]) => name !== 'inner')
    const fields = nullable.map(([name, avro], index) => ({
      name,
      type: ['null', avro],
      'field-id': index + 1,
    }))
    const path = write(fields, [Object.fromEntries(nullable.map(([name]) => [name, null]))])
    const schema = schemaOf(...nullable.map(([name, , type], index) => field(index + 1, name, type)))
    const [row] = await excerptRows(
      duck,
      await excerptOf(path, schema),
      ...nullable.map(([, , , sql]) => sql),
    )
    expect(row).toEqual(nullable.map(() => null))
  })
})

describe('[AV2] columns', () => {
  const fields = [
    { name: 'a', type: 'int', 'field-id': 1 },
    { name: 'b', type: ['null', 'string'], 'field-id': 2 },
  ]
  const rows = [
    { a: 1, b: 'x' },
    { a: 2, b: null },
    { a: 3, b: 'z' },
    { a: 4, b: 'w' },
  ]

  test('[H80] are found by id, filled by default, and keep the order of rows over blocks', async () => {
    const path = write(fields, rows)
    const schema = schemaOf(
      field(2, 'a', 'string'),
      field(9, 'new', 'int', { initialDefault: 5 }),
      field(1, 'b', 'int'),
    )
    const outcome = await excerptOf(path, schema)
    expect(await excerptRows(duck, outcome, 'VARCHAR', 'INTEGER', 'INTEGER')).toEqual([
      ['x', 5, 1],
      [null, 5, 2],
      ['z', 5, 3],
      ['w', 5, 4],
    ])
    expect(outcome.keptRows).toEqual([{ firstRow: 0, rowCount: 4 }])
  })

  test('that are required and missing are damage', async () => {
    const schema = schemaOf(field(9, 'new', 'int', { isRequired: true }))
    await expect(excerptOf(write(fields, rows), schema)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  })

  test('without ids are found by name mapping, and refused without one', async () => {
    const path = write(
      [{ name: 'old', type: 'int' }],
      rows.map(({ a }) => ({ old: a })),
    )
    const schema = schemaOf(field(1, 'a', 'int'))
    await expect(excerptOf(path, schema)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
    const nameMapping = parseNameMapping('[{"field-id": 1, "names": ["a", "old"]}]')
    expect(await excerptRows(duck, await excerptOf(path, schema, { nameMapping }), 'INTEGER')).toEqual([
      [1],
      [2],
      [3],
      [4],
    ])
  })

  test.each<[string, unknown, IcebergType]>([
    ['a union of types', ['int', 'string'], { kind: 'int' }],
    ['an unknown logical type', logical('long', 'epoch-days'), { kind: 'long' }],
    [
      'a decimal of another scale',
      logical('bytes', 'decimal', { precision: 9, scale: 2 }),
      { kind: 'decimal', precision: 9, scale: 3 },
    ],
    ['text as a number', 'string', { kind: 'int' }],
  ])('%s is refused', async (_name, avro, type) => {
    const path = write([{ name: 'a', type: avro, 'field-id': 1 }], [])
    await expect(excerptOf(path, schemaOf(field(1, 'a', type)))).rejects.toMatchObject({
      code: 'TABLE_UNSUPPORTED',
    })
  })

  test('an int of more than 32 bits is damage', async () => {
    const path = write([{ name: 'a', type: 'long', 'field-id': 1 }], [{ a: 2n ** 40n }])
    const bytes = readFileSync(path)
    writeFileSync(
      path,
      Buffer.from(bytes.toString('latin1').replace('"type":"long"', '"type":"int" '), 'latin1'),
    )
    await expect(excerptOf(path, schemaOf(field(1, 'a', 'int')))).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
  })

  test('of many rows go into several row groups with positions over all', async () => {
    const many = Array.from({ length: 35_000 }, (_, index) => ({ a: index, b: `v${index}` }))
    const path = write(fields, many, { rowsPerBlock: 9_999, codec: 'deflate' })
    const outcome = await excerptOf(path, schemaOf(field(1, 'a', 'int'), field(2, 'b', 'string')))
    expect(outcome.keptRows).toEqual([
      { firstRow: 0, rowCount: 16_384 },
      { firstRow: 16_384, rowCount: 16_384 },
      { firstRow: 32_768, rowCount: 2_232 },
    ])
    const read = (await excerptRows(duck, outcome, 'INTEGER', 'VARCHAR')) as [number, string][]
    expect(read.every(([a, b], index) => a === index && b === `v${index}`)).toBe(true)
  })
})
