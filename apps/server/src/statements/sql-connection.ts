// What the store of statements needs of a database: running one SQL statement with named parameters (`:name`), and some
// as one change that excludes others of its kind.

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, unknown>>
export type RunSql = (sql: string, parameters: Readonly<Record<string, SqlValue>>) => Promise<SqlRow[]>

export interface SqlConnection extends AsyncDisposable {
  /** Runs one statement and gives its rows. Throws AppError STATEMENTS_UNAVAILABLE. */
  readonly run: RunSql
  /** Appended to the choice of the row that is updated, so that two callers do not wait for one row. */
  readonly skipLocked: string
  exclusively(work: (run: RunSql) => Promise<void>): Promise<void>
}
