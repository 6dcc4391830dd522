// Reads the binary encoding of variants: a dictionary of field names, and values that describe themselves.
// Source: parquet-format VariantEncoding.md. Bytes are hostile: every length, offset and id is checked, and what does not
// fit is TABLE_CORRUPT. Says nothing of how a value is written (variant-json.ts) or shredded (shredded-variant.ts).
import type { AppError } from '@lake/core/errors.ts'
import { decodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { parquetCorrupt, parquetUnsupported } from '../thrift.ts'

export type VariantKind =
  | 'null'
  | 'boolean'
  | 'integer'
  | 'float'
  | 'double'
  | 'decimal'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'timestamp_ns'
  | 'timestamptz_ns'
  | 'binary'
  | 'string'
  | 'uuid'

/** A primitive value: integers, days, µs and ns as bigint, decimals unscaled. */
export interface VariantPrimitive {
  readonly kind: VariantKind
  readonly value: null | boolean | bigint | number | string | Uint8Array
  /** Of decimals, 0 for others. */
  readonly scale: number
}

/** One value where it stands; `end` is the first byte after it, as far as its own header says. */
export type VariantNode =
  | { readonly basic: 'primitive'; readonly primitive: VariantPrimitive }
  | {
      readonly basic: 'object'
      readonly fields: readonly { readonly name: string; readonly value: Uint8Array }[]
    }
  | { readonly basic: 'array'; readonly elements: readonly Uint8Array[] }

export type VariantNames = readonly string[]

const VERSION = 1
const SCALE_MAX = 38

export function corruptVariant(what: string): AppError {
  return parquetCorrupt(`a variant ${what}`)
}

class Bytes {
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  slice(start: number, end: number): Uint8Array {
    if (start < 0 || end < start || end > this.bytes.byteLength) throw corruptVariant('is cut off')
    return this.bytes.subarray(start, end)
  }

  view(start: number, lengthBytes: number): DataView {
    this.slice(start, start + lengthBytes)
    return new DataView(this.#view.buffer, this.#view.byteOffset + start, lengthBytes)
  }

  unsigned(start: number, width: number): number {
    const bytes = this.slice(start, start + width)
    let value = 0
    for (let index = width - 1; index >= 0; index -= 1) value = value * 256 + (bytes[index] ?? 0)
    return value
  }
}

/** Field names by id. */
export function decodeVariantNames(metadata: Uint8Array): VariantNames {
  const bytes = new Bytes(metadata)
  const header = bytes.unsigned(0, 1)
  if ((header & 0x0f) !== VERSION) throw parquetUnsupported(`variants of version ${header & 0x0f}`)
  const width = (header >> 6) + 1
  const count = bytes.unsigned(1, width)
  const offsetsStart = 1 + width
  const namesStart = offsetsStart + (count + 1) * width
  // Before anything of that many names is made.
  bytes.slice(offsetsStart, namesStart)
  return Array.from({ length: count }, (_, id) => {
    const start = bytes.unsigned(offsetsStart + id * width, width)
    const end = bytes.unsigned(offsetsStart + (id + 1) * width, width)
    return textOf(bytes.slice(namesStart + start, namesStart + end))
  })
}

function textOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw corruptVariant('has text that is not UTF-8')
  return text
}

/** @param value from its first byte; bytes after its end are left alone */
export function decodeVariantNode(value: Uint8Array, names: VariantNames): VariantNode {
  const bytes = new Bytes(value)
  const header = bytes.unsigned(0, 1)
  const detail = header >> 2
  switch (header & 0x03) {
    case 0:
      return { basic: 'primitive', primitive: decodePrimitive(bytes, detail) }
    case 1:
      return { basic: 'primitive', primitive: primitive('string', textOf(bytes.slice(1, 1 + detail))) }
    case 2:
      return { basic: 'object', fields: decodeFields(bytes, detail, names) }
    default:
      return { basic: 'array', elements: decodeElements(bytes, detail) }
  }
}

function decodeFields(
  bytes: Bytes,
  detail: number,
  names: VariantNames,
): { readonly name: string; readonly value: Uint8Array }[] {
  const offsetWidth = (detail & 0x03) + 1
  const idWidth = ((detail >> 2) & 0x03) + 1
  const countWidth = (detail & 0x10) === 0 ? 1 : 4
  const count = bytes.unsigned(1, countWidth)
  const idsStart = 1 + countWidth
  const offsetsStart = idsStart + count * idWidth
  const valuesStart = offsetsStart + (count + 1) * offsetWidth
  bytes.slice(idsStart, valuesStart)
  const valuesEnd = valuesStart + bytes.unsigned(offsetsStart + count * offsetWidth, offsetWidth)
  const seen = new Set<string>()
  return Array.from({ length: count }, (_, index) => {
    const name = names[bytes.unsigned(idsStart + index * idWidth, idWidth)]
    if (name === undefined) throw corruptVariant('names a field that is not in its dictionary')
    if (seen.has(name)) throw corruptVariant('has one field twice')
    seen.add(name)
    // Values may stand in another order than their fields, so where one ends only itself can say.
    const offset = bytes.unsigned(offsetsStart + index * offsetWidth, offsetWidth)
    return { name, value: bytes.slice(valuesStart + offset, valuesEnd) }
  })
}

function decodeElements(bytes: Bytes, detail: number): Uint8Array[] {
  const offsetWidth = (detail & 0x03) + 1
  const countWidth = (detail & 0x04) === 0 ? 1 : 4
  const count = bytes.unsigned(1, countWidth)
  const offsetsStart = 1 + countWidth
  const valuesStart = offsetsStart + (count + 1) * offsetWidth
  bytes.slice(offsetsStart, valuesStart)
  return Array.from({ length: count }, (_, index) => {
    const start = bytes.unsigned(offsetsStart + index * offsetWidth, offsetWidth)
    const end = bytes.unsigned(offsetsStart + (index + 1) * offsetWidth, offsetWidth)
    return bytes.slice(valuesStart + start, valuesStart + end)
  })
}

function primitive(kind: VariantKind, value: VariantPrimitive['value'], scale = 0): VariantPrimitive {
  return { kind, value, scale }
}

function decodePrimitive(bytes: Bytes, type: number): VariantPrimitive {
  const long = (): bigint => bytes.view(1, 8).getBigInt64(0, true)
  switch (type) {
    case 0:
      return primitive('null', null)
    case 1:
    case 2:
      return primitive('boolean', type === 1)
    case 3:
      return primitive('integer', BigInt(bytes.view(1, 1).getInt8(0)))
    case 4:
      return primitive('integer', BigInt(bytes.view(1, 2).getInt16(0, true)))
    case 5:
      return primitive('integer', BigInt(bytes.view(1, 4).getInt32(0, true)))
    case 6:
      return primitive('integer', long())
    case 7:
      return primitive('double', bytes.view(1, 8).getFloat64(0, true))
    case 8:
    case 9:
    case 10:
      return decodeDecimal(bytes, type)
    case 11:
      return primitive('date', BigInt(bytes.view(1, 4).getInt32(0, true)))
    case 12:
      return primitive('timestamptz', long())
    case 13:
      return primitive('timestamp', long())
    case 14:
      return primitive('float', bytes.view(1, 4).getFloat32(0, true))
    case 15:
      return primitive('binary', longBytes(bytes))
    case 16:
      return primitive('string', textOf(longBytes(bytes)))
    case 17:
      return primitive('time', long())
    case 18:
      return primitive('timestamptz_ns', long())
    case 19:
      return primitive('timestamp_ns', long())
    case 20:
      return primitive('uuid', bytes.slice(1, 17))
    default:
      throw parquetUnsupported(`variant values of type ${type}`)
  }
}

function decodeDecimal(bytes: Bytes, type: number): VariantPrimitive {
  const scale = bytes.unsigned(1, 1)
  if (scale > SCALE_MAX) throw corruptVariant('has a decimal of an impossible scale')
  if (type === 8) return primitive('decimal', BigInt(bytes.view(2, 4).getInt32(0, true)), scale)
  if (type === 9) return primitive('decimal', bytes.view(2, 8).getBigInt64(0, true), scale)
  const view = bytes.view(2, 16)
  return primitive('decimal', (view.getBigInt64(8, true) << 64n) | view.getBigUint64(0, true), scale)
}

function longBytes(bytes: Bytes): Uint8Array {
  const length = bytes.unsigned(1, 4)
  return bytes.slice(5, 5 + length)
}
