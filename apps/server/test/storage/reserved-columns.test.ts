// Reserved columns in excerpts: right in every row, whatever is pruned, deleted, stored in the file or not read of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import {
  RESERVED_COLUMNS,
  type ReservedColumn,
  type ReservedColumnName,
} from '@lake/core/iceberg/reserved-columns.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import { createPositionSet } from '@lake/core/scan/position-set.ts'
import { writeMadeExcerpt } from '../../src/parquet/made-excerpt.ts'
import { repeatedChunk, sequenceChunk } from '../../src/parquet/made-page.ts'
import type { ExcerptOutcome, ExcerptRequest } from '../../src/parquet/excerpt-writer.ts'
import { avroExcerptOf, struct, writeAvro } from './avro-data.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { excerptSql, openDuck, rowsOf } from './duck.ts'
import { excerptOf, field, schemaOf } from './excerpt.ts'
import { createLocalFiles, sizeOf, uriOf } from './local-files.ts'

let duck: DuckDBConnection
let directory: string
let path: string

const ROWS = 5_000

beforeAll(async () => {
  duck = await openDuck()
  directory = mkdtempSync(join(tmpdir(), 'reserved-'))
  path = join(directory, 'data.parquet')
  // Three row groups; some rows carry lineage of their own.
  const sql = `SELECT i::INTEGER AS id, CASE WHEN i % 1000 = 7 THEN 1000000 + i END AS row_id,
    CASE WHEN i % 1000 = 8 THEN 1 END AS changed FROM range(${ROWS}) r(i)`
  const ids = '{id: 1, row_id: 2147483540, changed: 2147483539}'
  await duck.run(`COPY (${sql}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, FIELD_IDS ${ids})`)
})
afterAll(() => {
  rmSync(directory, { recursive: true, force: true })
})

const ID = field(1, 'id', 'int')
const PARTITION = struct(field(1_000, 'day', { kind: 'date' }), field(1_001, 'b"in', { kind: 'binary' }))

/** `id` and the named columns, in this order. */
function reservedSchema(...names: readonly ReservedColumnName[]): {
  schema: Schema
  reserved: NonNullable<ExcerptRequest['reserved']>
} {
  const columns = names.map((name) => RESERVED_COLUMNS.find((column) => column.name === name)!)
  const typed = ({ fieldId, name, type }: ReservedColumn) => field(fieldId, name, type ?? PARTITION)
  return {
    schema: schemaOf(ID, ...columns.map(typed)),
    reserved: {
      columns: new Map(columns.map((column, index) => [index + 1, column])),
      partitionTexts: () => ['2026-11-30', String.raw`\x00\xFF`],
    },
  }
}

const rowsIn = async ({ excerpt }: ExcerptOutcome): Promise<unknown[][]> => {
  const where = excerpt.hasDeletedRows === true ? ' WHERE NOT deleted' : ''
  return (await rowsOf(duck, excerptSql(excerpt) + where)).map((row) => JSON.parse(row) as unknown[])
}

describe('[RL4] _pos', () => {
  const isId = (op: 'gt-eq' | 'lt', literal: bigint): Predicate => ({ op, fieldId: 1, literal })
  it.each([
    ['all', undefined, ROWS],
    ['the last row group', isId('gt-eq', 4_500n), ROWS - 4_096],
    ['the first row group', isId('lt', 10n), 2_048],
  ])('counts from the start of the file in %s', async (_name, predicate, rowCount) => {
    const outcome = await excerptOf(path, ...withReserved('_pos', predicate ? { predicate } : {}))
    const rows = await rowsIn(outcome)
    expect(rows).toHaveLength(rowCount)
    expect(rows.filter(([id, position]) => String(id) !== position)).toEqual([])
  })

  it('[H83] prunes row groups, and counts deleted rows', async () => {
    const deleted = createPositionSet()
    for (const position of [3_000, 3_001, 3_500]) deleted.add(position)
    const predicate: Predicate = { op: 'eq', fieldId: 2_147_483_645, literal: 3_002n }
    const outcome = await excerptOf(path, ...withReserved('_pos', { predicate, deleted }))
    const rows = await rowsIn(outcome)
    expect(outcome.rowGroupsRead).toBe(1)
    expect(rows).toHaveLength(2_048 - 3)
    expect(rows.filter(([id, position]) => String(id) !== position)).toEqual([])
  })

  it('counts the rows of Avro files', async () => {
    const rows = Array.from({ length: 20 }, (_, id) => ({ id }))
    const avro = writeAvro(directory, [{ name: 'id', type: 'int', 'field-id': 1 }], rows)
    const { schema, reserved } = reservedSchema('_pos', '_row_id')
    const file = dataFile(avro, { fileSizeBytes: await sizeOf(avro), format: 'avro', firstRowId: 50n })
    const task = { file, sequenceNumber: 3n, deletes: [] }
    const outcome = await avroExcerptOf(directory, avro, schema, { task, reserved })
    expect(await rowsIn(outcome)).toEqual(rows.map(({ id }) => [id, String(id), String(id + 50)]))
  })
})

