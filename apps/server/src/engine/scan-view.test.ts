// Views over real Parquet files, through the DDL that sessions run.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCountedRows } from '../parquet/counted-rows.ts'
import type { Excerpt, ExcerptColumn } from '../parquet/excerpt.ts'
import type { EngineTable, ScanView } from './engine.ts'
import { scanViewStatements, stubStatements } from './scan-view.ts'

const instance = await DuckDBInstance.create(':memory:', { autoload_known_extensions: 'false' })
const connection = await instance.connect()
const directory = await mkdtemp(join(tmpdir(), 'lake-view-'))
const table: EngineTable = {
  schemaName: 'a.b',
  tableName: `it's "t"`,
  columns: [
    { name: 'id', sqlType: 'BIGINT' },
    { name: `na"me`, sqlType: 'VARCHAR' },
    { name: 's', sqlType: 'STRUCT(x INTEGER)' },
  ],
}
const NAME = `iceberg."a.b"."it's ""t"""`
const file: ExcerptColumn = { source: 'file' }
const NEVER = new AbortController().signal
/** What statements do with rows of which they read no column. */
const COUNTS = [
  'count(*) FROM T',
  'count(1), count(*) + 1, sum(2), min(3), 7 FROM T',
  'count(*) FILTER (WHERE 1 = 2), count(*) FROM T',
  'count(*) FROM T a, T b WHERE 1 = 1',
  '(SELECT count(*) FROM T) + (SELECT count(*) FROM T)',
  'count(*) FROM T HAVING count(*) > 2000',
  'count(*), 5 FROM T GROUP BY 2',
  'count(*) FROM T UNION ALL SELECT count(*) + 1 FROM T ORDER BY 1',
  'count(*) FROM (SELECT 1 FROM T LIMIT 100 OFFSET 50)',
  'count(*) FROM (SELECT row_number() OVER () AS n FROM T) WHERE n % 2 = 0',
  'count(*) FROM T CROSS JOIN range(3)',
  'EXISTS (SELECT 1 FROM T)',
  'DISTINCT 1 FROM T',
].map((rest) => `SELECT ${rest.replaceAll(/\bT\b/g, NAME)}`)

function excerpt(
  name: string | undefined,
  columns: Record<number, ExcerptColumn>,
  rowCount = 1_000,
): Excerpt {
  return {
    path: name === undefined ? undefined : join(directory, name),
    rowCount,
    columns: new Map(Object.entries(columns).map(([index, column]) => [Number(index), column])),
  }
}

async function define(columnIndexes: number[], source: ScanView['source']): Promise<void> {
  for (const sql of scanViewStatements([{ table, columnIndexes: new Set(columnIndexes), source }]))
    await connection.run(sql)
}

async function rows(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJson()
}

beforeAll(async () => {
  await connection.run("ATTACH ':memory:' AS iceberg")
  for (const [name, start] of [
    ['x.parquet', 0],
    ["it's.parquet", 1_000],
  ] as const) {
    await connection.run(
      `COPY (SELECT range::INTEGER AS c0, 'v' || range AS c1 FROM range(${start}, ${start + 1_000})) TO '${join(directory, name).replaceAll("'", "''")}'`,
    )
  }
  await connection.run(
    `COPY (SELECT range::BIGINT AS c0 FROM range(2000, 3000)) TO '${join(directory, 'y.parquet')}'`,
  )
})
afterAll(async () => {
  connection.closeSync()
  await rm(directory, { recursive: true, force: true })
})

