// The DDL that gives an engine process the tables of one statement: a view per table over its excerpts, or, for
// analysis, over an empty stub whose names no statement can contain.
//
// A view always has all columns of the table. One that was not fetched is an expression that fails when it is evaluated:
// the optimizer drops it where it is not needed, and a mistake in pushdown becomes an error instead of NULLs.
import { AppError } from '@lake/core/errors.ts'
import { assert } from '@lake/core/assert.ts'
import type { Excerpt } from '../parquet/excerpt.ts'
import type { EngineTable, ScanView } from './engine.ts'
import { STATEMENT_POSITIONS_MAX } from './engine-errors.ts'
import { quoteIdentifier, quoteString } from './quote.ts'

/** Two names that the engine cannot tell apart would silently become one table. */
function checkDistinct(tables: readonly EngineTable[]): void {
  const seen = new Set<string>()
  for (const table of tables) {
    const key = JSON.stringify([table.schemaName.toLowerCase(), table.tableName.toLowerCase()])
    if (seen.has(key)) {
      throw new AppError(
        'SQL_UNSUPPORTED',
        `Two tables named "${table.schemaName}"."${table.tableName}" differ in case only`,
      )
    }
    seen.add(key)
  }
}

const viewName = (table: EngineTable): string =>
  `iceberg.${quoteIdentifier(table.schemaName)}.${quoteIdentifier(table.tableName)}`

function createSchemas(tables: readonly EngineTable[]): string[] {
  const names = new Map(tables.map((table) => [table.schemaName.toLowerCase(), table.schemaName]))
  return [...names.values()].map((name) => `CREATE SCHEMA IF NOT EXISTS iceberg.${quoteIdentifier(name)}`)
}

/** Excerpts of one shape share a `read_parquet`: same columns from the file, same constants. */
function groupByShape(excerpts: readonly Excerpt[], indexes: readonly number[]): Excerpt[][] {
  const groups = new Map<string, Excerpt[]>()
  for (const excerpt of excerpts) {
    const shape = indexes.map((index) => {
      const column = excerpt.columns.get(index)
      assert(column !== undefined, `excerpt without column ${index}`)
      return column.source === 'file' ? null : column.sql
    })
    const key = JSON.stringify([excerpt.path !== undefined, shape])
    const group = groups.get(key)
    if (group) group.push(excerpt)
    else groups.set(key, [excerpt])
  }
  return [...groups.values()]
}

function selectGroup(table: EngineTable, indexes: readonly number[], group: readonly Excerpt[]): string {
  const [first] = group
  assert(first !== undefined, 'a group has an excerpt')
  const columns = indexes.map((index) => {
    const column = first.columns.get(index)
    const value = column?.source === 'constant' ? `(${column.sql})` : `c${index}`
    return `CAST(${value} AS ${table.columns[index]?.sqlType}) AS v${index}`
  })
  const list = columns.length === 0 ? '1 AS one' : columns.join(', ')
  const paths = group.map((excerpt) => excerpt.path)
  if (paths[0] === undefined) {
    let rowCount = 0
    for (const excerpt of group) rowCount += excerpt.rowCount
    return `SELECT ${list} FROM range(${rowCount})`
  }
  const files = paths.map((path) => quoteString(path ?? '')).join(', ')
  const options = 'hive_partitioning = false, union_by_name = false, file_row_number = false'
  return `SELECT ${list} FROM read_parquet([${files}], ${options})`
}

function sourceSql(scan: ScanView, indexes: readonly number[]): string {
  const { table, source } = scan
  if (source.kind === 'rows') {
    assert(indexes.length === 0, 'a count of rows has no columns')
    return `SELECT 1 AS one FROM range(${source.rowCount})`
  }
  if (source.excerpts.length === 0) {
    const columns = indexes.map((index) => `CAST(NULL AS ${table.columns[index]?.sqlType}) AS v${index}`)
    return `SELECT ${columns.length === 0 ? '1 AS one' : columns.join(', ')} WHERE false`
  }
  return groupByShape(source.excerpts, indexes)
    .map((group) => selectGroup(table, indexes, group))
    .join(' UNION ALL ')
}

function createScanView(scan: ScanView): string {
  const { table } = scan
  const indexes = [...scan.columnIndexes].sort((left, right) => left - right)
  const columns = table.columns.map((column, index) => {
    const value = scan.columnIndexes.has(index)
      ? `v${index}`
      : `CAST(error(${quoteString(`Column "${column.name}" was not fetched`)}) AS ${column.sqlType})`
    return `${value} AS ${quoteIdentifier(column.name)}`
  })
  // Positions of errors inside a view count in this text. The blanks move them beyond those that are taken for positions
  // in a statement (engine-errors.ts).
  return `${' '.repeat(STATEMENT_POSITIONS_MAX)}CREATE OR REPLACE VIEW ${viewName(table)} AS SELECT ${columns.join(', ')} FROM (${sourceSql(scan, indexes)})`
}

/** Statements that create or replace the views of a statement's tables. */
export function scanViewStatements(scans: readonly ScanView[]): string[] {
  const tables = scans.map((scan) => scan.table)
  checkDistinct(tables)
  return [...createSchemas(tables), ...scans.map(createScanView)]
}

/**
 * Statements that create empty tables to bind against, and views over them.
 *
 * @param nonce hexadecimal and unguessable: with it in their names, text in a plan that names a stub's column cannot
 *   come from the statement
 */
export function stubStatements(tables: readonly EngineTable[], nonce: string): string[] {
  checkDistinct(tables)
  const stubs = tables.flatMap((table, tableIndex) => {
    const columns = table.columns.map((column, index) => `c${index}_${nonce} ${column.sqlType}`)
    const named = table.columns.map(
      (column, index) => `c${index}_${nonce} AS ${quoteIdentifier(column.name)}`,
    )
    const stub = `iceberg.main.t${tableIndex}_${nonce}`
    return [
      `CREATE TABLE ${stub} (${columns.join(', ')})`,
      `CREATE VIEW ${viewName(table)} AS SELECT ${named.join(', ')} FROM ${stub}`,
    ]
  })
  return [...createSchemas(tables), ...stubs]
}
