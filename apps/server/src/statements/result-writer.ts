// Writes one attempt's result: takes the stream that a reader would get, cuts it into parts, and ends with the manifest.
// Nothing of it is a result until the store of statements points to that manifest.
import { createHash } from 'node:crypto'
import { assert } from '@lake/core/assert.ts'
import { AppError, ERROR_CODES, type ErrorCode } from '@lake/core/errors.ts'
import type { Progress } from '@lake/core/api/wire.ts'
import type { Receipt } from '@lake/core/flight/receipt.ts'
import { manifestFault, type ResultManifest, type ResultPart } from '@lake/core/statements/result-manifest.ts'
import type { ManifestPointer } from '@lake/core/statements/statement.ts'
import { decodeMessage, END_OF_STREAM } from '../engine/arrow-messages.ts'
import { LIMITS } from '../limits.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import { manifestKey, partKey, type Attempt } from './result-keys.ts'

export interface ResultWriting {
  readonly objects: ResultObjects
  readonly attempt: Attempt
  readonly schema: ResultManifest['schema']
  readonly resultBytesMax: number
  readonly onProgress: (progress: Progress, rowCount: number) => void
}

/**
 * Writes a stream of `runQuery` to its end.
 * @throws AppError what the stream failed with; RESULTS_UNAVAILABLE, RESULTS_FULL, RESULT_TOO_LARGE
 */
export async function writeResult(
  stream: AsyncIterable<Uint8Array>,
  writing: ResultWriting,
  signal: AbortSignal,
): Promise<ManifestPointer> {
  const parts = createPartWriter(writing, signal)
  let receipt: Receipt | undefined
  for await (const chunk of stream) {
    const message = decodeMessage(chunk)
    if (message.kind === 'schema') parts.begin(chunk)
    else if (message.kind === 'rows') await parts.add(chunk, message.rowCount)
    else if (message.kind === 'message') {
      if (message.message.kind === 'failure') throw failureOf(message.message.error)
      if (message.message.kind === 'receipt') ({ receipt } = message.message)
      else writing.onProgress(message.message, parts.rowCount)
    }
  }
  if (receipt === undefined) throw new AppError('ENGINE_FAILED', 'The result ended before it was complete')
  return await writeManifest(await parts.end(), receipt, writing, signal)
}

async function writeManifest(
  parts: readonly ResultPart[],
  receipt: Receipt,
  { objects, attempt, schema }: ResultWriting,
  signal: AbortSignal,
): Promise<ManifestPointer> {
  const sum = (of: (part: ResultPart) => number): number => parts.reduce((total, part) => total + of(part), 0)
  const manifest: ResultManifest = {
    formatVersion: 1,
    ...attempt,
    schema,
    parts: [...parts],
    rowCount: sum(({ rowCount }) => rowCount),
    byteCount: sum(({ byteCount }) => byteCount),
    receipt,
  }
  const fault = manifestFault(manifest)
  assert(fault === undefined, `a manifest does not fit together: ${fault ?? ''}`)
  const bytes = Buffer.from(JSON.stringify(manifest), 'utf8')
  await putOnce(objects, manifestKey(attempt), bytes, signal)
  return {
    fencingToken: attempt.fencingToken,
    sha256: sha256(bytes),
    partCount: parts.length,
    rowCount: manifest.rowCount,
    byteCount: manifest.byteCount,
  }
}

function createPartWriter({ objects, attempt, resultBytesMax }: ResultWriting, signal: AbortSignal) {
  const parts: ResultPart[] = []
  let schemaMessage: Uint8Array | undefined
  let chunks: Uint8Array[] = []
  let chunkBytes = 0
  let partRows = 0
  let rowStart = 0
  let writtenBytes = 0

  const close = async (): Promise<void> => {
    assert(schemaMessage !== undefined, 'a result begins with its schema')
    const bytes = Buffer.concat([schemaMessage, ...chunks, END_OF_STREAM])
    writtenBytes += bytes.byteLength
    if (writtenBytes > resultBytesMax || parts.length >= LIMITS.resultPartsMax) {
      throw new AppError(
        'RESULT_TOO_LARGE',
        `The result has more than the ${resultBytesMax} bytes that are kept of one`,
        {
          details: { bytesMax: resultBytesMax },
        },
      )
    }
    await putOnce(objects, partKey(attempt, parts.length), bytes, signal)
    parts.push({ rowStart, rowCount: partRows, byteCount: bytes.byteLength, sha256: sha256(bytes) })
    rowStart += partRows
    chunks = []
    chunkBytes = partRows = 0
  }
  return {
    get rowCount() {
      return rowStart + partRows
    },
    begin(message: Uint8Array) {
      schemaMessage = message
    },
    async add(chunk: Uint8Array, rowCount: number) {
      chunks.push(chunk)
      chunkBytes += chunk.byteLength
      partRows += rowCount
      if (chunkBytes >= LIMITS.resultPartBytes || partRows >= LIMITS.resultPartRows) await close()
    },
    /** A result without rows has one part, for its schema. */
    async end(): Promise<readonly ResultPart[]> {
      if (partRows > 0 || parts.length === 0) await close()
      return parts
    },
  }
}

/** The key is this attempt's alone, so what is there already is this very write, whose answer was lost. */
async function putOnce(
  objects: ResultObjects,
  key: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (await objects.putIfAbsent(key, bytes, signal)) return
  const found = await objects.read(key, bytes.byteLength, signal)
  if (found === undefined || !Buffer.from(found).equals(bytes))
    throw new AppError('RESULTS_UNAVAILABLE', 'Another object is at the place of a part of the result')
}

function failureOf(error: {
  code: string
  message: string
  details?: Record<string, unknown> | undefined
}): AppError {
  const code = (error.code in ERROR_CODES ? error.code : 'INTERNAL') as ErrorCode
  return new AppError(code, error.message, error.details ? { details: error.details } : {})
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
