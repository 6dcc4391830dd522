// Decodes the pages of one row group of a position delete file. Pure and synchronous; a large one runs in a thread
// (page-threads.ts), so all that goes in and out is plain data.
import { AppError } from '@lake/core/errors.ts'
import { readColumn } from 'hyparquet/src/column.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import type { ColumnDecoder, FieldRepetitionType } from 'hyparquet/src/types.js'
import { checkPage, type CheckedColumn } from './page-check.ts'
import { PAGE_CODECS, PAGE_DECOMPRESSORS } from './page-codecs.ts'
import { readPageHeader } from './page-header.ts'
import type { ColumnChunk, SchemaNode } from './parquet-metadata.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

interface ChunkPages {
  readonly node: SchemaNode
  readonly chunk: ColumnChunk
  /** Of `chunk.range`. */
  readonly bytes: Uint8Array
}

export interface PositionPages {
  readonly rowCount: number
  readonly path: ChunkPages
  readonly position: ChunkPages
}

/** Rows in order, those without a path left out. */
export interface DeletedPositions {
  /** Rows that follow each other with the same path, as it is written; `end` is one past the last in `positions`. */
  readonly runs: readonly { readonly path: string; readonly end: number }[]
  readonly positions: Float64Array
}

const REPETITION: Readonly<Record<string, FieldRepetitionType>> = {
  required: 'REQUIRED',
  optional: 'OPTIONAL',
}

/** @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED */
export function decodePositions({ rowCount, path, position }: PositionPages): DeletedPositions {
  const paths = decodeChunk(path, rowCount)
  const values = decodeChunk(position, rowCount)
  const positions = new Float64Array(rowCount)
  const runs: { path: string; end: number }[] = []
  let count = 0
  for (let row = 0; row < rowCount; row += 1) {
    const text: unknown = paths[row]
    if (text === null) {
      if (path.node.repetition === 'required') throw parquetCorrupt('a path has no value')
      continue
    }
    const value: unknown = values[row]
    if (typeof text !== 'string' || typeof value !== 'bigint') throw parquetCorrupt('a position has no value')
    positions[count] = Number(value)
    count += 1
    const last = runs.at(-1)
    if (last?.path === text) last.end = count
    else runs.push({ path: text, end: count })
  }
  return { runs, positions: positions.subarray(0, count) }
}

function decodeChunk({ node, chunk, bytes }: ChunkPages, rowCount: number): ArrayLike<unknown> {
  const codec = PAGE_CODECS[chunk.codec]
  if (codec === undefined) throw parquetUnsupported(`Parquet compression ${chunk.codec} of position deletes`)
  const isText = node.leaf?.physicalType === 'BYTE_ARRAY'
  const repetition = REPETITION[node.repetition]
  const element: ColumnDecoder['element'] = {
    name: node.name,
    type: isText ? 'BYTE_ARRAY' : 'INT64',
    ...(repetition ? { repetition_type: repetition } : {}),
    ...(isText ? { converted_type: 'UTF8' } : {}),
  }
  const root = { element: { name: 'root', num_children: 1 }, children: [], count: 1, path: [] }
  const leaf = { element, children: [], count: 1, path: [node.name] }
  const decoder: ColumnDecoder = {
    pathInSchema: [node.name],
    type: isText ? 'BYTE_ARRAY' : 'INT64',
    element,
    schemaPath: [root, leaf],
    codec,
    parsers: DEFAULT_PARSERS,
    compressors: PAGE_DECOMPRESSORS,
  }
  const checked = {
    codec,
    type: decoder.type,
    typeLength: undefined,
    definitionMax: node.repetition === 'optional' ? 1 : 0,
    repetitionMax: 0,
  }
  try {
    const end = checkPages(bytes, chunk, rowCount, checked)
    // No page that has not been checked.
    const view = new DataView(bytes.buffer, bytes.byteOffset, end)
    const rows = { groupStart: 0, selectStart: 0, selectEnd: rowCount, groupRows: rowCount }
    const { data } = readColumn({ view, offset: 0 }, rows, decoder)
    const values = data.length === 1 && data[0] ? data[0] : data.flatMap((part) => Array.from<unknown>(part))
    if (values.length !== rowCount) throw parquetCorrupt('a column has another number of values than rows')
    return values
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('TABLE_CORRUPT', 'A position delete file cannot be decoded', { cause })
  }
}

/**
 * Counts and sizes in page headers, and runs in pages, decide how much decoding takes, so they are checked first.
 * @returns where the last page ends
 */
function checkPages(
  bytes: Uint8Array,
  { uncompressedBytes, valueCount }: ColumnChunk,
  rowCount: number,
  column: CheckedColumn,
): number {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  let values = 0
  let decodedBytes = 0
  while (values < rowCount) {
    const header = readPageHeader(reader)
    const counts = header.data_page_header ?? header.data_page_header_v2
    const count = counts?.num_values ?? 0
    const dictionaryCount = header.dictionary_page_header?.num_values ?? 0
    const pageEnd = reader.offset + header.compressed_page_size
    decodedBytes += header.uncompressed_page_size
    if (
      count > rowCount - values ||
      dictionaryCount > valueCount ||
      pageEnd > bytes.byteLength ||
      decodedBytes > uncompressedBytes
    ) {
      throw parquetCorrupt('a page has impossible sizes')
    }
    checkPage(header, bytes.subarray(reader.offset, pageEnd), column)
    values += count
    reader.offset = pageEnd
  }
  if (values !== rowCount) throw parquetCorrupt('pages do not add up')
  return reader.offset
}
