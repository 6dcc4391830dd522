// Types and names of which no public table exists, written by hand and read through the whole stack.
import { describe, expect, it } from 'vitest'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire-keys.ts'
import { optional, parquetFiles as parquet, withGeneratedStack } from './support/generated-stack.ts'
import type { GeneratedTable } from './support/generated-tables.ts'

/** Variants as the engine writes them when it does not know them: structs of two columns of bytes. */
const variant = (metadata: string, value: string): string =>
  `{'metadata': from_hex('${metadata}'), 'value': from_hex('${value}')}`
const SEVEN = variant('010000', '0c07')
const HI = variant('010000', '096869')
const OBJECT = variant('0101000161', '02010000020c01')
const NULL_VARIANT = variant('010000', '00')

const TABLES: GeneratedTable[] = [
  {
    name: 'moments',
    fields: [
      optional(1, 'id', 'int'),
      optional(2, 'ns', 'timestamp_ns'),
      optional(3, 'tz_ns', 'timestamptz_ns'),
      optional(4, 'day', 'timestamp'),
      optional(5, 'day_ns', 'timestamp_ns'),
      optional(6, 'nothing', 'unknown'),
    ],
    write: parquet(
      [
        `SELECT 1 AS id, TIMESTAMP_NS '1677-09-22 00:00:00.000000001' AS ns,
           TIMESTAMP_NS '1969-12-31 23:59:59.999999' AS tz_ns, DATE '0001-01-01' AS day, DATE '1969-12-31' AS day_ns, 7 AS nothing
         UNION ALL SELECT 2, TIMESTAMP_NS '2262-04-11 23:47:16.854775806', TIMESTAMP_NS '2024-11-07 12:33:54.123456', DATE '9999-12-31', DATE '2024-02-29', 8
         UNION ALL SELECT 3, NULL, NULL, NULL, NULL, NULL`,
        '{id: 1, ns: 2, tz_ns: 3, day: 4, day_ns: 5, nothing: 6}',
      ],
      [
        `SELECT 4 AS id, TIMESTAMP_NS '2024-11-07 12:33:54.000000001' AS ns, TIMESTAMP '2024-11-07 12:33:54.123456' AS day`,
        '{id: 1, ns: 2, day: 4}',
      ],
    ),
  },
  {
    name: 'fine_moments',
    fields: [optional(1, 'tz_ns', 'timestamptz_ns'), optional(2, 'id', 'int')],
    write: parquet([
      `SELECT TIMESTAMP_NS '2024-11-07 12:33:54.123456789' AS tz_ns, 1 AS id
       UNION ALL SELECT TIMESTAMP_NS '2024-11-07 12:33:54.123456790', 2`,
      '{tz_ns: 1, id: 2}',
    ]),
  },
  {
    name: 'places',
    fields: [
      optional(1, 'id', 'int'),
      optional(2, 'place', 'geometry(EPSG:3857)'),
      optional(3, 'area', 'geography'),
    ],
    write: parquet([
      `SELECT 1 AS id, from_hex('0101000000000000000000F03F0000000000000040') AS place,
         from_hex('0103000000010000000400000000000000000000000000000000000000000000000000f03f00000000000000000000000000000000000000000000f03f00000000000000000000000000000000') AS area
       UNION ALL SELECT 2, NULL, NULL`,
      '{id: 1, place: 2, area: 3}',
    ]),
  },
  {
    name: 'names',
    fields: [
      optional(1, 'a.b', 'int'),
      optional(2, 'quote"d', 'int'),
      optional(3, 'Zeile Ü 🐢', 'int'),
      optional(4, 'twin', 'int'),
      optional(5, 'TWIN', 'int'),
      optional(6, "it's; --", {
        type: 'struct',
        fields: [optional(7, 'x.y', 'int'), optional(8, 'in"ner', 'string', { 'initial-default': 'new' })],
      }),
    ],
    write: parquet([
      `SELECT 1 AS c1, 2 AS c2, 3 AS c3, 4 AS c4, 5 AS c5, {'k1': 6} AS c6`,
      '{c1: 1, c2: 2, c3: 3, c4: 4, c5: 5, c6: {__duckdb_field_id: 6, k1: 7}}',
    ]),
  },
  {
    name: 'nested_defaults',
    fields: [
      optional(1, 'id', 'int'),
      optional(2, 's', {
        type: 'struct',
        fields: [
          optional(3, 'a', 'int'),
          optional(4, 'b', 'int', { 'initial-default': 5 }),
          optional(5, 'n', {
            type: 'struct',
            fields: [optional(6, 'c', 'int'), optional(7, 'd', 'long', { 'initial-default': 9 })],
          }),
        ],
      }),
      optional(8, 'items', {
        type: 'list',
        'element-id': 9,
        'element-required': false,
        element: {
          type: 'struct',
          fields: [optional(10, 'x', 'long'), optional(11, 'y', 'string', { 'initial-default': 'q' })],
        },
      }),
      optional(12, 'pairs', {
        type: 'map',
        'key-id': 13,
        key: 'string',
        'value-id': 14,
        'value-required': false,
        value: {
          type: 'struct',
          fields: [optional(15, 'v', 'double'), optional(16, 'w', 'int', { 'initial-default': 1 })],
        },
      }),
      // Null by default, even though its field has a default of its own.
      optional(17, 'late', { type: 'struct', fields: [optional(18, 'e', 'int', { 'initial-default': 3 })] }),
      optional(
        19,
        'later',
        { type: 'struct', fields: [optional(20, 'f', 'int', { 'initial-default': 4 })] },
        { 'initial-default': {} },
      ),
    ],
    write: parquet([
      `SELECT 1 AS id, {'a': 1, 'n': {'c': 2}} AS s, [{'x': 1}, NULL, {'x': NULL}] AS items, MAP {'k': {'v': 0.5::FLOAT}} AS pairs
       UNION ALL SELECT 2, NULL, NULL, NULL
       UNION ALL SELECT 3, {'a': NULL, 'n': NULL}, [], MAP {}`,
      `{id: 1, s: {__duckdb_field_id: 2, a: 3, n: {__duckdb_field_id: 5, c: 6}},
        items: {__duckdb_field_id: 8, element: {__duckdb_field_id: 9, x: 10}},
        pairs: {__duckdb_field_id: 12, key: 13, value: {__duckdb_field_id: 14, v: 15}}}`,
    ]),
  },
  {
    name: 'missing_required',
    fields: [optional(1, 'id', 'int'), { id: 2, name: 'must', required: true, type: 'int' }],
    write: parquet(['SELECT 1 AS id', '{id: 1}']),
  },
  {
    name: 'nested_variant',
    fields: [
      optional(1, 'id', 'int'),
      optional(2, 's', { type: 'struct', fields: [optional(3, 'v', 'variant'), optional(4, 'x', 'long')] }),
      optional(5, 'items', { type: 'list', 'element-id': 6, 'element-required': false, element: 'variant' }),
      optional(7, 'pairs', {
        type: 'map',
        'key-id': 8,
        key: 'string',
        'value-id': 9,
        'value-required': false,
        value: 'variant',
      }),
      optional(10, 'v', 'variant'),
    ],
    write: parquet([
      `SELECT 1 AS id, {'v': ${SEVEN}, 'x': 8} AS s, [${HI}, NULL, ${SEVEN}] AS items, MAP {'a': ${SEVEN}} AS pairs, ${OBJECT} AS v
       UNION ALL SELECT 2, NULL, NULL, NULL, NULL
       UNION ALL SELECT 3, {'v': NULL, 'x': 9}, [], MAP {}, ${NULL_VARIANT}`,
      `{id: 1, s: {__duckdb_field_id: 2, v: 3, x: 4}, items: {__duckdb_field_id: 5, element: 6},
        pairs: {__duckdb_field_id: 7, key: 8, value: 9}, v: 10}`,
    ]),
  },
]

