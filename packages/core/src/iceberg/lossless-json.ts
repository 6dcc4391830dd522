// JSON text without loss of 64-bit integers: those beyond ±(2^53 - 1) become decimal strings, all else is as
// JSON.parse makes it. Readers of such JSON take a string wherever they take an integer (`json-reader.ts`).
// One scan quotes the long integers and JSON.parse does the rest, because a reviver costs several times as much.
// A `__proto__` key stays an own property, as JSON.parse makes it, and changes no prototype.

const LONG_DIGIT_RUN = /\d{16}/
const SHORTEST_UNSAFE_CHARS = 16
const INTEGER = /^-?(?:0|[1-9]\d*)$/
const KEY_END = /\s*:/y

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d

/**
 * Parses JSON text.
 * @throws SyntaxError where JSON.parse throws one
 */
export function parseLosslessJson(text: string): unknown {
  return JSON.parse(LONG_DIGIT_RUN.test(text) ? quoteUnsafeIntegers(text) : text)
}

function quoteUnsafeIntegers(text: string): string {
  const parts: string[] = []
  let copiedEnd = 0
  let position = 0
  while (position < text.length) {
    const unit = text.charCodeAt(position)
    if (unit === QUOTE) {
      position = endOfString(text, position)
    } else if (unit === MINUS || isDigit(unit)) {
      const end = endOfNumber(text, position)
      if (isUnsafeInteger(text, position, end)) {
        parts.push(text.slice(copiedEnd, position), '"', text.slice(position, end), '"')
        copiedEnd = end
      }
      position = end
    } else {
      position += 1
    }
  }
  parts.push(text.slice(copiedEnd))
  return parts.join('')
}

/** Index after the closing quote of the string that opens at `open`; the text's end when it never closes. */
function endOfString(text: string, open: number): number {
  let position = open + 1
  while (position < text.length) {
    const unit = text.charCodeAt(position)
    if (unit === QUOTE) return position + 1
    position += unit === BACKSLASH ? 2 : 1
  }
  return text.length
}

/** Index after the run of characters that numbers are made of. */
function endOfNumber(text: string, start: number): number {
  let position = start + 1
  while (position < text.length && isNumberPart(text.charCodeAt(position))) position += 1
  return position
}

function isUnsafeInteger(text: string, start: number, end: number): boolean {
  if (end - start < SHORTEST_UNSAFE_CHARS) return false
  const token = text.slice(start, end)
  if (!INTEGER.test(token) || Number.isSafeInteger(Number(token))) return false
  // A bare number is no key: left as it is, so that JSON.parse refuses it.
  KEY_END.lastIndex = end
  return !KEY_END.test(text)
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

/** Digits, `+`, `-`, `.`, `e`, `E`. */
function isNumberPart(unit: number): boolean {
  return isDigit(unit) || unit === 0x2b || unit === MINUS || unit === 0x2e || unit === 0x65 || unit === 0x45
}
