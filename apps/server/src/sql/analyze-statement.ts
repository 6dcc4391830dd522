// Decides what a statement may be, and finds the tables it names, from the engine's syntax tree. Pure.
//
// Denies by default: every node of the tree is visited, whatever it hangs from, and a kind that is not known here is
// refused. A table is `iceberg.<namespace>.<table>` or a name that a WITH clause in scope defines; nothing else is looked
// up anywhere, so no file, system view or replacement scan can be reached by a name.
import { AppError } from '@lake/core/errors.ts'
import type { TableVersion } from '@lake/core/iceberg/snapshot.ts'
import { LIMITS } from '../limits.ts'
import { parseAtClause } from './at-clause.ts'
import { isFunctionAllowed, isTableFunctionAllowed } from './function-policy.ts'
import { isNode, locate, textOf, type TreeNode } from './syntax-tree.ts'
import { findAtClause } from './version-substitution.ts'

/** One mention of a table. Offsets are those of the whole name in the text, in UTF-16. */
export interface TableReference {
  /** As written, levels joined by `.`. */
  readonly schemaName: string
  readonly tableName: string
  readonly startOffset: number
  readonly endOffset: number
  /** The name given to it, columns aside; empty for none. */
  readonly alias: string
  /** The `AT (…)` clause; undefined where there is none, so that the table is read as it is now. */
  readonly at: AtClause | undefined
}

export interface AtClause {
  readonly version: TableVersion
  readonly startOffset: number
  readonly endOffset: number
}

/** Names that WITH clauses define, in lower case as the engine compares them. */
type Scope = ReadonlySet<string>

interface Analysis {
  readonly sql: string
  readonly tables: TableReference[]
}

const EXPRESSION_CLASSES: ReadonlySet<string> = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'DEFAULT',
  'FUNCTION',
  'LAMBDA',
  'LAMBDA_REF',
  'OPERATOR',
  'POSITIONAL_REFERENCE',
  'STAR',
  'SUBQUERY',
  'TYPE',
  'WINDOW',
])

/** Kinds of nodes that only hold others. Those of tables are handled one by one. */
const PLAIN_TYPES: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
  'ORDER_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'DISTINCT_MODIFIER',
  'ORDER_DEFAULT',
  'ASCENDING',
  'DESCENDING',
  'EMPTY',
  'EMPTY_FROM',
  'SUBQUERY',
  'JOIN',
  'EXPRESSION_LIST',
  'PIVOT',
])

const SHOW_HELP: Readonly<Record<string, string>> = {
  SUMMARY: 'SUMMARIZE does not run here; aggregate the columns that matter instead.',
  DESCRIBE: 'DESCRIBE does not run here; the catalog browser shows the columns of each table.',
}

function refuse(analysis: Analysis, message: string, node: TreeNode, isName = false): never {
  const place = locate(node, analysis.sql, isName)
  throw new AppError('SQL_UNSUPPORTED', message, place === undefined ? {} : { details: place })
}

function readAtClause(node: TreeNode, nameEndOffset: number, analysis: Analysis): AtClause | undefined {
  const clause = node['at_clause']
  if (!isNode(clause)) return undefined
  const place = findAtClause(analysis.sql, nameEndOffset)
  const version = parseAtClause(clause)
  if (place !== undefined && version !== undefined) return { version, ...place }
  const message =
    "AT takes a constant: (VERSION => snapshot id), (VERSION => 'branch or tag') or (TIMESTAMP => TIMESTAMP '…')."
  throw new AppError('SQL_UNSUPPORTED', message, {
    details: place ?? locate(node, analysis.sql, true) ?? {},
  })
}

function visitTable(node: TreeNode, scope: Scope, analysis: Analysis): void {
  const catalog = textOf(node, 'catalog_name')
  const schemaName = textOf(node, 'schema_name')
  const tableName = textOf(node, 'table_name')
  if (catalog === '' && schemaName === '' && scope.has(foldName(tableName))) {
    if (isNode(node['at_clause']))
      refuse(analysis, `"${tableName}" is no table, so it has no versions.`, node, true)
    return
  }
  if (catalog.toLowerCase() !== 'iceberg' || schemaName === '') {
    const name = [catalog, schemaName, tableName].filter((part) => part !== '').join('.')
    refuse(analysis, `Tables are named iceberg.<namespace>.<table>; "${name}" is not.`, node, true)
  }
  const place = locate(node, analysis.sql, true) ?? { startOffset: 0, endOffset: 0 }
  const alias = textOf(node, 'alias')
  const at = readAtClause(node, place.endOffset, analysis)
  analysis.tables.push({ schemaName, tableName, ...place, alias, at })
}

function visitFunction(node: TreeNode, analysis: Analysis, isTableFunction: boolean): void {
  const name = textOf(node, 'function_name')
  const isQualified = textOf(node, 'catalog') !== '' || !['', 'main'].includes(textOf(node, 'schema'))
  if (isQualified) refuse(analysis, `Functions are called by their name alone: "${name}".`, node, true)
  const isAllowed = isTableFunction ? isTableFunctionAllowed(name) : isFunctionAllowed(name)
  if (!isAllowed) refuse(analysis, `The function "${name}" does not run here.`, node)
}

function visitCtes(node: TreeNode, outer: Scope, analysis: Analysis, depth: number): Scope {
  const entries =
    (node['cte_map'] as { map?: readonly { key: string; value: TreeNode }[] } | undefined)?.map ?? []
  let scope = outer
  for (const { key, value } of entries) {
    // Its own name means an outer one in it; a recursive query adds its name itself.
    visit(value, scope, analysis, depth + 1)
    scope = new Set([...scope, foldName(key)])
  }
  return scope
}

