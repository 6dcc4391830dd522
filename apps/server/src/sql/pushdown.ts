// What each table's scan must deliver, read off the optimized plan: the engine says what it would read.
//
// The plan is over stub tables with a nonce in their names (engine/scan-view.ts), so text in the plan that names such a
// column is the engine's and not the statement's. Filters are conditions that every row in the answer passes; whatever
// is not understood prunes nothing, and a plan that does not look as expected makes all columns needed.
import type { IcebergType } from '@lake/core/iceberg/types.ts'
import { ALWAYS_TRUE, type Predicate } from '@lake/core/expr/predicate.ts'
import type { Analyst, BoundStatement, EngineTable } from '../engine/engine.ts'
import { predicateOf, type StubColumn } from './filter-predicate.ts'
import { unusedFilter, type UnusedFilter } from './unused-filter.ts'

export interface ScanRequirement {
  /** Indexes of the top-level columns that the statement reads. Empty when only the number of rows matters. */
  readonly columnIndexes: ReadonlySet<number>
  /** Over field ids of the pinned schema. Rows that fail it cannot be in the answer. */
  readonly predicate: Predicate
  /** Filters of the statement that the predicate does not hold, or not whole; the engine applies them. */
  readonly unused: readonly UnusedFilter[]
}

export interface PushdownTable {
  readonly table: EngineTable
  /** By index, as in `table.columns`. */
  readonly columns: readonly { readonly fieldId: number; readonly type: IcebergType }[]
}

interface PlanNode {
  readonly name?: string
  readonly children?: readonly PlanNode[]
  readonly extra_info?: Readonly<Record<string, unknown>>
}

interface Scan {
  readonly tableIndex: number
  readonly nonce: string
  readonly projections: readonly string[]
  readonly filters: readonly string[]
}

const STUB_NAME = /^iceberg\.main\.t(\d+)_([0-9a-f]{16})$/u

function texts(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return Array.isArray(value) ? value.map(String) : []
}

function nodesOf(plan: unknown): PlanNode[] {
  const nodes: PlanNode[] = []
  const visit = (node: PlanNode): void => {
    nodes.push(node)
    for (const child of node.children ?? []) visit(child)
  }
  for (const root of Array.isArray(plan) ? (plan as PlanNode[]) : []) visit(root)
  return nodes
}

/** The scans of stub tables; undefined when some scan is not one. */
function scansOf(plan: unknown, tableCount: number): Scan[] | undefined {
  const scans: Scan[] = []
  for (const [node, parent] of withParents(plan)) {
    const info = node.extra_info ?? {}
    if (node.name !== 'SEQ_SCAN') {
      if ('Table' in info) return undefined
      continue
    }
    const match = STUB_NAME.exec(String(info['Table']))
    if (!('Projections' in info)) return undefined
    const tableIndex = Number(match?.[1])
    if (!match || tableIndex >= tableCount) return undefined
    const filters = texts(info['Filters'])
    // A filter over several columns stands in a node of its own, right above the scan.
    if (parent?.name === 'FILTER') filters.push(...texts(parent.extra_info?.['Expression']))
    scans.push({ tableIndex, nonce: match[2] ?? '', projections: texts(info['Projections']), filters })
  }
  return scans
}

function withParents(plan: unknown): [node: PlanNode, parent: PlanNode | undefined][] {
  const parents = new Map<PlanNode, PlanNode>()
  const nodes = nodesOf(plan)
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  return nodes.map((node) => [node, parents.get(node)])
}

const COLUMN_NAME = /(?<!\w)c(\d+)_([0-9a-f]{16})(?!\w)/gu

/** Columns that the text names. Names in strings count too: too many columns are only slower. */
function columnsIn(text: string, nonce: string): number[] {
  return [...text.matchAll(COLUMN_NAME)]
    .filter((match) => match[2] === nonce)
    .map((match) => Number(match[1]))
}

function scanColumns(scan: Scan, columnCount: number): ReadonlySet<number> | undefined {
  const indexes = new Set<number>()
  for (const projection of scan.projections) {
    const [index] = columnsIn(projection, scan.nonce)
    if (index === undefined || index >= columnCount) return undefined
    indexes.add(index)
  }
  for (const filter of scan.filters) {
    for (const index of columnsIn(filter, scan.nonce)) indexes.add(index)
  }
  return indexes
}

const allColumns = (table: PushdownTable): ReadonlySet<number> => new Set(table.columns.keys())

function stubColumns(table: PushdownTable, nonce: string): ReadonlyMap<string, StubColumn> {
  return new Map(table.columns.map((column, index) => [`c${index}_${nonce}`, column]))
}

/** Some filters are hints that the engine repeats elsewhere; they hold for every row of the answer all the same. */
const stripOptional = (filter: string): string => filter.replace(/^optional: /u, '')

function conjunction(operands: readonly Predicate[]): Predicate {
  const useful = operands.filter((operand) => operand.op !== 'true')
  if (useful.length === 0) return ALWAYS_TRUE
  return useful.length === 1 ? (useful[0] ?? ALWAYS_TRUE) : { op: 'and', operands: useful }
}

