// Column chunks of values that follow a rule, for columns that no file has: numbers that grow by one from row to row, and
// one value in every row. A few bytes for any number of rows: delta encoding without differences, and a dictionary of one.
// Source: Parquet's Encodings.md, "Delta Encoding", "Dictionary Encoding", "Run Length Encoding".
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'
import type { ColumnChunk } from './parquet-metadata.ts'
import { parquetUnsupported } from './thrift.ts'

const DATA_PAGE = 0
const DICTIONARY_PAGE = 2
const PLAIN = 0
const RLE = 3
const DELTA_BINARY_PACKED = 5
const RLE_DICTIONARY = 8

const BLOCK_VALUES = 128
const BLOCK_MINIBLOCKS = 4
/** What the header of a page can say. */
const PAGE_ROWS_MAX = 2 ** 31 - 1

/** `first`, `first + step`, … as required integers of 32 or 64 bits. */
export function sequenceChunk(first: bigint, step: 0n | 1n, rowCount: number): ColumnChunk {
  const writer = new ByteWriter()
  writer.appendVarInt(BLOCK_VALUES)
  writer.appendVarInt(BLOCK_MINIBLOCKS)
  writer.appendVarInt(rowCount)
  writer.appendVarBigInt(zigZag(first))
  const head = writer.getBytes()
  const blockCount = Math.ceil(Math.max(0, rowCount - 1) / BLOCK_VALUES)
  // Each block has its least difference, here the only one, and the widths of what exceeds it: none.
  const blockBytes = 1 + BLOCK_MINIBLOCKS
  const values = new Uint8Array(head.byteLength + blockCount * blockBytes)
  values.set(head)
  for (let at = head.byteLength; at < values.byteLength; at += blockBytes) values[at] = Number(zigZag(step))
  const page = dataPage(rowCount, DELTA_BINARY_PACKED, values)
  return chunkOf([page], rowCount, [RLE, DELTA_BINARY_PACKED])
}

/** `value` in every row, as a required BYTE_ARRAY. */
export function repeatedChunk(value: Uint8Array, rowCount: number): ColumnChunk {
  const dictionary = new ByteWriter()
  dictionary.appendUint32(value.byteLength)
  dictionary.appendBytes(value)
  const indexes = new ByteWriter()
  // One bit an index; one run of as many zeros as rows.
  indexes.appendUint8(1)
  indexes.appendVarBigInt(BigInt(rowCount) << 1n)
  indexes.appendUint8(0)
  const pages = [
    dictionaryPage(dictionary.getBytes()),
    dataPage(rowCount, RLE_DICTIONARY, indexes.getBytes()),
  ]
  return chunkOf(pages, rowCount, [PLAIN, RLE, RLE_DICTIONARY])
}

function zigZag(value: bigint): bigint {
  return BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
}

function dataPage(rowCount: number, encoding: number, values: Uint8Array): Uint8Array {
  if (rowCount > PAGE_ROWS_MAX) throw parquetUnsupported('a row group of more than 2^31 rows')
  return page(values, DATA_PAGE, {
    field_5: { field_1: rowCount, field_2: encoding, field_3: RLE, field_4: RLE },
  })
}

function dictionaryPage(values: Uint8Array): Uint8Array {
  return page(values, DICTIONARY_PAGE, { field_7: { field_1: 1, field_2: PLAIN } })
}

function page(values: Uint8Array, type: number, header: Record<string, unknown>): Uint8Array {
  const writer = new ByteWriter()
  const { byteLength } = values
  serializeTCompactProtocol(writer, { field_1: type, field_2: byteLength, field_3: byteLength, ...header })
  writer.appendBytes(values)
  return writer.getBytes()
}

/** @param pages the dictionary first, where there is one */
function chunkOf(pages: readonly Uint8Array[], rowCount: number, encodings: readonly number[]): ColumnChunk {
  const bytes = Buffer.concat(pages)
  const [dictionary] = pages.length > 1 ? pages : []
  return {
    bytes,
    range: { start: 0, end: bytes.byteLength },
    codec: 0,
    encodings,
    valueCount: rowCount,
    compressedBytes: bytes.byteLength,
    uncompressedBytes: bytes.byteLength,
    dataPageOffset: dictionary?.byteLength ?? 0,
    dictionaryPageOffset: dictionary && 0,
    statistics: undefined,
    bloomFilter: undefined,
  }
}
