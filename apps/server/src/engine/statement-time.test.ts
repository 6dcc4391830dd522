import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mayAskForTime, statementTimeMacros } from './statement-time.ts'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const rowsOf = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRows()

it('a statement that names a macro of the time, in any case or quotes, may ask for it', () => {
  const names = statementTimeMacros('SELECT now()', 0).map((macro) => /MACRO (\w+)\(/u.exec(macro)?.[1] ?? '')
  expect(names).toContain('age')
  for (const name of [...names, 'current_timestamp', 'localtime', 'localtimestamp', 'current_time']) {
    expect(mayAskForTime(`SELECT "${name.toUpperCase()}"()`), name).toBe(true)
    expect(mayAskForTime(`SELECT ${name} FROM t`), name).toBe(true)
  }
})

it('no macro is made for a statement that cannot ask for the time', () => {
  expect(statementTimeMacros('SELECT robot, count(*) FROM iceberg.a.t GROUP BY 1', 0)).toEqual([])
  expect(statementTimeMacros('SELECT robot, count(*) FROM iceberg.a.t GROUP BY 1', undefined)).toEqual([])
})

it('functions that the engine makes of others ask for the time by a name that is known', async () => {
  const made = await rowsOf(
    "SELECT DISTINCT function_name, macro_definition FROM duckdb_functions() WHERE function_type LIKE '%macro%'",
  )
  const asking = made.filter(([, definition]) =>
    /\b(now|current_timestamp|current_date|current_time|localtime|localtimestamp|today|age)\b/iu.test(
      String(definition),
    ),
  )
  expect(asking.map(([name]) => name)).toContain('ago')
  for (const [name] of asking) expect(mayAskForTime(`SELECT ${String(name)}(x)`), String(name)).toBe(true)
})

it('no identifier is spelled by escapes', async () => {
  await expect(rowsOf('SELECT U&"\\006eow"()')).rejects.toThrow(/NOT IMPLEMENTED|Parser Error/u)
})

it('the macros are found before the functions of the engine, and go with the connection', async () => {
  const other = await instance.connect()
  for (const macro of statementTimeMacros('SELECT now()', 1_600_000_000_123)) await other.run(macro)
  const sql = 'SELECT now()::VARCHAR, ago(INTERVAL 1 DAY)::VARCHAR, current_date::VARCHAR'
  const fixed = (await other.runAndReadAll(sql)).getRows()[0]
  expect(fixed?.[2]).toBe('2020-09-13')
  other.closeSync()
  expect((await rowsOf(sql))[0]?.[2]).not.toBe('2020-09-13')
})
