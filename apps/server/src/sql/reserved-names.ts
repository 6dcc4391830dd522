// Reserved columns in the text of a statement: which it names, and how they stay out of `*`.
//
// A view has the reserved columns that the statement names, as columns like others; so every star over such a view leaves
// them out by an EXCLUDE that is put into the text. What that leads to is parsed again and compared with the tree that was
// meant; what cannot be written so is refused. Pure.
import { AppError } from '@lake/core/errors.ts'
import type { TextSubstitution } from '@lake/core/flight/ticket.ts'
import { findReservedColumn } from '@lake/core/iceberg/reserved-columns.ts'
import { quoteIdentifier } from '../engine/quote.ts'
import { nameEnd, skipGap, tokenEnd } from '../engine/text-offsets.ts'
import { isNode, locate, textOf, type TreeNode } from './syntax-tree.ts'

/** A table with the reserved columns that its view has. */
export interface TableWithReserved {
  readonly schemaName: string
  readonly tableName: string
  readonly viewName: string | undefined
  /** Of its own columns and the reserved ones, in SQL. */
  readonly columnNames: readonly string[]
  readonly reservedNames: readonly string[]
}

/** Reserved names that the statement may mean as columns, in the order of their first mention. */
export function reservedNamesIn(tree: unknown): string[] {
  const names = new Set<string>()
  const add = (name: unknown): void => {
    const reserved = typeof name === 'string' ? findReservedColumn(name) : undefined
    if (reserved) names.add(reserved.name)
  }
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isNode(node)) {
      const { column_names: columnNames, using_columns: usingColumns } = node
      for (const list of [columnNames, usingColumns]) if (Array.isArray(list)) list.forEach(add)
    }
    Object.values(node).forEach(visit)
  }
  visit(tree)
  return [...names]
}

/** A table in the FROM of a query, by the name that its columns have there. */
interface BoundTable {
  readonly table: TableWithReserved
  /** What stands before a column. */
  readonly qualifier: Omit<QualifiedName, 'column'>
  /** In lower case. */
  readonly name: string
  readonly startOffset: number
}

interface Hiding {
  readonly sql: string
  readonly tables: readonly TableWithReserved[]
  readonly insertions: TextSubstitution[]
  /** What the stars of the tree leave out besides, as the engine writes it. */
  readonly hidden: Map<TreeNode, readonly QualifiedName[]>
}

interface QualifiedName {
  readonly catalog: string
  readonly schema: string
  readonly table: string
  readonly column: string
}

export interface HiddenReserved {
  /** What to put into the text, in its order. */
  readonly insertions: readonly TextSubstitution[]
  /** True for the tree of the text with the insertions, where it says what was meant and nothing else. */
  readonly isMeant: (changed: unknown) => boolean
}

/**
 * How the text must be changed so that no star shows a reserved column.
 *
 * @param tree of `sql`
 * @throws AppError SQL_UNSUPPORTED for a form in which they cannot be left out
 */
export function hideReserved(
  sql: string,
  tree: unknown,
  tables: readonly TableWithReserved[],
): HiddenReserved {
  const hiding: Hiding = { sql, tables, insertions: [], hidden: new Map() }
  visit(tree, [], hiding)
  return {
    insertions: hiding.insertions.sort((left, right) => left.startOffset - right.startOffset),
    isMeant: (changed) => canonicalText(changed, new Map()) === canonicalText(tree, hiding.hidden),
  }
}

/** The tables with reserved columns of a query. */
interface Scope {
  readonly tables: readonly BoundTable[]
  /** Where the first of them is named. */
  readonly firstOffset: number
}

/** @param scopes that of the query, and behind it those of the queries around it */
function visit(node: unknown, scopes: readonly Scope[], hiding: Hiding): void {
  if (typeof node !== 'object' || node === null) return
  let inner = scopes
  if (isNode(node)) {
    if (node.type === 'SELECT_NODE') inner = [scopeOf(node, hiding), ...scopes]
    else if (node.class === 'STAR') hideInStar(node, scopes[0] ?? NO_TABLES, hiding)
    else if (node.class === 'COLUMN_REF')
      refuseWholeRow(
        node,
        scopes.flatMap(({ tables }) => tables),
        hiding,
      )
    // The value of a constant is data.
    if (node.class === 'CONSTANT') return
  }
  for (const child of Object.values(node)) visit(child, inner, hiding)
}

