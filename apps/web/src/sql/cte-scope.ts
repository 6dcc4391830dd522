// Common table expressions of an unfinished statement: their names, and the names of their columns as far as the text
// tells. By brackets and words alone; what it cannot tell is left out.
import { NAME, NOT_ALIAS, unquoteName } from './at-versions.ts'

export interface Cte {
  name: string
  columns: readonly string[]
  /** Names after FROM and JOIN whose columns it has too, because it selects `*`. */
  starsOf: readonly string[]
}

const HEAD = new RegExp(
  String.raw`(?:\bwith(?:\s+recursive)?|,)\s*(${NAME})\s*(\([^()]*\))?\s*as\s*(?:(?:not\s+)?materialized\s*)?\(`,
  'giu',
)
const LAST_NAME = new RegExp(String.raw`(${NAME})\s*$`, 'u')
const SOURCE = new RegExp(
  String.raw`(?:\bfrom|\bjoin)\s+((?:${NAME}\s*\.\s*)*${NAME})(?:\s+(?:as\s+)?(${NAME}))?`,
  'giu',
)

/** One past the bracket that closes the one before `start`; the end of the text where it is unfinished. */
function closingEnd(text: string, start: number): number {
  let depth = 1
  for (let i = start; i < text.length; i++) {
    if (text[i] === '(') depth += 1
    if (text[i] === ')') depth -= 1
    if (depth === 0) return i
  }
  return text.length
}

/** The text with everything within brackets blanked. */
function outermost(text: string): string {
  let depth = 0
  let outer = ''
  for (const character of text) {
    if (character === ')') depth = Math.max(0, depth - 1)
    outer += depth === 0 ? character : ' '
    if (character === '(') depth += 1
  }
  return outer
}

/** @param sql with literals and comments blanked; in the order of the text */
export function ctesOf(sql: string): Cte[] {
  if (!/\bwith\b/i.test(sql)) return []
  return [...sql.matchAll(HEAD)].map((match) => {
    const start = match.index + match[0].length
    const body = sql.slice(start, closingEnd(sql, start))
    const named = match[2]?.slice(1, -1).split(',')
    const name = unquoteName(match[1] ?? '')
    return named === undefined
      ? { name, ...selectedColumns(body) }
      : { name, columns: named.map((column) => unquoteName(column.trim())), starsOf: [] }
  })
}

function selectedColumns(body: string): Omit<Cte, 'name'> {
  const outer = outermost(body)
  const select = /\bselect\b(?:\s+(?:distinct|all)\b)?/i.exec(outer)
  if (select === null) return { columns: [], starsOf: [] }
  const start = select.index + select[0].length
  const from = /\bfrom\b/i.exec(outer.slice(start))
  const list = outer.slice(start, from === null ? undefined : start + from.index)
  const columns: string[] = []
  let hasStar = false
  for (const item of list.split(',')) {
    if (/\*\s*$/.test(item)) hasStar = true
    else {
      const name = LAST_NAME.exec(item)?.[1]
      if (name !== undefined) columns.push(unquoteName(name))
    }
  }
  return { columns, starsOf: hasStar ? sourcesOf(outer).map(({ source }) => source) : [] }
}

/** What follows FROM and JOIN, with the name that it goes by. Only the outermost level where brackets are blanked. */
export function sourcesOf(sql: string): { source: string; name: string }[] {
  return [...sql.matchAll(SOURCE)].map((match) => {
    const source = unquoteName((match[1] ?? '').split('.').at(-1)?.trim() ?? '')
    const alias = match[2]
    const isAlias = alias !== undefined && !NOT_ALIAS.has(alias.toLowerCase())
    return { source, name: isAlias ? unquoteName(alias) : source }
  })
}
