import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { IcebergType, NestedField } from '@lake/core/iceberg/types.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDuck } from './duck.ts'
import { excerptOf, excerptRows, field, schemaOf } from './excerpt.ts'

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

describe('the table’s type decides', () => {
  const one = async (sql: string, type: IcebergType, sqlType: string): Promise<unknown> => {
    const path = await write(`SELECT ${sql} AS v`, 'FIELD_IDS {v: 1}')
    const rows = await excerptRows(
      duck,
      await excerptOf(path, schemaOf(field(1, 'v', type)), directory),
      sqlType,
    )
    return (rows[0] as unknown[])[0]
  }
  test.each<[string, IcebergType, string, unknown]>([
    [`'text'::BLOB`, { kind: 'string' }, 'VARCHAR', 'text'],
    [`'text'`, { kind: 'binary' }, 'BLOB', 'text'],
    [
      `TIMESTAMPTZ '2024-01-01 12:00:00.123456+00'`,
      { kind: 'timestamp' },
      'TIMESTAMP',
      '2024-01-01 12:00:00.123456',
    ],
    [
      `TIMESTAMP '2024-01-01 12:00:00.123456'`,
      { kind: 'timestamptz' },
      'TIMESTAMPTZ',
      '2024-01-01 12:00:00.123456+00',
    ],
    [
      `TIMESTAMP_MS '2024-01-01 12:00:00.123'`,
      { kind: 'timestamptz' },
      'TIMESTAMPTZ',
      '2024-01-01 12:00:00.123+00',
    ],
    [
      `TIMESTAMP_NS '2024-01-01 12:00:00.123456789'`,
      { kind: 'timestamp_ns' },
      'TIMESTAMP_NS',
      '2024-01-01 12:00:00.123456789',
    ],
    [
      `TIMESTAMP_NS '1969-12-31 23:59:59.999999'`,
      { kind: 'timestamptz_ns', inMicros: true },
      'TIMESTAMPTZ',
      '1969-12-31 23:59:59.999999+00',
    ],
    [`NULL::TIMESTAMP_NS`, { kind: 'timestamptz_ns', inMicros: true }, 'TIMESTAMPTZ', null],
    [
      `TIMESTAMP_NS '1969-12-31 23:59:59.999999999'`,
      { kind: 'timestamptz_ns' },
      'TIMESTAMP_NS',
      '1969-12-31 23:59:59.999999999',
    ],
    [`DATE '1969-12-31'`, { kind: 'timestamp' }, 'TIMESTAMP', '1969-12-31 00:00:00'],
    [`DATE '2262-01-01'`, { kind: 'timestamp_ns' }, 'TIMESTAMP_NS', '2262-01-01 00:00:00'],
    [`42`, { kind: 'unknown' }, 'INTEGER', null],
    [
      `from_hex('00000000013FF00000000000004000000000000000')`,
      { kind: 'geometry', crs: 'OGC:CRS84' },
      'VARCHAR',
      'POINT (1 2)',
    ],
    [`TIME '12:00:00.123456'`, { kind: 'time' }, 'TIME', '12:00:00.123456'],
    [`1234567.89::DECIMAL(9,2)`, { kind: 'decimal', precision: 9, scale: 2 }, 'DECIMAL(9,2)', '1234567.89'],
    [
      `1234567.89::DECIMAL(38,2)`,
      { kind: 'decimal', precision: 38, scale: 2 },
      'DECIMAL(38,2)',
      '1234567.89',
    ],
    [
      `1234567890.12::DECIMAL(18,2)`,
      { kind: 'decimal', precision: 20, scale: 2 },
      'DECIMAL(20,2)',
      '1234567890.12',
    ],
    [
      `-0.${'0'.repeat(36)}01::DECIMAL(38,38)`,
      { kind: 'decimal', precision: 38, scale: 38 },
      'DECIMAL(38,38)',
      `-0.${'0'.repeat(36)}01`,
    ],
    [`9223372036854775807`, { kind: 'long' }, 'BIGINT', '9223372036854775807'],
    [`4294967295::UINTEGER`, { kind: 'long' }, 'BIGINT', '4294967295'],
    [
      `uuid '00112233-4455-6677-8899-aabbccddeeff'`,
      { kind: 'uuid' },
      'UUID',
      '00112233-4455-6677-8899-aabbccddeeff',
    ],
    [`'{"a":1}'::JSON`, { kind: 'string' }, 'VARCHAR', '{"a":1}'],
  ])('[H69] [H70] [H71] [H72] [H73] [H78] %s as %o', async (sql, type, sqlType, value) => {
    expect(await one(sql, type, sqlType)).toEqual(value)
  })

  test.each<[string, IcebergType]>([
    [`1::BIGINT`, { kind: 'int' }],
    [`1.5::DOUBLE`, { kind: 'float' }],
    [`'x'`, { kind: 'int' }],
    [`1.25::DECIMAL(9,2)`, { kind: 'decimal', precision: 9, scale: 3 }],
    [`TIMESTAMP_NS '2024-01-01 00:00:00'`, { kind: 'timestamp' }],
    [`DATE '2024-01-01'`, { kind: 'timestamptz' }],
    [`{'a': 1}`, { kind: 'variant' }],
    [`1`, { kind: 'geometry', crs: 'OGC:CRS84' }],
    [`TIMESTAMP '2024-01-01 00:00:00'`, { kind: 'timestamptz_ns' }],
    [`[1]`, { kind: 'int' }],
    [`1`, struct(field(5, 'a', 'int'))],
  ])('%s as %o is refused', async (sql, type) => {
    await expect(one(sql, type, 'VARCHAR')).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })

  test('[TY1] an instant that needs its nanoseconds fails where it is read in microseconds', async () => {
    await expect(
      one(
        `TIMESTAMP_NS '2024-01-01 00:00:00.000000001'`,
        { kind: 'timestamptz_ns', inMicros: true },
        'TIMESTAMPTZ',
      ),
    ).rejects.toThrow('no whole number of microseconds')
  })

  test.each<[IcebergType, string]>([
    [{ kind: 'int' }, 'INTEGER'],
    [{ kind: 'string' }, 'VARCHAR'],
    [{ kind: 'timestamptz' }, 'TIMESTAMPTZ'],
  ])('[TY2] a column that its writer marked as all null is null as %o', async (type, sqlType) => {
    const path = join(directory, 'nulls.parquet')
    const buffer = parquetWriteBuffer({
      columnData: [{ name: 'v', data: [null, null] }],
      schema: [
        { name: 'root', num_children: 1 },
        {
          name: 'v',
          type: 'INT32',
          repetition_type: 'OPTIONAL',
          field_id: 1,
          logical_type: { type: 'NULL' },
        },
      ],
    })
    writeFileSync(path, new Uint8Array(buffer))
    const outcome = await excerptOf(path, schemaOf(field(1, 'v', type)), directory, {
      predicate: { op: 'is-null', fieldId: 1 },
    })
    expect(await excerptRows(duck, outcome, sqlType)).toEqual([[null], [null]])
  })

  test('[H66] a date beyond the range of timestamp_ns fails', async () => {
    await expect(one(`DATE '3000-01-01'`, { kind: 'timestamp_ns' }, 'TIMESTAMP_NS')).rejects.toThrow('cast')
  })

  test('a column that is not needed may have any type', async () => {
    const path = await write(`SELECT 1 AS a, {'x': 1} AS v`, 'FIELD_IDS {a: 1, v: 2}')
    const schema = schemaOf(field(1, 'a', 'int'), field(2, 'v', { kind: 'variant' }))
    const outcome = await excerptOf(path, schema, directory, { columnIndexes: new Set([0]) })
    expect(await excerptRows(duck, outcome)).toEqual([[1]])
  })
})