const NO_TABLES: Scope = { tables: [], firstOffset: 0 }

function scopeOf(select: TreeNode, hiding: Hiding): Scope {
  const tables = tablesOf(select['from_table'], hiding)
  return { tables, firstOffset: Math.min(...tables.map(({ startOffset }) => startOffset)) }
}

/** The tables with reserved columns that a FROM joins, without those inside of subqueries. */
function tablesOf(from: unknown, hiding: Hiding): BoundTable[] {
  if (!isNode(from)) return []
  if (from.type === 'BASE_TABLE') {
    const table = boundTable(from, hiding)
    return table ? [table] : []
  }
  if (from.type === 'PIVOT') {
    if (tablesOf(from['source'], hiding).length > 0) refuse('PIVOT and UNPIVOT', from, hiding)
    return []
  }
  if (from.type !== 'JOIN') return []
  const tables = [...tablesOf(from['left'], hiding), ...tablesOf(from['right'], hiding)]
  if (from['ref_type'] === 'NATURAL' && tables.length > 0) refuse('NATURAL JOIN', from, hiding)
  return tables
}

function boundTable(node: TreeNode, hiding: Hiding): BoundTable | undefined {
  const isNamed = (key: string, name: string): boolean =>
    textOf(node, key).toLowerCase() === name.toLowerCase()
  const table = hiding.tables.find(({ viewName, schemaName, tableName }) =>
    viewName === undefined
      ? isNamed('catalog_name', 'iceberg') &&
        isNamed('schema_name', schemaName) &&
        isNamed('table_name', tableName)
      : isNamed('catalog_name', '') && isNamed('table_name', viewName),
  )
  if (table === undefined || table.reservedNames.length === 0) return undefined
  const { schemaName, viewName, columnNames, reservedNames } = table
  const renamed = node['column_name_alias']
  if (Array.isArray(renamed) && renamed.length > columnNames.length - reservedNames.length) {
    refuse('new names for more columns than the table has', node, hiding)
  }
  const alias = textOf(node, 'alias')
  const name = alias || (viewName ?? table.tableName)
  const isFull = alias === '' && viewName === undefined
  return {
    table,
    name: name.toLowerCase(),
    startOffset: locate(node, hiding.sql, true)?.startOffset ?? 0,
    qualifier: { catalog: isFull ? 'iceberg' : '', schema: isFull ? schemaName : '', table: name },
  }
}

function hideInStar(node: TreeNode, { tables, firstOffset }: Scope, hiding: Hiding): void {
  const relation = textOf(node, 'relation_name').toLowerCase()
  const covered = tables.filter(({ name }) => relation === '' || relation === name)
  if (covered.length === 0) return
  const place = locate(node, hiding.sql, false)
  if (isNode(node['expr']) || place === undefined) return refuse('COLUMNS with a pattern', node, hiding)
  const names = covered
    .flatMap(({ table, qualifier }) =>
      table.reservedNames.map((column): QualifiedName => ({ ...qualifier, column })),
    )
    .filter((name) => !isLeftOut(name, node))
  if (names.length === 0) return
  hiding.hidden.set(node, names)
  const list = names.map(qualifiedText).join(', ')
  hiding.insertions.push(
    ...excluding(hiding.sql, starOffset(node, place.startOffset, firstOffset, hiding), list),
  )
}

/** A second mention would be an error. */
function isLeftOut({ table, column }: QualifiedName, star: TreeNode): boolean {
  const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()
  const names = star['exclude_list'] as readonly string[]
  const qualified = star['qualified_exclude_list'] as readonly QualifiedName[]
  return (
    names.some((name) => isSame(name, column)) ||
    qualified.some((name) => isSame(name.table, table) && isSame(name.column, column))
  )
}

