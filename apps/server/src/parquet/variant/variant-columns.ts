// Variants in an excerpt: read from the file row group by row group, and written as JSON text, which the engine reads.
// Takes turns with the rest of the server while it decodes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { throwIfAborted } from '../../concurrency/deadline.ts'
import type { FileReader } from '../file-reader.ts'
import { encodeMadeChunks } from '../made-chunk.ts'
import type { ColumnChunk, RowGroup, SchemaNode } from '../parquet-metadata.ts'
import type { ProjectedNode } from '../projection.ts'
import { decodeRawColumn, leavesOf } from '../raw-column.ts'
import { parquetCorrupt } from '../thrift.ts'
import { childKey, compileVariantReader } from './shredded-variant.ts'
import type { VariantReader } from './shredded-variant.ts'

export interface VariantColumn {
  /** In the excerpt. */
  readonly node: ProjectedNode
  /** In the file. */
  readonly source: SchemaNode
  readonly read: VariantReader
}

const TURN_MS = 8
const ROWS_PER_CLOCK_CHECK = 64

/**
 * @param name of the column in the excerpt
 * @param leafIndex of the chunk that is to be made, in the row groups that `addVariantChunks` returns
 * @throws AppError TABLE_UNSUPPORTED
 */
export function variantColumn(source: SchemaNode, name: string, leafIndex: number): VariantColumn {
  const leaf = { index: leafIndex, physicalType: 'BYTE_ARRAY', lengthBytes: undefined } as const
  return {
    node: { name, repetition: 'optional', annotation: { kind: 'string' }, leaf, children: [] },
    source,
    read: compileVariantReader(source),
  }
}

/** The row groups with one more chunk for each column. @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED */
export async function addVariantChunks(
  groups: readonly RowGroup[],
  columns: readonly VariantColumn[],
  reader: FileReader,
  signal: AbortSignal,
): Promise<readonly RowGroup[]> {
  if (columns.length === 0) return groups
  const added: RowGroup[] = []
  for (const group of groups) {
    const made: ColumnChunk[] = []
    for (const column of columns) {
      const bytes = await readChunks(column.source, group, reader, signal)
      const rows = decodeRawColumn(
        column.source,
        group,
        (index) => bytes.get(index) ?? new Uint8Array(),
        childKey,
      )
      const texts = await readTexts(rows, column.read, signal)
      made.push(...encodeMadeChunks(column.node, texts))
    }
    added.push({ ...group, chunks: [...group.chunks, ...made] })
  }
  return added
}

async function readChunks(
  node: SchemaNode,
  group: RowGroup,
  reader: FileReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const chunks = leavesOf(node).map(({ index }) => {
    const chunk = group.chunks[index]
    if (chunk === undefined) throw parquetCorrupt('a row group lacks a column')
    return { index, range: chunk.range, bytes: new Uint8Array(chunk.range.end - chunk.range.start) }
  })
  await reader.readRanges(
    chunks.map(({ range }) => range),
    async (index, position, bytes) => {
      const chunk = chunks[index]
      chunk?.bytes.set(bytes, position - chunk.range.start)
      await Promise.resolve()
    },
    signal,
  )
  return new Map(chunks.map(({ index, bytes }) => [index, bytes]))
}

async function readTexts(
  rows: readonly unknown[],
  read: VariantReader,
  signal: AbortSignal,
): Promise<(Uint8Array | null)[]> {
  const texts: (Uint8Array | null)[] = []
  let turnAtMs = performance.now()
  for (const [index, row] of rows.entries()) {
    const text = read(row)
    texts.push(text === null ? null : encodeUtf8(text))
    if (index % ROWS_PER_CLOCK_CHECK === 0 && performance.now() - turnAtMs > TURN_MS) {
      await nextTurn()
      throwIfAborted(signal)
      turnAtMs = performance.now()
    }
  }
  return texts
}