const generated = withGeneratedStack(TABLES)
const texts = generated.texts

async function typesOf(sql: string): Promise<(string | undefined)[]> {
  const { batches } = await generated.stack.client.query(sql)
  return (batches[0]?.schema.fields ?? []).map((field) => field.metadata.get(FIELD_TYPE_KEY))
}

describe('moments', () => {
  it('[TY1] [H66] [H70] [H76] nanoseconds are exact, promoted dates are midnights, and unknown is null', async () => {
    expect(await texts('SELECT * FROM iceberg.generated.moments ORDER BY id')).toEqual([
      [
        '1',
        '1677-09-22 00:00:00.000000001',
        '1969-12-31 23:59:59.999999',
        '0001-01-01 00:00:00',
        '1969-12-31 00:00:00',
        null,
      ],
      [
        '2',
        '2262-04-11 23:47:16.854775806',
        '2024-11-07 12:33:54.123456',
        '9999-12-31 00:00:00',
        '2024-02-29 00:00:00',
        null,
      ],
      ['3', null, null, null, null, null],
      ['4', '2024-11-07 12:33:54.000000001', null, '2024-11-07 12:33:54.123456', null, null],
    ])
    expect(await typesOf('SELECT tz_ns, nothing FROM iceberg.generated.moments')).toEqual([
      'TIMESTAMP_NS WITH TIME ZONE',
      'INTEGER',
    ])
  })

  it('[TY1] [H76] filters see the same values', async () => {
    const ids = async (where: string) =>
      (await texts(`SELECT id FROM iceberg.generated.moments WHERE ${where} ORDER BY id`)).flat()
    expect(
      await ids(
        `tz_ns > TIMESTAMPTZ '1969-12-31 23:59:59.999998+00' AND tz_ns < TIMESTAMPTZ '1970-01-01 00:00:00+00'`,
      ),
    ).toEqual(['1'])
    expect(
      await ids(`tz_ns AT TIME ZONE 'America/New_York' = TIMESTAMP '2024-11-07 07:33:54.123456'`),
    ).toEqual(['2'])
    expect(await ids(`ns = TIMESTAMP_NS '2024-11-07 12:33:54.000000001'`)).toEqual(['4'])
    expect(await ids(`day = TIMESTAMP '9999-12-31 00:00:00'`)).toEqual(['2'])
    expect(await ids(`day < TIMESTAMP '1500-01-01 00:00:00'`)).toEqual(['1'])
    expect(await ids('nothing IS NULL')).toEqual(['1', '2', '3', '4'])
    expect(await ids('nothing = 7')).toEqual([])
  })

  const FINE = 'iceberg.generated.fine_moments'

  it('[TY1] instants in nanoseconds are exact to the last digit, and instants for whoever reads the stream', async () => {
    const sql = `SELECT tz_ns, max(tz_ns) OVER () AS m, tz_ns::TIMESTAMP_NS AS t, [tz_ns] AS l, id FROM ${FINE} ORDER BY id`
    expect((await typesOf(sql)).slice(0, 3)).toEqual([
      'TIMESTAMP_NS WITH TIME ZONE',
      'TIMESTAMP_NS WITH TIME ZONE',
      'TIMESTAMP_NS',
    ])
    const { batches } = await generated.stack.client.query(sql)
    const fields = batches[0]?.schema.fields ?? []
    expect(fields.slice(0, 3).map(({ type }) => String(type))).toEqual([
      'Timestamp<NANOSECOND, UTC>',
      'Timestamp<NANOSECOND, UTC>',
      'Timestamp<NANOSECOND>',
    ])
    const nanos = batches[0]?.getChildAt(0)?.data[0]?.values as BigInt64Array
    expect(nanos[0]).toBe(1_730_982_834_123_456_789n)
    const info = await generated.stack.client.flightInfo(sql)
    expect('schema' in info && info.schema[0]?.type).toBe('TIMESTAMP_NS WITH TIME ZONE')
  })

  it.each([
    [`tz_ns = TIMESTAMP_NS '2024-11-07 12:33:54.123456789'`, ['1']],
    [`tz_ns = '2024-11-07 14:33:54.123456789+02'`, ['1']],
    [`tz_ns = TIMESTAMPTZ '2024-11-07 12:33:54.123456+00'`, []],
    [`tz_ns > TIMESTAMP_NS '2024-11-07 12:33:54.123456788'`, ['1', '2']],
    [`tz_ns > TIMESTAMP '2024-11-07 12:33:54.123456'`, ['1', '2']],
    [`tz_ns IN (SELECT max(tz_ns) FROM ${FINE})`, ['2']],
  ])('[TY1] %s compares nanoseconds', async (where, ids) => {
    expect((await texts(`SELECT id FROM ${FINE} WHERE ${where} ORDER BY id`)).flat()).toEqual(ids)
  })

  it.each([`tz_ns < now()`, `tz_ns AT TIME ZONE 'America/New_York' > TIMESTAMP '2020-01-01'`])(
    '[TY1] %s needs instants, and fails where one is finer than a microsecond',
    async (where) => {
      const result = await generated.stack.client.run(`SELECT id FROM ${FINE} WHERE ${where}`)
      const failure = 'status' in result ? result : result.failure
      expect(failure).toMatchObject({ code: 'SQL_EXECUTION' })
      expect(failure?.message).toContain('no whole number of microseconds')
      const sql = `SELECT id FROM iceberg.generated.moments WHERE ${where} ORDER BY id`
      expect((await texts(sql)).flat()).toEqual(where.includes('now') ? ['1', '2'] : ['2'])
    },
  )
})