/** Names fold by ASCII case alone, as in the engine: a name that only looks like one in scope must not pass for it. */
function foldName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/**
 * A node that gives its own name to some of its parts only. In the others, the first part of a recursive query above all,
 * the name is no table of ours, and the engine would look for a view or a file of that name.
 */
function visitNamed(
  node: TreeNode,
  { named }: { readonly named: readonly string[] },
  scope: Scope,
  analysis: Analysis,
  depth: number,
): undefined {
  const outer = 'cte_map' in node ? visitCtes(node, scope, analysis, depth) : scope
  const inner = new Set([...outer, foldName(textOf(node, 'cte_name') || textOf(node, 'ctename'))])
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'cte_map') visit(child, named.includes(key) ? inner : outer, analysis, depth + 1)
  }
}

/** @returns the scope of what hangs below the node; undefined when everything below is visited already */
function visitTyped(node: TreeNode, scope: Scope, analysis: Analysis, depth: number): Scope | undefined {
  switch (node.type ?? '') {
    case 'BASE_TABLE': {
      visitTable(node, scope, analysis)
      // What AT holds has been read; it is a constant and nothing else.
      for (const [key, child] of Object.entries(node)) {
        if (key !== 'at_clause') visit(child, scope, analysis, depth + 1)
      }
      return undefined
    }
    case 'TABLE_FUNCTION': {
      const call = node['function']
      if (!isNode(call) || call.class !== 'FUNCTION') return refuse(analysis, 'Unknown table function', node)
      visitFunction(call, analysis, true)
      for (const [key, child] of Object.entries(node)) {
        if (key !== 'function') visit(child, scope, analysis, depth + 1)
      }
      for (const child of Object.values(call)) visit(child, scope, analysis, depth + 1)
      return undefined
    }
    case 'SHOW_REF':
      return refuse(analysis, SHOW_HELP[textOf(node, 'show_type')] ?? 'SHOW does not run here.', node)
    case 'RECURSIVE_CTE_NODE':
      return visitNamed(node, { named: ['right'] }, scope, analysis, depth)
    case 'CTE_NODE':
      return visitNamed(node, { named: ['child'] }, scope, analysis, depth)
    default:
      if (PLAIN_TYPES.has(node.type ?? '') || /^[A-Z_]+_TYPE_INFO$/u.test(node.type ?? '')) return scope
      return refuse(analysis, `The statement uses a form that does not run here: ${node.type}.`, node)
  }
}

function visitExpression(node: TreeNode, analysis: Analysis): void {
  if (node.class === 'PARAMETER') refuse(analysis, 'Parameters (? and $1) have no values here.', node)
  if (!EXPRESSION_CLASSES.has(node.class ?? '')) {
    refuse(analysis, `The statement uses a form that does not run here: ${node.class}.`, node)
  }
  if ('function_name' in node) visitFunction(node, analysis, false)
}

function visit(node: unknown, scope: Scope, analysis: Analysis, depth: number): void {
  if (typeof node !== 'object' || node === null) return
  if (depth > LIMITS.sqlTreeDepthMax)
    throw new AppError('SQL_UNSUPPORTED', 'The statement is nested too deeply.')
  if (Array.isArray(node)) {
    for (const item of node) visit(item, scope, analysis, depth + 1)
    return
  }
  const tree = node as TreeNode
  let inner: Scope | undefined = scope
  if (typeof tree.class === 'string') visitExpression(tree, analysis)
  else if (typeof tree.type === 'string') inner = visitTyped(tree, scope, analysis, depth)
  if (inner === undefined) return
  const isCteOwner = 'cte_map' in tree
  const below = isCteOwner ? visitCtes(tree, inner, analysis, depth) : inner
  for (const [key, child] of Object.entries(tree)) {
    // The value of a constant is data, and its `type` is the name of a type.
    if (key === 'cte_map' || (key === 'value' && tree.class === 'CONSTANT')) continue
    visit(child, below, analysis, depth + 1)
  }
}

/**
 * The tables of a statement, in order of appearance, where it is one query made of what runs here.
 *
 * @param tree what `Analyst.parse` gave for `sql`
 * @param viewNames names, in lower case, that stand for tables although no WITH clause defines them
 * @throws AppError SQL_UNSUPPORTED, with the place of what is refused where the engine knows it
 */
export function analyzeStatement(
  tree: unknown,
  sql: string,
  viewNames: Iterable<string> = [],
): TableReference[] {
  const { statements } = tree as { statements?: readonly TreeNode[] }
  const [statement] = statements ?? []
  if (statement === undefined) throw new AppError('SQL_SYNTAX', 'There is no statement in the text.')
  if (statements?.length !== 1) throw new AppError('SQL_UNSUPPORTED', 'One statement runs at a time.')
  const analysis: Analysis = { sql, tables: [] }
  visit(statement['node'], new Set(viewNames), analysis, 0)
  const tables = analysis.tables.sort((left, right) => left.startOffset - right.startOffset)
  refuseCaseTwins(tables)
  return tables
}

/** The engine tells names apart ignoring case only, so twins would silently become one table. */
function refuseCaseTwins(tables: readonly TableReference[]): void {
  const spellings = new Map<string, string>()
  for (const { schemaName, tableName, startOffset, endOffset } of tables) {
    const spelling = JSON.stringify([schemaName, tableName])
    const key = spelling.toLowerCase()
    if ((spellings.get(key) ?? spelling) !== spelling) {
      throw new AppError('SQL_UNSUPPORTED', 'Two table names of the statement differ in case only.', {
        details: { startOffset, endOffset },
      })
    }
    spellings.set(key, spelling)
  }
}
