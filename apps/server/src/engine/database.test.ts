import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, type Database } from './database.ts'
import type { EngineSettings } from './protocol.ts'
import { statementTimeMacros } from './statement-time.ts'

const directory = mkdtempSync(join(tmpdir(), 'database-'))
const zone = process.env['TZ']
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
  rmSync(directory, { recursive: true })
})

const settings = (role: EngineSettings['role']): EngineSettings => ({
  role,
  directory,
  memoryBytesMax: 256 * 1_048_576,
  spillBytesMax: 1_048_576,
  threads: 1,
  batchRowsMax: 1_024,
  batchBytesMax: 1_048_576,
})
const CATALOG = `SELECT database_name, schema_name, 'schema' AS name FROM duckdb_schemas()
  UNION ALL SELECT database_name, schema_name, table_name FROM duckdb_tables()
  UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal
  UNION ALL SELECT database_name, schema_name, function_name FROM duckdb_functions() WHERE NOT internal
  ORDER BY ALL`

const NOON = `SELECT date_trunc('hour', TIMESTAMPTZ '2024-07-01 12:34:56')::VARCHAR`
const textOf = async (connection: DuckDBConnection): Promise<unknown> =>
  (await connection.runAndReadAll(NOON)).getRows()[0]?.[0]

it('[H42] [B28] times are in UTC wherever the machine stands', async () => {
  process.env['TZ'] = 'America/New_York'
  const instance = await DuckDBInstance.create(':memory:')
  const elsewhere = await instance.connect()
  expect(await textOf(elsewhere)).toBe('2024-07-01 12:00:00-04')
  elsewhere.closeSync()
  instance.closeSync()
  for (const role of ['session', 'analysis'] as const) {
    const database = await openDatabase(settings(role))
    expect(await textOf(database.connection)).toBe('2024-07-01 12:00:00+00')
    await database.renew()
    expect(await textOf(database.connection)).toBe('2024-07-01 12:00:00+00')
    database.close()
  }
})

describe('[EN2] a database made as new', () => {
  let database: Database
  beforeEach(async () => {
    database = await openDatabase(settings('session'))
  })
  afterEach(() => {
    database.close()
  })
  const rowsOf = async (sql: string): Promise<unknown> =>
    (await database.connection.runAndReadAll(sql)).getRowsJson()

  it('has nothing that statements and their views have left', async () => {
    const before = await rowsOf(CATALOG)
    for (const statement of [
      'CREATE SCHEMA iceberg.a',
      'CREATE VIEW iceberg.a.t AS SELECT 1 AS x',
      'CREATE TABLE iceberg.main.stub (x INTEGER)',
      'CREATE TEMP VIEW versioned AS SELECT 2 AS x',
      ...statementTimeMacros('SELECT now()', 0),
      'BEGIN TRANSACTION',
    ])
      await database.connection.run(statement)
    expect(await rowsOf(CATALOG)).not.toEqual(before)
    await database.renew()
    expect(await rowsOf(CATALOG)).toEqual(before)
    for (const name of ['iceberg.a.t', 'iceberg.main.stub', 'versioned'])
      await expect(rowsOf(`FROM ${name}`)).rejects.toThrow(/does not exist/u)
    await database.connection.run('CREATE SCHEMA iceberg.a')
  })

  it('has the settings of a fresh one, and still refuses to change them', async () => {
    const read = async () => await rowsOf('SELECT name, value FROM duckdb_settings() ORDER BY name')
    const before = await read()
    await database.renew()
    expect(await read()).toEqual(before)
    for (const statement of ["SET TimeZone = 'America/New_York'", 'SET lock_configuration = false'])
      await expect(rowsOf(statement)).rejects.toThrow(/locked/u)
    await expect(rowsOf("FROM read_csv('/etc/passwd')")).rejects.toThrow(/Permission|disabled/u)
  })

  it('draws other chances than the seed of the statement before would give', async () => {
    const seeded = await rowsOf('SELECT setseed(0.5), random()')
    await rowsOf('SELECT setseed(0.5)')
    await database.renew()
    expect(await rowsOf('SELECT NULL, random()')).not.toEqual(seeded)
  })

  it('holds no memory of a stream that was left in the middle', async () => {
    const held = async (): Promise<number> => {
      const reader = await database.connection.runAndReadAll(
        'SELECT sum(memory_usage_bytes)::DOUBLE FROM duckdb_memory()',
      )
      return Number(reader.getRows()[0]?.[0])
    }
    const before = await held()
    const many = 'SELECT hash(x) % 500000, count(*), max(x) FROM range(2000000) t(x) GROUP BY 1'
    const stream = await database.connection.stream(many)
    await stream.fetchChunk()
    await database.renew()
    expect(await held()).toBeLessThanOrEqual(before)
    expect(stream.columnCount).toBe(3)
  })
})
