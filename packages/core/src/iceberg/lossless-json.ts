// JSON text without loss of 64-bit integers: those beyond ±(2^53 - 1) become decimal strings, all else is as
// JSON.parse makes it. Readers of such JSON take a string wherever they take an integer (`json-reader.ts`).
// One scan quotes the long integers and JSON.parse does the rest, because a reviver costs several times as much.
// A `__proto__` key stays an own property, as JSON.parse makes it, and changes no prototype.

const LONG_DIGIT_RUN = /\d{16}/
const SHORTEST_UNSAFE_CHARS = 16
const NUMBER_TOKEN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const INTEGER = /^-?\d+$/

/**
 * Parses JSON text.
 * @throws SyntaxError where JSON.parse throws one
 */
export function parseLosslessJson(text: string): unknown {
  return JSON.parse(LONG_DIGIT_RUN.test(text) ? quoteUnsafeIntegers(text) : text)
}

function quoteUnsafeIntegers(text: string): string {
  const parts: string[] = []
  let position = 0
  while (position < text.length) {
    const quote = text.indexOf('"', position)
    const gapEnd = quote === -1 ? text.length : quote
    const gap = text.slice(position, gapEnd)
    parts.push(gap.length < SHORTEST_UNSAFE_CHARS ? gap : quoteInGap(gap))
    position = gapEnd
    if (quote !== -1) {
      const stringEnd = endOfString(text, quote)
      parts.push(text.slice(quote, stringEnd))
      position = stringEnd
    }
  }
  return parts.join('')
}

/** Index after the closing quote of the string that opens at `open`; the text's end when it never closes. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (close !== -1) {
    let backslashes = 0
    while (text[close - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return close + 1
    close = text.indexOf('"', close + 1)
  }
  return text.length
}

function quoteInGap(gap: string): string {
  return gap.replace(NUMBER_TOKEN, (token: string, offset: number) => {
    if (token.length < SHORTEST_UNSAFE_CHARS || !INTEGER.test(token) || Number.isSafeInteger(Number(token))) {
      return token
    }
    // A bare number is no key: left as it is, so that JSON.parse refuses it.
    return gap
      .slice(offset + token.length)
      .trimStart()
      .startsWith(':')
      ? token
      : `"${token}"`
  })
}
