// Why a filter of the plan excludes no file and no row group, for people. Pure.
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import type { UnusedReason } from '@lake/core/flight/receipt.ts'
import { quoteIdentifier } from '@lake/core/iceberg/identifiers.ts'
import { truncateText } from '@lake/core/iceberg/transform.ts'
import { predicateOf, type StubColumn } from './filter-predicate.ts'
import { isNode, type TreeNode } from './syntax-tree.ts'

const TEXT_CHARS_MAX = 200

export interface UnusedFilter {
  /** In SQL's words with the table's column names, cut where it is long. */
  readonly text: string
  readonly reason: UnusedReason
}

/**
 * The filter, where a part of it is not understood; undefined where all of it is.
 * @param filter as the plan has it, over the columns of a stub table
 * @param nameOf the name of the column that a stub stands for
 */
export function unusedFilter(
  filter: string,
  tree: unknown,
  columns: ReadonlyMap<string, StubColumn>,
  nameOf: (columnIndex: number) => string | undefined,
): UnusedFilter | undefined {
  const part = conjuncts(tree).find((node) => predicateOf(node, columns).op === ALWAYS_TRUE.op)
  if (part === undefined) return undefined
  return { text: textOf(filter, columns, nameOf), reason: reasonOf(part, columns) }
}

function conjuncts(tree: unknown): readonly unknown[] {
  if (!isNode(tree) || tree.type !== 'CONJUNCTION_AND') return [tree]
  const { children } = tree
  return Array.isArray(children) ? children.flatMap(conjuncts) : [tree]
}

function reasonOf(part: unknown, columns: ReadonlyMap<string, StubColumn>): UnusedReason {
  const nodes = nodesIn(part)
  const named = nodes.flatMap((node) => columnNames(node))
  const found = new Set(named.filter((name) => columns.has(name)))
  if (found.size > 1) return 'columns'
  const [column] = [...found].map((name) => columns.get(name))
  if (column && ['struct', 'list', 'map', 'variant', 'geometry', 'geography'].includes(column.type.kind))
    return 'nested'
  return nodes.some((node) => node.class === 'FUNCTION' || node.class === 'CAST' || node.class === 'CASE')
    ? 'function'
    : 'other'
}

function nodesIn(value: unknown): TreeNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  if (!isNode(value)) return []
  return [value, ...Object.values(value).flatMap(nodesIn)]
}

function columnNames(node: TreeNode): string[] {
  const names = node.class === 'COLUMN_REF' ? node['column_names'] : []
  return Array.isArray(names) ? names.map(String) : []
}

function textOf(
  filter: string,
  columns: ReadonlyMap<string, StubColumn>,
  nameOf: (columnIndex: number) => string | undefined,
): string {
  const names = [...columns.keys()]
  const named = filter.replaceAll(/(?<!\w)c\d+_[0-9a-f]{16}(?!\w)/gu, (stub) => {
    const name = nameOf(names.indexOf(stub))
    return name === undefined ? stub : quoteIdentifier(name)
  })
  const bare = /^\((?<inside>[^()]*(?:\([^()]*\)[^()]*)*)\)$/u.exec(named)?.groups?.['inside'] ?? named
  const cut = truncateText(bare, TEXT_CHARS_MAX)
  return cut === bare ? bare : `${cut}…`
}
