// Decodes Thrift structs in the compact protocol, as Parquet has them in footers, page headers and bloom filters. Made for
// hostile bytes, which the library's decoder takes on trust: it makes lists of any length that is claimed, integers of any
// number of bits, and nests without end. Source: Apache Thrift, "Compact protocol encoding".
import { LIMITS } from '../limits.ts'

/** Fields by `field_<id>`; integers of 64 bits are bigint, text is bytes. */
export type ThriftStruct = Readonly<Record<string, unknown>>

const STOP = 0
const TRUE = 1
const FALSE = 2
const BYTE = 3
const I16 = 4
const I32 = 5
const I64 = 6
const DOUBLE = 7
const BINARY = 8
const LIST = 9
const STRUCT = 12

/** Parquet nests seven deep. */
const DEPTH_MAX = 32
const LONG_LIST = 15
const VARINT_32_BYTES_MAX = 5
const VARINT_64_BYTES_MAX = 10
/** So many bits of an integer add up exactly without bigint. */
const SAFE_BYTES = 7
const FIELD_KEYS = Array.from({ length: 32 }, (_, fieldId) => `field_${fieldId}`)
const SMALL = Array.from({ length: 128 }, (_, raw) => BigInt((raw >>> 1) ^ -(raw & 1)))

/**
 * Reads one struct. Memory is at most a small multiple of the bytes that it takes.
 * @throws RangeError for whatever is no such struct, or a very large one
 */
export function readThriftStruct(bytes: Uint8Array, start: number): ThriftStruct {
  return new ThriftReader(bytes, start).struct(0)
}

class ThriftReader {
  readonly #bytes: Uint8Array
  #position: number
  #structsLeft: number = LIMITS.thriftStructsMax
  #valuesLeft: number = LIMITS.thriftValuesMax

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes
    this.#position = start
  }

  struct(depth: number): ThriftStruct {
    if (depth > DEPTH_MAX) throw new RangeError('structs nest too deep')
    this.#structsLeft -= 1
    if (this.#structsLeft < 0) throw new RangeError('there are too many structs')
    const struct: Record<string, unknown> = {}
    let fieldId = 0
    for (;;) {
      const head = this.#byte()
      const type = head & 0x0f
      if (type === STOP) return struct
      const delta = head >> 4
      fieldId = delta === 0 ? this.#int() : fieldId + delta
      struct[FIELD_KEYS[fieldId] ?? `field_${fieldId}`] = this.#value(type, depth)
    }
  }

  #value(type: number, depth: number): unknown {
    this.#valuesLeft -= 1
    if (this.#valuesLeft < 0) throw new RangeError('there are too many values')
    switch (type) {
      case TRUE:
        return true
      case FALSE:
        return false
      case BYTE:
        return (this.#byte() << 24) >> 24
      case I16:
      case I32:
        return this.#int()
      case I64:
        return this.#long()
      case DOUBLE: {
        const start = this.#advance(8)
        return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true)
      }
      case BINARY: {
        const length = this.#varint32()
        const start = this.#advance(length)
        return this.#bytes.subarray(start, start + length)
      }
      case LIST:
        return this.#list(depth + 1)
      case STRUCT:
        return this.struct(depth + 1)
      default:
        throw new RangeError(`a field has the type ${type}`)
    }
  }

  #list(depth: number): unknown[] {
    if (depth > DEPTH_MAX) throw new RangeError('lists nest too deep')
    const head = this.#byte()
    const type = head & 0x0f
    const short = head >> 4
    const size = short === LONG_LIST ? this.#varint32() : short
    // Every item takes a byte at least.
    if (size > this.#bytes.byteLength - this.#position)
      throw new RangeError('a list is longer than the bytes')
    const items: unknown[] = []
    const isBoolean = type === TRUE || type === FALSE
    for (let index = 0; index < size; index += 1) {
      items.push(isBoolean ? this.#byte() === TRUE : this.#value(type, depth))
    }
    return items
  }

  #advance(length: number): number {
    const start = this.#position
    if (length > this.#bytes.byteLength - start) throw new RangeError('the bytes end too early')
    this.#position += length
    return start
  }

  #byte(): number {
    const byte = this.#bytes[this.#position]
    if (byte === undefined) throw new RangeError('the bytes end too early')
    this.#position += 1
    return byte
  }

  #varint32(): number {
    let value = 0
    let scale = 1
    for (let index = 0; index < VARINT_32_BYTES_MAX; index += 1) {
      const byte = this.#byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        if (value > 0xffffffff) break
        return value
      }
      scale *= 128
    }
    throw new RangeError('an integer has more than 32 bits')
  }

  #int(): number {
    const raw = this.#varint32()
    return (raw >>> 1) ^ -(raw & 1)
  }

  #long(): bigint {
    let low = 0
    let scale = 1
    for (let index = 0; index < SAFE_BYTES; index += 1) {
      const byte = this.#byte()
      low += (byte & 0x7f) * scale
      if (byte < 0x80) return SMALL[low] ?? BigInt(low % 2 === 0 ? low / 2 : -(low + 1) / 2)
      scale *= 128
    }
    let raw = BigInt(low)
    for (let index = SAFE_BYTES; index < VARINT_64_BYTES_MAX; index += 1) {
      const byte = this.#byte()
      raw |= BigInt(byte & 0x7f) << BigInt(7 * index)
      if (byte < 0x80) return BigInt.asIntN(64, (raw >> 1n) ^ -(raw & 1n))
    }
    throw new RangeError('an integer has more than 64 bits')
  }
}
