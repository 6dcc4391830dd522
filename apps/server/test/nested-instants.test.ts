// Instants in nanoseconds inside of structs, lists and maps, through the whole stack.
import { describe, expect, it } from 'vitest'
import { cellText, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import { optional, parquetFiles as parquet, withGeneratedStack } from './support/generated-stack.ts'

const generated = withGeneratedStack([
  {
    name: 'nested_moments',
    fields: [
      optional(1, 'id', 'int'),
      optional(2, 's', {
        type: 'struct',
        fields: [optional(3, 'at', 'timestamptz_ns'), optional(4, 'local', 'timestamp_ns')],
      }),
      optional(5, 'l', {
        type: 'list',
        'element-id': 6,
        element: 'timestamptz_ns',
        'element-required': false,
      }),
      optional(7, 'm', {
        type: 'map',
        'key-id': 8,
        key: 'string',
        'value-id': 9,
        value: { type: 'list', 'element-id': 10, element: 'timestamptz_ns', 'element-required': false },
        'value-required': false,
      }),
    ],
    write: parquet([
      `SELECT 1 AS id, {'at': t, 'local': t} AS s, [t, NULL] AS l, MAP {'TIMESTAMP_NS, "': [t]} AS m
       FROM (SELECT TIMESTAMP_NS '2024-11-07 12:33:54.123456789' AS t)
       UNION ALL SELECT 2, {'at': t, 'local': t}, [t], MAP {'k': [t]}
       FROM (SELECT TIMESTAMP_NS '1969-12-31 23:59:59.999999' AS t)`,
      `{id: 1, s: {__duckdb_field_id: 2, "at": 3, "local": 4}, l: {__duckdb_field_id: 5, element: 6},
        m: {__duckdb_field_id: 7, key: 8, value: {__duckdb_field_id: 9, element: 10}}}`,
    ]),
  },
])
const texts = async (sql: string) => await generated.texts(sql)
const NESTED = 'iceberg.generated.nested_moments'

describe('instants in nanoseconds inside of other values', () => {
  const ZONED = 'TIMESTAMP_NS WITH TIME ZONE'
  const FINE = '2024-11-07 12:33:54.123456789'

  it('[TY1] are instants, and times without a zone beside them are none', async () => {
    const sql = `SELECT s, l, m, {x: s, "TIMESTAMP_NS": l[1], e: 'TIMESTAMP_NS'} AS made, s."at" FROM ${NESTED} ORDER BY id`
    const types = [
      `STRUCT("at" ${ZONED}, "local" TIMESTAMP_NS)`,
      `${ZONED}[]`,
      `MAP(VARCHAR, ${ZONED}[])`,
      `STRUCT("x" STRUCT("at" ${ZONED}, "local" TIMESTAMP_NS), "TIMESTAMP_NS" ${ZONED}, "e" VARCHAR)`,
      ZONED,
    ]
    const info = await generated.stack.client.flightInfo(sql)
    expect('schema' in info && info.schema.map(({ type }) => type)).toEqual(types)
    const { batches } = await generated.stack.client.query(sql)
    const fields = batches[0]?.schema.fields ?? []
    expect(fields.map(sqlTypeOf)).toEqual(types)
    expect(fields.map(({ type }) => String(type))).toEqual([
      'Struct<{at:Timestamp<NANOSECOND, UTC>, local:Timestamp<NANOSECOND>}>',
      'List<Timestamp<NANOSECOND, UTC>>',
      'Map<{key:Utf8, value:List<Timestamp<NANOSECOND, UTC>>}>',
      'Struct<{x:Struct<{at:Timestamp<NANOSECOND, UTC>, local:Timestamp<NANOSECOND>}>, TIMESTAMP_NS:Timestamp<NANOSECOND, UTC>, e:Utf8}>',
      'Timestamp<NANOSECOND, UTC>',
    ])
    // As the grid and the clipboard have them.
    const cell = (index: number) =>
      cellText(batches[0]!.getChildAt(index)!.data[0]!, 0, { sqlType: types[index]! })
    expect([0, 1, 2].map(cell)).toEqual([
      `{"at": "${FINE}+00", "local": "${FINE}"}`,
      `["${FINE}+00", null]`,
      `{"TIMESTAMP_NS, \\"": ["${FINE}+00"]}`,
    ])
  })

  it('[TY1] are a time in UTC where the engine makes text of them, and its instants where AT TIME ZONE asks for such', async () => {
    expect(await texts(`SELECT s."at" FROM ${NESTED} WHERE id = 1`)).toEqual([[FINE]])
    const moved = `s."at" AT TIME ZONE 'America/New_York'`
    expect(await texts(`SELECT ${moved} FROM ${NESTED} WHERE id = 2`)).toEqual([
      ['1969-12-31 18:59:59.999999'],
    ])
    const result = await generated.stack.client.run(`SELECT ${moved} FROM ${NESTED} WHERE id = 1`)
    expect('status' in result ? result : result.failure).toMatchObject({ code: 'SQL_EXECUTION' })
  })
})
