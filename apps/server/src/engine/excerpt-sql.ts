// The SQL over the excerpts of one table: those of one shape are read together, rows deleted by position are filtered by
// the excerpt's own column, and rows that equality deletes name are joined away (equality-delete-sql.ts).
import { assert } from '@lake/core/assert.ts'
import { DELETED_COLUMN } from '../parquet/excerpt.ts'
import type { ScanExcerpt, ScanView } from './engine.ts'
import { keyIndexesOf, placeColumns, withoutDeleted } from './equality-delete-sql.ts'
import { quoteString } from './quote.ts'

type TypeOf = (index: number) => string | undefined

/** A query with the columns `v<index>`, or any one column where there are no indexes. */
export function excerptsSql(
  { table, source }: ScanView & { readonly source: { readonly kind: 'excerpts' } },
  indexes: readonly number[],
): string {
  const deletes = source.equalityDeletes ?? []
  const hiddenTypes = new Map(
    deletes.flatMap(({ keys }) => keys.map(({ columnIndex, columnType }) => [columnIndex, columnType])),
  )
  const typeOf: TypeOf = (index) => table.columns[index]?.sqlType ?? hiddenTypes.get(index)
  const untouched = source.excerpts.filter(({ place }) => place === undefined)
  const touched = source.excerpts.filter(({ place }) => place !== undefined)
  const queries = selectExcerpts(untouched, indexes, typeOf)
  if (touched.length > 0) {
    const withKeys = [...new Set([...indexes, ...keyIndexesOf(deletes)])]
    const rows = selectExcerpts(touched, withKeys, typeOf).join(' UNION ALL ')
    const live = withoutDeleted(rows, deletes, ({ keys, excerpts }) => {
      const keyTypeOf: TypeOf = (index) => keys[index]?.columnType
      return selectExcerpts(excerpts, [...keys.keys()], keyTypeOf).join(' UNION ALL ')
    })
    queries.push(`SELECT ${listOf(indexes.map((index) => `r.v${index}`))} FROM ${live}`)
  }
  if (queries.length > 0) return queries.join(' UNION ALL ')
  return `SELECT ${listOf(indexes.map((index) => `CAST(NULL AS ${typeOf(index)}) AS v${index}`))} WHERE false`
}

/** One query per shape. */
function selectExcerpts(
  excerpts: readonly ScanExcerpt[],
  indexes: readonly number[],
  typeOf: TypeOf,
): string[] {
  return groupByShape(excerpts, indexes).map((group) => selectGroup(group, indexes, typeOf))
}

/** Excerpts of one shape share a `read_parquet`: same columns from the file, same constants, same place. */
function groupByShape(excerpts: readonly ScanExcerpt[], indexes: readonly number[]): ScanExcerpt[][] {
  const groups = Map.groupBy(excerpts, (excerpt) => {
    const shape = indexes.map((index) => {
      const column = excerpt.columns.get(index)
      assert(column !== undefined, `excerpt without column ${index}`)
      return column.source === 'file' ? null : column.sql
    })
    return JSON.stringify([
      excerpt.path !== undefined,
      excerpt.hasDeletedRows === true,
      placeColumns(excerpt),
      shape,
    ])
  })
  return [...groups.values()]
}

function selectGroup(group: readonly ScanExcerpt[], indexes: readonly number[], typeOf: TypeOf): string {
  const [first] = group
  assert(first !== undefined, 'a group has an excerpt')
  const columns = indexes.map((index) => {
    const column = first.columns.get(index)
    const value = column?.source === 'constant' ? `(${column.sql})` : `c${index}`
    return `CAST(${value} AS ${typeOf(index)}) AS v${index}`
  })
  const list = listOf([...columns, ...placeColumns(first)])
  const paths = group.map((excerpt) => excerpt.path)
  if (paths[0] === undefined) {
    let rowCount = 0
    for (const excerpt of group) rowCount += excerpt.rowCount
    return `SELECT ${list} FROM range(${rowCount})`
  }
  const where = first.hasDeletedRows === true ? ` WHERE NOT ${DELETED_COLUMN}` : ''
  return `SELECT ${list} FROM ${readParquetSql(paths.map((path) => path ?? ''))}${where}`
}

/** The files as they are: nothing is guessed from their paths, and nothing added. */
export function readParquetSql(paths: readonly string[]): string {
  const files = paths.map(quoteString).join(', ')
  return `read_parquet([${files}], hive_partitioning = false, union_by_name = false, file_row_number = false)`
}

function listOf(columns: readonly string[]): string {
  return columns.length === 0 ? '1 AS one' : columns.join(', ')
}
