// Makes the engine read versions of tables. The statement's text stays as it is but for the references with `AT (…)`:
// the clause becomes blank and, where one table is read at several versions, the name becomes that of a view of its own.
//
// What is put in takes exactly as many code points, UTF-16 units and bytes as what it replaces. So every position that
// the engine counts, before a reference or behind it, is a position in the submitted text.
import { assert } from '@lake/core/assert.ts'
import type { TextSubstitution } from '@lake/core/flight/ticket.ts'
import { quoteIdentifier } from '../engine/quote.ts'
import { skipGap, tokenEnd } from '../engine/text-offsets.ts'
import type { TableReference } from './analyze-statement.ts'

export interface SubstitutedReference extends TableReference {
  /** The view to read; undefined where the table's own name will do. */
  readonly viewName: string | undefined
}

/**
 * Where the `AT (…)` clause of a reference stands, which the syntax tree does not say.
 *
 * @param nameEndOffset one past the name of the table, which the clause follows behind the alias
 */
export function findAtClause(
  sql: string,
  nameEndOffset: number,
): { startOffset: number; endOffset: number } | undefined {
  let offset = skipGap(sql, nameEndOffset)
  while (offset < sql.length) {
    if (isAtClause(sql, offset)) return { startOffset: offset, endOffset: closingEnd(sql, offset) }
    offset = skipGap(sql, tokenEnd(sql, offset))
  }
  return undefined
}

/** `AT ( VERSION =>`, which nothing else looks like: an alias named `at` is followed by something else. */
function isAtClause(sql: string, offset: number): boolean {
  if (!/^AT$/iu.test(sql.slice(offset, tokenEnd(sql, offset)))) return false
  const open = skipGap(sql, tokenEnd(sql, offset))
  if (sql[open] !== '(') return false
  const unit = skipGap(sql, open + 1)
  const unitEnd = tokenEnd(sql, unit)
  return (
    /^(?:VERSION|TIMESTAMP)$/iu.test(sql.slice(unit, unitEnd)) && sql.startsWith('=>', skipGap(sql, unitEnd))
  )
}

/** One past the parenthesis that closes the first one behind `offset`. */
function closingEnd(sql: string, offset: number): number {
  let depth = 0
  for (let at = skipGap(sql, offset); at < sql.length; at = skipGap(sql, tokenEnd(sql, at))) {
    if (sql[at] === '(') depth += 1
    if (sql[at] !== ')') continue
    depth -= 1
    if (depth === 0) return at + 1
  }
  return sql.length
}

/**
 * The substitutions that make the engine read each reference at its version.
 * @param references with the span of the `AT` clause where they have one
 */
export function substituteVersions(
  sql: string,
  references: readonly SubstitutedReference[],
): TextSubstitution[] {
  return references.flatMap((reference): TextSubstitution[] => {
    const { startOffset, endOffset, at, viewName, alias, tableName } = reference
    const put = (start: number, end: number, text: string): TextSubstitution => ({
      startOffset: start,
      text: fill(sql.slice(start, end), text),
    })
    if (viewName === undefined) return at ? [put(at.startOffset, at.endOffset, '')] : []
    if (alias === '' && at) {
      return [put(startOffset, at.endOffset, `${viewName} AS ${quoteIdentifier(tableName)}`)]
    }
    assert(at !== undefined, 'only a version has a view of its own')
    return [put(startOffset, endOffset, viewName), put(at.startOffset, at.endOffset, '')]
  })
}

/** `text` and then blanks in the place of `replaced`. What is not ASCII there stays, in a comment, to keep the bytes. */
function fill(replaced: string, text: string): string {
  const left = Array.from(replaced).filter((character) => character > '\x7F')
  for (const character of text) {
    if (character <= '\x7F') continue
    const index = left.indexOf(character)
    assert(index >= 0, 'a replacement has no other characters than what it replaces')
    left.splice(index, 1)
  }
  const kept = left.length === 0 ? '' : `/*${left.join('')}*/`
  const blankCount = replaced.length - text.length - kept.length
  assert(blankCount >= 0, 'a replacement fits into what it replaces')
  return `${text}${' '.repeat(blankCount)}${kept}`
}

/** Names for `count` views that the statement says nothing of: five characters, so that they fit into any full name. */
export function chooseViewNames(sql: string, count: number): string[] {
  const text = sql.toLowerCase()
  const names: string[] = []
  for (let number = 0; names.length < count; number += 1) {
    const name = `v${number.toString(36).padStart(4, '0')}`
    assert(name.length === 5, 'a text cannot contain all names')
    if (!text.includes(name)) names.push(name)
  }
  return names
}
