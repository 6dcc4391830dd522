// Projects a predicate on rows to one on partition values: every partition that holds a matching row passes it, perhaps
// others too. Source: Iceberg table spec, "Scan Planning" (inclusive projection). Rules EX in SPEC.md.
import { applyTransform, truncateText } from '../iceberg/transform.ts'
import type { LiteralValue } from '../iceberg/types.ts'
import type { TypedPartitionField } from './partition-types.ts'
import { ALWAYS_TRUE } from './predicate.ts'
import type { Predicate } from './predicate.ts'
import { rewriteNot } from './rewrite-not.ts'
import type { LeafPredicate, PositivePredicate } from './rewrite-not.ts'

/** The inclusive projection; its field ids are partition field ids. */
export function projectInclusive(predicate: Predicate, fields: readonly TypedPartitionField[]): Predicate {
  const project = (node: PositivePredicate): Predicate => {
    switch (node.op) {
      case 'true':
      case 'false':
        return node
      case 'and':
      case 'or':
        return { op: node.op, operands: node.operands.map(project) }
      default: {
        const operands = fields
          .filter((field) => field.sourceId === node.fieldId && field.resultType !== undefined)
          .map((field) => projectLeaf(node, field))
        return operands.length === 0 ? ALWAYS_TRUE : { op: 'and', operands }
      }
    }
  }
  return project(rewriteNot(predicate))
}

function projectLeaf(leaf: LeafPredicate, field: TypedPartitionField): Predicate {
  const { fieldId, transform } = field
  if (transform.kind === 'void' || transform.kind === 'unknown') return ALWAYS_TRUE
  if (transform.kind === 'identity') return { ...leaf, fieldId }
  switch (leaf.op) {
    // These transforms make null of null and of nothing else.
    case 'is-null':
    case 'not-null':
      return { op: leaf.op, fieldId }
    case 'is-nan':
    case 'not-nan':
      return ALWAYS_TRUE
    case 'eq':
      return compareTo('eq', leaf.literal, field)
    case 'in':
      return projectIn(leaf.literals, field)
    case 'lt':
      return projectRange('lt-eq', neighbour(leaf.literal, -1n), field)
    case 'lt-eq':
      return projectRange('lt-eq', leaf.literal, field)
    case 'gt':
      return projectRange('gt-eq', neighbour(leaf.literal, 1n), field)
    case 'gt-eq':
      return projectRange('gt-eq', leaf.literal, field)
    case 'starts-with':
    case 'not-starts-with':
      return projectPrefix(leaf.op, leaf.literal, field)
    default:
      // Other values share the partition of the excluded ones, but a null satisfies no comparison.
      return { op: 'not-null', fieldId }
  }
}

/** `x < 5` is `x <= 4` for what counts in whole units; other values are left as they are. */
function neighbour(literal: LiteralValue, step: bigint): LiteralValue {
  return typeof literal === 'bigint' ? literal + step : literal
}

/** Valid for transforms that keep order, which bucket does not. */
function projectRange(op: 'lt-eq' | 'gt-eq', literal: LiteralValue, field: TypedPartitionField): Predicate {
  return field.transform.kind === 'bucket'
    ? { op: 'not-null', fieldId: field.fieldId }
    : compareTo(op, literal, field)
}

function compareTo(
  op: 'eq' | 'lt-eq' | 'gt-eq',
  literal: LiteralValue,
  field: TypedPartitionField,
): Predicate {
  const value = transformLiteral(literal, field)
  return value === undefined
    ? { op: 'not-null', fieldId: field.fieldId }
    : { op, fieldId: field.fieldId, literal: value }
}

function projectIn(literals: readonly LiteralValue[], field: TypedPartitionField): Predicate {
  const values = literals.map((literal) => transformLiteral(literal, field))
  const known = values.filter((value) => value !== undefined)
  return known.length < values.length
    ? { op: 'not-null', fieldId: field.fieldId }
    : { op: 'in', fieldId: field.fieldId, literals: known }
}

function projectPrefix(
  op: 'starts-with' | 'not-starts-with',
  literal: LiteralValue,
  field: TypedPartitionField,
): Predicate {
  const { fieldId, transform } = field
  if (transform.kind !== 'truncate' || typeof literal !== 'string') return { op: 'not-null', fieldId }
  const prefix = truncateText(literal, transform.width)
  if (prefix === literal) return { op, fieldId, literal }
  // The prefix is longer than what the partition holds of a value.
  return op === 'starts-with' ? { op: 'eq', fieldId, literal: prefix } : { op: 'not-null', fieldId }
}

function transformLiteral(literal: LiteralValue, field: TypedPartitionField): LiteralValue | undefined {
  if (!field.sourceType) return undefined
  return applyTransform(field.transform, field.sourceType, literal) ?? undefined
}
