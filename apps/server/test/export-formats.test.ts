// Every format of an export, read back by someone else and compared with the rows of do-get and with the golden table.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FILE_RECEIPT_KEY, embeddedReceipt } from '@lake/core/flight/receipt.ts'
import { cellText, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import { GOLDEN_COLUMNS, GOLDEN_ROWS, GOLDEN_SQL } from '@lake/core/values/test/golden-values.ts'
import { openDuck } from './storage/duck.ts'
import { exportedFile, runExport, type ExportTargetInput } from './support/export-client.ts'
import type { StreamedResult } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'
import { readSheet, unzip } from './support/xlsx-reader.ts'

let lake: TestLake
let stack: TestStack
let duck: DuckDBConnection
let folder: string
let ticket: string

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  stack = await startTestStack(lake)
  duck = await openDuck()
  await duck.run("SET TimeZone='UTC'")
  folder = mkdtempSync(join(tmpdir(), 'exports-'))
  ticket = await ticketOf(GOLDEN_SQL)
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function ticketOf(sql: string): Promise<string> {
  const info = await stack.client.flightInfo(sql)
  if ('status' in info) throw new Error(info.message)
  return info.ticket
}

/** Exports and puts the file where DuckDB can read it. */
async function fileOf(target: ExportTargetInput, from = ticket) {
  const { bytes, document } = await exportedFile(stack.client, from, target)
  const path = join(folder, `${target.format}-${Math.floor(performance.now() * 1_000)}.${target.format}`)
  writeFileSync(path, bytes)
  return { bytes, document, path }
}

const rowsOf = async (sql: string): Promise<unknown[][]> => (await duck.runAndReadAll(sql)).getRowsJson()

function textsOf({ batches }: Pick<StreamedResult, 'batches'>): (string | null)[][] {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) =>
      batch.data.type.children.map((field, column) => {
        const data = batch.data.children[column]
        return data ? cellText(data, row, { sqlType: sqlTypeOf(field) }) : null
      }),
    ),
  )
}

const names = GOLDEN_COLUMNS.map(({ name }) => name)
const columnIndex = (type: string): number => GOLDEN_COLUMNS.findIndex((column) => column.type === type)

