// A predicate in SQL's words, for people: `day >= '2026-09-01' AND day < '2026-10-01'`. Not for an engine: types are left
// out, and long texts are cut.
import { assertNever } from '../assert.ts'
import { quoteIdentifier } from '../iceberg/identifiers.ts'
import { formatLiteral } from '../iceberg/literal-display.ts'
import { truncateText } from '../iceberg/transform.ts'
import type { LiteralValue, PrimitiveType } from '../iceberg/types.ts'
import type { ComparisonOp, Predicate, UnaryOp } from './predicate.ts'

const LITERAL_CHARS_MAX = 64
const LITERALS_MAX = 5

const COMPARISONS: Readonly<Record<Exclude<ComparisonOp, 'starts-with' | 'not-starts-with'>, string>> = {
  lt: '<',
  'lt-eq': '<=',
  gt: '>',
  'gt-eq': '>=',
  eq: '=',
  'not-eq': '<>',
}

/** What a predicate's fields are called and hold. */
export interface NamedFields {
  nameOf(fieldId: number): string | undefined
  typeOf(fieldId: number): PrimitiveType | undefined
}

export function formatPredicate(predicate: Predicate, fields: NamedFields): string {
  switch (predicate.op) {
    case 'true':
      return 'TRUE'
    case 'false':
      return 'FALSE'
    case 'not':
      return `NOT (${formatPredicate(predicate.operand, fields)})`
    case 'and':
      return predicate.operands.map((operand) => formatOperand(operand, fields)).join(' AND ')
    case 'or':
      return predicate.operands.map((operand) => formatOperand(operand, fields)).join(' OR ')
    case 'in':
    case 'not-in': {
      const { op, fieldId, literals } = predicate
      const shown = literals
        .slice(0, LITERALS_MAX)
        .map((literal) => formatValue(fields.typeOf(fieldId), literal))
      const more = literals.length > LITERALS_MAX ? [`… ${literals.length - LITERALS_MAX} more`] : []
      return `${nameIn(fields, fieldId)} ${op === 'in' ? 'IN' : 'NOT IN'} (${[...shown, ...more].join(', ')})`
    }
    case 'is-null':
    case 'not-null':
    case 'is-nan':
    case 'not-nan':
      return formatTest(predicate.op, nameIn(fields, predicate.fieldId))
    default:
      return formatComparison(predicate, fields)
  }
}

function formatOperand(operand: Predicate, fields: NamedFields): string {
  const text = formatPredicate(operand, fields)
  return operand.op === 'or' || operand.op === 'and' ? `(${text})` : text
}

function formatComparison(
  { op, fieldId, literal }: Extract<Predicate, { readonly literal: LiteralValue }>,
  fields: NamedFields,
): string {
  const name = nameIn(fields, fieldId)
  const value = formatValue(fields.typeOf(fieldId), literal)
  if (op === 'starts-with' || op === 'not-starts-with')
    return `${op === 'not-starts-with' ? 'NOT ' : ''}starts_with(${name}, ${value})`
  return `${name} ${COMPARISONS[op]} ${value}`
}

function formatTest(op: UnaryOp, name: string): string {
  switch (op) {
    case 'is-null':
      return `${name} IS NULL`
    case 'not-null':
      return `${name} IS NOT NULL`
    case 'is-nan':
      return `isnan(${name})`
    case 'not-nan':
      return `NOT isnan(${name})`
    default:
      return assertNever(op)
  }
}

const nameIn = (fields: NamedFields, fieldId: number): string =>
  quoteIdentifier(fields.nameOf(fieldId) ?? `field ${fieldId}`)

const BARE_KINDS: ReadonlySet<string> = new Set(['boolean', 'int', 'long', 'float', 'double', 'decimal'])

function formatValue(type: PrimitiveType | undefined, value: LiteralValue): string {
  if (!type) return '…'
  const text = formatLiteral(type, value)
  if (BARE_KINDS.has(type.kind)) return text
  const start = truncateText(text, LITERAL_CHARS_MAX)
  const cut = start === text ? text : `${start}…`
  return `'${cut.replaceAll("'", "''")}'`
}
