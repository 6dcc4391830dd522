// Delete files as they come: in every encoding, with paths of every form, spoiled in every way; and how often they are read.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import avsc from 'avsc'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DuckDBConnection } from '@duckdb/node-api'
import { AppError } from '@lake/core/errors.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import type { SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import { container } from '../src/metadata/test/avro-file.ts'
import { openDuck, rowsOf } from './storage/duck.ts'
import { field, schemaOf } from './storage/excerpt.ts'
import { createDeleteTable, POSITION_IDS, removeFile, type DeleteTable } from './support/delete-table.ts'

const SCHEMA = schemaOf(
  field(1, 'id', 'long'),
  field(2, 'tags', { kind: 'list', elementId: 3, element: { kind: 'string' }, isElementRequired: false }),
)
const directory = mkdtempSync(join(tmpdir(), 'delete-files-'))
let duck: DuckDBConnection
let table: DeleteTable
let data: SequencedFile
beforeAll(async () => {
  duck = await openDuck()
  await duck.run(`ATTACH ':memory:' AS iceberg`)
})
beforeEach(async () => {
  table = createDeleteTable(duck, directory, { schema: SCHEMA, specs: [{ specId: 0, fields: [] }] })
  data = await table.add('SELECT i AS id FROM range(5000) t(i) ORDER BY i', 'id: 1', { sequenceNumber: 1n })
})
afterAll(() => {
  duck.closeSync()
  rmSync(directory, { recursive: true })
})

const addPositions = async (sql: string, changes: { ids?: string | undefined; copyOptions?: string } = {}) =>
  await table.add(
    sql,
    'ids' in changes ? changes.ids : POSITION_IDS,
    { sequenceNumber: 2n },
    { content: 'position-deletes', copyOptions: changes.copyOptions ?? '' },
  )
const addEquality = async (sql: string, ids: string | undefined, equalityIds: number[]) =>
  await table.add(sql, ids, { sequenceNumber: 2n }, { content: 'equality-deletes', equalityIds })
const countLive = async (columns: number[] = [0]): Promise<number> => {
  await table.define(columns)
  return (JSON.parse((await rowsOf(duck, 'SELECT count(*)::INT FROM iceberg.ns.t'))[0]!) as [number])[0]
}
/** Half of the rows, as text of `file_path` and `pos`. */
const half = (path = data.file.path): string =>
  `SELECT '${path}' AS file_path, i * 2 AS pos FROM range(2500) t(i)`
const code = (wanted: string) => expect.objectContaining({ code: wanted })

