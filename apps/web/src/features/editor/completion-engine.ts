// What completion offers at a place of a text, from lists that it is given. Pure; it runs in a worker, so that no list is
// too long for the page. Places are found by the text alone (sql/sql-scope.ts); lists are of the catalog.
import { quoteIdentifier } from '@lake/core/iceberg/identifiers.ts'
import { RESERVED_COLUMNS } from '@lake/core/iceberg/reserved-columns.ts'
import { SUGGESTIONS_MAX } from '../../limits.ts'
import { completionContext, type CompletionContext, type ScopeTable } from '../../sql/sql-scope.ts'
import type { Cte } from '../../sql/cte-scope.ts'
import { rankSuggestions } from './rank-suggestions.ts'

export type SuggestionKind = 'namespace' | 'table' | 'column' | 'reserved' | 'keyword' | 'function'

export interface Suggestion {
  label: string
  insertText: string
  detail: string
  kind: SuggestionKind
  /** Lower goes first. */
  rank: number
}

/** A list of the catalog by what it is of. */
export type ListKey =
  | { kind: 'namespaces' }
  | { kind: 'tables'; namespace: string }
  | { kind: 'columns'; namespace: string; table: string }

export interface ListItem {
  name: string
  /** The type of a column; empty otherwise. */
  type: string
}

/** The lists that are there, by `JSON.stringify` of their key. */
export type Lists = ReadonlyMap<string, readonly ListItem[]>

export const listId = (key: ListKey): string => JSON.stringify(key)

const KEYWORDS = (
  'SELECT,FROM,WHERE,GROUP BY,ORDER BY,HAVING,LIMIT,OFFSET,JOIN,LEFT JOIN,CROSS JOIN,ON,USING,AS,WITH,UNION ALL,' +
  'DISTINCT,CASE,WHEN,THEN,ELSE,END,AND,OR,NOT,IN,IS NULL,IS NOT NULL,BETWEEN,LIKE,ILIKE,EXISTS,CAST,TRY_CAST,' +
  'OVER,PARTITION BY,QUALIFY,EXCLUDE,ASC,DESC,NULLS LAST,NULLS FIRST,DATE,TIMESTAMP,INTERVAL'
).split(',')

const RANK = { column: 0, table: 1, catalog: 2, keyword: 3, function: 4, reserved: 5 } as const

const columnsKey = ({ namespace, table }: ScopeTable): ListKey => ({ kind: 'columns', namespace, table })

/** The lists that a place needs. */
export function listsFor(text: string, offset: number): ListKey[] {
  const context = completionContext(text, offset)
  switch (context.kind) {
    case 'none':
      return []
    case 'namespaces':
      return [{ kind: 'namespaces' }]
    case 'tables':
      return [{ kind: 'tables', namespace: context.namespace }]
    case 'columns':
      return [columnsKey(context.table)]
    case 'cte':
    case 'any':
      return context.tables.map(columnsKey)
  }
}

/**
 * At most SUGGESTIONS_MAX, best first.
 * @param word what is typed of the name already
 * @param signatures of the functions, one each line; see functions.txt
 */
export function suggest(
  place: { text: string; offset: number; word: string },
  lists: Lists,
  signatures: ReadonlyMap<string, readonly string[]>,
): { shown: Suggestion[]; isCut: boolean } {
  const context = completionContext(place.text, place.offset)
  return rankSuggestions(suggestionsAt(context, lists, signatures), place.word, SUGGESTIONS_MAX)
}

function suggestionsAt(
  context: CompletionContext,
  lists: Lists,
  signatures: ReadonlyMap<string, readonly string[]>,
): Suggestion[] {
  switch (context.kind) {
    case 'none':
      return []
    case 'namespaces':
      return namesIn(lists, { kind: 'namespaces' }, 'namespace')
    case 'tables':
      return namesIn(lists, { kind: 'tables', namespace: context.namespace }, 'table')
    case 'columns':
      return withReserved(tableColumns(context.table, lists))
    case 'cte':
      return cteColumns(context.cte, context, lists)
    case 'any': {
      const ofTables = withReserved(context.tables.flatMap((table) => tableColumns(table, lists)))
      const ofCtes = context.ctes.flatMap((cte) => cteColumns(cte, context, lists))
      const names = [...context.tables.map(({ name }) => name), ...context.ctes.map(({ name }) => name)]
      return unique([
        ...ofTables,
        ...ofCtes,
        ...names.map((name) => named(name, 'table', RANK.table, 'in this statement')),
        named('iceberg', 'namespace', RANK.catalog, 'the catalog'),
        ...KEYWORDS.map((word) => ({ ...named(word, 'keyword', RANK.keyword), insertText: word })),
        ...[...signatures].map(([name, [first = '', ...more]]) => ({
          ...named(name, 'function', RANK.function, first.slice(name.length)),
          ...(more.length > 0 ? { detail: `${first.slice(name.length)}  +${more.length}` } : {}),
          insertText: name,
        })),
      ])
    }
  }
}

function named(label: string, kind: SuggestionKind, rank: number, detail = ''): Suggestion {
  return { label, insertText: quoteIdentifier(label), detail, kind, rank }
}

function namesIn(lists: Lists, key: ListKey, kind: SuggestionKind): Suggestion[] {
  return (lists.get(listId(key)) ?? []).map(({ name }) => named(name, kind, 0, kind))
}

function tableColumns(table: ScopeTable, lists: Lists): Suggestion[] {
  const items = lists.get(listId(columnsKey(table))) ?? []
  return items.map(({ name, type }) => named(name, 'column', RANK.column, `${type} · ${table.name}`))
}

/** Those that it names, and those of the tables and other expressions whose `*` it selects. */
function cteColumns(
  cte: Cte,
  scope: { tables: readonly ScopeTable[]; ctes: readonly Cte[] },
  lists: Lists,
  above: readonly Cte[] = [],
): Suggestion[] {
  const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
  const stars = cte.starsOf.flatMap((source) => {
    const other = scope.ctes.find(({ name }) => isSame(name, source))
    if (other !== undefined && other !== cte && !above.includes(other))
      return cteColumns(other, scope, lists, [...above, cte])
    return scope.tables
      .filter(({ table, name }) => isSame(table, source) || isSame(name, source))
      .flatMap((table) => tableColumns(table, lists))
  })
  const own = cte.columns.map((name) => named(name, 'column', RANK.column, cte.name))
  return unique([...own, ...stars.map((column) => ({ ...column, detail: `${column.detail} · ${cte.name}` }))])
}

/** With the reserved columns that none of them hides, where there are any. */
function withReserved(columns: readonly Suggestion[]): Suggestion[] {
  if (columns.length === 0) return []
  const taken = new Set(columns.map(({ label }) => label.toLowerCase()))
  const reserved = RESERVED_COLUMNS.filter(({ name }) => !taken.has(name)).map(({ name, doc }): Suggestion =>
    named(name, 'reserved', RANK.reserved, doc),
  )
  return [...columns, ...reserved]
}

/** The first of equal names and details. */
function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  const byKey = new Map<string, Suggestion>()
  for (const suggestion of suggestions) {
    const key = `${suggestion.kind} ${suggestion.label} ${suggestion.detail}`
    if (!byKey.has(key)) byKey.set(key, suggestion)
  }
  return [...byKey.values()]
}

/** Signatures by name, from the lines of functions.txt. */
export function parseSignatures(lines: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const line of lines.split('\n')) {
    const name = line.slice(0, line.indexOf('('))
    if (name === '') continue
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [line])
    else known.push(line)
  }
  return byName
}
