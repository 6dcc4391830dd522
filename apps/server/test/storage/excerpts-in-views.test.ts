// Excerpts of differently evolved files behind one view of the engine: read together where they are alike, apart where not.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Schema } from '@lake/core/iceberg/types.ts'
import { scanViewStatements } from '../../src/engine/scan-view.ts'
import { duckdbType } from '../../src/sql/duckdb-type.ts'
import { openDuck, rowsOf } from './duck.ts'
import { excerptOf, field, schemaOf } from './excerpt.ts'

const directory = mkdtempSync(join(tmpdir(), 'views-'))
let duck: DuckDBConnection
beforeAll(async () => {
  duck = await openDuck()
  await duck.run(`ATTACH ':memory:' AS iceberg`)
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

async function defineView(schema: Schema, files: readonly string[]): Promise<void> {
  const excerpts = []
  for (const path of files) excerpts.push((await excerptOf(path, schema, directory)).excerpt)
  const columns = schema.fields.map(({ name, type }) => ({ name, sqlType: duckdbType(type)! }))
  const table = { schemaName: 'ns', tableName: 't', columns }
  const columnIndexes = new Set(columns.keys())
  const source = { kind: 'excerpts', excerpts } as const
  for (const sql of scanViewStatements([{ table, columnIndexes, source }])) await duck.run(sql)
}
async function write(name: string, sql: string, ids: string): Promise<string> {
  const path = join(directory, `${name}.parquet`)
  await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, FIELD_IDS {${ids}})`)
  return path
}

test('a promoted column, a missing one and structs of several shapes come out as the table’s types', async () => {
  const struct = (more: string) => `s: {__duckdb_field_id: 2, a: 3${more}}`
  const files = [
    await write('old', `SELECT 1::INTEGER AS n, {'a': 'x'} AS s`, `n: 1, ${struct('')}`),
    await write('new', `SELECT 5000000000 AS n, {'a': 'y', 'b': 7} AS s`, `n: 1, ${struct(', b: 4')}`),
    await write('old2', `SELECT 2::INTEGER AS n, NULL::STRUCT(a VARCHAR) AS s`, `n: 1, ${struct('')}`),
    await write('without', `SELECT 3::BIGINT AS n`, 'n: 1'),
  ]
  const type = {
    kind: 'struct',
    fields: [field(3, 'a', 'string'), field(4, 'b', 'int', { initialDefault: 9 })],
  } as const
  const schema = schemaOf(
    field(1, 'n', 'long'),
    field(2, 's', type),
    field(5, 'z', 'int', { initialDefault: 8 }),
  )
  for (const order of [files, files.toReversed()]) {
    await defineView(schema, order)
    expect(await rowsOf(duck, 'SELECT n, s, z FROM iceberg.ns.t ORDER BY n')).toEqual([
      '["1",{"a":"x","b":9},8]',
      '["2",null,8]',
      '["3",null,8]',
      '["5000000000",{"a":"y","b":7},8]',
    ])
    expect(await rowsOf(duck, 'SELECT count(*), sum(s.b) FROM iceberg.ns.t WHERE n < 100')).toEqual([
      '["3","9"]',
    ])
  }
})

test('a filter reaches the reading of the excerpt, through a cast of its shape too', async () => {
  const path = await write(
    'nested',
    `SELECT i AS n, {'a': i} AS s FROM range(10) t(i)`,
    'n: 1, s: {__duckdb_field_id: 2, a: 3}',
  )
  const schema = schemaOf(
    field(1, 'n', 'long'),
    field(2, 's', { kind: 'struct', fields: [field(3, 'a', 'long')] }),
  )
  await defineView(schema, [path])
  const plan = await rowsOf(duck, 'EXPLAIN (FORMAT json) SELECT n FROM iceberg.ns.t WHERE n > 5')
  expect(plan.join('')).toMatch(/Filters/)
  expect(await rowsOf(duck, 'SELECT s.a FROM iceberg.ns.t WHERE s.a > 7')).toEqual(['["8"]', '["9"]'])
})
