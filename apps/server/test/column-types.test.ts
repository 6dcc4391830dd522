// Types that need more than copying, through the whole stack: SQL, engine, Arrow.
import { describe, expect, it } from 'vitest'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire-keys.ts'
import { CORPUS_MISSING } from './support/corpus.ts'
import { withCorpusStack } from './support/corpus-stack.ts'

const corpus = withCorpusStack()

async function rows(sql: string): Promise<{ types: (string | undefined)[]; rows: unknown[][] }> {
  const { batches } = await corpus.stack.client.query(sql)
  const types = (batches[0]?.schema.fields ?? []).map((field) => field.metadata.get(FIELD_TYPE_KEY))
  return {
    types,
    rows: batches.flatMap((batch) =>
      Array.from({ length: batch.numRows }, (_, row) =>
        batch.schema.fields.map((_field, column): unknown => batch.getChildAt(column)?.get(row)),
      ),
    ),
  }
}

describe.skipIf(CORPUS_MISSING !== undefined)('column types', () => {
  it('[VA1] [VA2] variants are JSON text, exact to the last digit', async () => {
    const found = await rows('SELECT id, v FROM iceberg.impala.trino_variant WHERE id >= 50 ORDER BY id')
    expect(found.types).toEqual(['INTEGER', 'JSON'])
    expect(Object.fromEntries(found.rows)).toEqual({
      50: '3.14',
      51: '123456.789',
      52: '-123456789.987654321',
      53: '9876543210.123456789',
      54: '-10.11',
      55: '"2024-11-07"',
      56: '"1957-11-07"',
      57: '"CgsMDQ=="',
      58: '"12:33:54.123456"',
      59: '"2024-11-07T12:33:54.123456"',
      60: '"1957-11-07T12:33:54.123456789"',
      61: '"2024-11-07T12:33:54.123456+00:00"',
      62: '"f24f9b64-81fa-49d1-b74e-8c09a6e31c56"',
    })
  })

  it('[VA1] fields of a variant are reached by path, in filters too', async () => {
    const found = await rows(
      `SELECT id, v->>'$.name' AS name FROM iceberg.impala.trino_variant WHERE CAST(v->>'$.age' AS INTEGER) = 30 ORDER BY id`,
    )
    expect(found.rows).toEqual([
      [31, 'Alice'],
      [32, 'Alice'],
    ])
    expect((await rows('SELECT count(*) FROM iceberg.impala.trino_variant WHERE v IS NULL')).rows).toEqual([
      [1n],
    ])
  })

  it('[QR9] [H80] one ORC file among Parquet files fails the statement before its first row', async () => {
    const result = await corpus.stack.client.run(
      'SELECT * FROM iceberg.impala.iceberg_mixed_file_format_test',
    )
    expect(result).toMatchObject({ status: 422, code: 'TABLE_UNSUPPORTED' })
  })

  it('[TM12] a table whose name mapping is numbered by itself has the values that its engine states', async () => {
    const found = await rows(
      `SELECT struct_1_col.int_array_col[1], map_entries(struct_1_col.bool_int_map_col)[1].value, int_bigint_map_col[2],
         struct_2_col.struct_3_col.string_double_map_col['B'], struct_2_col.struct_3_col.bigint_array_col[1],
         struct_2_col.int_int_map_col[5], struct_1_col.string_col, struct_2_col.struct_3_col.float_col
       FROM iceberg.impala.iceberg_migrated_complex_test`,
    )
    expect(found.rows).toEqual([[0, 1, 3n, 1.5, 4n, 6, 'A', 0.5]])
  })
})
