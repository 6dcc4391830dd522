// UTF-8 text: decoding that refuses malformed bytes, and the order of its bytes without encoding.

// Declared here because the core is compiled without the types of a browser or of Node; both have them.
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string }
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Undefined where the bytes are not UTF-8, such as a bound that was cut inside a character. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Orders by UTF-8 bytes, as DuckDB and Iceberg do; JavaScript's `<` differs beyond the basic plane. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const leftUnit = left.charCodeAt(index)
    const rightUnit = right.charCodeAt(index)
    if (leftUnit !== rightUnit) return rankOfUnit(leftUnit) - rankOfUnit(rightUnit)
  }
  return left.length - right.length
}

/** Moves surrogates above all other units: the characters they make have the longest encodings. */
function rankOfUnit(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}

/** Unsigned order; a prefix comes first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

export function formatHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Undefined where the text is not pairs of hexadecimal digits. */
export function parseHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}
