// One value laid out over lines to be read: nested values indented, bytes with their places and letters. A layout only
// adds white space and places; what is copied is the value's own text.
import { VALUE_LAYOUT_CHARS_MAX } from '../../limits.ts'

const BYTES_PER_LINE = 16
const NESTED_TYPE = /^(STRUCT|MAP)\(|\]$|^JSON$|^VARIANT$/

/**
 * Text of lists, structs, maps and JSON over lines, two spaces deeper for each level. Numbers and texts are not parsed,
 * so they keep every digit and letter.
 */
export function indentNested(text: string): string {
  let out = ''
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (char === '"') {
      const end = endOfString(text, at)
      out += text.slice(at, end)
      at = end - 1
    } else if (char === '{' || char === '[') {
      const isEmpty = /^[{[]\s*[}\]]/.test(text.slice(at, at + 8))
      if (isEmpty) {
        const end = text.indexOf(char === '{' ? '}' : ']', at)
        out += `${char}${text[end] ?? ''}`
        at = end
      } else {
        depth += 1
        out += char + newLine()
      }
    } else if (char === '}' || char === ']') {
      depth = Math.max(0, depth - 1)
      out += newLine() + char
    } else if (char === ',') {
      out += char + newLine()
      while (text[at + 1] === ' ') at += 1
    } else if (char === ':' && text[at + 1] !== ' ') out += /["}\]]/.test(text[at - 1] ?? '') ? ': ' : char
    else if (!/[\n\r\t]/.test(char)) out += char
  }
  return out
}

/** Past the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

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