describe('[XP1] the golden table', () => {
  it('comes from do-get with the texts that it must have', async () => {
    expect(textsOf(await stack.client.query(GOLDEN_SQL))).toEqual(GOLDEN_ROWS)
  })

  it('as CSV has every text, with NULL and empty text apart and both columns of one name', async () => {
    const { bytes, path } = await fileOf({ format: 'csv' })
    expect(bytes.toString().split('\r\n')[0]).toBe(
      names.map((name) => (name.includes(',') ? `"${name.replaceAll('"', '""')}"` : name)).join(','),
    )
    const read = `read_csv('${path}', header = true, allow_quoted_nulls = false,
      delim = ',', quote = '"', escape = '"', auto_detect = false,
      columns = {${names.map((_, index) => `c${index}: 'VARCHAR'`).join(', ')}})`
    expect(await rowsOf(`FROM ${read}`)).toEqual(GOLDEN_ROWS)
  })

  it('as CSV obeys its options', async () => {
    const options = { delimiter: ';', header: false, nullText: 'NULL', guardsFormulas: true }
    const sql = `SELECT 1 AS n, 'a;b' AS t UNION ALL SELECT -2, '=1+1' UNION ALL SELECT NULL, 'NULL'
      UNION ALL SELECT 3, NULL UNION ALL SELECT 4, '' ORDER BY n`
    const { bytes } = await fileOf({ format: 'csv', options }, await ticketOf(sql))
    expect(bytes.toString()).toBe('-2;\'=1+1\r\n1;"a;b"\r\n3;NULL\r\n4;""\r\nNULL;"NULL"\r\n')
  })

  it('as JSON lines has every text, and no reader can round it', async () => {
    const { bytes } = await fileOf({ format: 'jsonl' })
    const lines = bytes.toString().trimEnd().split('\n')
    const keys = names.map((name, index) => (index === 1 ? 'id_2' : name))
    const readable = new Set(['BOOLEAN', 'TINYINT', 'USMALLINT', 'UINTEGER', 'FLOAT', 'DOUBLE'])
    const rows = lines.map((line) => {
      const value = JSON.parse(line) as Record<string, unknown>
      expect(Object.keys(value)).toEqual(keys)
      return GOLDEN_COLUMNS.map(({ type }, index) => {
        const cell = value[keys[index] ?? '']
        if (cell === null || typeof cell === 'string') return cell
        if (readable.has(type)) return Object.is(cell, -0) ? '-0' : JSON.stringify(cell)
        return undefined
      })
    })
    const nested = ['BIGINT[]', 'STRUCT(a DECIMAL(18,2), b VARCHAR[])', 'MAP(VARCHAR, TIMESTAMP)', 'JSON']
    const isNested = GOLDEN_COLUMNS.map(({ type }) => nested.includes(type))
    expect(rows.map((row) => row.filter((_, index) => !isNested[index]))).toEqual(
      GOLDEN_ROWS.map((row) => row.filter((_, index) => !isNested[index])),
    )
    expect(lines[0]).toContain(
      '"list":["9007199254740993", null],"struct":{"a": "12.30", "b": ["x", "", null]}',
    )
    expect(lines[0]).toContain(
      '"map":{"k": "2025-01-03 08:49:50.123456"},"json":{"n": 12345678901234567890, "s": null}}',
    )
  })

  it('as JSON lines with numbers has all their digits', async () => {
    const { bytes } = await fileOf({ format: 'jsonl', options: { largeNumbers: 'number' } })
    const lines = bytes.toString().split('\n')
    for (const key of ['id', 'id_2', 'huge', 'uhuge', 'money', 'big']) {
      const index = key === 'id_2' ? 1 : names.indexOf(key)
      expect(lines.flatMap((line) => new RegExp(`"${key}":([^,"]+),`).exec(line)?.[1] ?? [])).toEqual(
        GOLDEN_ROWS.map((row) => row[index] ?? 'null'),
      )
    }
  })

  it('as Parquet has every value in a type of its own, with the receipt in the footer', async () => {
    const { path, document } = await fileOf({ format: 'parquet' })
    await duck.run(`CREATE OR REPLACE TABLE golden AS ${GOLDEN_SQL}`)
    const types = await rowsOf(`SELECT column_type FROM (DESCRIBE FROM '${path}')`)
    const expected = await rowsOf('SELECT column_type FROM (DESCRIBE golden)')
    const changed: Record<string, string> = { HUGEINT: 'DECIMAL(38,0)', UHUGEINT: 'VARCHAR', JSON: 'VARCHAR' }
    expect(types.flat()).toEqual(expected.flat().map((type) => changed[String(type)] ?? type))
    const difference = `(SELECT count(*) FROM (FROM golden EXCEPT ALL FROM '${path}')) + (SELECT count(*) FROM (FROM '${path}' EXCEPT ALL FROM golden))`
    expect(await rowsOf(`SELECT (SELECT count(*) FROM '${path}'), ${difference}`)).toEqual([
      [String(GOLDEN_ROWS.length), '0'],
    ])
    const [[kept]] = (await rowsOf(
      `SELECT value::VARCHAR FROM parquet_kv_metadata('${path}') WHERE key = '${FILE_RECEIPT_KEY}'`,
    )) as [[string]]
    const text = kept.replaceAll(/\\x([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    const { statementId, rowCount } = embeddedReceipt.parse(
      JSON.parse(Buffer.from(text, 'latin1').toString()),
    )
    expect([statementId, rowCount]).toEqual([document.statementId, GOLDEN_ROWS.length])
  })

  it('as an Arrow file has the batches of do-get, with the receipt in the footer', async () => {
    const { bytes, document } = await fileOf({ format: 'arrow' })
    const table = tableFromIPC(bytes)
    expect(textsOf(table)).toEqual(GOLDEN_ROWS)
    const kept: unknown = JSON.parse(table.schema.metadata.get(FILE_RECEIPT_KEY) ?? '')
    const { file: _, ...receipt } = document
    expect(kept).toEqual(receipt)
  })

  it('as XLSX has every text, and numbers only where a spreadsheet shows all of their digits', async () => {
    const { bytes } = await fileOf({ format: 'xlsx' })
    const parts = await unzip(bytes)
    const sheet = readSheet(parts.get('xl/worksheets/sheet1.xml') ?? '')
    const letters = (index: number): string =>
      index < 26 ? String.fromCharCode(65 + index) : `A${String.fromCharCode(39 + index)}`
    const header = names.map((_, index) => sheet.get(`${letters(index)}1`)?.value)
    expect(header).toEqual(names)
    const isDate = (index: number): boolean => index === columnIndex('DATE')
    const rows = GOLDEN_ROWS.map((row, rowIndex) =>
      row.map((_, index) => {
        const cell = sheet.get(`${letters(index)}${rowIndex + 2}`)
        if (cell === undefined) return null
        if (cell.kind === 'boolean') return cell.value === '1' ? 'true' : 'false'
        if (cell.kind === 'number' && isDate(index))
          return new Date((Number(cell.value) - 25_569) * 86_400_000).toISOString().slice(0, 10)
        if (cell.kind === 'number')
          expect(cell.value.replaceAll(/e.*|\D/g, '').replace(/^0+/, '').length).toBeLessThan(18)
        return cell.value
      }),
    )
    expect(rows).toEqual(GOLDEN_ROWS)
    const kinds = (type: string) =>
      GOLDEN_ROWS.map((_, row) => sheet.get(`${letters(columnIndex(type))}${row + 2}`)?.kind).slice(0, 4)
    expect(kinds('BIGINT')).toEqual(['text', 'text', 'text', 'number'])
    expect(kinds('DECIMAL(18,2)')).toEqual(['number', 'number', 'text', 'number'])
    expect(kinds('DATE')).toEqual(['number', 'number', 'text', 'text'])
    const receipt = [...readSheet(parts.get('xl/worksheets/sheet2.xml') ?? '').values()]
    expect(receipt.map(({ value }) => value)).toContain(GOLDEN_SQL)
  })
})

describe('[XP2] what a format cannot hold', () => {
  it.each([
    ['xlsx', 'characters', "SELECT repeat('x', 32768)"],
    ['parquet', 'digits', 'SELECT 170141183460469231731687303715884105727::HUGEINT'],
  ])('%s refuses by the name of the limit: %s', async (format, limit, sql) => {
    const result = await runExport(stack.client, await ticketOf(sql), { format })
    const failure = 'status' in result ? result : result.failure
    expect([failure?.code, failure?.details?.['format'], failure?.details?.['limit']]).toEqual([
      'EXPORT_FORMAT_LIMIT',
      format,
      limit,
    ])
    expect('status' in result ? undefined : result.file).toBeUndefined()
  })
})

describe('every format', () => {
  it.each(['csv', 'jsonl', 'parquet', 'arrow', 'xlsx'])('holds a result without rows: %s', async (format) => {
    const { bytes, document } = await fileOf(
      { format },
      await ticketOf("SELECT 1 AS a, 'x' AS b WHERE false"),
    )
    expect(document.rowCount).toBe(0)
    if (format === 'csv') expect(bytes.toString()).toBe('a,b\r\n')
    if (format === 'jsonl') expect(bytes.length).toBe(0)
    if (format === 'arrow') expect(tableFromIPC(bytes).numRows).toBe(0)
  })

  it.each([
    ['csv', 40_000],
    ['parquet', 140_000],
    ['jsonl', 40_000],
  ])('holds many rows in many batches: %s', async (format, rowCount) => {
    const sql = `SELECT range AS n, CASE WHEN range % 7 = 0 THEN NULL ELSE 'row ' || range END AS t,
      CASE WHEN range % 5 = 0 THEN NULL ELSE [range, NULL] END AS l FROM range(${rowCount})`
    const { path, document } = await fileOf({ format }, await ticketOf(sql))
    expect(document.rowCount).toBe(rowCount)
    const checked = 'SELECT count(*), sum(n::BIGINT), count(t), sum(length(t)), count(l) FROM'
    expect(await rowsOf(`${checked} '${path}'`)).toEqual(await rowsOf(`${checked} (${sql})`))
  })
})
