// The binary form of single values: Iceberg table spec, appendix D. Little-endian numbers, big-endian decimals.
import { assert } from '../assert.ts'
import type { LiteralValue, PrimitiveType } from './types.ts'
import { encodeUtf8 } from './utf8.ts'

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** Undefined where the width is not one of `widths` (of 4 and 8 bytes). */
export function decodeSignedLittleEndian(bytes: Uint8Array, widths: readonly (4 | 8)[]): bigint | undefined {
  if (!widths.some((width) => width === bytes.length)) return undefined
  return bytes.length === 4 ? BigInt(viewOf(bytes).getInt32(0, true)) : viewOf(bytes).getBigInt64(0, true)
}

/** Undefined for other widths, and for NaN: old writers put it into bounds, where it bounds nothing. */
export function decodeFloat(bytes: Uint8Array, widths: readonly (4 | 8)[]): number | undefined {
  if (!widths.some((width) => width === bytes.length)) return undefined
  const value = bytes.length === 4 ? viewOf(bytes).getFloat32(0, true) : viewOf(bytes).getFloat64(0, true)
  return Number.isNaN(value) ? undefined : value
}

/** Two's complement of any length; empty is zero. */
export function decodeSignedBigEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return BigInt.asIntN(bytes.length * 8, value)
}

/** The shortest two's complement, big-endian: unscaled decimals in bounds and for hashing. */
export function encodeSignedBigEndian(value: bigint): Uint8Array {
  let length = 1
  while (BigInt.asIntN(length * 8, value) !== value) length += 1
  return Uint8Array.from({ length }, (_, index) =>
    Number((value >> BigInt((length - 1 - index) * 8)) & 0xffn),
  )
}

/** Encodes a bound; the inverse of `decodeBound` for values of the type's own width. */
export function encodeBound(type: PrimitiveType, value: LiteralValue): Uint8Array {
  if (typeof value === 'boolean') return Uint8Array.of(value ? 1 : 0)
  if (typeof value === 'string') return encodeUtf8(value)
  if (value instanceof Uint8Array) return value
  if (typeof value === 'bigint') {
    if (type.kind === 'decimal') return encodeSignedBigEndian(value)
    return encodeLittleEndian(type.kind === 'int' || type.kind === 'date' ? 4 : 8, (view, length) => {
      if (length === 4) view.setInt32(0, Number(value), true)
      else view.setBigInt64(0, value, true)
    })
  }
  assert(type.kind === 'float' || type.kind === 'double', `a number is no value of type ${type.kind}`)
  return encodeLittleEndian(type.kind === 'float' ? 4 : 8, (view, length) => {
    if (length === 4) view.setFloat32(0, value, true)
    else view.setFloat64(0, value, true)
  })
}

function encodeLittleEndian(length: 4 | 8, write: (view: DataView, length: number) => void): Uint8Array {
  const bytes = new Uint8Array(length)
  write(viewOf(bytes), length)
  return bytes
}