describe('position delete files', () => {
  it.each(['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli'])('[DL1] are read in %s', async (codec) => {
    await addPositions(half(), { copyOptions: `, COMPRESSION ${codec}` })
    expect(await countLive()).toBe(2_500)
  })

  it('[DL1] are read with delta encodings and data pages of version 2', async () => {
    await addPositions(half(), { copyOptions: ', PARQUET_VERSION v2' })
    expect(await countLive()).toBe(2_500)
  })

  it('in a compression that is not read are refused by name', async () => {
    await addPositions(half(), { copyOptions: ', COMPRESSION lz4_raw' })
    await expect(countLive()).rejects.toThrow(code('TABLE_UNSUPPORTED'))
  })

  it('[DL1] [H84] may name other files, no file, and a row more than once, in any order', async () => {
    const path = data.file.path
    const rows = [
      [`'${path}'`, 4_999],
      ['NULL', 1],
      [`'s3://local/gone.parquet'`, 2],
      [`'${path}'`, 0],
      [`'${path}'`, 4_999],
      [`'${path}'`, 2_048],
      [`'value_1'`, 3],
    ]
    await addPositions(
      rows
        .map(([file, pos]) => `SELECT ${file}::VARCHAR AS file_path, ${pos}::BIGINT AS pos`)
        .join(' UNION ALL '),
    )
    expect(await countLive()).toBe(4_997)
    expect(await rowsOf(duck, 'SELECT count(*)::INT FROM iceberg.ns.t WHERE id IN (0, 2048, 4999)')).toEqual([
      '[0]',
    ])
  })

  it('[DL1] [H84] without field ids are read by the names of their columns', async () => {
    await addPositions(half(), { ids: undefined })
    expect(await countLive()).toBe(2_500)
  })

  it.each([
    ['SELECT 1 AS other, 2::BIGINT AS pos', undefined],
    [`SELECT 'x' AS file_path, 2::BIGINT AS pos`, 'file_path: 1, pos: 2'],
    [`SELECT 'x' AS file_path, 2::INT AS pos`, POSITION_IDS],
    [`SELECT 3::BIGINT AS file_path, 2::BIGINT AS pos`, POSITION_IDS],
    [`SELECT 'DATA' AS file_path, NULL::BIGINT AS pos`, POSITION_IDS],
    [`SELECT 'DATA' AS file_path, -1::BIGINT AS pos`, POSITION_IDS],
    [`SELECT 'DATA' AS file_path, ${2n ** 40n}::BIGINT AS pos`, POSITION_IDS],
  ])('[DL5] of %s are corrupt', async (sql, ids) => {
    await addPositions(sql.replace('DATA', data.file.path), { ids })
    await expect(countLive()).rejects.toThrow(code('TABLE_CORRUPT'))
  })

  it('[DL2] with another form of the path are for the same file', async () => {
    const local = data.file.path.slice('s3://local'.length)
    for (const form of ['s3a://local', 's3n://local', '', 'file://', 'file:', 'hdfs://nn:8020']) {
      await addPositions(`SELECT '${form}${local}' AS file_path, ${form.length}::BIGINT AS pos`)
    }
    expect(await countLive()).toBe(5_000 - new Set([11, 12 - 1, 0, 7, 5, 14]).size)
  })

  it('[DL2] whose paths are of another storage are refused where they may mean a data file', async () => {
    for (const store of ['gs', 'oss'])
      await addPositions(`SELECT '${store}://bucket/x/gone.parquet' AS file_path, 1::BIGINT AS pos`)
    expect(await countLive()).toBe(5_000)
  })

  it.each(['gs', 'oss'])('[DL2] at %s: that may mean a data file are refused', async (store) => {
    const fileName = data.file.path.slice(data.file.path.lastIndexOf('/') + 1)
    await addPositions(`SELECT '${store}://bucket/x/${fileName}' AS file_path, 1::BIGINT AS pos`)
    await expect(countLive()).rejects.toThrow(code('TABLE_UNSUPPORTED'))
  })

  it('[DL5] with any byte changed fail as tables do, or not at all', async () => {
    const { file } = await addPositions(half())
    const path = file.path.slice('s3://local'.length)
    const bytes = readFileSync(path)
    const failures: unknown[] = []
    for (let offset = 0; offset < bytes.length; offset += 1 + Math.floor(bytes.length / 150)) {
      const changed = Buffer.from(bytes)
      changed[offset] = (changed[offset] ?? 0) ^ 0x55
      writeFileSync(path, changed)
      await countLive().catch((error: unknown) => failures.push(error))
    }
    expect(failures.length).toBeGreaterThan(50)
    expect(failures.filter((error) => !(error instanceof AppError))).toEqual([])
  })

  it('[DL5] that are cut anywhere are an error', async () => {
    const { file } = await addPositions(half())
    const path = file.path.slice('s3://local'.length)
    const bytes = readFileSync(path)
    for (const length of [0, 3, 20, bytes.length >> 1, bytes.length - 1]) {
      writeFileSync(path, bytes.subarray(0, length))
      await expect(countLive()).rejects.toThrow(code('TABLE_CORRUPT'))
    }
  })
})

describe('what is read', () => {
  it('[DL6] each delete file once, however many files it applies to', async () => {
    const others = []
    for (let index = 0; index < 9; index += 1) {
      others.push(await table.add('SELECT i AS id FROM range(10) t(i)', 'id: 1', { sequenceNumber: 1n }))
    }
    await addPositions(
      [data, ...others]
        .map(({ file }) => `SELECT '${file.path}' AS file_path, 0::BIGINT AS pos`)
        .join(' UNION ALL '),
    )
    await addEquality('SELECT 5::BIGINT AS id', 'id: 1', [1])
    expect(await countLive()).toBe(4_998 + 9 * 8)
    expect(table.deleteFilesRead).toBe(2)
  })

  it('[DL7] [H58b] no data file where only the number of rows is asked for and deletes go by position', async () => {
    await addPositions(`${half()} UNION ALL SELECT '${data.file.path}', 9999`)
    const other = await table.add('SELECT i AS id FROM range(100) t(i)', 'id: 1', { sequenceNumber: 1n })
    await table.addVectors([{ of: other, positions: [0, 99, 100, 5_000_000], sequenceNumber: 1n }])
    await removeFile(data)
    await removeFile(other)
    expect(await countLive([])).toBe(2_500 + 98)
  })

  it('[DL1] [H93] no row group of which all rows are deleted', async () => {
    await addPositions(`SELECT '${data.file.path}' AS file_path, i AS pos FROM range(2048) t(i)`)
    const before = table.store.bytes
    expect(await countLive()).toBe(2_952)
    expect(await rowsOf(duck, 'SELECT min(id)::INT FROM iceberg.ns.t')).toEqual(['[2048]'])
    expect(table.store.bytes).toBeGreaterThan(before)
    await addPositions(`SELECT '${data.file.path}' AS file_path, i AS pos FROM range(5000) t(i)`)
    expect(await countLive()).toBe(0)
    expect(await countLive([])).toBe(0)
  })
})

