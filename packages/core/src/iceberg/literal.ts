// Values of primitive types: order, SQL text both ways, the metadata's JSON form, and the binary form of bounds.
// Canonical forms are those of `LiteralValue` (types.ts). Source: Iceberg table spec, appendices C and D. Rules LT in SPEC.md.
// What is not exactly representable, or not understood, is `undefined`: callers then prune nothing.
import { assert } from '../assert.ts'
import { formatDate, floorDivide, formatTimeOfDay, NANOS_PER_DAY } from './civil-time.ts'
import { decodeFloat, decodeSignedBigEndian, decodeSignedLittleEndian } from './literal-bytes.ts'
import { parseDecimal, parseDuckDbBlob, parseMomentAs, parseNumber, parseTimeMicros } from './literal-text.ts'
import type { LiteralValue, PrimitiveType } from './types.ts'
import { compareBytes, compareUtf8, decodeUtf8, formatHex, parseHex } from './utf8.ts'

const NANOS_PER_MICRO = 1_000n
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const INT_MAX = 2n ** 31n - 1n
const LONG_MAX = 2n ** 63n - 1n

/**
 * Orders two values of one type as DuckDB does: NaN equals itself and is greatest, -0 equals 0, strings by UTF-8
 * bytes, binary, fixed and uuid by unsigned bytes.
 * @returns negative, zero or positive
 */
export function compareLiterals(left: LiteralValue, right: LiteralValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareUtf8(left, right)
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right)
  if (typeof left === 'number' && typeof right === 'number') return compareNumbers(left, right)
  assert(typeof left === typeof right && typeof left !== 'object', 'values of different types are compared')
  if (left === right) return 0
  return left < right ? -1 : 1
}

function compareNumbers(left: number, right: number): number {
  if (Number.isNaN(left)) return Number.isNaN(right) ? 0 : 1
  if (Number.isNaN(right)) return -1
  if (left === right) return 0
  return left < right ? -1 : 1
}

/**
 * Decodes a bound of appendix D. Widths from before a type promotion are understood: 4 bytes for a long, a float for
 * a double, a date for a timestamp. Undefined (no bound) where the bytes are malformed or NaN.
 */
export function decodeBound(type: PrimitiveType, bytes: Uint8Array): LiteralValue | undefined {
  switch (type.kind) {
    case 'boolean':
      return bytes.length === 1 ? bytes[0] !== 0 : undefined
    case 'int':
    case 'date':
      return decodeSignedLittleEndian(bytes, [4])
    case 'long':
      return decodeSignedLittleEndian(bytes, [4, 8])
    case 'time':
    case 'timestamptz':
    case 'timestamptz_ns':
      return decodeSignedLittleEndian(bytes, [8])
    case 'timestamp':
    case 'timestamp_ns': {
      const value = decodeSignedLittleEndian(bytes, [4, 8])
      if (value === undefined || bytes.length === 8) return value
      return value * (type.kind === 'timestamp' ? NANOS_PER_DAY / NANOS_PER_MICRO : NANOS_PER_DAY)
    }
    case 'float':
      return decodeFloat(bytes, [4])
    case 'double':
      return decodeFloat(bytes, [4, 8])
    case 'decimal':
      return bytes.length === 0 || bytes.length > 16 ? undefined : decodeSignedBigEndian(bytes)
    case 'string':
      return decodeUtf8(bytes)
    case 'uuid':
      return bytes.length === 16 ? bytes : undefined
    case 'fixed':
    case 'binary':
      return bytes
    default:
      return undefined
  }
}

/**
 * Parses the text of a SQL constant (without quotes), as DuckDB prints it, into a value of `type`.
 *
 * Undefined unless `type` holds exactly the value written: `2.5` is no int, a seventh digit of a second is no
 * timestamp. Only float and double round, to the nearest. A timestamptz without an offset is taken in UTC; a timestamp
 * with one is undefined.
 */
