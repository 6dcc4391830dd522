// Checks that the values of a page are as many as it says and lie inside of it, encoding by encoding, before the library
// decodes them: it makes room for what is claimed, reads beyond the end of a page, and counts for ever through indexes of no
// bits. Source: Parquet's Encodings.md.
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import type { PhysicalType } from './parquet-metadata.ts'
import { LIMITS } from '../limits.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

export interface ValueType {
  readonly type: PhysicalType
  /** Of FIXED_LEN_BYTE_ARRAY. */
  readonly typeLength: number | undefined
}

interface Values {
  readonly encoding: string
  readonly count: number
  /** True where the library reads runs of indexes of no bits; else it takes them for zeros. */
  readonly hasRunsOfNoBits?: boolean
}

const INDEX_BITS_MAX = 32
/** Groups of eight in a run of packed values; far more than a page has. */
const PACKED_GROUPS_MAX = 2 ** 24
const DELTA_BLOCK_VALUES_MAX = 1_048_576
const DELTA_BITS_MAX = 64
const WIDTHS: Readonly<Partial<Record<PhysicalType, number>>> = {
  INT32: 4,
  FLOAT: 4,
  INT64: 8,
  DOUBLE: 8,
  INT96: 12,
}

/** @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED; what the library throws for deltas that do not decode */
export function checkValues(bytes: Uint8Array, values: Values, type: ValueType): void {
  const { encoding, count } = values
  const isBoolean = type.type === 'BOOLEAN'
  switch (encoding) {
    case 'PLAIN':
      checkPlain(bytes, count, type)
      return
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      if (isBoolean) throw impossiblePage()
      checkIndexes(bytes, values)
      return
    case 'RLE':
      if (!isBoolean) throw impossiblePage()
      checkRuns(bytes.subarray(4), 1, count)
      return
    case 'DELTA_BINARY_PACKED':
      checkDelta(bytes, 0, count)
      return
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY':
      checkDeltaTexts(bytes, count, encoding === 'DELTA_BYTE_ARRAY')
      return
    case 'BYTE_STREAM_SPLIT':
      if (count * widthOf(type) > bytes.byteLength) throw impossiblePage()
      return
    default:
      throw parquetUnsupported(`Parquet encoding ${encoding} of variants or position deletes`)
  }
}

export const impossiblePage = (): Error =>
  parquetCorrupt('a page holds another number of values than it says')

function widthOf({ type, typeLength = 0 }: ValueType): number {
  return type === 'FIXED_LEN_BYTE_ARRAY' ? typeLength : (WIDTHS[type] ?? 0)
}

export function checkPlain(bytes: Uint8Array, count: number, type: ValueType): void {
  if (type.type === 'BOOLEAN') {
    if (count > bytes.byteLength * 8) throw impossiblePage()
  } else if (type.type !== 'BYTE_ARRAY') {
    if (count * Math.max(1, widthOf(type)) > bytes.byteLength) throw impossiblePage()
  } else {
    let position = 0
    const view = viewOf(bytes)
    for (let index = 0; index < count; index += 1) {
      if (position + 4 > bytes.byteLength) throw impossiblePage()
      position += 4 + view.getUint32(position, true)
      if (position > bytes.byteLength) throw impossiblePage()
    }
  }
}

function checkIndexes(bytes: Uint8Array, { count, hasRunsOfNoBits = false }: Values): void {
  const width = bytes[0] ?? 0
  if (width > INDEX_BITS_MAX) throw impossiblePage()
  if (count > 0 && (width > 0 || hasRunsOfNoBits)) checkRuns(bytes.subarray(1), width, count)
}

/** Repeated values are no more than there must be. Packed ones take bytes, and those beyond the last are passed over. */
export function checkRuns(bytes: Uint8Array, width: number, count: number): void {
  const reader = { bytes, offset: 0 }
  let seen = 0
  while (seen < count) {
    const header = readVarint(reader)
    const isPacked = header % 2 === 1
    const length = Math.floor(header / 2)
    if (isPacked ? length > PACKED_GROUPS_MAX : length > count - seen) throw impossiblePage()
    seen += isPacked ? length * 8 : length
    reader.offset += isPacked ? length * width : (width + 7) >> 3
    if (reader.offset > bytes.byteLength && seen < count) throw impossiblePage()
  }
}

/** @returns where they end */
function checkDelta(bytes: Uint8Array, start: number, count: number): number {
  const reader = { bytes, offset: start }
  const blockValues = readVarint(reader)
  const miniblocks = readVarint(reader)
  const perMiniblock = blockValues / miniblocks
  if (blockValues > DELTA_BLOCK_VALUES_MAX || !Number.isInteger(perMiniblock / 8) || perMiniblock === 0) {
    throw parquetCorrupt('a page has blocks of an impossible size')
  }
  // How many there are, and the first.
  readVarint(reader)
  readVarint(reader)
  for (let seen = 1; seen < count;) {
    readVarint(reader)
    const widths = bytes.subarray(reader.offset, reader.offset + miniblocks)
    reader.offset += miniblocks
    for (let index = 0; index < miniblocks && seen < count; index += 1) {
      const width = widths[index]
      if (width === undefined || width > DELTA_BITS_MAX) throw impossiblePage()
      seen += perMiniblock
      reader.offset += (perMiniblock * width) / 8
    }
    // Of the last one, what is not needed may be cut off.
    if (reader.offset > bytes.byteLength && seen < count) throw impossiblePage()
  }
  return reader.offset
}

function checkDeltaTexts(bytes: Uint8Array, count: number, hasPrefixes: boolean): void {
  if (count <= 0) return
  let offset = 0
  let unfolded = 0
  let own = 0
  for (let part = 0; part < (hasPrefixes ? 2 : 1); part += 1) {
    const end = checkDelta(bytes, offset, count)
    const lengths = new Int32Array(count)
    const reader = { view: viewOf(bytes), offset }
    deltaBinaryUnpack(reader, count, lengths)
    if (reader.offset !== end) throw impossiblePage()
    offset = end
    own = 0
    for (const length of lengths) {
      own += length
      unfolded += length
      if (length < 0 || unfolded > LIMITS.rawChunkBytesMax)
        throw parquetCorrupt('a page unfolds to very many bytes')
    }
  }
  // The last lengths are those of what stands behind them.
  if (own > bytes.byteLength - offset) throw impossiblePage()
}

/** Of at most 64 bits, of which those beyond 53 may be lost: only small ones are more than passed over. */
function readVarint(reader: { readonly bytes: Uint8Array; offset: number }): number {
  let value = 0
  for (let index = 0; index < 10; index += 1) {
    const byte = reader.bytes[reader.offset]
    if (byte === undefined) throw impossiblePage()
    reader.offset += 1
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return value
  }
  throw impossiblePage()
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
