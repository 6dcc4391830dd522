// Parameters of a statement: `$name` stands for a value that is given beside the text. They are put in as SQL literals
// before the statement is sent, so the receipt, the audit and an export name what was asked, values included.
// Positions are UTF-16; those of errors are led back to the text as it was written.
import * as z from 'zod'
import { parseLiteral } from '@lake/core/iceberg/literal.ts'
import { PARAMETER_CHARS_MAX, PARAMETERS_MAX } from '../limits.ts'
import { quoted } from './quoted.ts'
import { skipToken } from './split-statements.ts'

export const PARAMETER_TYPES = [
  'text',
  'number',
  'date',
  'timestamp',
  'timestamptz',
  'boolean',
  'null',
] as const
export type ParameterType = (typeof PARAMETER_TYPES)[number]

const parameter = z.object({
  name: z.string().regex(/^\w{1,64}$/),
  type: z.enum(PARAMETER_TYPES),
  text: z.string().max(PARAMETER_CHARS_MAX),
})
export type Parameter = z.infer<typeof parameter>

/** As they are kept in tabs and links. */
export const parameterList = z.array(parameter).max(PARAMETERS_MAX)

interface Placeholder {
  name: string
  startOffset: number
  endOffset: number
}

const NAME = /\$(\w+)/y

/** Every `$name` of a text outside of strings, quoted names, comments and dollar quotes, in order. */
function placeholders(text: string): Placeholder[] {
  const found: Placeholder[] = []
  // Asked of the whole text for every key that is pressed.
  if (!text.includes('$')) return found
  for (let i = 0; i < text.length;) {
    const { end } = skipToken(text, i)
    NAME.lastIndex = i
    const match = end === i + 1 && !/[\w$\u0080-\uffff]/.test(text[i - 1] ?? ' ') ? NAME.exec(text) : null
    const name = match?.[1]
    if (name === undefined) {
      i = end
      continue
    }
    found.push({ name, startOffset: i, endOffset: i + name.length + 1 })
    i += name.length + 1
  }
  return found
}

/** Each name once, in order of appearance. */
export function parameterNames(text: string): string[] {
  return [...new Set(placeholders(text).map(({ name }) => name))].slice(0, PARAMETERS_MAX)
}

/** The SQL literal of a value, exact; null where the text is no value of the type. */
export function parameterLiteral({ type, text }: Pick<Parameter, 'type' | 'text'>): string | null {
  const value = text.trim()
  switch (type) {
    case 'text':
      return quoted(text)
    case 'null':
      return 'NULL'
    case 'number':
      // In brackets, so that a minus is no operator of what stands before.
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(value) ? `(${value})` : null
    case 'boolean':
      return /^(true|false)$/i.test(value) ? value.toUpperCase() : null
    case 'date':
      return parseLiteral({ kind: 'date' }, value) === undefined ? null : `DATE ${quoted(value)}`
    case 'timestamp':
      return parseLiteral({ kind: 'timestamp' }, value) === undefined ? null : `TIMESTAMP ${quoted(value)}`
    case 'timestamptz':
      return parseLiteral({ kind: 'timestamptz' }, value) === undefined
        ? null
        : `TIMESTAMPTZ ${quoted(value)}`
  }
}

/** Where a text was changed: `text.length` units stand for the `length` ones at `startOffset` of the text as written. */
export interface TextEdit {
  startOffset: number
  length: number
  text: string
}

export type BoundText =
  | { kind: 'bound'; sql: string; edits: readonly TextEdit[] }
  /** Parameters without a value, or with one that is none of their type. */
  | { kind: 'unbound'; names: readonly string[] }

export function bindParameters(sql: string, parameters: readonly Parameter[]): BoundText {
  const literals = new Map(parameters.map((given) => [given.name, parameterLiteral(given)]))
  const places = placeholders(sql)
  const missing = places.filter(({ name }) => (literals.get(name) ?? null) === null).map(({ name }) => name)
  if (missing.length > 0) return { kind: 'unbound', names: [...new Set(missing)] }
  const edits = places.map(({ name, startOffset, endOffset }) => ({
    startOffset,
    length: endOffset - startOffset,
    text: literals.get(name) ?? '',
  }))
  let bound = ''
  let at = 0
  for (const { startOffset, length, text } of edits) {
    bound += sql.slice(at, startOffset) + text
    at = startOffset + length
  }
  return { kind: 'bound', sql: bound + sql.slice(at), edits }
}

/** The place in the text as written of a place in the bound one; what lies within a value is where its name begins. */
export function writtenOffset(offset: number, edits: readonly TextEdit[]): number {
  let shift = 0
  for (const { startOffset, length, text } of edits) {
    const boundStart = startOffset + shift
    if (offset <= boundStart) break
    if (offset < boundStart + text.length) return startOffset
    shift += text.length - length
  }
  return offset - shift
}