describe('places', () => {
  it('[TY2] [H78] geometry and geography are geometries of the engine, and WKB on the way', async () => {
    const sql = 'SELECT place, area FROM iceberg.generated.places ORDER BY id'
    expect(await typesOf(sql)).toEqual(['GEOMETRY', 'GEOMETRY'])
    expect(await texts(sql)).toEqual([
      ['POINT (1 2)', 'POLYGON ((0 0, 1 0, 0 1, 0 0))'],
      [null, null],
    ])
    const { batches } = await generated.stack.client.query(sql)
    expect(Buffer.from(batches[0]?.getChildAt(0)?.get(0) as Uint8Array).toString('hex')).toBe(
      '0101000000000000000000f03f0000000000000040',
    )
  })
})

describe('names', () => {
  it('[TY4] [H75] dots, quotes, spaces, letters of any alphabet and twins in case are columns of their own', async () => {
    expect(
      await texts(
        `SELECT "a.b", "quote""d", "Zeile Ü 🐢", twin, "TWIN_1", "it's; --" FROM iceberg.generated.names`,
      ),
    ).toEqual([['1', '2', '3', '4', '5', `{'x.y': 6, 'in"ner': new}`]])
    expect(
      await texts(
        `SELECT "it's; --"."x.y", "it's; --"."in""ner" FROM iceberg.generated.names WHERE "a.b" = 1`,
      ),
    ).toEqual([['6', 'new']])
  })
})

