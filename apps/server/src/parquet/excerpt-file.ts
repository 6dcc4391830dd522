// Writes the file of an excerpt: chunks at places that are known beforehand, as their bytes arrive, then the footer.
// Written under a temporary name and renamed when complete; removed on any failure.
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import type { FileReader } from './file-reader.ts'
import { DELETED_NODE, deletedChunkOf } from './deleted-column.ts'
import { encodeFooter, MAGIC, projectedLeaves } from './footer-writer.ts'
import type { PlacedChunk, PlacedRowGroup } from './footer-writer.ts'
import type { LiveRowGroup } from './deleted-column.ts'
import type { ColumnChunk } from './parquet-metadata.ts'
import type { ProjectedNode } from './projection.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/** What the engine decompresses: uncompressed, Snappy, gzip, Brotli, Zstandard, LZ4_RAW. */
const READABLE_CODECS: ReadonlySet<number> = new Set([0, 1, 2, 4, 6, 7])
const CODEC_NAMES: Readonly<Record<number, string>> = { 3: 'LZO', 5: 'LZ4 (Hadoop)' }
/** What the engine decodes: plain, dictionaries, RLE, bit packing, the three delta encodings, byte stream split. */
const READABLE_ENCODINGS: ReadonlySet<number> = new Set([0, 2, 3, 4, 5, 6, 7, 8, 9])

export interface ExcerptContent {
  readonly nodes: readonly ProjectedNode[]
  readonly groups: readonly LiveRowGroup[]
  /** True where the last column of the file shall say which rows are deleted. */
  readonly hasDeletedRows: boolean
}

/** Returns the absolute path of the finished file. */
export async function writeExcerptFile(
  target: { readonly directory: string; readonly name: string },
  content: ExcerptContent,
  reader: Pick<FileReader, 'readRanges'>,
  signal: AbortSignal,
): Promise<string> {
  const { placed, deletedPages, endOffset } = placeChunks(content)
  // Before anything is fetched, so that a small excerpt is one write.
  const footer = encodeFooter(
    content.hasDeletedRows ? [...content.nodes, DELETED_NODE] : content.nodes,
    placed,
  )
  const chunks = placed.flatMap((group) => group.chunks.slice(0, group.fetchedCount))
  const path = join(target.directory, `${target.name}.parquet`)
  const partPath = `${path}.part`
  // Before anything may be removed: a file that is already there is not ours.
  const handle = await open(partPath, 'wx', 0o644)
  try {
    try {
      const sink = createSink(handle, endOffset + footer.byteLength)
      await sink.write(MAGIC, 0)
      for (const { source, offset } of chunks) {
        if (source.bytes !== undefined) await sink.write(source.bytes, offset)
      }
      const copied = chunks.filter(({ source }) => source.bytes === undefined)
      await reader.readRanges(
        copied.map((chunk) => chunk.source.range),
        async (index, position, bytes) => {
          const chunk = copied[index]
          if (chunk) await sink.write(bytes, chunk.offset + position - chunk.source.range.start)
        },
        signal,
      )
      for (const { bytes, offset } of deletedPages) await sink.write(bytes, offset)
      await sink.write(footer, endOffset)
      await sink.flush()
    } finally {
      await handle.close()
    }
    await rename(partPath, path)
    return path
  } catch (error) {
    await rm(partPath, { force: true })
    throw isDiskFull(error)
      ? new AppError('BUSY', 'The server has no disk space left for what the statement reads', {
          cause: error,
        })
      : error
  }
}

/** Fetched chunks come first in each group, the one that we make last. */
interface PlacedGroup extends PlacedRowGroup {
  readonly fetchedCount: number
}

interface Placement {
  readonly placed: readonly PlacedGroup[]
  readonly deletedPages: readonly { readonly bytes: Uint8Array; readonly offset: number }[]
  readonly endOffset: number
}

function placeChunks({ nodes, groups, hasDeletedRows }: ExcerptContent): Placement {
  const leaves = projectedLeaves(nodes)
  let endOffset = MAGIC.byteLength
  const deletedPages: { bytes: Uint8Array; offset: number }[] = []
  const place = (source: ColumnChunk): PlacedChunk => {
    const offset = endOffset
    endOffset += source.range.end - source.range.start
    return { source, offset }
  }
  const placed = groups.map(({ group, deletedPage }) => {
    const chunks = leaves.map((leaf) => place(readableChunk(group.chunks[leaf.index])))
    const fetchedCount = chunks.length
    if (hasDeletedRows) {
      const chunk = place(deletedChunkOf(deletedPage, group.rowCount))
      deletedPages.push({ bytes: deletedPage, offset: chunk.offset })
      chunks.push(chunk)
    }
    return { rowCount: group.rowCount, chunks, fetchedCount }
  })
  return { placed, deletedPages, endOffset }
}

function readableChunk(source: ColumnChunk | undefined): ColumnChunk {
  if (source === undefined) throw parquetCorrupt('a row group lacks a column')
  if (!READABLE_CODECS.has(source.codec)) {
    throw parquetUnsupported(`Parquet compression ${CODEC_NAMES[source.codec] ?? source.codec}`)
  }
  const encoding = source.encodings.find((candidate) => !READABLE_ENCODINGS.has(candidate))
  if (encoding !== undefined) throw parquetUnsupported(`Parquet encoding ${encoding}`)
  return source
}

interface Sink {
  write(bytes: Uint8Array, position: number): Promise<void>
  flush(): Promise<void>
}

/** A small file is put together in memory: each write to disk takes longer than its bytes. */
function createSink(handle: FileHandle, sizeBytes: number): Sink {
  if (sizeBytes > LIMITS.excerptBufferedBytesMax) {
    return {
      write: async (bytes, position) => {
        await writeAt(handle, bytes, position)
      },
      flush: async () => await Promise.resolve(),
    }
  }
  const buffer = new Uint8Array(sizeBytes)
  return {
    write: async (bytes, position) => {
      buffer.set(bytes, position)
      await Promise.resolve()
    },
    flush: async () => {
      await writeAt(handle, buffer, 0)
    },
  }
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < bytes.byteLength) {
    const { bytesWritten } = await handle.write(
      bytes,
      written,
      bytes.byteLength - written,
      position + written,
    )
    written += bytesWritten
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
