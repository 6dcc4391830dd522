// One value laid out over lines to be read: nested values indented, bytes with their places and letters. A layout only
// adds white space and places; what is copied is the value's own text.
import { VALUE_LAYOUT_CHARS_MAX } from '../../limits.ts'

const BYTES_PER_LINE = 16
const NESTED_TYPE = /^(STRUCT|MAP)\(|\]$|^JSON$|^VARIANT$/

/** A text in quotes, which may not end; a mark of structure; what stands between them. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]|[^"{}[\],]+/gs
const OPENS = /^[{[]$/
const CLOSES = /^[}\]]$/

/**
 * Text of lists, structs, maps and JSON over lines, two spaces deeper for each level. Numbers and texts are not parsed,
 * so they keep every digit and letter; white space between them is the layout's.
 */
export function indentNested(text: string): string {
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
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * How a value is best read; null where its text is that already, or is too long to be laid out.
 * @param sqlType the engine's spelling; a text that holds JSON is laid out as JSON
 */
export function layoutOf(sqlType: string, text: string): string | null {
  if (text.length > VALUE_LAYOUT_CHARS_MAX) return null
  if (sqlType === 'BLOB' && text.startsWith('0x')) return dumpHex(text.slice(2)) || null
  const isNested = NESTED_TYPE.test(sqlType) || (sqlType === 'VARCHAR' && isJson(text))
  const laidOut = isNested ? indentNested(text) : text
  return laidOut === text ? null : laidOut
}
