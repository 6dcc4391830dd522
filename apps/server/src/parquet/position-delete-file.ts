// Reads a position delete file in Parquet: pairs of a data file's path and a row's position in it. Which data file a path
// names is for the caller. Rows may be unsorted, repeated, or of files that are gone; a NULL path names no file.
// Source: Iceberg table spec, "Position Delete Files" and "Reserved Field IDs".
import { DELETE_FILE_PATH_ID, DELETE_POSITION_ID } from '@lake/core/scan/delete-file-index.ts'
import { createTurns } from '../concurrency/turns.ts'
import { LIMITS } from '../limits.ts'
import type { FileReader } from './file-reader.ts'
import { readFooter } from './footer.ts'
import { decodeInThread } from './page-threads.ts'
import type { ParquetMetadata, RowGroup, SchemaNode } from './parquet-metadata.ts'
import { decodePositions, type DeletedPositions, type PositionPages } from './position-delete-pages.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/** Rows that are handed over before the clock is looked at. */
const ROWS_PER_CLOCK_CHECK = 4_096

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
  const turns = createTurns(signal)
  for (const group of metadata.rowGroups) {
    const { runs, positions } = await decodeGroup(group, { pathNode, positionNode, reader }, signal)
    let row = 0
    for (const { path, end } of runs) {
      for (; row < end; row += 1) {
        take(path, positions[row] ?? 0)
        if (row % ROWS_PER_CLOCK_CHECK === 0 && turns.isDue()) await turns.take()
      }
    }
  }
}

/** A small row group here and now; any other in a thread, since its pages would hold up everything else. */
async function decodeGroup(
  group: RowGroup,
  file: { readonly pathNode: SchemaNode; readonly positionNode: SchemaNode; readonly reader: FileReader },
  signal: AbortSignal,
): Promise<DeletedPositions> {
  const { rowCount } = group
  if (rowCount > LIMITS.deleteGroupRowsMax) throw parquetUnsupported('a very large position delete file')
  const path = await readChunk(file.pathNode, group, file.reader, signal)
  const position = await readChunk(file.positionNode, group, file.reader, signal)
  const pages: PositionPages = { rowCount, path, position }
  const sizeBytes = decodedBytesOf(path) + decodedBytesOf(position)
  if (rowCount <= LIMITS.deletesInlineRowsMax && sizeBytes <= LIMITS.deletesInlineBytesMax) {
    return decodePositions(pages)
  }
  return await decodeInThread('a position delete file', pages, [path.bytes, position.bytes], signal)
}

/** Whichever is more: a chunk may say that it is small. */
function decodedBytesOf({ chunk, bytes }: PositionPages['path']): number {
  return Math.max(chunk.uncompressedBytes, bytes.byteLength)
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

async function readChunk(
  node: SchemaNode,
  group: RowGroup,
  reader: FileReader,
  signal: AbortSignal,
): Promise<PositionPages['path']> {
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
  return { node, chunk, bytes }
}
