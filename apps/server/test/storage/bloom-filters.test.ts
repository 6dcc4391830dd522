import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openDuck } from './duck.ts'
import { excerptOf, field, schemaOf } from './excerpt.ts'

// Values of each kind are spread over the whole range in both row groups, so that bounds exclude nothing. Rows: even
// numbers in the first group, numbers divisible by 5 but not 2 in the second.
const directory = mkdtempSync(join(tmpdir(), 'bloom-'))
const schema = schemaOf(
  field(1, 'l', 'long'),
  field(2, 'i', 'int'),
  field(3, 's', 'string'),
  field(4, 'd', { kind: 'date' }),
  field(5, 'ts', { kind: 'timestamp' }),
  field(6, 'u', { kind: 'uuid' }),
  field(7, 'f', 'double'),
)
let duck: DuckDBConnection
let path: string
beforeAll(async () => {
  duck = await openDuck()
  path = join(directory, 'data.parquet')
  const columns = `n::BIGINT AS l, n::INTEGER AS i, 's' || n AS s, DATE '1970-01-01' + n::INTEGER AS d,
    make_timestamp(n::BIGINT) AS ts, ('00000000-0000-0000-0000-' || lpad(n::VARCHAR, 12, '0'))::UUID AS u, n::DOUBLE AS f`
  const groups = [
    `SELECT (r % 100) * 2 AS n FROM range(20480) t(r)`,
    `SELECT (r % 20) * 10 + 5 AS n FROM range(20480) t(r)`,
  ]
  const ids = schema.fields.map(({ name, id }) => `${name}: ${id}`).join(', ')
  await duck.run(
    `COPY (SELECT ${columns} FROM (${groups.join(' UNION ALL ')})) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 20480, FIELD_IDS {${ids}})`,
  )
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

const uuid = (value: number): Uint8Array => {
  const bytes = new Uint8Array(16)
  bytes.set(Buffer.from(String(value).padStart(12, '0'), 'hex'), 10)
  return bytes
}
const all = (value: number): Predicate[] => [
  { op: 'eq', fieldId: 1, literal: BigInt(value) },
  { op: 'eq', fieldId: 2, literal: BigInt(value) },
  { op: 'eq', fieldId: 3, literal: `s${value}` },
  { op: 'eq', fieldId: 4, literal: BigInt(value) },
  { op: 'eq', fieldId: 5, literal: BigInt(value) },
  { op: 'eq', fieldId: 6, literal: uuid(value) },
]
const kept = async (predicate: Predicate): Promise<readonly number[]> => {
  const { keptRows } = await excerptOf(path, schema, directory, { predicate })
  return keptRows.map(({ firstRow }) => firstRow / 20_480)
}

test('a value of one group alone drops the other, for every type', async () => {
  for (const predicate of all(100)) expect(await kept(predicate), JSON.stringify(predicate.op)).toEqual([0])
  for (const predicate of all(105)) expect(await kept(predicate)).toEqual([1])
})

test('a value of no group drops both, also within AND', async () => {
  for (const predicate of all(101)) {
    expect(await kept({ op: 'and', operands: [{ op: 'true' }, predicate] })).toEqual([])
  }
})

test('IN keeps the groups of any of its values; OR, NOT and floats keep all', async () => {
  expect(await kept({ op: 'in', fieldId: 1, literals: [101n, 105n] })).toEqual([1])
  expect(await kept({ op: 'in', fieldId: 1, literals: [100n, 105n] })).toEqual([0, 1])
  const absent: Predicate = { op: 'eq', fieldId: 1, literal: 101n }
  expect(await kept({ op: 'or', operands: [absent, { op: 'eq', fieldId: 2, literal: 7n }] })).toEqual([0, 1])
  expect(await kept({ op: 'not', operand: absent })).toEqual([0, 1])
  expect(await kept({ op: 'eq', fieldId: 7, literal: 101 })).toEqual([0, 1])
})
