// The contract of an excerpt: a partial Parquet file that we wrote. See ARCHITECTURE.md, "Excerpts".

/** How one top-level column of the pinned schema is found in an excerpt. */
export type ExcerptColumn =
  /** In the file, as column `c<index>`; may need a cast to the table's type (promotion, missing nested fields). */
  | { readonly source: 'file' }
  /** Not in the file: the same value in every row, as a SQL expression without side effects, such as `NULL`. */
  | { readonly source: 'constant'; readonly sql: string }

export interface Excerpt {
  /** Absolute path of the excerpt; undefined where no column has to come from the file. */
  readonly path: string | undefined
  readonly rowCount: number
  /** By index of the top-level column in the pinned schema; only the needed columns are present. */
  readonly columns: ReadonlyMap<number, ExcerptColumn>
}
