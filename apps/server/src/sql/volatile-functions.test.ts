import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { isFunctionAllowed } from './function-policy.ts'
import { isRepeatable, VOLATILE_FUNCTIONS } from './volatile-functions.ts'

const connection = await (await DuckDBInstance.create(':memory:')).connect()

async function treeOf(sql: string): Promise<unknown> {
  const rows = await connection.runAndReadAll('SELECT json_serialize_sql(?::VARCHAR)', [sql])
  return JSON.parse(String(rows.getRows()[0]?.[0])) as unknown
}

describe('[ST7] statements that chance or the time has a part in', () => {
  it('are found, wherever the function stands', async () => {
    for (const sql of [
      'SELECT random()',
      'SELECT * FROM t WHERE a > now()',
      'WITH c AS (SELECT uuid() AS u) SELECT count(*) FROM c',
      'SELECT current_date',
      'SELECT CURRENT_TIMESTAMP',
      'SELECT age(ts) FROM t',
      'SELECT * FROM t USING SAMPLE 10',
      'SELECT * FROM t TABLESAMPLE 10%',
      'SELECT (SELECT max(b) FROM u WHERE b < today()) FROM t ORDER BY RANDOM()',
    ])
      expect(isRepeatable(await treeOf(sql)), sql).toBe(false)
    for (const sql of ['SELECT sum(a), hash(b) FROM t', "SELECT DATE '2026-01-01' + a FROM t LIMIT 3"])
      expect(isRepeatable(await treeOf(sql)), sql).toBe(true)
  })

  it('covers every function that the engine does not call consistent and that may be called', async () => {
    const rows = await connection.runAndReadAll(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability IS NOT NULL AND stability <> 'CONSISTENT'",
    )
    const names = rows.getRows().map(([name]) => String(name))
    expect(names).toContain('random')
    const missed = names.filter((name) => isFunctionAllowed(name) && !VOLATILE_FUNCTIONS.has(name))
    expect(missed).toEqual([])
  })

  it('covers every macro of the engine over such a function', async () => {
    const rows = await connection.runAndReadAll(
      "SELECT function_name, macro_definition FROM duckdb_functions() WHERE function_type = 'macro'",
    )
    const missed = rows
      .getRows()
      .map(([name, definition]) => [String(name), String(definition).toLowerCase()] as const)
      .filter(([, definition]) => [...VOLATILE_FUNCTIONS].some((name) => definition.includes(`${name}(`)))
      .map(([name]) => name)
      .filter((name) => isFunctionAllowed(name) && !VOLATILE_FUNCTIONS.has(name))
    expect(missed).toEqual([])
  })
})
