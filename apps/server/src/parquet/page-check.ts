// Checks what a page says of its levels and values before the library decodes it, which takes counts on trust: a run of a
// few bytes may claim a billion values. What the values say of themselves is checked in `page-values.ts`.
// Source: Parquet's Encodings.md, "Run Length Encoding / Bit-Packing Hybrid"; parquet.thrift, DataPageHeaderV2.
import type { CompressionCodec } from 'hyparquet'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import type { PageHeader } from 'hyparquet/src/types.js'
import { PAGE_DECOMPRESSORS } from './page-codecs.ts'
import { checkPlain, checkRuns, checkValues, impossiblePage, type ValueType } from './page-values.ts'

export interface CheckedColumn extends ValueType {
  readonly codec: CompressionCodec
  readonly definitionMax: number
  readonly repetitionMax: number
}

/**
 * @param stored the page as it is stored, without its header
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED; and what decompression and reading beyond the end throw
 */
export function checkPage(header: PageHeader, stored: Uint8Array, column: CheckedColumn): void {
  const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = header
  const { codec, repetitionMax, definitionMax } = column
  const { uncompressed_page_size: pageBytes } = header
  if (v1) {
    const page = decompressPage(stored, pageBytes, codec, PAGE_DECOMPRESSORS)
    const afterRepetition = checkPrefixedLevels(page, 0, repetitionMax, v1.num_values)
    const start = checkPrefixedLevels(page, afterRepetition, definitionMax, v1.num_values)
    const nullCount =
      definitionMax === 0 ? 0 : countNulls(page, afterRepetition, definitionMax, v1.num_values)
    checkValues(page.subarray(start), { encoding: v1.encoding, count: v1.num_values - nullCount }, column)
  } else if (v2) {
    const { repetition_levels_byte_length: repetitionBytes, definition_levels_byte_length: definitionBytes } =
      v2
    const levelBytes = repetitionBytes + definitionBytes
    if (levelBytes > stored.byteLength || levelBytes > pageBytes || v2.num_nulls > v2.num_values) {
      throw impossiblePage()
    }
    checkLevels(stored.subarray(0, repetitionBytes), repetitionMax, v2.num_values)
    checkLevels(stored.subarray(repetitionBytes, levelBytes), definitionMax, v2.num_values)
    const valueBytes = pageBytes - levelBytes
    const rest = stored.subarray(levelBytes)
    const isPacked = v2.is_compressed !== false && valueBytes > 0
    const values = isPacked ? decompressPage(rest, valueBytes, codec, PAGE_DECOMPRESSORS) : rest
    const count = v2.num_values - v2.num_nulls
    checkValues(values, { encoding: v2.encoding, count, hasRunsOfNoBits: true }, column)
  } else if (dictionary) {
    checkPlain(decompressPage(stored, pageBytes, codec, PAGE_DECOMPRESSORS), dictionary.num_values, column)
  }
}

const widthOf = (max: number): number => 32 - Math.clz32(max)

/** Levels with their length before them. @returns where they end */
function checkPrefixedLevels(page: Uint8Array, start: number, max: number, count: number): number {
  if (max === 0) return start
  const end = start + 4 + viewOf(page).getUint32(start, true)
  if (end > page.byteLength) throw impossiblePage()
  checkLevels(page.subarray(start + 4, end), max, count)
  return end
}

function checkLevels(bytes: Uint8Array, max: number, count: number): void {
  if (max > 0) checkRuns(bytes, widthOf(max), count)
}

/** As the library counts them: every level but the greatest. */
function countNulls(page: Uint8Array, start: number, max: number, count: number): number {
  const levels: number[] = Array.from({ length: count })
  readRleBitPackedHybrid({ view: viewOf(page), offset: start }, widthOf(max), levels)
  return levels.filter((level) => level !== max).length
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
