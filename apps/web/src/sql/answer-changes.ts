// The statement that says how an answer has changed: the rows that it has at one time of its tables and not at the other.
import { sqlAtVersions, type TableVersion } from './at-versions.ts'
import { blankLiterals } from './blank-literals.ts'

/** Without the semicolon at its end; what stands behind that are comments. */
function withoutEnd(sql: string): string {
  const at = /;\s*$/.exec(blankLiterals(sql, { keepNames: false }))?.index
  return at === undefined ? sql : sql.slice(0, at) + sql.slice(at + 1)
}

/**
 * Rows are compared as they are, each as often as it is there; a floating-point sum that differs in its last digit is
 * another row. Names within the statement hide those of this one.
 * @param then the snapshots of one time; the other one is what is current when it runs
 */
export function answerChangesSql(sql: string, then: readonly TableVersion[]): string {
  const text = withoutEnd(sql).trim()
  return `-- Rows of the answer that changed: - was there at the snapshots named here, + is there now.
WITH answer_then AS (
${sqlAtVersions(text, then)}
), answer_now AS (
${text}
)
SELECT '-' AS change, * FROM (FROM answer_then EXCEPT ALL FROM answer_now)
UNION ALL
SELECT '+' AS change, * FROM (FROM answer_now EXCEPT ALL FROM answer_then)`
}
