// Predicates over columns of one schema, as plain data. Columns are named by field id, literals are already in the
// column's type. Operator words are those of the REST catalog's expression JSON.
import type { LiteralValue } from '../iceberg/types.ts'

export type ComparisonOp =
  'lt' | 'lt-eq' | 'gt' | 'gt-eq' | 'eq' | 'not-eq' | 'starts-with' | 'not-starts-with'
export type UnaryOp = 'is-null' | 'not-null' | 'is-nan' | 'not-nan'

/**
 * A filter that a row passes or fails, in SQL's logic: a comparison with NULL is unknown, and a row passes only when
 * the whole is true. `float` and `double` order as in DuckDB: NaN equals NaN and is greater than everything else.
 */
export type Predicate =
  | { readonly op: 'true' }
  | { readonly op: 'false' }
  | { readonly op: 'and'; readonly operands: readonly Predicate[] }
  | { readonly op: 'or'; readonly operands: readonly Predicate[] }
  | { readonly op: 'not'; readonly operand: Predicate }
  | { readonly op: UnaryOp; readonly fieldId: number }
  | { readonly op: ComparisonOp; readonly fieldId: number; readonly literal: LiteralValue }
  | { readonly op: 'in' | 'not-in'; readonly fieldId: number; readonly literals: readonly LiteralValue[] }

export const ALWAYS_TRUE: Predicate = { op: 'true' }
export const ALWAYS_FALSE: Predicate = { op: 'false' }
