// What is wrong with the statement under the cursor while it is being written: its syntax, its tables, its columns and
// types. Only the server decides, which plans the statement; what it cannot be asked about is not marked.
import { atWrittenPlace, errorRange, toApiError } from '../../api/api-error.ts'
import { estimateQuery, queryClient } from '../../api/query-client.ts'
import { bindParameters } from '../../sql/parameters.ts'
import type { Tab } from './tabs-state.ts'

/** What a tab's statements run with. */
export type RunContext = Pick<Tab, 'pins' | 'parameters'>

export interface SqlProblem {
  /** UTF-16 in the statement, end exclusive. */
  startOffset: number
  endOffset: number
  message: string
}

/** Never rejects but for an abort: where the server does not answer, or a parameter has no value, there is nothing to say. */
export async function sqlProblem(
  sql: string,
  { pins, parameters = [] }: RunContext = { pins: [] },
  signal: AbortSignal,
): Promise<SqlProblem | null> {
  const bound = bindParameters(sql, parameters)
  if (bound.kind === 'unbound') return null
  const query = estimateQuery(bound.sql, pins)
  const cancel = () => void queryClient.cancelQueries({ queryKey: query.queryKey })
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await queryClient.fetchQuery(query)
    return null
  } catch (error) {
    signal.throwIfAborted()
    const failure = atWrittenPlace(toApiError(error), bound.edits)
    const range = errorRange(failure)
    return range === null ? null : { ...range, message: failure.message }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
