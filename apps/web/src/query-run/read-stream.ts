// Reads one result stream: batches with rows go to the buffer, messages become run events. Reads on only while the
// buffer has room, so that a slow reader holds back the server. Ends with the closing message; a stream that ends
// without one is a failure, whatever came before.
import { RecordBatchReader } from 'apache-arrow'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { batchMessage, type BatchMessage } from '@lake/core/api/wire.ts'
import { ApiError } from '../api/api-error.ts'
import { READ_SLICE_MS } from '../limits.ts'
import type { ResultBuffer } from './result-buffer.ts'
import type { RunEvent } from './run-state.ts'

export interface StreamSink {
  buffer: ResultBuffer
  emit: (event: RunEvent) => void
  /** Called after rows were added; watchers are told at their own pace. */
  rowsArrived: () => void
  /** Resolves when reading may go on; rejects when the run is stopped. */
  waitForRoom: (signal: AbortSignal) => Promise<void>
}

function parseMessage(text: string): BatchMessage {
  try {
    return batchMessage.parse(JSON.parse(text))
  } catch (cause) {
    throw new ApiError('UNEXPECTED_RESPONSE', 'The result stream holds a message that cannot be read.', {
      cause,
    })
  }
}

const incomplete = (cause?: unknown) =>
  new ApiError('STREAM_INCOMPLETE', 'The result stream ended before it was complete.', { cause })

function eventOf(message: BatchMessage): RunEvent {
  switch (message.kind) {
    case 'progress':
      return { kind: 'progressed', progress: message }
    case 'receipt':
      return { kind: 'receiptArrived', receipt: message.receipt }
    case 'failure': {
      const { code, message: text, requestId, details } = message.error
      return { kind: 'failed', error: new ApiError(code, text, { requestId, details }) }
    }
  }
}

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

/** @throws ApiError STREAM_INCOMPLETE or UNEXPECTED_RESPONSE, and whatever `signal` was aborted with */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  sink: StreamSink,
  signal: AbortSignal,
): Promise<void> {
  const { buffer } = sink
  try {
    const reader = await RecordBatchReader.from(body)
    await reader.open({ autoDestroy: false })
    buffer.schema = reader.schema
    sink.rowsArrived()
    let yieldedAtMs = 0
    for await (const batch of reader) {
      signal.throwIfAborted()
      if (batch.numRows > 0) {
        buffer.append(batch)
        await buffer.moveAway()
        sink.rowsArrived()
      }
      const text = batch.metadata.get(BATCH_METADATA_KEY)
      if (text !== undefined) {
        const event = eventOf(parseMessage(text))
        sink.emit(event)
        if (event.kind !== 'progressed') return
      }
      if (buffer.isFull) await sink.waitForRoom(signal)
      // A fast stream is never out of data, so the page would neither paint nor hear Stop.
      if (performance.now() - yieldedAtMs > READ_SLICE_MS) {
        await nextTask()
        yieldedAtMs = performance.now()
      }
    }
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error
    throw incomplete(error)
  }
  throw incomplete()
}