describe('nested fields', () => {
  it('[TY5] [H67] that a file lacks have their default at every level, and null stays null', async () => {
    expect(await texts('SELECT * FROM iceberg.generated.nested_defaults ORDER BY id')).toEqual([
      [
        '1',
        `{'a': 1, 'b': 5, 'n': {'c': 2, 'd': 9}}`,
        `[{'x': 1, 'y': q}, NULL, {'x': NULL, 'y': q}]`,
        `{k={'v': 0.5, 'w': 1}}`,
        null,
        `{'f': 4}`,
      ],
      ['2', null, null, null, null, `{'f': 4}`],
      ['3', `{'a': NULL, 'b': 5, 'n': NULL}`, '[]', '{}', null, `{'f': 4}`],
    ])
  })

  it('[TY5] [H68] a required column that a file lacks is damage', async () => {
    expect(await generated.stack.client.outcome('SELECT must FROM iceberg.generated.missing_required')).toBe(
      'TABLE_CORRUPT',
    )
    expect(await texts('SELECT id FROM iceberg.generated.missing_required')).toEqual([['1']])
  })

  it('[VA5] variants inside of structs, lists and maps are JSON there', async () => {
    expect(await texts('SELECT * FROM iceberg.generated.nested_variant ORDER BY id')).toEqual([
      ['1', `{'v': 7, 'x': 8}`, '["hi", NULL, 7]', `{a=7}`, '{"a":1}'],
      ['2', null, null, null, null],
      ['3', `{'v': NULL, 'x': 9}`, '[]', '{}', 'null'],
    ])
    expect(await texts(`SELECT id FROM iceberg.generated.nested_variant WHERE s.x = 9`)).toEqual([['3']])
    expect(await texts(`SELECT s.v FROM iceberg.generated.nested_variant WHERE s.v = '7'`)).toEqual([['7']])
  })
})