describe('deletion vectors', () => {
  it('[DL1] [H92] of one Puffin file are each for their own data file', async () => {
    const others = []
    for (const start of [5_000, 5_100]) {
      const sql = `SELECT i + ${start} AS id FROM range(100) t(i) ORDER BY i`
      others.push(await table.add(sql, 'id: 1', { sequenceNumber: 1n }))
    }
    const [second, third] = others as [SequencedFile, SequencedFile]
    await table.addVectors([
      { of: data, positions: [0, 4_999], sequenceNumber: 2n },
      { of: second, positions: [1, 2, 3], sequenceNumber: 2n },
      { of: third, positions: [99], sequenceNumber: 2n },
    ])
    expect(await countLive()).toBe(5_200 - 6)
    const deleted = `SELECT id::INT FROM range(5200) t(id) ANTI JOIN iceberg.ns.t USING (id) ORDER BY id`
    expect(await rowsOf(duck, deleted)).toEqual([0, 4_999, 5_001, 5_002, 5_003, 5_199].map((id) => `[${id}]`))
  })
})

describe('delete files in Avro', () => {
  const avro = async (
    fields: readonly { name: string; type: unknown; 'field-id'?: number }[],
    rows: readonly Record<string, unknown>[],
    changes: Partial<DataFile>,
  ): Promise<SequencedFile> => {
    const schema = { type: 'record', name: 'row', fields }
    const type = avsc.Type.forSchema(schema as avsc.Schema)
    const block = { count: rows.length, data: Buffer.concat(rows.map((row) => type.toBuffer(row))) }
    const bytes = container(schema, { codec: 'deflate', blocks: [block] })
    return await table.addBytes(bytes, { sequenceNumber: 2n }, { format: 'avro', ...changes })
  }
  const position = { content: 'position-deletes' } as const
  const pathField = { name: 'file_path', type: ['null', 'string'], 'field-id': 2_147_483_546 }
  const posField = { name: 'pos', type: 'long', 'field-id': 2_147_483_545 }
  const at = (pos: number, path: string | null = data.file.path) => ({
    file_path: path,
    pos,
  })

  it('[DL1] [H84] [H85] are read by position, by ids or by names', async () => {
    await avro([pathField, posField], [at(3), at(1), at(3), at(7, null), at(9, 's3://local/gone')], position)
    expect(await countLive()).toBe(4_998)
    const { 'field-id': _path, ...path } = pathField
    const { 'field-id': _pos, ...pos } = posField
    await avro([path, pos], [at(4_999)], position)
    expect(await countLive()).toBe(4_997)
    expect(await countLive([])).toBe(4_997)
  })

  it('[DL4] [H85] are read by equality', async () => {
    const id = { name: 'id', type: ['null', 'long'], 'field-id': 1 }
    await avro([id], [{ id: 5 }, { id: null }, { id: 7_000 }], {
      content: 'equality-deletes',
      equalityIds: [1],
    })
    expect(await countLive()).toBe(4_999)
  })

  it('[DL1] and data files in Avro go together', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index }))
    const { file } = await avro([{ name: 'id', type: 'long', 'field-id': 1 }], rows, { recordCount: 20_000 })
    await avro([pathField, posField], [at(19_999, file.path), at(0, file.path), at(7)], position)
    await addEquality('SELECT i AS id FROM range(100) t(i)', 'id: 1', [1])
    // The data file in Avro is as new as the equality deletes, which leave it alone.
    expect(await countLive()).toBe(4_900 + 19_998)
    expect(await rowsOf(duck, 'SELECT max(id)::INT FROM iceberg.ns.t')).toEqual(['[19998]'])
  })

  it('[DL5] without the columns of position deletes are corrupt', async () => {
    await avro([{ ...pathField, 'field-id': 1 }, posField], [at(1)], position)
    await expect(countLive()).rejects.toThrow(code('TABLE_CORRUPT'))
  })

  it('[DL5] that are cut are corrupt', async () => {
    const { file } = await avro([pathField, posField], [at(1)], position)
    const path = file.path.slice('s3://local'.length)
    writeFileSync(path, readFileSync(path).subarray(0, -8))
    await expect(countLive()).rejects.toThrow(code('TABLE_CORRUPT'))
  })
})

