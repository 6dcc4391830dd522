// What a statement's text says to completion: which tables it names under which aliases, and what is being typed at
// the cursor. Works on unfinished text, so it looks for names and does not parse; the server decides what is valid.
import { NAME, NOT_ALIAS, unquoteName as unquote } from './at-versions.ts'
import { blankLiterals } from './blank-literals.ts'
import { ctesOf, sourcesOf, type Cte } from './cte-scope.ts'
import { statementAt } from './split-statements.ts'

export interface ScopeTable {
  namespace: string
  table: string
  /** Alias, or the table's own name. */
  name: string
}

export type CompletionContext =
  /** After `iceberg.` */
  | { kind: 'namespaces' }
  /** After `iceberg.<namespace>.` */
  | { kind: 'tables'; namespace: string }
  /** After `<alias>.` of a table */
  | { kind: 'columns'; table: ScopeTable }
  /** After `<alias>.` of a common table expression */
  | { kind: 'cte'; cte: Cte; tables: readonly ScopeTable[]; ctes: readonly Cte[] }
  | { kind: 'any'; tables: readonly ScopeTable[]; ctes: readonly Cte[] }
  /** After a dot whose left side means nothing here. */
  | { kind: 'none' }

const TABLE = new RegExp(
  String.raw`\biceberg\s*\.\s*(${NAME})\s*\.\s*(${NAME})(?:\s+(?:as\s+)?(${NAME}))?`,
  'giu',
)
const PATH_BEFORE = new RegExp(String.raw`((?:${NAME}\s*\.\s*)+)(?:"[^"]*|[\p{L}\p{N}_$]*)$`, 'u')
const PATH_PART = new RegExp(NAME, 'gu')
const withoutLiterals = (sql: string): string => blankLiterals(sql, { keepNames: true })

export function tablesInScope(sql: string): ScopeTable[] {
  return [...withoutLiterals(sql).matchAll(TABLE)].map((match) => {
    const namespace = unquote(match[1] ?? '')
    const table = unquote(match[2] ?? '')
    const alias = match[3]
    const isAlias = alias !== undefined && !NOT_ALIAS.has(alias.toLowerCase())
    return { namespace, table, name: isAlias ? unquote(alias) : table }
  })
}

/** What can stand at `offset` of `text` (UTF-16). */
export function completionContext(text: string, offset: number): CompletionContext {
  const range = statementAt(text, offset)
  const start = range === null || range.startOffset > offset ? offset : range.startOffset
  const sql = range === null ? '' : text.slice(range.startOffset, range.endOffset)
  const tables = tablesInScope(sql)
  const ctes = ctesOf(withoutLiterals(sql))
  const path = PATH_BEFORE.exec(withoutLiterals(text.slice(start, offset)))?.[1]
  if (path === undefined) return { kind: 'any', tables, ctes }
  const parts = (path.match(PATH_PART) ?? []).map(unquote)
  const [first, second] = parts
  if (first?.toLowerCase() === 'iceberg') {
    if (parts.length === 1) return { kind: 'namespaces' }
    if (parts.length === 2 && second !== undefined) return { kind: 'tables', namespace: second }
  }
  const owner = parts.at(-1)?.toLowerCase()
  const table = tables.find(({ name }) => name.toLowerCase() === owner)
  if (table !== undefined) return { kind: 'columns', table }
  const source =
    sourcesOf(withoutLiterals(sql)).find(({ name }) => name.toLowerCase() === owner)?.source ?? owner
  const cte = ctes.find(({ name }) => name.toLowerCase() === source?.toLowerCase())
  return cte === undefined ? { kind: 'none' } : { kind: 'cte', cte, tables, ctes }
}
