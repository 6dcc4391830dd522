// The contract of an excerpt: a partial Parquet file that we wrote. See ARCHITECTURE.md, "Excerpts".

/** Boolean; true in rows that are none of the table. */
export const DELETED_COLUMN = 'deleted'

/** How one top-level column of the pinned schema is found in an excerpt. */
export type ExcerptColumn =
  /** In the file, as column `c<index>`; may need a cast to the table's type (promotion, missing nested fields). */
  | { readonly source: 'file' }
  /**
   * A SQL expression without side effects. Mostly the same value in every row, such as `NULL`; where the file's column
   * needs more than a cast, or is of an unusual type, it refers to that column as `"c<index>"` (only if there is a path).
   * Excerpts may be read together only where all of this text is equal.
   */
  | { readonly source: 'constant'; readonly sql: string }

export interface Excerpt {
  /** Absolute path of the excerpt; undefined where no column has to come from the file. */
  readonly path: string | undefined
  /** Rows of the file that `path` names; without a file, those that are not deleted. */
  readonly rowCount: number
  /** True where the file has the column `DELETED_COLUMN`. */
  readonly hasDeletedRows?: boolean
  /** By index of the top-level column in the pinned schema; only the needed columns are present. */
  readonly columns: ReadonlyMap<number, ExcerptColumn>
}