describe('equality delete files', () => {
  it.each([
    ['a key that the file lacks', 'SELECT 1 AS x', 'x: 9', [1], 'TABLE_CORRUPT'],
    ['columns without field ids', 'SELECT 1::BIGINT AS id', undefined, [1], 'TABLE_UNSUPPORTED'],
    ['a key that the table never had', 'SELECT 1 AS x', 'x: 77', [77], 'TABLE_CORRUPT'],
    [
      'a list as key',
      `SELECT ['a'] AS tags`,
      'tags: {__duckdb_field_id: 2, element: 3}',
      [2],
      'TABLE_UNSUPPORTED',
    ],
    ['an element as key', `SELECT 'a' AS tag`, 'tag: 3', [3], 'TABLE_UNSUPPORTED'],
    ['a key of another type', `SELECT 'a' AS id`, 'id: 1', [1], 'TABLE_UNSUPPORTED'],
  ])('[DL4] with %s fail the statement', async (_name, sql, ids, equalityIds, wanted) => {
    await addEquality(sql, ids, equalityIds)
    await expect(countLive()).rejects.toThrow(code(wanted))
  })

  it('[DL4] [H86] leave what came with their own commit, whatever later ones take of it', async () => {
    const ofCommit = async (sequenceNumber: bigint, id: number) => {
      await table.add(
        `SELECT ${id}::BIGINT AS id`,
        'id: 1',
        { sequenceNumber },
        { content: 'equality-deletes', equalityIds: [1] },
      )
    }
    await table.add('SELECT i AS id FROM range(5000, 5010) t(i)', 'id: 1', { sequenceNumber: 2n })
    // Of the newer file the first takes nothing, and the second one row; both take of the older file.
    await ofCommit(2n, 5_001)
    await ofCommit(2n, 1)
    await ofCommit(3n, 5_002)
    await ofCommit(3n, 2)
    expect(await countLive()).toBe(5_000 - 2 + 10 - 1)
    expect(await rowsOf(duck, 'SELECT id::INT FROM iceberg.ns.t WHERE id IN (1, 2, 5001, 5002)')).toEqual([
      '[5001]',
    ])
  })

  it('[DL4] [H87] [B1] delete what equals a row of theirs, each by its own keys, and NULL equals NULL', async () => {
    const named = createDeleteTable(duck, directory, {
      schema: schemaOf(field(1, 'id', 'long'), field(2, 'name', 'string')),
      specs: [{ specId: 0, fields: [] }],
    })
    const rows = `(VALUES (1, 'a'), (NULL, 'b'), (3, 'c'), (4, NULL), (NULL, NULL), (6, 'f')) t(id, name)`
    await named.add(`SELECT id::BIGINT AS id, name FROM ${rows}`, 'id: 1, name: 2', { sequenceNumber: 1n })
    const files: readonly [string, string, number[]][] = [
      ['SELECT 1::BIGINT AS id', 'id: 1', [1]],
      ['SELECT NULL::BIGINT AS id', 'id: 1', [1]],
      ['SELECT NULL::VARCHAR AS name', 'name: 2', [2]],
      [`SELECT 6::BIGINT AS id, 'other' AS name`, 'id: 1, name: 2', [1, 2]],
    ]
    for (const [sql, ids, equalityIds] of files) {
      await named.add(sql, ids, { sequenceNumber: 2n }, { content: 'equality-deletes', equalityIds })
    }
    await named.define([0, 1])
    expect(await rowsOf(duck, 'SELECT id::INT, name FROM iceberg.ns.t ORDER BY id')).toEqual([
      '[3,"c"]',
      '[6,"f"]',
    ])
  })

  it('[DL5] that are cut are an error', async () => {
    const { file } = await addEquality('SELECT 1::BIGINT AS id', 'id: 1', [1])
    const path = file.path.slice('s3://local'.length)
    writeFileSync(path, readFileSync(path).subarray(0, -20))
    await expect(countLive()).rejects.toThrow(code('TABLE_CORRUPT'))
  })

  it('[DL4] [B3] delete nothing when they are empty, and all of 49,995 rows of 50,000', async () => {
    await table.add('SELECT i + 5000 AS id FROM range(45000) t(i)', 'id: 1', { sequenceNumber: 1n })
    await addEquality('SELECT 1::BIGINT AS id WHERE false', 'id: 1', [1])
    expect(await countLive()).toBe(50_000)
    await addEquality('SELECT i AS id FROM range(49995) t(i)', 'id: 1', [1])
    expect(await countLive()).toBe(5)
  })
})