export function parseLiteral(type: PrimitiveType, text: string): LiteralValue | undefined {
  switch (type.kind) {
    case 'boolean':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined
    case 'int':
      return parseDecimal(text, { scale: 0, max: INT_MAX, min: -INT_MAX - 1n })
    case 'long':
      return parseDecimal(text, { scale: 0, max: LONG_MAX, min: -LONG_MAX - 1n })
    case 'decimal': {
      const max = 10n ** BigInt(type.precision) - 1n
      return parseDecimal(text, { scale: type.scale, max, min: -max })
    }
    case 'float':
    case 'double':
      return parseNumber(text, type.kind)
    case 'time':
      return parseTimeMicros(text)
    case 'date':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return parseMomentAs(type.kind, text)
    case 'string':
      return text
    case 'uuid':
      return UUID.test(text) ? parseHex(text.replaceAll('-', '')) : undefined
    case 'fixed': {
      const bytes = parseDuckDbBlob(text)
      return bytes?.length === type.lengthBytes ? bytes : undefined
    }
    case 'binary':
      return parseDuckDbBlob(text)
    default:
      return undefined
  }
}

/**
 * Formats a value as a DuckDB expression of exactly that value and type. `timestamptz_ns`, for which DuckDB has no
 * type, becomes a TIMESTAMP_NS in UTC. Types without literals (variant, geometry, unknown) are an assertion failure.
 */
export function formatLiteralSql(type: PrimitiveType, value: LiteralValue): string {
  switch (type.kind) {
    case 'boolean':
      return value === true ? 'TRUE' : 'FALSE'
    case 'int':
      return `CAST('${String(value)}' AS INTEGER)`
    case 'long':
      return `CAST('${String(value)}' AS BIGINT)`
    case 'float':
      return `CAST('${formatNumber(Number(value))}' AS FLOAT)`
    case 'double':
      return `CAST('${formatNumber(Number(value))}' AS DOUBLE)`
    case 'decimal':
      return `CAST('${formatDecimal(value as bigint, type.scale)}' AS DECIMAL(${type.precision},${type.scale}))`
    case 'date':
      return `DATE '${formatDate(Number(value))}'`
    case 'time':
      return `TIME '${formatTimeOfDay((value as bigint) * NANOS_PER_MICRO, 6)}'`
    case 'timestamp':
      return `TIMESTAMP '${formatMoment((value as bigint) * NANOS_PER_MICRO, 6)}'`
    case 'timestamptz':
      return `TIMESTAMPTZ '${formatMoment((value as bigint) * NANOS_PER_MICRO, 6)}+00'`
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return `TIMESTAMP_NS '${formatMoment(value as bigint, 9)}'`
    case 'string':
      return formatSqlString(String(value))
    case 'uuid':
      return `CAST('${formatUuid(value as Uint8Array)}' AS UUID)`
    case 'fixed':
    case 'binary':
      return `from_hex('${formatHex(value as Uint8Array)}')`
    default:
      return assertNoLiteral(type.kind)
  }
}

function assertNoLiteral(kind: string): never {
  assert(false, `type ${kind} has no literals`)
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return Object.is(value, -0) ? '-0.0' : String(value)
}

function formatMoment(nanos: bigint, fractionDigits: 6 | 9): string {
  const days = floorDivide(nanos, NANOS_PER_DAY)
  return `${formatDate(Number(days))} ${formatTimeOfDay(nanos - days * NANOS_PER_DAY, fractionDigits)}`
}

/** SQL text cannot hold a NUL, so it is spliced in as an expression. */
function formatSqlString(text: string): string {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts.join('') : `(${parts.join(' || chr(0) || ')})`
}

/** The decimal digits of an unscaled value, for people and for SQL: `(-5n, 2)` is `-0.05`. */
export function formatDecimal(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : ''
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

export function formatUuid(bytes: Uint8Array): string {
  return formatHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * Reads a value of appendix C, such as an `initial-default`; JSON by `parseLosslessJson`.
 * Undefined where it does not fit the type; JSON null and absence are for the caller.
 */
export function literalFromJson(type: PrimitiveType, json: unknown): LiteralValue | undefined {
  switch (type.kind) {
    case 'boolean':
      return typeof json === 'boolean' ? json : undefined
    case 'int':
    case 'long':
    case 'decimal':
      return isText(json) || typeof json === 'number' ? parseLiteral(type, String(json)) : undefined
    case 'float':
    case 'double':
      return isText(json) || typeof json === 'number' ? parseLiteral(type, String(json)) : undefined
    case 'string':
    case 'uuid':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return isText(json) ? parseLiteral(type, json) : undefined
    case 'fixed': {
      const bytes = isText(json) ? parseHex(json) : undefined
      return bytes?.length === type.lengthBytes ? bytes : undefined
    }
    case 'binary':
      return isText(json) ? parseHex(json) : undefined
    default:
      return undefined
  }
}

function isText(json: unknown): json is string {
  return typeof json === 'string'
}
