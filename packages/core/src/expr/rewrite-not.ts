// Removes NOT from predicates by pushing it down to the leaves, so that the evaluators need to know no negation.
// Exact in SQL's three-valued logic, because every leaf and its negation are both unknown on NULL (is-null apart,
// which is never unknown) and because float and double have a total order.
import { assertNever } from '../assert.ts'
import { ALWAYS_FALSE, ALWAYS_TRUE } from './predicate.ts'
import type { ComparisonOp, Predicate, UnaryOp } from './predicate.ts'

/** A predicate without `not`. */
export type PositivePredicate =
  | { readonly op: 'true' }
  | { readonly op: 'false' }
  | { readonly op: 'and' | 'or'; readonly operands: readonly PositivePredicate[] }
  | LeafPredicate

export type LeafPredicate = Extract<Predicate, { readonly fieldId: number }>

const NEGATED_COMPARISON: Readonly<Record<ComparisonOp, ComparisonOp>> = {
  lt: 'gt-eq',
  'lt-eq': 'gt',
  gt: 'lt-eq',
  'gt-eq': 'lt',
  eq: 'not-eq',
  'not-eq': 'eq',
  'starts-with': 'not-starts-with',
  'not-starts-with': 'starts-with',
}

const NEGATED_UNARY: Readonly<Record<UnaryOp, UnaryOp>> = {
  'is-null': 'not-null',
  'not-null': 'is-null',
  'is-nan': 'not-nan',
  'not-nan': 'is-nan',
}

/** Returns the predicate that the same rows pass, without `not`. */
export function rewriteNot(predicate: Predicate): PositivePredicate {
  return rewrite(predicate, false)
}

function rewrite(predicate: Predicate, isNegated: boolean): PositivePredicate {
  switch (predicate.op) {
    case 'true':
    case 'false':
      return (predicate.op === 'true') === isNegated ? asPositive(false) : asPositive(true)
    case 'not':
      return rewrite(predicate.operand, !isNegated)
    case 'and':
    case 'or':
      return {
        op: (predicate.op === 'and') === isNegated ? 'or' : 'and',
        operands: predicate.operands.map((operand) => rewrite(operand, isNegated)),
      }
    default:
      return isNegated ? negateLeaf(predicate) : predicate
  }
}

function asPositive(value: boolean): PositivePredicate {
  return (value ? ALWAYS_TRUE : ALWAYS_FALSE) as PositivePredicate
}

function negateLeaf(leaf: LeafPredicate): LeafPredicate {
  switch (leaf.op) {
    case 'in':
      return { ...leaf, op: 'not-in' }
    case 'not-in':
      return { ...leaf, op: 'in' }
    case 'is-null':
    case 'not-null':
    case 'is-nan':
    case 'not-nan':
      return { ...leaf, op: NEGATED_UNARY[leaf.op] }
    case 'lt':
    case 'lt-eq':
    case 'gt':
    case 'gt-eq':
    case 'eq':
    case 'not-eq':
    case 'starts-with':
    case 'not-starts-with':
      return { ...leaf, op: NEGATED_COMPARISON[leaf.op] }
    default:
      return assertNever(leaf)
  }
}
