// The SQL that takes the rows out of a scan that equality deletes name: one anti-join per set of keys. Keys are compared by
// IS NOT DISTINCT FROM, so NULL matches NULL. Delete rows with equal keys become one, of the latest commit.
import type { EqualityDeletes, EqualityKey, ScanExcerpt } from './engine.ts'
import { quoteString } from './quote.ts'

const COMMIT_ORDER = 'commit_order'
const PARTITION = 'partition_number'

/** The constants of an excerpt's place, as columns behind its own. */
export function placeColumns({ place }: ScanExcerpt): string[] {
  if (!place) return []
  return [`${place.commitOrder} AS ${COMMIT_ORDER}`, `${place.partition} AS ${PARTITION}`]
}

/** Columns of data files that the deletes compare. */
export function keyIndexesOf(deletes: readonly EqualityDeletes[]): ReadonlySet<number> {
  return new Set(deletes.flatMap(({ keys }) => keys.map(({ columnIndex }) => columnIndex)))
}

/**
 * @param rowsSql a query whose columns are `v<index>`, the keys among them, and the place
 * @param selectDeletes a query over all rows of a set's excerpts: key columns `v<key>`, and the place
 * @returns a table expression whose columns are those of the rows
 */
export function withoutDeleted(
  rowsSql: string,
  deletes: readonly EqualityDeletes[],
  selectDeletes: (set: EqualityDeletes) => string,
): string {
  const joins = deletes.map((set, index) => {
    const alias = `d${index}`
    const keys = set.keys.map((key, keyIndex) => `${keySql(key, `v${keyIndex}`)} AS k${keyIndex}`)
    const scope = set.isGlobal ? [] : [PARTITION]
    const latest = `max(${COMMIT_ORDER}) AS ${COMMIT_ORDER}`
    const conditions = [
      ...set.keys.map(
        (key, keyIndex) =>
          `${keySql(key, `r.v${key.columnIndex}`)} IS NOT DISTINCT FROM ${alias}.k${keyIndex}`,
      ),
      ...scope.map((column) => `r.${column} = ${alias}.${column}`),
      `r.${COMMIT_ORDER} < ${alias}.${COMMIT_ORDER}`,
    ]
    const rows = `SELECT ${[...keys, ...scope, latest].join(', ')} FROM (${selectDeletes(set)}) GROUP BY ALL`
    return `ANTI JOIN (${rows}) AS ${alias} ON ${conditions.join(' AND ')}`
  })
  return `(${rowsSql}) AS r ${joins.join(' ')}`
}

function keySql({ path }: EqualityKey, column: string): string {
  return path.reduce((sql, name) => `struct_extract(${sql}, ${quoteString(name)})`, column)
}