function withReserved(
  name: ReservedColumnName,
  more: Parameters<typeof excerptOf>[3] = {},
): [Schema, string, typeof more] {
  const { schema, reserved } = reservedSchema(name)
  return [schema, directory, { reserved, ...more }]
}

describe('[RL3] lineage', () => {
  const lineage = async (file: Partial<DataFile>): Promise<unknown[][]> => {
    const { schema, reserved } = reservedSchema('_row_id', '_last_updated_sequence_number')
    const task = {
      file: dataFile(path, { fileSizeBytes: await sizeOf(path), ...file }),
      sequenceNumber: 9n,
      deletes: [],
    }
    return await rowsIn(await excerptOf(path, schema, directory, { reserved, task }))
  }

  it('[H95] [H96] what the file has wins, row by row; the rest is derived', async () => {
    const rows = await lineage({ firstRowId: 2n ** 53n + 1n })
    const expected = Array.from({ length: ROWS }, (_, id) => [
      id,
      id % 1_000 === 7 ? String(1_000_000 + id) : String(2n ** 53n + 1n + BigInt(id)),
      id % 1_000 === 8 ? '1' : '9',
    ])
    expect(rows).toEqual(expected)
  })

  it('[H97] a file without a first row id has no lineage but what it stores', async () => {
    const rows = await lineage({})
    expect(rows.filter(([, rowId]) => rowId !== null).map(([id]) => id)).toEqual([
      7, 1_007, 2_007, 3_007, 4_007,
    ])
    expect(rows.filter(([, , changed]) => changed !== null)).toHaveLength(5)
  })

  it('statistics of what the file has exclude no row group', async () => {
    const predicate: Predicate = { op: 'eq', fieldId: 2_147_483_540, literal: 4n }
    const outcome = await excerptOf(path, ...withReserved('_row_id', { predicate }))
    expect(outcome.rowGroupsRead).toBe(3)
  })
})

describe('[RL5] what a manifest tells', () => {
  const made = async (file: Partial<DataFile>): Promise<ExcerptOutcome> => {
    const { schema, reserved } = reservedSchema('_file', '_pos', '_spec_id', '_partition')
    const store = createLocalFiles()
    const request: ExcerptRequest = {
      task: {
        file: dataFile('s3://a/ü', { fileSizeBytes: 1_000, specId: 4, ...file }),
        sequenceNumber: 1n,
        deletes: [],
      },
      partitionSpec: { specId: 4, fields: [] },
      schema,
      reserved,
      nameMapping: undefined,
      columnIndexes: new Set(reserved.columns.keys()),
      predicate: { op: 'true' },
      store,
      uri: uriOf('/nowhere'),
      directory,
      name: `made-${file.recordCount}`,
    }
    return await writeMadeExcerpt(request, new AbortController().signal)
  }

  it('needs no data file', async () => {
    const outcome = await made({ recordCount: 3 })
    expect(outcome.requests).toBe(0)
    const types = new Map([[4, 'STRUCT(day DATE, "b""in" BLOB)']])
    const rows = await rowsOf(duck, excerptSql(outcome.excerpt, types))
    expect(rows.map((row) => JSON.parse(row) as unknown)).toEqual(
      ['0', '1', '2'].map((position) => [
        's3://a/ü',
        position,
        4,
        { day: '2026-11-30', 'b"in': String.raw`\x00\xFF` },
      ]),
    )
  })

  it('goes for files of many rows', async () => {
    const outcome = await made({ recordCount: 3_000_001 })
    const [row] = await rowsOf(
      duck,
      `SELECT count(*), count(DISTINCT p), min(p), max(p), count(DISTINCT f), min(s), max(s)
       FROM (${excerptSql(outcome.excerpt)}) AS x(f, p, s, q)`,
    )
    expect(row).toBe('["3000001","3000001","0","3000000","1",4,4]')
  })
})

describe('pages that follow a rule', () => {
  it.each([1, 2, 128, 129, 130, 257])('hold a sequence of %i values in few bytes', (rowCount) => {
    const { bytes, valueCount } = sequenceChunk(-5n, 1n, rowCount)
    expect(valueCount).toBe(rowCount)
    expect(bytes!.byteLength).toBeLessThan(60)
  })

  it('hold one value for any number of rows', () => {
    expect(repeatedChunk(new Uint8Array(10), 2 ** 31 - 1).bytes!.byteLength).toBeLessThan(80)
    expect(() => repeatedChunk(new Uint8Array(10), 2 ** 31)).toThrow('row group of more than')
  })
})
