// What is wrong with the statement under the cursor while it is being written: its syntax, and tables that do not
// exist. Only the server's parser decides; what it cannot be asked about is not marked. Columns are left to the run,
// which plans the statement.
import { errorRange, toApiError } from '../../api/api-error.ts'
import { postAnalyze } from '../../api/client.ts'
import { loadTable } from '../../api/query-client.ts'
import { sqlTableName } from '../../api/table-name.ts'
import { VALIDATED_TABLES_MAX } from '../../limits.ts'

export interface SqlProblem {
  /** UTF-16 in the statement, end exclusive. */
  startOffset: number
  endOffset: number
  message: string
}

/** Failures that are about the statement itself. */
const OF_STATEMENT = new Set(['SQL_SYNTAX', 'SQL_UNSUPPORTED', 'SQL_NOT_READ_ONLY'])
const OF_TABLE = new Set(['NO_SUCH_TABLE', 'NO_SUCH_NAMESPACE', 'PERMISSION_DENIED'])

/** Never rejects but for an abort: where the server does not answer, there is nothing to say. */
export async function sqlProblems(sql: string, signal: AbortSignal): Promise<SqlProblem[]> {
  let tables
  try {
    ;({ tables } = await postAnalyze(sql, signal))
  } catch (error) {
    signal.throwIfAborted()
    const failure = toApiError(error)
    const range = errorRange(failure)
    return range !== null && OF_STATEMENT.has(failure.code) ? [{ ...range, message: failure.message }] : []
  }
  const checked = await Promise.all(
    tables.slice(0, VALIDATED_TABLES_MAX).map(async ({ namespace, table, startOffset, endOffset }) => {
      try {
        await loadTable({ namespace, table })
        return null
      } catch (error) {
        return OF_TABLE.has(toApiError(error).code)
          ? {
              startOffset,
              endOffset,
              message: `There is no table ${sqlTableName({ namespace, table })} for you.`,
            }
          : null
      }
    }),
  )
  signal.throwIfAborted()
  return checked.filter((problem) => problem !== null)
}