describe('a view over excerpts', () => {
  const excerpts = [
    excerpt('x.parquet', { 0: file, 1: file }),
    excerpt("it's.parquet", { 0: file, 1: file }),
    excerpt('y.parquet', { 0: file, 1: { source: 'constant', sql: 'NULL' } }),
    excerpt(undefined, { 0: { source: 'constant', sql: '7' }, 1: { source: 'constant', sql: "'seven'" } }, 3),
  ]

  it('unites files of all shapes, with the types of the table', async () => {
    await define([0, 1], { kind: 'excerpts', excerpts })
    expect(
      await rows(`SELECT count(*), sum(id), count("na""me"), typeof(any_value(id)) FROM ${NAME}`),
    ).toEqual([['3003', String((2_999 * 3_000) / 2 + 21), '2003', 'BIGINT']])
  })

  it('pushes filters and projections into the files', async () => {
    await define([0, 1], { kind: 'excerpts', excerpts: excerpts.slice(0, 2) })
    const [[, plan]] = (await rows(
      `EXPLAIN (FORMAT JSON) SELECT id FROM ${NAME} WHERE id > 1990 AND "na""me" > 'a'`,
    )) as [[string, string]]
    const text = JSON.stringify(JSON.parse(plan))
    expect(text).toContain('READ_PARQUET')
    expect(text).toMatch(/"Filters":\[?"[^\]]*CAST\(c0 AS BIGINT\) > 1990/u)
    expect(text).toMatch(/c1>'a'/u)
    expect(text).toMatch(/"Projections":"c0"/u)
  })

  it('a column that was not fetched costs nothing until it is evaluated, and then fails', async () => {
    await define([0], { kind: 'excerpts', excerpts })
    expect(await rows(`SELECT count(id) FROM ${NAME} WHERE id > 5`)).toEqual([['2997']])
    for (const sql of [
      `SELECT s FROM ${NAME}`,
      `SELECT count(s) FROM ${NAME}`,
      `SELECT id FROM ${NAME} WHERE s IS NULL`,
      `SELECT * FROM ${NAME} LIMIT 1`,
    ]) {
      await expect(rows(sql), sql).rejects.toThrow(/was not fetched/u)
    }
  })

  it('without any file is empty and has the types of the table', async () => {
    await define([0, 1, 2], { kind: 'excerpts', excerpts: [] })
    expect(await rows(`SELECT * FROM ${NAME}`)).toEqual([])
    expect(await rows(`SELECT column_type FROM (DESCRIBE ${NAME})`)).toEqual([
      ['BIGINT'],
      ['VARCHAR'],
      ['STRUCT(x INTEGER)'],
    ])
  })

  it('of a mere count has as many rows', async () => {
    await define([], { kind: 'rows', rowCount: 12_345 })
    expect(await rows(`SELECT count(*) FROM ${NAME}`)).toEqual([['12345']])
    await expect(rows(`SELECT id FROM ${NAME}`)).rejects.toThrow(/was not fetched/u)
  })

  it.each([1, 2_048, 5_000])(
    '[QR5] of %i counted rows answers as one of made rows does',
    async (rowCount) => {
      const path = await writeCountedRows(rowCount, { directory, name: `n${rowCount}` }, NEVER)
      const answers = async (source: ScanView['source']): Promise<unknown[]> => {
        await define([], source)
        const found: unknown[] = []
        for (const sql of COUNTS) found.push([sql, await rows(sql)])
        return found
      }
      const made = await answers({ kind: 'rows', rowCount })
      expect(await answers({ kind: 'rows', rowCount, path })).toEqual(made)
      expect(made[0]).toEqual([COUNTS[0], [[String(rowCount)]]])
      await expect(rows(`SELECT id FROM ${NAME}`)).rejects.toThrow(/was not fetched/u)
    },
  )

  it.each([2 ** 30 - 1, 2 ** 30, 2 ** 30 + 1, 10_000_000_000, 2 ** 42])(
    '[QR5] of %i counted rows is counted without making one',
    async (rowCount) => {
      const path = await writeCountedRows(rowCount, { directory, name: `n${rowCount}` }, NEVER)
      await define([], { kind: 'rows', rowCount, path })
      for (const count of ['count(*)', 'count(1)', 'count(*) AS n', 'count(*) + 0']) {
        const sql = `SELECT ${count} FROM ${NAME} AS t`
        expect(await rows(sql), sql).toEqual([[String(rowCount)]])
        expect(JSON.stringify(await rows(`EXPLAIN ${sql}`)), sql).not.toContain('READ_PARQUET')
      }
    },
  )

  it('of excerpts without needed columns counts rows', async () => {
    await define([], { kind: 'excerpts', excerpts: excerpts.slice(0, 2) })
    expect(await rows(`SELECT count(*) FROM ${NAME}`)).toEqual([['2000']])
  })
})

it('tables that differ in case only are refused', () => {
  const twin = { ...table, tableName: table.tableName.toUpperCase() }
  expect(() => stubStatements([table, twin], 'ab')).toThrow(/differ in case/u)
})
