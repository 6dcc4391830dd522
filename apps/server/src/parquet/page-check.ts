// Checks what a data page says of its values before the library decodes it, which takes counts on trust: a run of a few bytes
// may claim a billion values, and texts that share their beginnings may unfold to any size.
// Source: Parquet's Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", "Delta Strings".
import type { CompressionCodec } from 'hyparquet'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { readVarInt } from 'hyparquet/src/thrift.js'
import type { PageHeader } from 'hyparquet/src/types.js'
import { LIMITS } from '../limits.ts'
import { PAGE_DECOMPRESSORS } from './page-codecs.ts'
import { parquetCorrupt } from './thrift.ts'

export interface CheckedColumn {
  readonly codec: CompressionCodec
  readonly isBoolean: boolean
  readonly definitionMax: number
  readonly repetitionMax: number
}

/**
 * @param stored the page as it is stored, without its header
 * @throws AppError TABLE_CORRUPT; and what decompression and reading beyond the end throw
 */
export function checkPage(header: PageHeader, stored: Uint8Array, column: CheckedColumn): void {
  const { data_page_header: v1, data_page_header_v2: v2 } = header
  const { codec, repetitionMax, definitionMax } = column
  if (v1) {
    const page = decompressPage(stored, header.uncompressed_page_size, codec, PAGE_DECOMPRESSORS)
    const afterRepetition = checkPrefixedLevels(page, 0, repetitionMax, v1.num_values)
    const start = checkPrefixedLevels(page, afterRepetition, definitionMax, v1.num_values)
    const nullCount = (): number =>
      definitionMax === 0 ? 0 : countNulls(page, afterRepetition, definitionMax, v1.num_values)
    checkValues(page.subarray(start), v1.encoding, v1.num_values, nullCount, column)
  } else if (v2) {
    const { repetition_levels_byte_length: repetitionBytes, definition_levels_byte_length: definitionBytes } =
      v2
    const levelBytes = repetitionBytes + definitionBytes
    if (repetitionBytes < 0 || definitionBytes < 0 || levelBytes > stored.byteLength) throw impossible()
    checkLevels(stored.subarray(0, repetitionBytes), repetitionMax, v2.num_values)
    checkLevels(stored.subarray(repetitionBytes, levelBytes), definitionMax, v2.num_values)
    const valueBytes = header.uncompressed_page_size - levelBytes
    const rest = stored.subarray(levelBytes)
    const isPacked = v2.is_compressed !== false && valueBytes > 0
    const values = isPacked ? decompressPage(rest, valueBytes, codec, PAGE_DECOMPRESSORS) : rest
    checkValues(values, v2.encoding, v2.num_values, () => v2.num_nulls, column)
  }
}

const impossible = (): Error => parquetCorrupt('a page holds another number of values than it says')
const widthOf = (max: number): number => 32 - Math.clz32(max)

/** Levels with their length before them. @returns where they end */
function checkPrefixedLevels(page: Uint8Array, start: number, max: number, count: number): number {
  if (max === 0) return start
  const end = start + 4 + viewOf(page).getUint32(start, true)
  if (end > page.byteLength) throw impossible()
  checkLevels(page.subarray(start + 4, end), max, count)
  return end
}

function checkLevels(bytes: Uint8Array, max: number, count: number): void {
  if (max > 0) checkRuns(bytes, widthOf(max), count)
}

function countNulls(page: Uint8Array, start: number, max: number, count: number): number {
  const levels: number[] = Array.from({ length: count })
  readRleBitPackedHybrid({ view: viewOf(page), offset: start }, widthOf(max), levels)
  return levels.filter((level) => level < max).length
}

function checkValues(
  bytes: Uint8Array,
  encoding: string,
  valuesMax: number,
  nullCount: () => number,
  { isBoolean }: CheckedColumn,
): void {
  if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
    const width = bytes[0] ?? 0
    if (width > 32) throw impossible()
    if (width > 0 && valuesMax > 0) checkRuns(bytes.subarray(1), width, valuesMax - nullCount())
  } else if (encoding === 'RLE' && isBoolean) {
    checkRuns(bytes.subarray(4), 1, valuesMax - nullCount())
  } else if (encoding === 'DELTA_BYTE_ARRAY') {
    checkDeltaTexts(bytes, valuesMax - nullCount())
  }
}

/** Repeated values are no more than there must be. Packed ones take bytes, and those beyond the last are passed over. */
function checkRuns(bytes: Uint8Array, width: number, count: number): void {
  const reader = { view: viewOf(bytes), offset: 0 }
  let seen = 0
  while (seen < count) {
    const header = readVarInt(reader)
    const isPacked = (header & 1) === 1
    const values = isPacked ? (header >>> 1) * 8 : header >>> 1
    if (!isPacked && values > count - seen) throw impossible()
    seen += values
    reader.offset += isPacked ? (header >>> 1) * width : (width + 7) >> 3
    if (reader.offset > bytes.byteLength && seen < count) throw impossible()
  }
}

function checkDeltaTexts(bytes: Uint8Array, count: number): void {
  if (count <= 0) return
  const reader = { view: viewOf(bytes), offset: 0 }
  let total = 0
  for (let part = 0; part < 2; part += 1) {
    const lengths = new Int32Array(count)
    deltaBinaryUnpack(reader, count, lengths)
    for (const length of lengths) {
      total += length
      if (length < 0 || total > LIMITS.rawChunkBytesMax)
        throw parquetCorrupt('a page unfolds to very many bytes')
    }
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
