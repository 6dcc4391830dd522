// DuckDB data chunks to Arrow IPC messages. Runs in the child process only.
// A batch is bounded in rows and in bytes: a chunk that would go over is split, and only a single row that is larger
// than a whole batch may be is refused.
import duckdb from '@duckdb/node-bindings'
import type { DuckDBDataChunk, DuckDBType } from '@duckdb/node-api'
import { makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow'
import { arrowSchema } from './arrow-types.ts'
import { createColumnWriter } from './column-writer.ts'
import { openVector } from './vector-source.ts'
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

/** @throws ValueTooLargeError from `add` when one row alone is larger than `batchBytesMax` */
export function createChunkEncoder(
  columns: readonly { name: string; type: DuckDBType }[],
  limits: { readonly batchRowsMax: number; readonly batchBytesMax: number },
): ChunkEncoder {
  const schema = arrowSchema(columns)
  const schemaMessage = schemaMessageOf(schema)
  const writers = columns.map((column) => createColumnWriter(column.type))
  let rowCount = 0
  let variableBytes = 0

  const flush = (): EncodedBatch | undefined => {
    if (rowCount === 0) return undefined
    const data = makeData({
      type: new Struct(schema.fields),
      length: rowCount,
      nullCount: 0,
      children: writers.map((writer) => writer.finish()),
    })
    const writer = RecordBatchStreamWriter.writeAll([new RecordBatch(schema, data)])
    const stream = writer.toUint8Array(true)
    const batch = {
      rowCount,
      bytes: stream.subarray(schemaMessage.length, stream.length - END_OF_STREAM_BYTES),
    }
    for (const columnWriter of writers) columnWriter.reset()
    rowCount = 0
    variableBytes = 0
    return batch
  }

  return {
    schemaMessage,
    flush,
    add(chunk, chunkRowCount) {
      const full: EncodedBatch[] = []
      const sources = columns.map((column, index) =>
        openVector(duckdb.data_chunk_get_vector(rawChunk(chunk), index), column.type, chunk.rowCount),
      )
      const takeFull = (): void => {
        const batch = flush()
        if (batch) full.push(batch)
      }
      const addRows = (start: number, count: number): void => {
        let bytes = 0
        for (const [index, writer] of writers.entries()) {
          bytes += writer.measure(sources[index] as (typeof sources)[number], start, count)
        }
        if (variableBytes + bytes > limits.batchBytesMax) {
          if (rowCount > 0) takeFull()
          if (bytes > limits.batchBytesMax) {
            if (count === 1) throw new ValueTooLargeError(`A row has ${bytes} bytes`)
            const half = count >> 1
            addRows(start, half)
            addRows(start + half, count - half)
            return
          }
        }
        for (const [index, writer] of writers.entries()) {
          writer.append(sources[index] as (typeof sources)[number], start, count)
        }
        rowCount += count
        variableBytes += bytes
        if (rowCount >= limits.batchRowsMax) takeFull()
      }
      let start = 0
      while (start < chunkRowCount) {
        const count = Math.min(chunkRowCount - start, limits.batchRowsMax - rowCount)
        addRows(start, count)
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
