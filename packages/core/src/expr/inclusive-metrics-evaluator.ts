// Decides from counts and bounds of columns whether a file or row group might hold a matching row.
// Inclusive: false is a proof that no row matches, everything uncertain is true. Rules EX in SPEC.md; Iceberg table
// spec, "Scan Planning". Where the bounds come from (manifest, Parquet statistics) is for the caller.
import { compareLiterals } from '../iceberg/literal.ts'
import type { LiteralValue, PrimitiveType } from '../iceberg/types.ts'
import type { Predicate } from './predicate.ts'
import { rewriteNot } from './rewrite-not.ts'
import type { LeafPredicate, PositivePredicate } from './rewrite-not.ts'

/**
 * What is known of one column over some rows; undefined is unknown. Bounds leave out NULL and NaN, are inclusive,
 * need not be tight, and are in the column's present type (a NaN bound counts as none).
 */
export interface ColumnMetrics {
  /** All values, NULL and NaN included. */
  readonly valueCount?: number | undefined
  readonly nullCount?: number | undefined
  readonly nanCount?: number | undefined
  readonly lower?: LiteralValue | undefined
  readonly upper?: LiteralValue | undefined
}

/**
 * True unless it is proved that no row can pass `predicate`, given metrics by field id.
 *
 * @param typeOf the column's present type; undefined for a field that is unknown or not primitive: nothing is concluded
 */
export function mightMatchMetrics(
  predicate: Predicate,
  metricsOf: (fieldId: number) => ColumnMetrics | undefined,
  typeOf: (fieldId: number) => PrimitiveType | undefined,
): boolean {
  const mightMatch = (node: PositivePredicate): boolean => {
    switch (node.op) {
      case 'true':
        return true
      case 'false':
        return false
      case 'and':
        return node.operands.every(mightMatch)
      case 'or':
        return node.operands.some(mightMatch)
      default: {
        const type = typeOf(node.fieldId)
        const metrics = metricsOf(node.fieldId)
        return !type || !metrics || !hasUsableMetrics(type) || mightLeafMatch(node, evidenceOf(metrics, type))
      }
    }
  }
  return mightMatch(rewriteNot(predicate))
}

/** Metrics of variant and geo columns are objects and points, of which nothing is concluded. */
function hasUsableMetrics(type: PrimitiveType): boolean {
  return (
    type.kind !== 'variant' &&
    type.kind !== 'geometry' &&
    type.kind !== 'geography' &&
    type.kind !== 'unknown'
  )
}

interface Evidence {
  readonly isAllNull: boolean
  readonly isAllNan: boolean
  readonly hasNoNull: boolean
  readonly mayHoldNan: boolean
  readonly isFloating: boolean
  readonly lower: LiteralValue | undefined
  readonly upper: LiteralValue | undefined
}

function evidenceOf(metrics: ColumnMetrics, type: PrimitiveType): Evidence {
  const isFloating = type.kind === 'float' || type.kind === 'double'
  // A value count of zero is also written for columns that were not counted, so it proves nothing.
  const total = metrics.valueCount !== undefined && metrics.valueCount > 0 ? metrics.valueCount : undefined
  const lower = isNan(metrics.lower) ? undefined : metrics.lower
  const upper = isNan(metrics.upper) ? undefined : metrics.upper
  // Some writers swap or corrupt bounds; a pair that contradicts itself is no evidence.
  const isInverted =
    lower !== undefined &&
    upper !== undefined &&
    (!isComparable(lower, upper) || compareLiterals(lower, upper) > 0)
  return {
    isAllNull: total !== undefined && metrics.nullCount === total,
    isAllNan: isFloating && total !== undefined && metrics.nanCount === total,
    hasNoNull: metrics.nullCount === 0,
    mayHoldNan: isFloating && metrics.nanCount !== 0,
    isFloating,
    lower: isInverted ? undefined : lower,
    upper: isInverted ? undefined : upper,
  }
}

function isNan(value: LiteralValue | undefined): boolean {
  return typeof value === 'number' && Number.isNaN(value)
}

function isComparable(left: LiteralValue, right: LiteralValue): boolean {
  return typeof left === typeof right
}

