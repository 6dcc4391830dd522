// Which fields a predicate looks at.
import type { Predicate } from './predicate.ts'

/** Field ids in order of appearance; an id may repeat. */
export function fieldIdsOf(predicate: Predicate): readonly number[] {
  switch (predicate.op) {
    case 'true':
    case 'false':
      return []
    case 'not':
      return fieldIdsOf(predicate.operand)
    case 'and':
    case 'or':
      return predicate.operands.flatMap(fieldIdsOf)
    default:
      return [predicate.fieldId]
  }
}
