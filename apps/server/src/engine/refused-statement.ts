// Says why a text that is not a plain query was refused. The engine has refused it already; this only finds the words,
// so nothing here decides what may run.
import { AppError } from '@lake/core/errors.ts'
import { tokenEnd } from './text-offsets.ts'

const LEADING = /(?:\s|;|\(|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/uy

const HELP: Readonly<Record<string, string>> = {
  EXPLAIN: 'EXPLAIN does not run here. The receipt of a result says what was read and what was skipped.',
  PIVOT: 'PIVOT needs its values spelled out here: PIVOT … ON column IN (value, …) USING …',
  PIVOT_WIDER: 'PIVOT needs its values spelled out here: PIVOT … ON column IN (value, …) USING …',
}
const QUERY_WORDS = new Set(['SELECT', 'FROM', 'WITH', 'VALUES', 'TABLE', 'UNPIVOT'])

/** The error for a text that the engine parsed but does not take for one query. */
export function refuseStatement(sql: string): AppError {
  LEADING.lastIndex = 0
  const startOffset = LEADING.exec(sql)?.[0].length ?? 0
  const endOffset = tokenEnd(sql, startOffset)
  const word = sql.slice(startOffset, endOffset).toUpperCase()
  const details = { startOffset, endOffset }
  const help = HELP[word] ?? (QUERY_WORDS.has(word) && /\bpivot\b/iu.test(sql) ? HELP['PIVOT'] : undefined)
  if (help !== undefined) return new AppError('SQL_UNSUPPORTED', help, { details })
  const message = QUERY_WORDS.has(word)
    ? 'Only queries run here; the statement would change something.'
    : `Only queries run here, and ${word} is not one.`
  return new AppError('SQL_NOT_READ_ONLY', message, { details })
}
