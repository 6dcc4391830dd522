// A statement with its strings, comments and quoted names blanked out, at the same length: what is left can be looked
// through for words and brackets, and positions stay those of the statement. Knows nothing of the grammar.
import { skipToken } from './split-statements.ts'

/** `keepNames` leaves quoted names as they are. */
export function blankLiterals(sql: string, options: { keepNames: boolean }): string {
  let text = ''
  for (let i = 0; i < sql.length;) {
    const { end, isComment } = skipToken(sql, i)
    const token = sql.slice(i, end)
    const isLiteral = isComment || token.length > 1 || token === "'" || token === '"'
    const isKept = !isLiteral || (options.keepNames && token.startsWith('"'))
    text += isKept ? token : ' '.repeat(token.length)
    i = end
  }
  return text
}

/** The same, with everything within brackets blanked too: the words of the statement's own clauses. */
function topLevelText(sql: string): string {
  let depth = 0
  let text = ''
  for (const character of blankLiterals(sql, { keepNames: false })) {
    if (character === ')' || character === ']') depth = Math.max(0, depth - 1)
    text += depth === 0 ? character : ' '.repeat(character.length)
    if (character === '(' || character === '[') depth += 1
  }
  return text
}

/** Whether the rows of the answer come in an order that the statement asks for. */
export const hasTopLevelOrder = (sql: string): boolean => /\border\s+by\b/i.test(topLevelText(sql))

/** Whether the statement takes some rows of more, by LIMIT, OFFSET, FETCH or a sample. */
export const hasTopLevelLimit = (sql: string): boolean =>
  /\b(limit|offset|fetch|using\s+sample|tablesample)\b/i.test(topLevelText(sql))
