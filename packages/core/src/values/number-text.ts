// Exact text of numbers from their raw Arrow words. Integers and decimals never pass through a JavaScript number
// unless they fit one exactly.

/** Little-endian two's complement words as one integer. */
export function bigintOfWords(words: Uint32Array, start: number, wordCount: number): bigint {
  let value = 0n
  for (let i = wordCount - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[start + i] ?? 0)
  return BigInt.asIntN(wordCount * 32, value)
}

/** Places the decimal point: `decimalText(-1n, 6)` is `-0.000001`. */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale))
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Shortest text that reads back as the same double; keeps the sign of zero. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Shortest text that reads back as the same 32-bit float: 0.1, not 0.10000000149011612. */
export function floatText(value: number): string {
  if (!Number.isFinite(value) || value === 0) return doubleText(value)
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits))
    if (Math.fround(shorter) === value) return String(shorter)
  }
  return String(Number(value.toPrecision(9)))
}

/** A 16-bit float from its bits. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** `0x` and two digits for each byte. */
export function hexText(bytes: Uint8Array): string {
  let text = '0x'
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}

export function uuidText(bytes: Uint8Array): string {
  const hex = hexText(bytes).slice(2)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
