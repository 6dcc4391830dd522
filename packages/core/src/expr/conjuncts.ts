// A predicate as its parts that must all hold, so that it can be said of each what it excludes.
import { fieldIdsOf } from './predicate-fields.ts'
import type { Predicate } from './predicate.ts'
import { rewriteNot } from './rewrite-not.ts'
import type { PositivePredicate } from './rewrite-not.ts'

/**
 * Parts of which the conjunction is the predicate, in order of appearance. Parts over the same fields are one, since
 * people read a range as one condition. None for a predicate that is always true.
 */
export function conjunctsOf(predicate: Predicate): readonly PositivePredicate[] {
  const groups = Map.groupBy(flatten(rewriteNot(predicate)), (part) =>
    [...new Set(fieldIdsOf(part))].sort((left, right) => left - right).join(),
  )
  return [...groups.values()].map((parts) => {
    const [only] = parts
    return only && parts.length === 1 ? only : { op: 'and', operands: parts }
  })
}

function flatten(predicate: PositivePredicate): PositivePredicate[] {
  if (predicate.op === 'true') return []
  return predicate.op === 'and' ? predicate.operands.flatMap(flatten) : [predicate]
}
