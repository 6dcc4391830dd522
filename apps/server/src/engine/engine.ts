// The SQL engine as the rest of the server sees it: an analyst that reads statements, and sessions that run them.
// The implementation runs DuckDB in child processes (engine-pool.ts); nothing else knows that.
import type { Excerpt } from '../parquet/excerpt.ts'

/** A table as the engine is told of it. */
export interface EngineTable {
  /** Levels joined by `.`, as written in SQL: `iceberg."a.b".t`. */
  readonly schemaName: string
  readonly tableName: string
  /** A name without catalog and schema, by which the statement reads this instead of the table's own. */
  readonly viewName?: string | undefined
  /** Top-level columns in order of the pinned schema. Names are unique ignoring case. */
  readonly columns: readonly EngineColumn[]
}

export interface EngineColumn {
  readonly name: string
  /** A DuckDB type. */
  readonly sqlType: string
  /** Where it holds instants in nanoseconds, of which the engine has the time in UTC: the type with the engine's own instants. */
  readonly zonedSqlType?: string
}

/** Where a file stands among commits and partitions. A delete is for files of lower order, and of its partition. */
export interface DeletePlace {
  readonly commitOrder: number
  readonly partition: number
}

export interface ScanExcerpt extends Excerpt {
  /** undefined: no equality delete is for it. Otherwise it also has the columns of all their keys. */
  readonly place?: DeletePlace | undefined
}

export interface EqualityKey {
  /** Of the excerpts of data files; beyond the table's columns where it is hidden. */
  readonly columnIndex: number
  /** DuckDB type of that column. */
  readonly columnType: string
  /** Names of the fields that lead to the key inside of the column; none where the column is the key. */
  readonly path: readonly string[]
}

/** Delete files with the same keys. NULL equals NULL, NaN equals NaN, -0 equals 0. */
export interface EqualityDeletes {
  readonly keys: readonly EqualityKey[]
  /** True where they are for every partition. */
  readonly isGlobal: boolean
  /** Column i is key i, as a column of type `columnType`. Each has its place. */
  readonly excerpts: readonly ScanExcerpt[]
}

/** What a view of a table stands on while a statement runs. */
export interface ScanView {
  readonly table: EngineTable
  /**
   * Indexes of the columns that may be read. A view column outside this set fails the statement when it is evaluated,
   * so a mistake in pushdown can never show NULLs as data.
   */
  readonly columnIndexes: ReadonlySet<number>
  readonly source:
    | {
        readonly kind: 'excerpts'
        readonly excerpts: readonly ScanExcerpt[]
        /** Rows that one of these deletes are no rows of the table. */
        readonly equalityDeletes?: readonly EqualityDeletes[]
      }
    /** No column is needed: only the number of rows counts. `path`, where given, is a Parquet file of as many rows. */
    | { readonly kind: 'rows'; readonly rowCount: number; readonly path?: string | undefined }
    /** Lines of JSON objects with values under `c<index>`; `jsonTypes` are DuckDB types to read them as, by index. */
    | { readonly kind: 'json'; readonly path: string; readonly jsonTypes: ReadonlyMap<number, string> }
}

export interface ResultColumn {
  readonly name: string
  /** DuckDB's spelling, instants in nanoseconds called so (instant-types.ts). */
  readonly type: string
}

export interface BoundStatement {
  readonly columns: readonly ResultColumn[]
  /** By column: which nanosecond times in it are instants, as `instantsIn` numbers them. */
  readonly instants: readonly (readonly number[])[]
  /**
   * The optimized plan as `EXPLAIN (FORMAT JSON)` prints it. The n-th of the given tables is scanned as
   * `iceberg.main.t<n>_<nonce>` with columns `c<i>_<nonce>`; see sql/pushdown.ts. EXPLAIN keeps silent about the number
   * of a LIMIT, so `extra_info.Limit` is added where the statement's only LIMIT is a constant at its top, no OFFSET.
   */
  readonly plan: unknown
  /** The engine's syntax tree of the text, as `parse` gives it. */
  readonly tree: unknown
}

/** Reads statements without running them. Throws AppError SQL_* with offsets into the text, BUSY, ENGINE_FAILED. */
export interface Analyst {
  /** The engine's syntax tree of the text (`json_serialize_sql`). SQL_SYNTAX, SQL_NOT_READ_ONLY, SQL_UNSUPPORTED. */
  parse(sql: string, signal: AbortSignal): Promise<unknown>
  /**
   * Binds and optimizes the statement over empty tables, so that the plan says what each scan needs.
   *
   * @param options.statementAtMs what `now()` and its kin stand for; give `execute` the same. Without it they stay
   *   unknown, and filters that depend on them prune nothing.
   */
  bind(
    sql: string,
    tables: readonly EngineTable[],
    signal: AbortSignal,
    options?: { readonly statementAtMs?: number },
  ): Promise<BoundStatement>
  /** Parses filter texts of a plan into expression trees; null for one that does not parse alone. */
  parseExpressions(texts: readonly string[], signal: AbortSignal): Promise<readonly unknown[]>
}

/** A batch of rows, ready to be sent: one encapsulated Arrow IPC record batch message with its body. */
export interface EncodedBatch {
  readonly rowCount: number
  readonly bytes: Uint8Array
}

export interface EngineResult {
  readonly columns: readonly ResultColumn[]
  /** One encapsulated Arrow IPC schema message. The same for every run of one statement. */
  readonly schemaMessage: Uint8Array
  /** Pull-based: the engine does not compute far ahead of its reader. Ends early once `rowsMax` rows were given. */
  readonly batches: AsyncIterable<EncodedBatch>
}

/** One engine process, held for one statement. Disposing it gives the process back, or kills it if it is not idle. */
export interface EngineSession extends AsyncDisposable {
  /** Where excerpts must be written: the only folder that the process may read. Emptied between statements. */
  readonly directory: string
  /** Aborts with ENGINE_FAILED when the process ends of itself; the directory is gone then. */
  readonly lost: AbortSignal
  /**
   * Creates or replaces the views of the statement's tables.
   *
   * @param sql the statement: what fails inside a view is told without a place in it
   */
  defineScans(scans: readonly ScanView[], signal: AbortSignal, sql?: string): Promise<void>
  /**
   * Runs the statement over the defined views. Aborting interrupts the engine and, failing that, kills the process.
   * An earlier run that was not read to its end is closed.
   *
   * @param options.statementAtMs what `now()` and its kin stand for, the current time by default; the first run of a
   *   session fixes it for all
   * @param options.instants of the bound statement
   * @throws AppError SQL_EXECUTION, SQL_BINDING, ENGINE_FAILED, CANCELLED, DEADLINE_EXCEEDED
   */
  execute(
    sql: string,
    options: {
      readonly rowsMax: number
      readonly statementAtMs?: number
      readonly instants?: BoundStatement['instants']
    },
    signal: AbortSignal,
  ): Promise<EngineResult>
}

export interface Engine extends AsyncDisposable {
  /** For receipts, such as `DuckDB v1.5.6`. */
  readonly name: string
  readonly analyst: Analyst
  /** Processes that statements hold, and statements that wait for one. */
  readonly usage: { readonly heldCount: number; readonly waitingCount: number }
  /**
   * Waits for a free process, in order, within the queue's bound. Throws AppError BUSY, CANCELLED.
   * @param options.isBackground behind all statements that people wait for, and never the last free process of several
   */
  acquire(signal: AbortSignal, options?: { readonly isBackground?: boolean }): Promise<EngineSession>
}
