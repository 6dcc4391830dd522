// Filters of a plan, as syntax trees, to predicates over field ids. Pure.
//
// The result must hold for every row for which the filter holds. So a part that is not understood becomes TRUE, which is
// safe below AND and OR but not below NOT: there only what is understood whole is used. Only a bare column against a
// constant is understood, never a column inside a cast or a function other than a prefix test.
import type { IcebergType, LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { parseLiteral } from '@lake/core/iceberg/literal.ts'
import { ALWAYS_TRUE, type ComparisonOp, type Predicate } from '@lake/core/expr/predicate.ts'
import { constantText } from './constant-text.ts'
import { isNode, type TreeNode } from './syntax-tree.ts'

export interface StubColumn {
  readonly fieldId: number
  readonly type: IcebergType
}

type Columns = ReadonlyMap<string, StubColumn>

const COMPARISONS: Readonly<Record<string, { op: ComparisonOp; flipped: ComparisonOp }>> = {
  COMPARE_EQUAL: { op: 'eq', flipped: 'eq' },
  COMPARE_NOTEQUAL: { op: 'not-eq', flipped: 'not-eq' },
  COMPARE_LESSTHAN: { op: 'lt', flipped: 'gt' },
  COMPARE_LESSTHANOREQUALTO: { op: 'lt-eq', flipped: 'gt-eq' },
  COMPARE_GREATERTHAN: { op: 'gt', flipped: 'lt' },
  COMPARE_GREATERTHANOREQUALTO: { op: 'gt-eq', flipped: 'lt-eq' },
}

const NESTED_KINDS: ReadonlySet<string> = new Set([
  'struct',
  'list',
  'map',
  'variant',
  'geometry',
  'geography',
  'unknown',
])

/** A bare column of a primitive type. The plan names a struct's field like the struct itself, so nested ones are out. */
function columnOf(node: unknown, columns: Columns): { fieldId: number; type: PrimitiveType } | undefined {
  if (!isNode(node) || node.class !== 'COLUMN_REF') return undefined
  const names = node['column_names']
  if (!Array.isArray(names) || names.length !== 1) return undefined
  const column = columns.get(String(names[0]))
  return column === undefined || NESTED_KINDS.has(column.type.kind)
    ? undefined
    : { fieldId: column.fieldId, type: column.type as PrimitiveType }
}

function literalOf(node: unknown, type: PrimitiveType): LiteralValue | undefined {
  const text = constantText(node, type)
  return text === undefined ? undefined : parseLiteral(type, text)
}

function comparison(node: TreeNode, columns: Columns): Predicate | undefined {
  const ops = COMPARISONS[node.type ?? '']
  if (!ops) return undefined
  const left = columnOf(node['left'], columns)
  const right = columnOf(node['right'], columns)
  const column = left ?? right
  if (column === undefined || (left !== undefined && right !== undefined)) return undefined
  const literal = literalOf(left ? node['right'] : node['left'], column.type)
  if (literal === undefined) return undefined
  return { op: left ? ops.op : ops.flipped, fieldId: column.fieldId, literal }
}

function between(node: TreeNode, columns: Columns): Predicate | undefined {
  const column = columnOf(node['input'], columns)
  if (!column) return undefined
  const lower = literalOf(node['lower'], column.type)
  const upper = literalOf(node['upper'], column.type)
  if (lower === undefined || upper === undefined) return undefined
  const { fieldId } = column
  return {
    op: 'and',
    operands: [
      { op: 'gt-eq', fieldId, literal: lower },
      { op: 'lt-eq', fieldId, literal: upper },
    ],
  }
}

function operator(node: TreeNode, columns: Columns): Predicate | undefined {
  const children = Array.isArray(node['children']) ? (node['children'] as unknown[]) : []
  const [first, ...rest] = children
  if (node.type === 'OPERATOR_NOT') {
    // The tests of a Boolean column arrive as the column itself.
    const operand = exactPredicate(first, columns)
    return operand === undefined ? undefined : { op: 'not', operand }
  }
  const column = columnOf(first, columns)
  if (!column) return undefined
  const { fieldId } = column
  switch (node.type ?? '') {
    case 'OPERATOR_IS_NULL':
      return { op: 'is-null', fieldId }
    case 'OPERATOR_IS_NOT_NULL':
      return { op: 'not-null', fieldId }
    case 'COMPARE_IN':
    case 'COMPARE_NOT_IN': {
      const literals = rest.map((item) => literalOf(item, column.type))
      if (literals.length === 0 || literals.includes(undefined)) return undefined
      return {
        op: node.type === 'COMPARE_IN' ? 'in' : 'not-in',
        fieldId,
        literals: literals as LiteralValue[],
      }
    }
    default:
      return undefined
  }
}

function functionCall(node: TreeNode, columns: Columns): Predicate | undefined {
  const [first, second, ...more] = Array.isArray(node['children']) ? (node['children'] as unknown[]) : []
  const column = columnOf(first, columns)
  if (!column || more.length > 0) return undefined
  const { fieldId, type } = column
  switch (node['function_name']) {
    case 'starts_with':
    case 'prefix':
    case '^@': {
      const literal = type.kind === 'string' ? literalOf(second, type) : undefined
      return literal === undefined ? undefined : { op: 'starts-with', fieldId, literal }
    }
    case 'isnan':
      return second === undefined && (type.kind === 'float' || type.kind === 'double')
        ? { op: 'is-nan', fieldId }
        : undefined
    default:
      return undefined
  }
}

/** The predicate that means the same as the node; undefined where there is none. */
function exactPredicate(node: unknown, columns: Columns): Predicate | undefined {
  if (!isNode(node)) return undefined
  switch (node.class ?? '') {
    case 'COMPARISON':
      return comparison(node, columns)
    case 'BETWEEN':
      return node.type === 'COMPARE_BETWEEN' ? between(node, columns) : undefined
    case 'OPERATOR':
      return operator(node, columns)
    case 'FUNCTION':
      return functionCall(node, columns)
    case 'COLUMN_REF': {
      const column = columnOf(node, columns)
      return column?.type.kind === 'boolean'
        ? { op: 'eq', fieldId: column.fieldId, literal: true }
        : undefined
    }
    case 'CONJUNCTION': {
      const operands = childNodes(node).map((child) => exactPredicate(child, columns))
      if (operands.includes(undefined)) return undefined
      return { op: node.type === 'CONJUNCTION_OR' ? 'or' : 'and', operands: operands as Predicate[] }
    }
    default:
      return undefined
  }
}

const childNodes = (node: TreeNode): unknown[] =>
  Array.isArray(node['children']) ? (node['children'] as unknown[]) : []

/** A predicate that holds wherever the filter does; TRUE where nothing is understood. */
export function predicateOf(node: unknown, columns: Columns): Predicate {
  if (!isNode(node)) return ALWAYS_TRUE
  if (node.class !== 'CONJUNCTION') return exactPredicate(node, columns) ?? ALWAYS_TRUE
  const operands = childNodes(node).map((child) => predicateOf(child, columns))
  if (node.type === 'CONJUNCTION_OR') {
    return operands.some((operand) => operand.op === 'true') ? ALWAYS_TRUE : { op: 'or', operands }
  }
  if (node.type !== 'CONJUNCTION_AND') return ALWAYS_TRUE
  const useful = operands.filter((operand) => operand.op !== 'true')
  if (useful.length === 0) return ALWAYS_TRUE
  return useful.length === 1 ? (useful[0] ?? ALWAYS_TRUE) : { op: 'and', operands: useful }
}