/** Where the star stands, or the FROM before which it is left unsaid: the engine gives that star no place of its own. */
function starOffset(node: TreeNode, startOffset: number, firstOffset: number, { sql }: Hiding): number {
  if (node['columns'] === true) return insideOfCall(sql, startOffset)
  if (startOffset > 0 || sql[0] === '*') return startOffset
  return fromBefore(sql, firstOffset)
}

/** The FROM of the query whose FROM has a table at `offset`. */
function fromBefore(sql: string, offset: number): number {
  const open: (number | undefined)[] = [undefined]
  for (let at = skipGap(sql, 0); at < offset; at = skipGap(sql, tokenEnd(sql, at))) {
    const token = sql.slice(at, tokenEnd(sql, at)).toLowerCase()
    if (token === '(') open.push(undefined)
    else if (token === ')') open.pop()
    else if (token === 'from') open[open.length - 1] = at
  }
  return open.findLast((from) => from !== undefined) ?? 0
}

function qualifiedText({ catalog, schema, table, column }: QualifiedName): string {
  const parts = [catalog, schema, table, column].filter((part) => part !== '')
  return parts.map(quoteIdentifier).join('.')
}

/** The first token inside of the next parentheses. */
function insideOfCall(sql: string, startOffset: number): number {
  let at = startOffset
  while (at < sql.length && sql[at] !== '(') at = skipGap(sql, tokenEnd(sql, at))
  return skipGap(sql, at + 1)
}

/** @param start of the star: `*`, `t.*`, or FROM where the star is left unsaid */
function excluding(sql: string, start: number, list: string): TextSubstitution[] {
  const insert = (startOffset: number, text: string): TextSubstitution => ({
    startOffset,
    text,
    isInserted: true,
  })
  const wordAt = (offset: number): string => sql.slice(offset, tokenEnd(sql, offset)).toLowerCase()
  if (wordAt(start) === 'from') return [insert(start, `SELECT * EXCLUDE (${list}) `)]
  const end = nameEnd(sql, start)
  const next = skipGap(sql, end)
  if (!['exclude', 'except'].includes(wordAt(next))) return [insert(end, ` EXCLUDE (${list})`)]
  const first = skipGap(sql, tokenEnd(sql, next))
  if (sql[first] === '(') return [insert(first + 1, `${list}, `)]
  return [insert(first, `(${list}, `), insert(nameEnd(sql, first), ')')]
}

/** The name of a table alone means all of its columns. */
function refuseWholeRow(node: TreeNode, tables: readonly BoundTable[], hiding: Hiding): void {
  const names = node['column_names'] as readonly string[] | undefined
  const name = names?.length === 1 ? names[0]?.toLowerCase() : undefined
  const bound = tables.find((table) => table.name === name)
  if (bound === undefined || bound.table.columnNames.some((column) => column.toLowerCase() === name)) return
  refuse('a whole row as a value', node, hiding)
}

function refuse(form: string, node: TreeNode, { sql }: Hiding): never {
  const place = locate(node, sql, false)
  throw new AppError(
    'SQL_UNSUPPORTED',
    `Reserved columns such as _file do not go with ${form} over their table; read the table in a subquery.`,
    place === undefined ? {} : { details: place },
  )
}

/** The tree without places in the text; what a star leaves out in one order, with what it is to leave out besides. */
function canonicalText(tree: unknown, hidden: ReadonlyMap<TreeNode, readonly QualifiedName[]>): string {
  const canonical = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(canonical)
    if (!isNode(value)) return value
    const entries = Object.entries(value).filter(([key]) => key !== 'query_location')
    return Object.fromEntries(
      entries.map(([key, child]) => {
        if (value.class !== 'STAR' || !key.endsWith('exclude_list')) return [key, canonical(child)]
        const added = key === 'qualified_exclude_list' ? (hidden.get(value) ?? []) : []
        return [key, [...(child as readonly unknown[]), ...added].map((name) => JSON.stringify(name)).sort()]
      }),
    )
  }
  return JSON.stringify(canonical(tree))
}
