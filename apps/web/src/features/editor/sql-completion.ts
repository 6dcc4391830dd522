// Completion for the editor: names of the catalog and of the tables in scope, then keywords. Lists come through the
// query cache, so typing does not wait for the catalog twice; a list that cannot be had is left out.
import { loadColumns, loadNamespaces, loadTableNames } from '../../api/query-client.ts'
import { quoteIdentifier } from '@lake/core/iceberg/identifiers.ts'
import { RESERVED_COLUMNS } from '@lake/core/iceberg/reserved-columns.ts'
import { namespaceText } from '../../api/table-name.ts'
import { SUGGESTIONS_MAX } from '../../limits.ts'
import { monaco } from './monaco-setup.ts'
import { rankSuggestions } from './rank-suggestions.ts'
import { completionContext, type CompletionContext, type ScopeTable } from '../../sql/sql-scope.ts'

interface Suggestion {
  label: string
  insertText: string
  detail: string
  kind: monaco.languages.CompletionItemKind
  /** Lower goes first. */
  rank: number
}

const { CompletionItemKind } = monaco.languages

const KEYWORDS = (
  'SELECT,FROM,WHERE,GROUP BY,ORDER BY,HAVING,LIMIT,OFFSET,JOIN,LEFT JOIN,CROSS JOIN,ON,USING,AS,WITH,UNION ALL,' +
  'DISTINCT,CASE,WHEN,THEN,ELSE,END,AND,OR,NOT,IN,IS NULL,IS NOT NULL,BETWEEN,LIKE,ILIKE,EXISTS,CAST,TRY_CAST,' +
  'OVER,PARTITION BY,QUALIFY,EXCLUDE,ASC,DESC,NULLS LAST,NULLS FIRST,DATE,TIMESTAMP,INTERVAL'
).split(',')
const FUNCTIONS = (
  'count,sum,avg,min,max,median,quantile_cont,stddev,arg_min,arg_max,string_agg,list,date_trunc,date_part,date_diff,' +
  'strftime,epoch,coalesce,nullif,greatest,least,round,floor,ceil,abs,length,lower,upper,trim,substr,replace,' +
  'split_part,regexp_matches,regexp_extract,concat,row_number,rank,dense_rank,lag,lead,first_value,last_value,' +
  'unnest,range'
).split(',')

/** Behind everything that is asked for more often. */
const RESERVED_RANK = 5

async function columnSuggestions(table: ScopeTable, rank: number): Promise<Suggestion[]> {
  const namespaces = await loadNamespaces()
  const levels = namespaces.find((known) => namespaceText(known) === table.namespace) ?? [table.namespace]
  const columns = await loadColumns({ namespace: levels, table: table.table })
  return columns.map((column) => ({
    label: column.name,
    insertText: quoteIdentifier(column.name),
    detail: `${column.type} · ${table.name}`,
    kind: CompletionItemKind.Field,
    rank,
  }))
}

/** With the reserved columns that none of them hides, where there are any. */
function withReserved(columns: readonly Suggestion[]): Suggestion[] {
  if (columns.length === 0) return []
  const taken = new Set(columns.map(({ label }) => label.toLowerCase()))
  const reserved = RESERVED_COLUMNS.filter(({ name }) => !taken.has(name)).map(({ name, doc }) => ({
    label: name,
    insertText: name,
    detail: doc,
    kind: CompletionItemKind.Constant,
    rank: RESERVED_RANK,
  }))
  return [...columns, ...reserved]
}

const words = (list: readonly string[], kind: monaco.languages.CompletionItemKind, rank: number) =>
  list.map((label): Suggestion => ({ label, insertText: label, detail: '', kind, rank }))

/** Waits for all lists; one that fails gives nothing, since completion is no place for errors. */
async function settled(lists: readonly Promise<Suggestion[]>[]): Promise<Suggestion[]> {
  const results = await Promise.allSettled(lists)
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

async function namespaceSuggestions(): Promise<Suggestion[]> {
  const namespaces = await loadNamespaces()
  return namespaces.map((levels) => ({
    label: namespaceText(levels),
    insertText: quoteIdentifier(namespaceText(levels)),
    detail: 'namespace',
    kind: CompletionItemKind.Module,
    rank: 0,
  }))
}

async function tableSuggestions(namespace: string): Promise<Suggestion[]> {
  const levels = (await loadNamespaces()).find((known) => namespaceText(known) === namespace)
  const tables = levels === undefined ? [] : await loadTableNames(levels)
  return tables.map((table) => ({
    label: table,
    insertText: quoteIdentifier(table),
    detail: 'table',
    kind: CompletionItemKind.Struct,
    rank: 0,
  }))
}

async function suggestionsFor(context: CompletionContext): Promise<Suggestion[]> {
  switch (context.kind) {
    case 'none':
      return []
    case 'namespaces':
      return settled([namespaceSuggestions()])
    case 'tables':
      return settled([tableSuggestions(context.namespace)])
    case 'columns':
      return withReserved(await settled([columnSuggestions(context.table, 0)]))
    case 'any': {
      const columns = await settled(context.tables.map((table) => columnSuggestions(table, 0)))
      const names = context.tables.map((table) => table.name)
      return [
        ...withReserved(columns),
        ...words(names, CompletionItemKind.Struct, 1),
        ...words(['iceberg'], CompletionItemKind.Module, 2),
        ...words(KEYWORDS, CompletionItemKind.Keyword, 3),
        ...words(FUNCTIONS, CompletionItemKind.Function, 4),
      ]
    }
  }
}

/** Registers the provider; once for the page. */
export function registerSqlCompletion(): void {
  monaco.languages.registerCompletionItemProvider('sql', {
    triggerCharacters: ['.'],
    async provideCompletionItems(model, position) {
      const context = completionContext(model.getValue(), model.getOffsetAt(position))
      const word = model.getWordUntilPosition(position)
      const range = new monaco.Range(
        position.lineNumber,
        word.startColumn,
        position.lineNumber,
        word.endColumn,
      )
      const { shown, isCut } = rankSuggestions(await suggestionsFor(context), word.word, SUGGESTIONS_MAX)
      return {
        // The widget asks again for each letter while there are more than it was given.
        incomplete: isCut,
        suggestions: shown.map(({ label, insertText, detail, kind, rank }) => ({
          label,
          insertText,
          detail,
          kind,
          range,
          sortText: `${rank}${label.toLowerCase()}`,
        })),
      }
    },
  })
}