function disjunction(operands: readonly Predicate[]): Predicate {
  if (operands.length === 0 || operands.some((operand) => operand.op === 'true')) return ALWAYS_TRUE
  return operands.length === 1 ? (operands[0] ?? ALWAYS_TRUE) : { op: 'or', operands }
}

/**
 * Requirements in the order of `tables`, which is that of the tables given to `bind`.
 *
 * A table that the plan does not scan at all (`WHERE 1 = 0`) needs no column. Several scans of one table unite their
 * columns, and a row must be read when any of them wants it.
 */
export async function pushdown(
  bound: BoundStatement,
  tables: readonly PushdownTable[],
  analyst: Analyst,
  signal: AbortSignal,
): Promise<ScanRequirement[]> {
  const scans = scansOf(bound.plan, tables.length)
  if (scans === undefined) {
    return tables.map((table) => ({ columnIndexes: allColumns(table), predicate: ALWAYS_TRUE, unused: [] }))
  }
  const filterTexts = scans.flatMap((scan) => scan.filters.map(stripOptional))
  const trees = filterTexts.length === 0 ? [] : await analyst.parseExpressions(filterTexts, signal)
  const treeOf = new Map(filterTexts.map((text, index) => [text, trees[index]]))

  return tables.map((table, tableIndex) => {
    const own = scans.filter((scan) => scan.tableIndex === tableIndex)
    const read = own.map((scan) => readFilters(scan, table, (text) => treeOf.get(stripOptional(text))))
    const needed = own.map((scan) => scanColumns(scan, table.columns.length) ?? allColumns(table))
    return {
      columnIndexes: new Set(needed.flatMap((indexes) => [...indexes])),
      ...uniteFilters(read),
    }
  })
}

type ReadFilters = Pick<ScanRequirement, 'predicate' | 'unused'>

function readFilters(scan: Scan, table: PushdownTable, treeOf: (text: string) => unknown): ReadFilters {
  const columns = stubColumns(table, scan.nonce)
  const nameOf = (index: number): string | undefined => table.table.columns[index]?.name
  return {
    predicate: conjunction(scan.filters.map((filter) => predicateOf(treeOf(filter), columns))),
    // What is optional the engine made up by itself.
    unused: scan.filters
      .filter((filter) => stripOptional(filter) === filter)
      .flatMap((filter) => unusedFilter(filter, treeOf(filter), columns, nameOf) ?? []),
  }
}

/** A row is wanted when any scan wants it, so a scan without a filter makes those of the others of no use. */
function uniteFilters(scans: readonly ReadFilters[]): ReadFilters {
  const predicate = disjunction(scans.map((scan) => scan.predicate))
  const isLost = scans.length > 1 && predicate.op === 'true'
  const unused = scans.flatMap((scan) => scan.unused)
  return isLost && scans.some((scan) => scan.predicate.op !== 'true')
    ? { predicate, unused: [...unused, { text: '', reason: 'several-scans' }] }
    : { predicate, unused }
}

/**
 * Indexes of the tables of which some scan goes into an aggregate without groups, as a count of all rows does, and into nothing
 * before it that may end early.
 */
export function countedTables(plan: unknown): ReadonlySet<number> {
  const parents = new Map(withParents(plan))
  const counted = new Set<number>()
  for (const [node] of parents) {
    const match = node.name === 'SEQ_SCAN' ? STUB_NAME.exec(String(node.extra_info?.['Table'])) : null
    if (!match) continue
    let above = parents.get(node)
    while (above?.name === 'PROJECTION') above = parents.get(above)
    if (above?.name === 'UNGROUPED_AGGREGATE') counted.add(Number(match[1]))
  }
  return counted
}

export interface RowWise {
  /** Rows that the statement asks for at most. */
  readonly limit?: number
  /** True where some rows of the table may not be in the answer. */
  readonly isFiltered: boolean
}

const ROW_WISE_NODES: ReadonlySet<string> = new Set([
  'SEQ_SCAN',
  'FILTER',
  'PROJECTION',
  'LIMIT',
  'STREAMING_LIMIT',
])

/**
 * Says whether the answer over several files is the answers over each, one after the other: the plan only scans one
 * table once, filters, projects and limits by a constant. Undefined for every other plan, and for any OFFSET.
 */
export function findRowWise(plan: unknown): RowWise | undefined {
  const nodes = nodesOf(plan)
  if (nodes.filter((node) => node.name === 'SEQ_SCAN').length !== 1) return undefined
  if (nodes.some((node) => !ROW_WISE_NODES.has(node.name ?? '') || (node.children?.length ?? 0) > 1))
    return undefined
  const limits = nodes.filter((node) => node.name?.endsWith('LIMIT'))
  const [limit] = limits
  const isFiltered = nodes.some(
    ({ name, extra_info: info }) => name === 'FILTER' || texts(info?.['Filters']).length > 0,
  )
  if (limit === undefined) return { isFiltered }
  // A filter above the LIMIT sees the first rows of all files, not of each.
  const above = nodes.slice(0, nodes.indexOf(limit)).filter((node) => node.name !== 'PROJECTION')
  if (above.length > 0) return undefined
  const rowCount = Number(limit.extra_info?.['Limit'])
  return limits.length === 1 && Number.isSafeInteger(rowCount) ? { limit: rowCount, isFiltered } : undefined
}
