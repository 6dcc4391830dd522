// The statement that says how an answer has changed: the rows that it has at one time of its tables and not at the other.
import { quoteIdentifier } from '@lake/core/iceberg/identifiers.ts'
import { placeVersions, type TableVersion } from './at-versions.ts'
import { blankLiterals, hasTopLevelLimit } from './blank-literals.ts'

/** Without the semicolon at its end; what stands behind that are comments. */
function withoutEnd(sql: string): string {
  const at = /;\s*$/.exec(blankLiterals(sql, { keepNames: false }))?.index
  return at === undefined ? sql : sql.slice(0, at) + sql.slice(at + 1)
}

export interface AnswerThen {
  sql: string
  /** The snapshots of one time; the other one is what is current when the comparison runs. */
  versions: readonly TableVersion[]
  /** Names of the answer's columns, in order. */
  columns: readonly string[]
}

/**
 * Rows are compared as they are, each as often as it is there; a floating-point sum that differs in its last digit is
 * another row. Columns are compared by name, so that one which is gone is an error and one that is new is left out; by place
 * only where two have the same name. Names within the statement hide those of this one.
 *
 * @returns null where the text has no place for one of the versions: both sides would be what is current
 */
export function answerChangesSql({ sql, versions, columns }: AnswerThen): string | null {
  const text = withoutEnd(sql).trim()
  const then = placeVersions(text, versions)
  if (then.unplaced.length > 0) return null
  const isByName = new Set(columns.map((name) => name.toLowerCase())).size === columns.length
  const list = isByName ? columns.map(quoteIdentifier).join(', ') : '*'
  const limited = hasTopLevelLimit(text)
    ? '\n-- The statement takes some rows of more: that it took others is no change of the data.'
    : ''
  return `-- Rows of the answer that changed: - was there at the snapshots named here, + is there now.${limited}
WITH answer_then AS (
${then.sql}
), answer_now AS (
${text}
)
SELECT '-' AS change, * FROM (SELECT ${list} FROM answer_then EXCEPT ALL SELECT ${list} FROM answer_now)
UNION ALL
SELECT '+' AS change, * FROM (SELECT ${list} FROM answer_now EXCEPT ALL SELECT ${list} FROM answer_then)`
}
