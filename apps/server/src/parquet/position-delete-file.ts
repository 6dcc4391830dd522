// Reads a position delete file in Parquet: pairs of a data file's path and a row's position in it. Which data file a path
// names is for the caller. Rows may be unsorted, repeated, or of files that are gone; a NULL path names no file.
// Source: Iceberg table spec, "Position Delete Files" and "Reserved Field IDs".
import { AppError } from '@lake/core/errors.ts'
import { DELETE_FILE_PATH_ID, DELETE_POSITION_ID } from '@lake/core/scan/delete-file-index.ts'
import { parquetHeader, readColumn } from 'hyparquet/src/column.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import type { ColumnDecoder, FieldRepetitionType } from 'hyparquet/src/types.js'
import { LIMITS } from '../limits.ts'
import type { FileReader } from './file-reader.ts'
import { readFooter } from './footer.ts'
import { PAGE_CODECS, PAGE_DECOMPRESSORS } from './page-codecs.ts'
import type { ColumnChunk, ParquetMetadata, RowGroup, SchemaNode } from './parquet-metadata.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

const REPETITION: Readonly<Record<string, FieldRepetitionType>> = {
  required: 'REQUIRED',
  optional: 'OPTIONAL',
}

/**
 * Hands over every row whose path is not NULL.
 *
 * @param take called with the path as it is written and the position; it may throw
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, what `take` throws, and those of the store
 */
export async function readPositionDeletes(
  reader: FileReader,
  fileSizeBytes: number,
  take: (path: string, position: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const metadata = await readFooter(reader, { fileSizeBytes }, signal)
  const pathNode = findColumn(metadata, DELETE_FILE_PATH_ID, 'file_path', 'BYTE_ARRAY')
  const positionNode = findColumn(metadata, DELETE_POSITION_ID, 'pos', 'INT64')
  for (const group of metadata.rowGroups) {
    const paths = await readValues(pathNode, group, reader, signal)
    const positions = await readValues(positionNode, group, reader, signal)
    for (let row = 0; row < group.rowCount; row += 1) {
      const path: unknown = paths[row]
      if (path === undefined || path === null) {
        if (pathNode.repetition === 'required') throw parquetCorrupt('a path has no value')
        continue
      }
      const position: unknown = positions[row]
      if (typeof path !== 'string' || typeof position !== 'bigint')
        throw parquetCorrupt('a position has no value')
      take(path, Number(position))
    }
  }
}

/** By its reserved id; in a file without ids, by its name. */
function findColumn(
  { columns, hasFieldIds }: ParquetMetadata,
  fieldId: number,
  name: string,
  physicalType: 'BYTE_ARRAY' | 'INT64',
): SchemaNode {
  const byId = columns.filter((node) => node.fieldId === fieldId)
  const found = byId.length === 0 && !hasFieldIds ? columns.filter((node) => node.name === name) : byId
  const [node] = found
  if (node === undefined || found.length > 1)
    throw parquetCorrupt(`it has no column ${name} of position deletes`)
  if (node.leaf?.physicalType !== physicalType || node.repetition === 'repeated') {
    throw parquetCorrupt(`its column ${name} has another type than position deletes have`)
  }
  return node
}

async function readValues(
  node: SchemaNode,
  group: RowGroup,
  reader: FileReader,
  signal: AbortSignal,
): Promise<ArrayLike<unknown>> {
  const chunk = group.chunks[node.leaf?.index ?? -1]
  if (chunk === undefined) throw parquetCorrupt('a row group lacks a column')
  const sizeBytes = chunk.range.end - chunk.range.start
  if (Math.max(sizeBytes, chunk.uncompressedBytes) > LIMITS.deleteChunkBytesMax) {
    throw parquetUnsupported('a very large position delete file')
  }
  const bytes = new Uint8Array(sizeBytes)
  await reader.readRanges(
    [chunk.range],
    async (_index, position, part) => {
      bytes.set(part, position - chunk.range.start)
      await Promise.resolve()
    },
    signal,
  )
  const values = decodeChunk(bytes, chunk, node, group.rowCount)
  if (values.length !== group.rowCount)
    throw parquetCorrupt('a column has another number of values than rows')
  return values
}

function decodeChunk(
  bytes: Uint8Array,
  chunk: ColumnChunk,
  node: SchemaNode,
  rowCount: number,
): ArrayLike<unknown> {
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
  try {
    checkPages(bytes, chunk, rowCount)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const rows = { groupStart: 0, selectStart: 0, selectEnd: rowCount, groupRows: rowCount }
    const { data } = readColumn({ view, offset: 0 }, rows, decoder)
    return data.length === 1 && data[0] ? data[0] : data.flatMap((part) => Array.from<unknown>(part))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('TABLE_CORRUPT', 'A position delete file cannot be decoded', { cause })
  }
}

/** Counts and sizes in page headers decide how much memory decoding takes, so they are checked first. */
function checkPages(
  bytes: Uint8Array,
  { uncompressedBytes, valueCount }: ColumnChunk,
  rowCount: number,
): void {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  let values = 0
  while (values < rowCount) {
    const header = parquetHeader(reader)
    const counts = header.data_page_header ?? header.data_page_header_v2
    const count = counts?.num_values ?? 0
    const dictionaryCount = header.dictionary_page_header?.num_values ?? 0
    if (
      count < 0 ||
      dictionaryCount < 0 ||
      dictionaryCount > valueCount ||
      header.compressed_page_size < 0 ||
      header.uncompressed_page_size > uncompressedBytes ||
      (counts === undefined && header.dictionary_page_header === undefined)
    ) {
      throw parquetCorrupt('a page has impossible sizes')
    }
    values += count
    reader.offset += header.compressed_page_size
  }
  if (values !== rowCount || reader.offset > bytes.byteLength) throw parquetCorrupt('pages do not add up')
}
