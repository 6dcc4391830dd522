// The DDL that gives an engine process the tables of one statement: a view per table over its excerpts, or, for
// analysis, over an empty stub whose names no statement can contain.
//
// A view always has all columns of the table. One that was not fetched is an expression that fails when it is evaluated:
// the optimizer drops it where it is not needed, and a mistake in pushdown becomes an error instead of NULLs.
import { AppError } from '@lake/core/errors.ts'
import { assert } from '@lake/core/assert.ts'
import { LIMITS } from '../limits.ts'
import type { EngineTable, ScanView } from './engine.ts'
import { viewTextOffset } from './engine-errors.ts'
import { excerptsSql, readParquetSql } from './excerpt-sql.ts'
import { quoteIdentifier, quoteString } from './quote.ts'

/** Two names that the engine cannot tell apart would silently become one table. */
function checkDistinct(tables: readonly EngineTable[]): void {
  const seen = new Set<string>()
  for (const table of tables) {
    const key = viewName(table).toLowerCase()
    if (seen.has(key)) {
      throw new AppError(
        'SQL_UNSUPPORTED',
        `Two tables named "${table.schemaName}"."${table.tableName}" differ in case only`,
      )
    }
    seen.add(key)
  }
}

/** Versions of a table have temporary views, whose names need no catalog and schema. */
const viewName = (table: EngineTable): string =>
  table.viewName === undefined ? fullName(table) : quoteIdentifier(table.viewName)

const fullName = (table: EngineTable): string =>
  `iceberg.${quoteIdentifier(table.schemaName)}.${quoteIdentifier(table.tableName)}`

const viewKind = (table: EngineTable): string => (table.viewName === undefined ? 'VIEW' : 'TEMP VIEW')

function createSchemas(tables: readonly EngineTable[]): string[] {
  const names = new Map(tables.map((table) => [table.schemaName.toLowerCase(), table.schemaName]))
  return [...names.values()].map((name) => `CREATE SCHEMA IF NOT EXISTS iceberg.${quoteIdentifier(name)}`)
}

function selectJson(
  table: EngineTable,
  indexes: readonly number[],
  source: ScanView['source'] & { readonly kind: 'json' },
): string {
  const values = indexes.map((index) => `CAST(c${index} AS ${table.columns[index]?.sqlType}) AS v${index}`)
  const types = indexes.map((index) => `c${index}: ${quoteString(source.jsonTypes.get(index) ?? 'VARCHAR')}`)
  const options = `format = 'newline_delimited', maximum_object_size = ${LIMITS.metadataRowBytesMax}, columns = {${types.join(', ')}}`
  return `SELECT ${values.join(', ')} FROM read_json([${quoteString(source.path)}], ${options})`
}

function sourceSql(scan: ScanView, indexes: readonly number[]): string {
  const { table, source } = scan
  if (source.kind === 'rows') {
    assert(indexes.length === 0, 'a count of rows has no columns')
    const { rowCount, path } = source
    return `SELECT 1 AS one FROM ${path === undefined ? `range(${rowCount})` : readParquetSql([path])}`
  }
  if (source.kind === 'json') return selectJson(table, indexes, source)
  return excerptsSql({ ...scan, source }, indexes)
}

function createScanView(scan: ScanView, textOffset: number): string {
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
  return `${' '.repeat(textOffset)}CREATE OR REPLACE ${viewKind(table)} ${viewName(table)} AS SELECT ${columns.join(', ')} FROM (${sourceSql(scan, indexes)})`
}

/**
 * Statements that create or replace the views of a statement's tables.
 *
 * @param sql the statement that will read them, where it is known: positions in their texts are none in its text
 */
export function scanViewStatements(scans: readonly ScanView[], sql?: string): string[] {
  const tables = scans.map((scan) => scan.table)
  checkDistinct(tables)
  const textOffset = viewTextOffset(sql)
  return [...createSchemas(tables), ...scans.map((scan) => createScanView(scan, textOffset))]
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
      `CREATE ${viewKind(table)} ${viewName(table)} AS SELECT ${named.join(', ')} FROM ${stub}`,
    ]
  })
  return [...createSchemas(tables), ...stubs]
}
