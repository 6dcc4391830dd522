// Field ids of files that say what the table does not: what is found must be the column that is meant, or nothing is read.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseNameMapping } from '@lake/core/iceberg/name-mapping.ts'
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDuck } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'

const directory = mkdtempSync(join(tmpdir(), 'field-ids-'))
let duck: Awaited<ReturnType<typeof openDuck>>
let files = 0
beforeAll(async () => {
  duck = await openDuck()
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})
async function write(sql: string, ids?: string): Promise<string> {
  const path = join(directory, `${(files += 1)}.parquet`)
  await duck.run(
    `COPY (${sql}) TO '${path}' (FORMAT parquet${ids === undefined ? '' : `, FIELD_IDS {${ids}}`})`,
  )
  return path
}
const INT: IcebergType = { kind: 'int' }
const INTS: IcebergType = { kind: 'list', elementId: 2, element: INT, isElementRequired: false }
const MAP: IcebergType = { kind: 'map', keyId: 2, key: INT, valueId: 3, value: INT, isValueRequired: false }

test('[EC2] [H64] a file with ids is read by them, whatever the table maps its names to', async () => {
  const path = await write('SELECT 1 AS a, 2 AS b', 'b: 1')
  const nameMapping = parseNameMapping('[{"field-id":1,"names":["a"]},{"field-id":2,"names":["b"]}]')
  const schema = schemaOf(field(1, 'a', 'int'), field(2, 'b', 'int'))
  const outcome = await excerptOf(path, schema, directory, { nameMapping })
  expect(await excerptRows(duck, outcome, 'INTEGER', 'INTEGER')).toEqual([[2, null]])
})

test.each([
  ['columns', 'SELECT 1 AS a, 2 AS b', '[{"field-id":1,"names":["a","b"]}]', field(1, 'a', 'int')],
  [
    'fields',
    `SELECT {'a': 1, 'b': 2} AS s`,
    '[{"field-id":1,"names":["s"],"fields":[{"field-id":2,"names":["a","b"]}]}]',
    field(1, 's', { kind: 'struct', fields: [field(2, 'a', 'int')] }),
  ],
])(
  '[EC2] [H63] two %s of one field of the table are corrupt: neither is chosen',
  async (_what, sql, mapping, wanted) => {
    const reading = excerptOf(await write(sql), schemaOf(wanted), directory, {
      nameMapping: parseNameMapping(mapping),
    })
    await expect(reading).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  },
)

test.each([
  ['an element', 'SELECT [1] AS c', 'element: 9', INTS],
  ['a key', 'SELECT MAP {1: 2} AS c', 'key: 9, value: 3', MAP],
  ['a value', 'SELECT MAP {1: 2} AS c', 'key: 2, value: 9', MAP],
])('[EC2] [H60] %s of another id than the table’s is refused', async (_what, sql, ids, type) => {
  const path = await write(sql, `c: {__duckdb_field_id: 1, ${ids}}`)
  await expect(excerptOf(path, schemaOf(field(1, 'c', type)), directory)).rejects.toMatchObject({
    code: 'TABLE_UNSUPPORTED',
  })
})
