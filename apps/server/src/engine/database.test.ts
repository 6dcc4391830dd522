import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, expect, it } from 'vitest'
import { openDatabase } from './database.ts'

const directory = mkdtempSync(join(tmpdir(), 'database-'))
const zone = process.env['TZ']
afterAll(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
  rmSync(directory, { recursive: true })
})

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
    const database = await openDatabase({
      role,
      directory,
      memoryBytesMax: 256 * 1_048_576,
      spillBytesMax: 1_048_576,
      threads: 1,
      batchRowsMax: 1_024,
      batchBytesMax: 1_048_576,
    })
    expect(await textOf(database.connection)).toBe('2024-07-01 12:00:00+00')
    database.close()
  }
})
