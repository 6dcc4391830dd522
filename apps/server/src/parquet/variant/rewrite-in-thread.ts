// Rewrites a large row group in a thread of its own, so that nothing else waits for it. One thread for each row group, a
// few at once; it ends when it is done, when the statement is cancelled, or when it takes more memory than allowed.
import { Worker } from 'node:worker_threads'
import { AppError } from '@lake/core/errors.ts'
import type { ErrorCode } from '@lake/core/errors.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { LIMITS } from '../../limits.ts'
import type { ColumnChunk } from '../parquet-metadata.ts'
import { parquetUnsupported } from '../thrift.ts'
import type { RewriteInput } from './rewrite-column.ts'

/** What the thread says once. */
export type RewriteAnswer =
  | { readonly chunks: readonly ColumnChunk[] }
  | { readonly failure: { readonly code: ErrorCode; readonly message: string; readonly details: unknown } }

const threads = createSemaphore({
  permitsMax: LIMITS.rewriteThreadsMax,
  waitingMax: LIMITS.rewritesWaitingMax,
  name: 'rewriting of variants',
})

/** @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT, BUSY, CANCELLED or DEADLINE_EXCEEDED */
export async function rewriteInThread(
  input: RewriteInput,
  signal: AbortSignal,
): Promise<readonly ColumnChunk[]> {
  const release = await threads.acquire(signal)
  try {
    const answer = await runThread(input, signal)
    if ('chunks' in answer) return answer.chunks
    const { code, message, details } = answer.failure
    throw new AppError(code, message, { details: details as Record<string, string> })
  } finally {
    release()
  }
}

async function runThread(input: RewriteInput, signal: AbortSignal): Promise<RewriteAnswer> {
  const worker = new Worker(new URL('rewrite-thread.ts', import.meta.url), {
    workerData: input,
    transferList: input.chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer),
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.rewriteThreadHeapMib, maxYoungGenerationSizeMb: 128 },
    env: {},
  })
  const { promise, resolve, reject } = Promise.withResolvers<RewriteAnswer>()
  const abort = (): void => {
    reject(signal.reason as Error)
  }
  signal.addEventListener('abort', abort, { once: true })
  worker.once('message', resolve)
  worker.once('error', (error: Error & { code?: string }) => {
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? parquetUnsupported('a very large row group of variants')
        : error,
    )
  })
  worker.once('exit', () => {
    reject(new Error('a thread ended without an answer'))
  })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
