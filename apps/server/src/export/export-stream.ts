// An export as the server sends it: one Arrow stream with one column of bytes, the file in order. Messages ride in batch
// metadata as in a result's stream, and the last says that the file is whole, with its length and SHA-256. A stream that
// ends otherwise has no file. The work is done in a thread, in turns with whoever takes the bytes.
import { Worker } from 'node:worker_threads'
import { Binary, Field, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import { FILE_COLUMN, type ExportMessage, type Failure } from '@lake/core/api/wire.ts'
import { assert } from '@lake/core/assert.ts'
import { AppError, ERROR_CODES, type ErrorCode } from '@lake/core/errors.ts'
import { abortError, throwIfAborted } from '../concurrency/deadline.ts'
import { END_OF_STREAM } from '../engine/arrow-messages.ts'
import { LIMITS } from '../limits.ts'
import type { ExportJob, FromExportThread, ToExportThread } from './export-protocol.ts'

const SCHEMA = new Schema([new Field(FILE_COLUMN, new Binary(), false)])

/** The messages of a stream of one batch: the schema and the batch. */
function encode(
  bytes: Uint8Array | undefined,
  message: ExportMessage,
): [schema: Uint8Array, batch: Uint8Array] {
  const child = makeData({
    type: new Binary(),
    length: bytes ? 1 : 0,
    nullCount: 0,
    valueOffsets: Int32Array.of(0, bytes?.length ?? 0),
    data: bytes ?? new Uint8Array(),
  })
  const data = makeData({
    type: new Struct(SCHEMA.fields),
    length: child.length,
    nullCount: 0,
    children: [child],
  })
  const batch = new RecordBatch(SCHEMA, data, new Map([[BATCH_METADATA_KEY, JSON.stringify(message)]]))
  const stream = RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true)
  const schemaBytes = 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true)
  return [stream.subarray(0, schemaBytes), stream.subarray(schemaBytes, stream.length - END_OF_STREAM.length)]
}

interface ExportThread extends AsyncDisposable {
  /** Says something and waits for what the thread says next. */
  ask(message: ToExportThread): Promise<FromExportThread>
}

function startThread(job: ExportJob, signal: AbortSignal): ExportThread {
  const worker = new Worker(new URL('export-thread.ts', import.meta.url), {
    workerData: job,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.exportThreadHeapMib, maxYoungGenerationSizeMb: 64 },
  })
  let settle: { resolve(said: FromExportThread): void; reject(error: Error): void } | undefined
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure ??= error
    settle?.reject(failure)
  }
  const onAbort = (): void => {
    fail(abortError(signal))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  worker
    .on('message', (said: FromExportThread) => settle?.resolve(said))
    .on('error', (error: Error & { code?: string }) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      fail(
        isTooLarge
          ? new AppError('RESULT_TOO_LARGE', 'The rows are too large to be written as this format')
          : error,
      )
    })
    .on('exit', () => {
      fail(new Error('an export thread ended without an answer'))
    })
  return {
    async ask(message) {
      throwIfAborted(signal)
      if (failure) throw failure
      return await new Promise((resolve, reject) => {
        settle = { resolve, reject }
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
        worker.postMessage(message)
      })
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', onAbort)
      await worker.terminate()
    },
  }
}

/** What the thread says until the file is whole, with pieces handed to it as it asks. */
async function* converse(
  pieces: AsyncGenerator<Uint8Array>,
  job: ExportJob,
  signal: AbortSignal,
): AsyncGenerator<Exclude<FromExportThread, { kind: 'need' }>> {
  // Failures before the schema have an HTTP status, and need no thread.
  const first = await pieces.next()
  assert(first.done !== true, 'a stream begins with its schema')
  await using thread = startThread(job, signal)
  let piece: IteratorResult<Uint8Array> | undefined = first
  let said = await thread.ask({ kind: 'pull' })
  for (;;) {
    if (said.kind === 'need') {
      piece ??= await pieces.next()
      said = await thread.ask({ kind: 'piece', bytes: piece.done === true ? null : piece.value })
      piece = undefined
      continue
    }
    yield said
    if (said.kind !== 'chunk' && said.kind !== 'progress') return
    said = await thread.ask({ kind: 'pull' })
  }
}

/**
 * Writes the rows of `pieces`, a statement's Arrow stream, as a file. Throws until the first piece has been given; a
 * failure after that is the last message of the stream.
 *
 * @param onFailure turns an error into what may be told of it
 * @returns `ok` or the error code
 */
export async function* exportStream(
  pieces: AsyncGenerator<Uint8Array>,
  job: ExportJob,
  onFailure: (error: unknown) => Failure,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, string> {
  let outcome = 'ok'
  let hasBegun = false
  const begin = (message: ExportMessage, bytes?: Uint8Array): Uint8Array[] => {
    const [schema, batch] = encode(bytes, message)
    const parts = hasBegun ? [batch] : [schema, batch]
    hasBegun = true
    return parts
  }
  try {
    for await (const said of converse(pieces, job, signal)) {
      if (said.kind === 'chunk') {
        const { bytes, byteCount, rowCount } = said
        yield* begin({ kind: 'written', byteCount, rowCount }, bytes)
      } else if (said.kind === 'progress') yield* begin(said.progress)
      else if (said.kind === 'done') yield* begin({ kind: 'exported', document: said.document })
      else throw errorOf(said)
    }
  } catch (error) {
    if (!hasBegun) throw error
    const failure = onFailure(error)
    outcome = failure.error.code
    yield* begin(failure)
  } finally {
    await pieces.return(undefined)
  }
  yield END_OF_STREAM
  return outcome
}

function errorOf(said: Extract<FromExportThread, { kind: 'refused' | 'statementFailed' }>): AppError {
  const { code, message, details } = said.kind === 'refused' ? said : said.error
  const known = code in ERROR_CODES ? (code as ErrorCode) : 'INTERNAL'
  return new AppError(known, message, details ? { details: { ...details } } : {})
}
