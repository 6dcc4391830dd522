import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { parseNameMapping } from '@lake/core/iceberg/name-mapping.ts'
import type { IcebergType, NestedField } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDuck, rowsOf, excerptSql } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

let duck: Awaited<ReturnType<typeof openDuck>>
let directory: string
beforeAll(async () => {
  duck = await openDuck()
})
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'excerpt-'))
  return () => {
    rmSync(directory, { recursive: true })
  }
})
afterAll(() => {
  duck.closeSync()
})

async function write(sql: string, options = '', name = 'data'): Promise<string> {
  const path = join(directory, `${name}.parquet`)
  await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet${options === '' ? '' : `, ${options}`})`)
  return path
}
const struct = (...fields: NestedField[]): IcebergType => ({ kind: 'struct', fields })
const list = (elementId: number, element: IcebergType): IcebergType => ({
  kind: 'list',
  elementId,
  element,
  isElementRequired: false,
})

describe('every codec, page version and encoding', () => {
  const source = `SELECT i AS id, i % 7 AS dict, CASE WHEN i % 5 = 0 THEN NULL ELSE 's' || i END AS text,
    i / 3.0 AS ratio, [i, NULL, i + 1] AS items, {'a': i, 'b': 'x' || i} AS pair FROM range(5000) t(i)`
  const schema = schemaOf(
    field(1, 'id', 'long'),
    field(2, 'dict', 'long'),
    field(3, 'text', 'string'),
    field(4, 'ratio', 'double'),
    field(5, 'items', list(6, { kind: 'long' })),
    field(7, 'pair', struct(field(8, 'a', 'long'), field(9, 'b', 'string'))),
  )
  const ids = `FIELD_IDS {id: 1, dict: 2, text: 3, ratio: 4, items: {__duckdb_field_id: 5, element: 6}, pair: {__duckdb_field_id: 7, a: 8, b: 9}}`
  test.each([
    ...['snappy', 'zstd', 'gzip', 'lz4_raw', 'brotli', 'uncompressed'].map((codec) => `CODEC '${codec}'`),
    'PARQUET_VERSION v2',
    'PARQUET_VERSION v2, ROW_GROUP_SIZE 2048',
    'ROW_GROUP_SIZE 2048, DICTIONARY_SIZE_LIMIT 1',
  ])('%s', async (options) => {
    const path = await write(source, `${ids}, ${options}`)
    const original = await rowsOf(duck, `SELECT * FROM '${path}'`)
    const all = await excerptOf(path, schema, directory)
    expect(await rowsOf(duck, excerptSql(all.excerpt))).toEqual(original)
    const some = await excerptOf(path, schema, directory, { columnIndexes: new Set([5, 2]) })
    expect(await rowsOf(duck, excerptSql(some.excerpt))).toEqual(
      await rowsOf(duck, `SELECT text, pair FROM '${path}'`),
    )
  })
})

describe('row groups', () => {
  const ids = 'FIELD_IDS {id: 1, text: 2}, ROW_GROUP_SIZE 2048'
  const source = `SELECT i AS id, 'k' || lpad(i::VARCHAR, 6, '0') AS text FROM range(10000) t(i)`
  const schema = schemaOf(field(1, 'id', 'long'), field(2, 'text', 'string'))
  const predicates: [string, Predicate, number][] = [
    ['id = 5000', { op: 'eq', fieldId: 1, literal: 5000n }, 1],
    ['id >= 4095', { op: 'gt-eq', fieldId: 1, literal: 4095n }, 4],
    [`text = 'k000001'`, { op: 'eq', fieldId: 2, literal: 'k000001' }, 1],
    ['id IS NULL', { op: 'is-null', fieldId: 1 }, 0],
    ['id < 0', { op: 'lt', fieldId: 1, literal: 0n }, 0],
  ]
  test.each(predicates)('[EC1] %s reads only what may match', async (sql, predicate, groups) => {
    const path = await write(source, ids)
    const outcome = await excerptOf(path, schema, directory, { predicate })
    expect([outcome.rowGroupsRead, outcome.rowGroupsTotal]).toEqual([groups, 5])
    expect(outcome.keptRows.reduce((total, kept) => total + kept.rowCount, 0)).toBe(outcome.excerpt.rowCount)
    const { excerpt } = outcome
    const matched =
      excerpt.rowCount === 0
        ? []
        : await rowsOf(duck, `SELECT * FROM (${excerptSql(excerpt)}) v(id, text) WHERE ${sql}`)
    expect(matched).toEqual(await rowsOf(duck, `SELECT * FROM '${path}' WHERE ${sql}`))
    if (groups === 0) expect(excerpt.path).toBeUndefined()
  })

  test('[H83] kept rows say where the excerpt’s rows were in the file', async () => {
    const path = await write(source, ids)
    const predicate: Predicate = { op: 'in', fieldId: 1, literals: [1n, 9000n] }
    const { keptRows } = await excerptOf(path, schema, directory, { predicate })
    expect(keptRows).toEqual([
      { firstRow: 0, rowCount: 2048 },
      { firstRow: 8192, rowCount: 1808 },
    ])
  })

  test('[EC2] [H61] [B26] an id of a column decides, not its name: statistics of a dropped column prune nothing', async () => {
    const path = await write(source, ids)
    const readded = schemaOf(field(9, 'id', 'long'))
    const predicate: Predicate = { op: 'eq', fieldId: 9, literal: -1n }
    const outcome = await excerptOf(path, readded, directory, { predicate })
    expect(outcome.excerpt.rowCount).toBe(10_000)
    expect(outcome.excerpt.columns.get(0)).toEqual({ source: 'constant', sql: 'NULL' })
    expect(outcome.excerpt.path).toBeUndefined()
  })
})

describe('schema evolution', () => {
  test('[EC2] [H60] [H66] [B9] renamed, reordered and dropped columns are found by id, and promoted ones keep their values', async () => {
    const path = await write(
      `SELECT 1::INTEGER AS a, 1.5::FLOAT AS b, 12.34::DECIMAL(4,2) AS c, DATE '2024-02-29' AS d`,
      'FIELD_IDS {a: 1, b: 2, c: 3, d: 4}',
    )
    const schema = schemaOf(
      field(4, 'day', { kind: 'timestamp' }),
      field(3, 'amount', { kind: 'decimal', precision: 20, scale: 2 }),
      field(1, 'b', 'long'),
      field(2, 'a', 'double'),
    )
    const outcome = await excerptOf(path, schema, directory)
    expect(await excerptRows(duck, outcome, 'TIMESTAMP', 'DECIMAL(20,2)', 'BIGINT', 'DOUBLE')).toEqual([
      ['2024-02-29 00:00:00', '12.34', '1', 1.5],
    ])
    // Promoted columns are not read together with columns of the present type.
    expect([...outcome.excerpt.columns.values()].map((column) => column.source)).toEqual([
      'constant',
      'constant',
      'constant',
      'constant',
    ])
  })

  test('[EC3] [H48] [H59] [B15] [B29] a missing column is the partition’s value, then the initial default, then NULL', async () => {
    const path = await write('SELECT 1 AS id', 'FIELD_IDS {id: 1}')
    const schema = schemaOf(
      field(1, 'id', 'int'),
      field(2, 'region', 'string', { initialDefault: 'default' }),
      field(3, 'level', 'int', { initialDefault: 7 }),
      field(4, 'note', 'string'),
      field(5, 'zone', 'string', { initialDefault: 'x' }),
    )
    const outcome = await excerptOf(path, schema, directory, {
      partitionSpec: {
        specId: 1,
        fields: [
          { sourceIds: [2], fieldId: 1000, name: 'region', transform: 'identity' },
          { sourceIds: [3], fieldId: 1001, name: 'level_bucket', transform: 'bucket[4]' },
          { sourceIds: [5], fieldId: 1002, name: 'zone', transform: 'identity' },
        ],
      },
      file: {
        partition: new Map<number, string | bigint | null>([
          [1000, "o'hara"],
          [1001, 2n],
          [1002, null],
        ]),
      },
    })
    expect(await excerptRows(duck, outcome, 'INTEGER', 'VARCHAR', 'INTEGER', 'VARCHAR', 'VARCHAR')).toEqual([
      [1, "o'hara", 7, null, null],
    ])
  })

  test('[EC3] [H68] a missing required column without default is an error, not NULL', async () => {
    const path = await write('SELECT 1 AS id', 'FIELD_IDS {id: 1}')
    const schema = schemaOf(field(2, 'must', 'int', { isRequired: true }))
    await expect(excerptOf(path, schema, directory)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    expect(readdirSync(directory)).toEqual(['data.parquet'])
  })

  test('[H60] [H67] [H74] nested fields are matched by id, missing ones get their default, null structs stay null', async () => {
    const path = await write(
      `SELECT * FROM (VALUES ({'a': 1, 'gone': 'x'}, [{'k': 1}, NULL], map {'m': {'v': 2}}), (NULL, NULL, NULL), ({'a': NULL, 'gone': 'y'}, [], map {})) t(s, l, m)`,
      `FIELD_IDS {s: {__duckdb_field_id: 1, a: 2, gone: 3}, l: {__duckdb_field_id: 4, element: {__duckdb_field_id: 5, k: 6}},
        m: {__duckdb_field_id: 7, key: 8, value: {__duckdb_field_id: 9, v: 10}}}`,
    )
    const schema = schemaOf(
      field(
        1,
        's',
        struct(
          field(20, "it's", 'string', { initialDefault: 'new' }),
          field(2, 'renamed', 'long'),
          field(21, 'none', 'int'),
        ),
      ),
      field(4, 'l', list(5, struct(field(6, 'k', 'int'), field(22, 'd', 'int', { initialDefault: 5 })))),
      field(7, 'm', {
        kind: 'map',
        keyId: 8,
        key: { kind: 'string' },
        valueId: 9,
        value: struct(field(10, 'v', 'int'), field(23, 'e', 'int', { initialDefault: 6 })),
        isValueRequired: false,
      }),
    )
    const outcome = await excerptOf(path, schema, directory)
    const rows = await excerptRows(
      duck,
      outcome,
      `STRUCT("it's" VARCHAR, renamed BIGINT, "none" INTEGER)`,
      'STRUCT(k INTEGER, d INTEGER)[]',
      'MAP(VARCHAR, STRUCT(v INTEGER, e INTEGER))',
    )
    expect(rows).toEqual([
      [
        { "it's": 'new', renamed: '1', none: null },
        [{ k: 1, d: 5 }, null],
        [{ key: 'm', value: { v: 2, e: 6 } }],
      ],
      [null, null, null],
      [{ "it's": 'new', renamed: null, none: null }, [], []],
    ])
  })

  test('a struct of which the file has no field is null where it is null in the file', async () => {
    const path = await write(
      `SELECT * FROM (VALUES ({'gone': 'x'}), (NULL)) t(s)`,
      'FIELD_IDS {s: {__duckdb_field_id: 1, gone: 3}}',
    )
    const schema = schemaOf(
      field(1, 's', struct(field(5, 'a', 'int'), field(6, 'b', 'int', { initialDefault: 4 }))),
    )
    const outcome = await excerptOf(path, schema, directory)
    expect(await excerptRows(duck, outcome, 'STRUCT(a INTEGER, b INTEGER)')).toEqual([
      [{ a: null, b: 4 }],
      [null],
    ])
  })

  test('structs of different shape are told apart, so that they are not read as one', async () => {
    const schema = schemaOf(field(1, 's', struct(field(2, 'a', 'int'), field(3, 'b', 'int'))))
    const old = await write(`SELECT {'a': 1} AS s`, 'FIELD_IDS {s: {__duckdb_field_id: 1, a: 2}}', 'old')
    const now = await write(
      `SELECT {'a': 1, 'b': 2} AS s`,
      'FIELD_IDS {s: {__duckdb_field_id: 1, a: 2, b: 3}}',
      'now',
    )
    const columns = [old, now, now].map(async (path) =>
      (await excerptOf(path, schema, directory)).excerpt.columns.get(0),
    )
    const [first, second, third] = await Promise.all(columns)
    expect(first).not.toEqual(second)
    expect(second).toEqual(third)
  })
})

test('[H62] [B31] columns that the table does not have, reserved ids among them, are left alone', async () => {
  const path = await write(
    'SELECT 1 AS id, 70 AS rid, 7 AS seq, 3 AS dropped',
    'FIELD_IDS {id: 1, rid: 2147483540, seq: 2147483539, dropped: 9}',
  )
  const outcome = await excerptOf(path, schemaOf(field(1, 'id', 'int'), field(2, 'rid', 'long')), directory)
  expect(await excerptRows(duck, outcome, 'INTEGER', 'BIGINT')).toEqual([[1, null]])
})

test('[H65] a field id of 0 is a field id', async () => {
  const path = await write('SELECT i AS zero, i + 1 AS one FROM range(3) t(i)', 'FIELD_IDS {zero: 0, one: 1}')
  const schema = schemaOf(field(1, 'one', 'long'), field(0, 'renamed', 'long'))
  const all = await excerptOf(path, schema, directory)
  expect(await excerptRows(duck, all)).toEqual([
    ['1', '0'],
    ['2', '1'],
    ['3', '2'],
  ])
  const none = await excerptOf(path, schema, directory, { predicate: { op: 'gt', fieldId: 0, literal: 2n } })
  expect(none.excerpt.rowCount).toBe(0)
})

test.each<[string, IcebergType, number | bigint | Uint8Array, string, unknown]>([
  ['NaN', { kind: 'double' }, Number.NaN, 'DOUBLE', 'nan'],
  ['negative zero', { kind: 'float' }, -0, 'FLOAT', '-0.0'],
  [
    'a decimal',
    { kind: 'decimal', precision: 38, scale: 2 },
    -(10n ** 37n),
    'DECIMAL(38,2)',
    `-1${'0'.repeat(35)}.00`,
  ],
  ['bytes', { kind: 'binary' }, Uint8Array.of(0xc3, 0x28, 0), 'BLOB', String.raw`\xC3(\x00`],
  [
    'a UUID',
    { kind: 'uuid' },
    new Uint8Array(Buffer.from('f79c3e09677c4bbda4793f349cb785e7', 'hex')),
    'UUID',
    'f79c3e09-677c-4bbd-a479-3f349cb785e7',
  ],
])(
  '[EC3] [H46] [H47] [H48] [B23] a missing column is %s where that is the partition’s value',
  async (_name, type, value, sqlType, text) => {
    const path = await write('SELECT 1 AS id', 'FIELD_IDS {id: 1}')
    const outcome = await excerptOf(path, schemaOf(field(2, 'p', type)), directory, {
      partitionSpec: {
        specId: 0,
        fields: [{ sourceIds: [2], fieldId: 1000, name: 'p', transform: 'identity' }],
      },
      file: { partition: new Map([[1000, value]]) },
    })
    const sql = excerptSql(outcome.excerpt, new Map([[0, sqlType]]))
    expect(await rowsOf(duck, `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`)).toEqual([
      JSON.stringify([text]),
    ])
  },
)

describe('files without field ids', () => {
  test('[EC2] [H59] [H63] are read by the name mapping, nested and with several names', async () => {
    const path = await write(`SELECT 1 AS old_id, {'x.y': 2} AS s, [{'z': 3}] AS l, 9 AS other`)
    const mapping = parseNameMapping(
      JSON.stringify([
        { 'field-id': 1, names: ['id', 'old_id'] },
        { 'field-id': 2, names: ['s'], fields: [{ 'field-id': 3, names: ['x.y'] }] },
        {
          'field-id': 4,
          names: ['l'],
          fields: [{ 'field-id': 5, names: ['element'], fields: [{ 'field-id': 6, names: ['z'] }] }],
        },
      ]),
    )
    const schema = schemaOf(
      field(1, 'id', 'int'),
      field(2, 's', struct(field(3, 'v', 'int'))),
      field(4, 'l', list(5, struct(field(6, 'w', 'int')))),
      field(7, 'other', 'int'),
    )
    const outcome = await excerptOf(path, schema, directory, { nameMapping: mapping })
    expect(
      await excerptRows(duck, outcome, 'INTEGER', 'STRUCT(v INTEGER)', 'STRUCT(w INTEGER)[]', 'INTEGER'),
    ).toEqual([[1, { v: 2 }, [{ w: 3 }], null]])
  })

  test('[H63] without a mapping count their top-level columns from 1', async () => {
    const path = await write(`SELECT 1 AS x, 'a' AS y, {'z': 1} AS s`)
    const flat = await excerptOf(path, schemaOf(field(2, 'b', 'string'), field(1, 'a', 'int')), directory)
    expect(await excerptRows(duck, flat)).toEqual([['a', 1]])
    const nested = schemaOf(field(3, 's', struct(field(4, 'z', 'int'))))
    await expect(excerptOf(path, nested, directory)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })

  test('[EC2] [H64] one id anywhere means that columns without one belong to no field', async () => {
    const path = await write('SELECT 1 AS a, 2 AS b', 'FIELD_IDS {b: 1}')
    const outcome = await excerptOf(path, schemaOf(field(1, 'a', 'int'), field(2, 'b', 'int')), directory)
    expect(await excerptRows(duck, outcome, 'INTEGER', 'INTEGER')).toEqual([[2, null]])
  })
})

test('[H76] an unknown column is NULL whatever the file has', async () => {
  const path = await write('SELECT 1 AS a', 'FIELD_IDS {a: 1}')
  const outcome = await excerptOf(path, schemaOf(field(1, 'a', { kind: 'unknown' })), directory)
  expect(await excerptRows(duck, outcome)).toEqual([[null]])
})

test('no column needed gives the row count without a file', async () => {
  const path = await write('SELECT i AS a FROM range(10) t(i)', 'FIELD_IDS {a: 1}')
  const outcome = await excerptOf(path, schemaOf(field(1, 'a', 'long')), directory, {
    columnIndexes: new Set(),
  })
  expect(outcome).toMatchObject({ excerpt: { path: undefined, rowCount: 10 }, requests: 1 })
})

test('[EC4] a small file takes one request, and of a large one only the needed columns are fetched', async () => {
  const source = (rows: number) => `SELECT i AS a, hash(i) AS b, hash(i + 1) AS c FROM range(${rows}) t(i)`
  const ids = 'FIELD_IDS {a: 1, b: 2, c: 3}'
  const schema = schemaOf(field(1, 'a', 'long'), field(2, 'b', 'long'))
  const small = await excerptOf(await write(source(1_000), ids), schema, directory)
  expect([small.requests, small.rowGroupsRead]).toEqual([1, 1])
  const path = await write(source(100_000), ids)
  const one = await excerptOf(path, schema, directory, { columnIndexes: new Set([0]) })
  expect(one.requests).toBe(2)
  expect(one.bytesRead).toBeLessThan((await sizeOf(path)) / 2)
})

test('[EC5] a failure or cancellation while reading leaves no file behind', async () => {
  const path = await write('SELECT i AS a FROM range(100000) t(i)', 'FIELD_IDS {a: 1}')
  const files = createLocalFiles()
  const store = {
    ...files,
    readRange: async (...[uri, range, signal]: Parameters<typeof files.readRange>) => {
      if (range.start < 100) throw new Error('reset')
      return await files.readRange(uri, range, signal)
    },
  }
  const schema = schemaOf(field(1, 'a', 'long'))
  await expect(excerptOf(path, schema, directory, { store })).rejects.toThrow('reset')
  expect(readdirSync(directory)).toEqual(['data.parquet'])
  expect(uriOf(path)).toContain('data.parquet')
})
