// Streams as the server writes them, with Arrow's own writer; cut, damaged and unclosed ones too.
import { Field, Int32, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import type { BatchMessage } from '@lake/core/api/wire.ts'
import { readStream } from './read-stream.ts'
import { ResultBuffer } from './result-buffer.ts'
import type { RunEvent } from './run-state.ts'

const schema = new Schema([new Field('n', new Int32(), true)])

function batch(values: readonly number[], metadata = new Map<string, string>()): RecordBatch {
  const column = makeData({ type: new Int32(), length: values.length, data: Int32Array.from(values) })
  const type = new Struct(schema.fields)
  const data = makeData({ type, length: values.length, nullCount: 0, children: [column] })
  return new RecordBatch(schema, data, metadata)
}

const message = (value: BatchMessage) => batch([], new Map([[BATCH_METADATA_KEY, JSON.stringify(value)]]))

const closing = message({
  kind: 'receipt',
  receipt: { statementId: 's', tables: [], rowCount: 3, elapsedMs: 1, engine: 'e' },
})

const encode = (...batches: RecordBatch[]): Uint8Array =>
  RecordBatchStreamWriter.writeAll(batches).toUint8Array(true)

/** In chunks of a size that falls inside of messages. */
function streamOf(bytes: Uint8Array, chunkBytes = 37): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, (at += chunkBytes)))
    },
  })
}

async function read(bytes: Uint8Array, buffer = new ResultBuffer(), signal = new AbortController().signal) {
  const events: RunEvent[] = []
  let waits = 0
  const sink = {
    buffer,
    emit: (event: RunEvent) => void events.push(event),
    rowsArrived: () => undefined,
    waitForRoom: () => {
      waits += 1
      buffer.raiseLimit()
      return Promise.resolve()
    },
  }
  const error = await readStream(streamOf(bytes), sink, signal).catch((thrown: unknown) => thrown)
  return { buffer, kinds: events.map((event) => event.kind), error, waits: waits }
}

describe('readStream', () => {
  it('keeps rows, passes messages on and ends with the receipt', async () => {
    const result = await read(encode(batch([1, 2]), batch([3]), closing))
    expect(result).toMatchObject({ kinds: ['receiptArrived'], error: undefined })
    expect(result.buffer.rowCount).toBe(3)
    expect(result.buffer.schema?.fields.map((field) => field.name)).toEqual(['n'])
  })

  it('knows the columns of a result without rows', async () => {
    const { buffer, error } = await read(encode(closing))
    expect(error).toBeUndefined()
    expect([buffer.rowCount, buffer.schema?.fields.length]).toEqual([0, 1])
  })

  it('is incomplete when the stream ends without a closing message', async () => {
    const { error, buffer } = await read(encode(batch([1, 2])))
    expect(error).toMatchObject({ code: 'STREAM_INCOMPLETE' })
    expect(buffer.rowCount).toBe(2)
  })

  it('is never complete when the stream is cut, wherever that is', async () => {
    const bytes = encode(batch([1, 2]), closing)
    // What follows the closing message is Arrow's end-of-stream marker.
    for (let length = 0; length < bytes.length - 16; length += 29) {
      const { error, kinds } = await read(bytes.slice(0, length))
      expect(error).toMatchObject({ code: 'STREAM_INCOMPLETE' })
      expect(kinds).not.toContain('receiptArrived')
    }
  })

  it('passes a failure on as what the server said', async () => {
    const failure = message({
      kind: 'failure',
      error: { code: 'STORAGE_UNAVAILABLE', message: 'no answer', requestId: 'r' },
    })
    const { kinds, error } = await read(encode(batch([1]), failure))
    expect([kinds, error]).toEqual([['failed'], undefined])
  })

  it('refuses a message that does not fit the contract', async () => {
    const odd = batch([], new Map([[BATCH_METADATA_KEY, '{"kind":"receipt"}']]))
    expect((await read(encode(odd))).error).toMatchObject({ code: 'UNEXPECTED_RESPONSE' })
  })

  it('waits for room when the buffer is full', async () => {
    const result = await read(
      encode(batch([1, 2]), batch([3]), closing),
      new ResultBuffer({ rowsPerStep: 2 }),
    )
    expect(result.waits).toBe(1)
    expect(result.buffer.rowCount).toBe(3)
  })

  it('stops with the reason of its signal', async () => {
    const abort = new AbortController()
    abort.abort(new Error('stopped'))
    expect((await read(encode(batch([1]), closing), new ResultBuffer(), abort.signal)).error).toMatchObject({
      message: 'stopped',
    })
  })
})

describe('ResultBuffer', () => {
  it('finds every row across batches, and none outside', () => {
    const buffer = new ResultBuffer()
    for (const values of [[0, 1, 2], [3], [], [4, 5]]) buffer.append(batch(values))
    const found = Array.from({ length: buffer.rowCount }, (_, row) => {
      const position = buffer.locate(row)
      return position?.batch.data.children[0]?.values[position.index] as number
    })
    expect(found).toEqual([0, 1, 2, 3, 4, 5])
    expect([buffer.locate(-1), buffer.locate(6)]).toEqual([null, null])
  })

  it('is full by bytes as well as by rows', () => {
    const buffer = new ResultBuffer({ bytesPerStep: 8 })
    buffer.append(batch([1, 2, 3]))
    expect(buffer.isFull).toBe(true)
    buffer.raiseLimit()
    expect(buffer.isFull).toBe(false)
  })
})
