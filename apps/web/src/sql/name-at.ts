// Which table or column a place of a statement names, for hovering. By text alone: a name that could be either of two
// tables' columns gives both.
import { blankLiterals } from './blank-literals.ts'
import { tablesInScope, type ScopeTable } from './sql-scope.ts'
import { statementAt } from './split-statements.ts'

export interface NamedPlace {
  /** UTF-16, end exclusive, of the name alone. */
  startOffset: number
  endOffset: number
  name: string
  /** Tables that the name may belong to: itself a table, or one of whose columns it is. */
  tables: readonly ScopeTable[]
}

const NAME_PATH =
  /(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(?:\.(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))*/gu
const PART = /"(?:[^"]|"")+"|[^."]+/gu
const unquote = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name

/** Null where there is no name, or none that belongs to a table of the statement. */
export function nameAt(text: string, offset: number): NamedPlace | null {
  const range = statementAt(text, offset)
  if (range === null || offset < range.startOffset || offset > range.endOffset) return null
  const sql = text.slice(range.startOffset, range.endOffset)
  const tables = tablesInScope(sql)
  for (const path of blankLiterals(sql, { keepNames: true }).matchAll(NAME_PATH)) {
    const start = range.startOffset + path.index
    if (offset < start || offset > start + path[0].length) continue
    const parts = [...path[0].matchAll(PART)]
    const names = parts.map((part) => unquote(part[0]))
    const at = parts.findIndex((part) => offset <= start + part.index + part[0].length)
    const part = parts[at]
    const name = names[at]
    if (part === undefined || name === undefined) return null
    const owner = at === 0 ? undefined : names[at - 1]?.toLowerCase()
    const isOf = (table: ScopeTable) =>
      names[0]?.toLowerCase() === 'iceberg'
        ? at === 2 && table.table.toLowerCase() === name.toLowerCase() && table.namespace === names[1]
        : owner === undefined || table.name.toLowerCase() === owner
    const found = tables.filter(isOf)
    if (found.length === 0) return null
    const startOffset = start + part.index
    return { startOffset, endOffset: startOffset + part[0].length, name, tables: found }
  }
  return null
}