function mightLeafMatch(leaf: LeafPredicate, evidence: Evidence): boolean {
  switch (leaf.op) {
    case 'is-null':
      return !evidence.hasNoNull
    case 'not-null':
      return !evidence.isAllNull
    case 'not-eq':
      return !evidence.isAllNull && !isAlways([leaf.literal], evidence)
    case 'not-in':
      return !evidence.isAllNull && !isAlways(leaf.literals, evidence)
    case 'is-nan':
      return !evidence.isAllNull && mightHoldNan(evidence)
    case 'not-nan':
      return !evidence.isAllNan
    case 'in':
      return !evidence.isAllNull && leaf.literals.some((literal) => mightCompareTrue('eq', literal, evidence))
    case 'starts-with':
      return !evidence.isAllNull && mightStartWith(leaf.literal, evidence)
    case 'not-starts-with':
      return !evidence.isAllNull && !doesAlwaysStartWith(leaf.literal, evidence)
    default:
      return !evidence.isAllNull && mightCompareTrue(leaf.op, leaf.literal, evidence)
  }
}

/** True where both bounds are one of the literals, so that every value is it. */
function isAlways(literals: readonly LiteralValue[], { mayHoldNan, lower, upper }: Evidence): boolean {
  if (mayHoldNan || lower === undefined || upper === undefined) return false
  return literals.some(
    (literal) =>
      isComparable(lower, literal) &&
      compareLiterals(lower, literal) === 0 &&
      compareLiterals(upper, literal) === 0,
  )
}

/** For a column that is not floating-point the test would be on a cast value, so nothing is concluded. */
function mightHoldNan(evidence: Evidence): boolean {
  return evidence.mayHoldNan || !evidence.isFloating
}

type OrderOp = 'lt' | 'lt-eq' | 'gt' | 'gt-eq' | 'eq'

function mightCompareTrue(op: OrderOp, literal: LiteralValue, evidence: Evidence): boolean {
  if (isNan(literal)) return mightCompareTrueToNan(op, evidence)
  const { lower, upper } = evidence
  const lowerOrder =
    lower !== undefined && isComparable(lower, literal) ? compareLiterals(lower, literal) : undefined
  const upperOrder =
    upper !== undefined && isComparable(upper, literal) ? compareLiterals(upper, literal) : undefined
  // NaN is greater than every other value: it passes `>` and `>=`, and never `<`, `<=` or `=`.
  switch (op) {
    case 'lt':
      return !evidence.isAllNan && (lowerOrder === undefined || lowerOrder < 0)
    case 'lt-eq':
      return !evidence.isAllNan && (lowerOrder === undefined || lowerOrder <= 0)
    case 'gt':
      return evidence.mayHoldNan || upperOrder === undefined || upperOrder > 0
    case 'gt-eq':
      return evidence.mayHoldNan || upperOrder === undefined || upperOrder >= 0
    case 'eq':
      return (
        !evidence.isAllNan &&
        (lowerOrder === undefined || lowerOrder <= 0) &&
        (upperOrder === undefined || upperOrder >= 0)
      )
    default:
      return true
  }
}

function mightCompareTrueToNan(op: OrderOp, evidence: Evidence): boolean {
  switch (op) {
    case 'lt':
      return !evidence.isAllNan
    case 'lt-eq':
      return true
    case 'gt':
      return false
    case 'gt-eq':
    case 'eq':
      return evidence.mayHoldNan
    default:
      return true
  }
}

function mightStartWith(prefix: LiteralValue, { lower, upper }: Evidence): boolean {
  if (typeof prefix !== 'string') return true
  if (typeof lower === 'string' && !lower.startsWith(prefix) && compareLiterals(lower, prefix) > 0) {
    return false
  }
  return typeof upper !== 'string' || compareLiterals(upper, prefix) >= 0
}

/** Everything between two strings that start with the prefix starts with it. */
function doesAlwaysStartWith(prefix: LiteralValue, { lower, upper }: Evidence): boolean {
  return (
    typeof prefix === 'string' &&
    typeof lower === 'string' &&
    typeof upper === 'string' &&
    lower.startsWith(prefix) &&
    upper.startsWith(prefix)
  )
}
