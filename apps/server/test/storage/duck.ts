// DuckDB for tests: reads Parquet files and excerpts, and compares them row for row.
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { Excerpt } from '../../src/parquet/excerpt.ts'

export async function openDuck(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("SET TimeZone='America/New_York'; SET threads=2")
  return connection
}

export async function rowsOf(duck: DuckDBConnection, sql: string): Promise<string[]> {
  const result = await duck.runAndReadAll(sql)
  return result.getRowsJson().map((row) => JSON.stringify(row))
}

/** Selects columns of an excerpt as text, in index order. `types` casts as a view does. */
export function excerptSql(excerpt: Excerpt, types?: ReadonlyMap<number, string>): string {
  const columns = [...excerpt.columns].map(([index, column]) => {
    const value = column.source === 'file' ? `"c${index}"` : `(${column.sql})`
    const type = types?.get(index)
    return type === undefined ? value : `CAST(${value} AS ${type})`
  })
  const from =
    excerpt.path === undefined
      ? `range(${excerpt.rowCount})`
      : `read_parquet(['${excerpt.path}'], hive_partitioning=false)`
  return `SELECT ${columns.length === 0 ? 'count(*)' : columns.join(', ')} FROM ${from}`
}
