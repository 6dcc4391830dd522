// Bounds of columns in Iceberg's binary form, from the text in which DuckDB states them. Source: table spec, appendix D,
// "Binary single-value serialization". Long strings and binaries are cut as other writers do: a lower bound may be
// lower, an upper bound higher than any value, never the other way round.
import { LIMITS } from '../limits.ts'

export type BoundKind = 'lower' | 'upper'

/** The bound in binary form; undefined where a cut upper bound cannot be raised, and so there is none. */
export function encodeBound(
  type: string,
  text: string,
  kind: BoundKind,
  lengthMax: number = LIMITS.boundLengthMax,
): Buffer | undefined {
  if (type === 'string') return cutString(text, kind, lengthMax)
  if (type === 'binary') return cutBytes(Buffer.from(text, 'hex'), kind, lengthMax)
  return encodeValue(type, text)
}

/** A value of a type that is never cut. */
export function encodeValue(type: string, text: string): Buffer {
  switch (type) {
    case 'boolean':
      return Buffer.from([text === '1' || text === 'true' ? 1 : 0])
    case 'int':
      return int32(Number(text))
    case 'date':
      return int32(Date.parse(`${text}T00:00:00Z`) / 86_400_000)
    case 'long':
      return int64(BigInt(text))
    case 'timestamptz':
      return int64(parseTimestampMicros(text))
    case 'float': {
      const buffer = Buffer.alloc(4)
      buffer.writeFloatLE(Number(text))
      return buffer
    }
    case 'double': {
      const buffer = Buffer.alloc(8)
      buffer.writeDoubleLE(Number(text))
      return buffer
    }
    case 'uuid':
      return Buffer.from(text.replaceAll('-', ''), 'hex')
    case 'string':
      return Buffer.from(text, 'utf8')
    default:
      if (type.startsWith('decimal(')) return twosComplement(BigInt(text.replace('.', '')))
      throw new Error(`No binary form is known here of type ${type}`)
  }
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32LE(value)
  return buffer
}

function int64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64LE(value)
  return buffer
}

/** Microseconds from 1970 of `2026-09-30 12:00:00.25+00`; the zone must be UTC. */
function parseTimestampMicros(text: string): bigint {
  const [, date, time, fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text) ?? []
  const seconds = Date.parse(`${date}T${time}Z`) / 1_000
  if (!Number.isSafeInteger(seconds)) throw new Error('Not a timestamp in UTC')
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
}

/** The shortest big-endian two's complement, as decimals are stored. */
function twosComplement(value: bigint): Buffer {
  let bytes = 1
  while (value < -(1n << BigInt(bytes * 8 - 1)) || value >= 1n << BigInt(bytes * 8 - 1)) bytes += 1
  const hex = BigInt.asUintN(bytes * 8, value)
    .toString(16)
    .padStart(bytes * 2, '0')
  return Buffer.from(hex, 'hex')
}

function cutString(text: string, kind: BoundKind, lengthMax: number): Buffer | undefined {
  const points = Array.from(text, (char) => char.codePointAt(0) ?? 0)
  if (points.length <= lengthMax) return Buffer.from(text, 'utf8')
  const kept = points.slice(0, lengthMax)
  if (kind === 'lower') return Buffer.from(String.fromCodePoint(...kept), 'utf8')
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    const raised = nextCodePoint(kept[at] ?? 0)
    if (raised !== undefined) return Buffer.from(String.fromCodePoint(...kept.slice(0, at), raised), 'utf8')
  }
  return undefined
}

/** The next code point that can stand in a string, skipping surrogates. */
function nextCodePoint(point: number): number | undefined {
  if (point === 0xd7ff) return 0xe000
  return point >= 0x10ffff ? undefined : point + 1
}

function cutBytes(bytes: Buffer, kind: BoundKind, lengthMax: number): Buffer | undefined {
  if (bytes.length <= lengthMax) return bytes
  const kept = Buffer.from(bytes.subarray(0, lengthMax))
  if (kind === 'lower') return kept
  for (let at = kept.length - 1; at >= 0; at -= 1) {
    const byte = kept[at] ?? 0
    if (byte < 0xff) return Buffer.concat([kept.subarray(0, at), Buffer.from([byte + 1])])
  }
  return undefined
}
