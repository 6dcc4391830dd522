// DuckDB data chunks to Arrow IPC messages. Runs in the child process only.
// A batch is bounded in rows and in bytes: a chunk that would go over is split, and only a single row that is larger
// than a whole batch may be is refused.
import duckdb from '@duckdb/node-bindings'
import type { DuckDBDataChunk } from '@duckdb/node-api'
import type { Schema } from 'apache-arrow'
import { makeData, RecordBatch, RecordBatchStreamWriter, Struct } from 'apache-arrow'
import { schemaLength } from './schema-length.ts'
import { arrowSchema, type ArrowColumn } from './arrow-types.ts'
import type { ColumnWriter } from './column-parts.ts'
import { createColumnWriter } from './column-writer.ts'
import { openVector, type VectorSource } from './vector-source.ts'
import type { EncodedBatch } from './engine.ts'

/** Continuation marker and length 0, with which every stream ends. */
const END_OF_STREAM_BYTES = 8

/** The one value does not fit into a batch. */
export class ValueTooLargeError extends Error {
  override readonly name = 'ValueTooLargeError'
}

export interface ChunkEncoder {
  readonly schemaMessage: Uint8Array
  /** Adds the first `rowCount` rows of a chunk and returns the batches that became full. */
  add(chunk: DuckDBDataChunk, rowCount: number): EncodedBatch[]
  /** The rows that are left, if any. */
  flush(): EncodedBatch | undefined
}

function schemaMessageOf(schema: Schema): Uint8Array {
  const writer = new RecordBatchStreamWriter({ autoDestroy: false })
  writer.reset(undefined, schema)
  writer.finish()
  const stream = writer.toUint8Array(true)
  return stream.slice(0, stream.length - END_OF_STREAM_BYTES)
}

/** The rows gathered for the next batch. */
interface Gathered {
  rowCount: number
  bytes: number
}

function encodeBatch(schema: Schema, writers: readonly ColumnWriter[], rowCount: number): EncodedBatch {
  const data = makeData({
    type: new Struct(schema.fields),
    length: rowCount,
    nullCount: 0,
    children: writers.map((writer) => writer.finish()),
  })
  const stream = RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)]).toUint8Array(true)
  for (const writer of writers) writer.reset()
  // The library confuses fields of one name in the schema that it writes here, so that its length is one of its own.
  return { rowCount, bytes: stream.subarray(schemaLength(stream), stream.length - END_OF_STREAM_BYTES) }
}

/** @throws ValueTooLargeError from `add` when one row alone is larger than `batchBytesMax` */
export function createChunkEncoder(
  columns: readonly ArrowColumn[],
  limits: { readonly batchRowsMax: number; readonly batchBytesMax: number },
): ChunkEncoder {
  const schema = arrowSchema(columns)
  const schemaMessage = schemaMessageOf(schema)
  const writers = columns.map((column) => createColumnWriter(column.type))
  const gathered: Gathered = { rowCount: 0, bytes: 0 }

  const flush = (): EncodedBatch | undefined => {
    if (gathered.rowCount === 0) return undefined
    const batch = encodeBatch(schema, writers, gathered.rowCount)
    gathered.rowCount = 0
    gathered.bytes = 0
    return batch
  }

  /** Appends rows of an open chunk, in halves where they are too large together, and adds full batches to `full`. */
  const addRows = (
    sources: readonly VectorSource[],
    start: number,
    count: number,
    full: EncodedBatch[],
  ): void => {
    const takeFull = (): void => {
      const batch = flush()
      if (batch) full.push(batch)
    }
    let bytes = 0
    for (const [index, writer] of writers.entries()) {
      bytes += writer.measure(sources[index] as VectorSource, start, count)
    }
    if (gathered.bytes + bytes > limits.batchBytesMax) takeFull()
    if (bytes > limits.batchBytesMax) {
      if (count === 1) {
        throw new ValueTooLargeError(
          `A row of the result has ${bytes} bytes, more than ${limits.batchBytesMax}`,
        )
      }
      const half = count >> 1
      addRows(sources, start, half, full)
      addRows(sources, start + half, count - half, full)
      return
    }
    for (const [index, writer] of writers.entries())
      writer.append(sources[index] as VectorSource, start, count)
    gathered.rowCount += count
    gathered.bytes += bytes
    if (gathered.rowCount >= limits.batchRowsMax) takeFull()
  }

  return {
    schemaMessage,
    flush,
    add(chunk, rowCount) {
      const full: EncodedBatch[] = []
      const sources = columns.map((column, index) =>
        openVector(duckdb.data_chunk_get_vector(rawChunk(chunk), index), column.type, chunk.rowCount),
      )
      let start = 0
      while (start < rowCount) {
        const count = Math.min(rowCount - start, limits.batchRowsMax - gathered.rowCount)
        addRows(sources, start, count, full)
        start += count
      }
      return full
    },
  }
}

/** The node-api class keeps its handle private, and offers no way to read a vector without making values. */
function rawChunk(chunk: DuckDBDataChunk): duckdb.DataChunk {
  return (chunk as unknown as { readonly chunk: duckdb.DataChunk }).chunk
}
