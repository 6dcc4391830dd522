// One value as it is read: nested values indented over lines, bytes with their places and letters, the start of what is too
// long to be drawn. A layout only adds white space and places; what is copied and saved is the value's own text.
import { VALUE_JSON_CHARS_MAX, VALUE_LAID_OUT_CHARS_MAX, VALUE_SHOWN_CHARS_MAX } from '../../limits.ts'

const BYTES_PER_LINE = 16
const NESTED_TYPE = /^(STRUCT|MAP)\(|\]$|^JSON$|^VARIANT$/

/** A text in quotes, which may not end; a mark of structure; what stands between them. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]|[^"{}[\],]+/gs
const OPENS = /^[{[]$/
const CLOSES = /^[}\]]$/

/**
 * Text of lists, structs, maps and JSON over lines, two spaces deeper for each level. Numbers and texts are not parsed,
 * so they keep every digit and letter; white space between them is the layout's. Null where the nesting is so deep that there
 * would be more white space than anybody reads.
 */
export function indentNested(text: string): string | null {
  const tokens = (text.match(TOKEN) ?? [])
    .map((token) => (token.startsWith('"') ? token : plainToken(token)))
    .filter((token) => token !== '')
  let out = ''
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  for (const [index, token] of tokens.entries()) {
    const isClose = CLOSES.test(token)
    if (isClose) depth = Math.max(0, depth - 1)
    if (isClose && !OPENS.test(tokens[index - 1] ?? '')) out += newLine()
    out += token
    if (OPENS.test(token)) depth += 1
    if (token === ',' || (OPENS.test(token) && !CLOSES.test(tokens[index + 1] ?? ''))) out += newLine()
    if (out.length > VALUE_LAID_OUT_CHARS_MAX) return null
  }
  return out
}

/** Without the white space around it, and one blank after the colon of a key. */
const plainToken = (token: string): string => token.trim().replace(/^:\s*/, ': ').replace(/:$/, ': ')

/** Bytes as `hexdump -C` shows them, without the hidden repeats: place, sixteen bytes, their letters where they have any. */
export function dumpHex(hex: string): string {
  const lines: string[] = []
  for (let start = 0; start < hex.length; start += BYTES_PER_LINE * 2) {
    const bytes = hex.slice(start, start + BYTES_PER_LINE * 2).match(/../g) ?? []
    const letters = bytes.map((byte) => {
      const code = Number.parseInt(byte, 16)
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.'
    })
    const place = (start / 2).toString(16).padStart(4, '0')
    lines.push(`${place}  ${bytes.join(' ').padEnd(BYTES_PER_LINE * 3 - 1)}  ${letters.join('')}`)
  }
  return lines.join('\n')
}

const isJson = (text: string): boolean => {
  if (text.length > VALUE_JSON_CHARS_MAX || !/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

type ValueKind = 'bytes' | 'nested' | 'text'

function kindOf(sqlType: string, text: string): ValueKind {
  if (sqlType === 'BLOB' && text.startsWith('0x')) return 'bytes'
  return NESTED_TYPE.test(sqlType) || (sqlType === 'VARCHAR' && isJson(text)) ? 'nested' : 'text'
}

/** The first characters, and no half of one. */
function startOf(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const isHalf = (text.codePointAt(charsMax - 1) ?? 0) > 0xffff
  return text.slice(0, isHalf ? charsMax - 1 : charsMax)
}

function laidOutText(kind: ValueKind, start: string): string | null {
  if (kind === 'text') return null
  const laidOut = kind === 'bytes' ? dumpHex(start.slice(2)) : indentNested(start)
  return laidOut === start || laidOut === '' ? null : laidOut
}

/** What is drawn of a value. */
export interface ShownValue {
  kind: ValueKind
  /** The value's own text, or its start where that is too long. */
  start: string
  /** How the start is best read; null where it is that already. */
  laidOut: string | null
}

/** @param sqlType the engine's spelling; a text that holds JSON is laid out as JSON */
export function shownValue(sqlType: string, text: string, charsMax = VALUE_SHOWN_CHARS_MAX): ShownValue {
  const kind = kindOf(sqlType, text)
  const start = startOf(text, charsMax)
  return { kind, start, laidOut: laidOutText(kind, start) }
}
