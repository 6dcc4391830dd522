// Rewrites row groups in threads: nothing else waits for them, and a file that lies about its pages costs a thread and
// no more. A few threads at once, each with a bounded heap; one is kept for the next row group unless it failed or its
// statement was cancelled.
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

/** Threads without work. They keep nothing alive. */
const idle: Worker[] = []

function startThread(): Worker {
  return new Worker(new URL('rewrite-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.rewriteThreadHeapMib, maxYoungGenerationSizeMb: 128 },
    env: {},
  })
}

async function runThread(input: RewriteInput, signal: AbortSignal): Promise<RewriteAnswer> {
  const worker = idle.pop() ?? startThread()
  worker.ref()
  const { promise, resolve, reject } = Promise.withResolvers<RewriteAnswer>()
  const abort = (): void => {
    reject(signal.reason as Error)
  }
  signal.addEventListener('abort', abort, { once: true })
  const fail = (error: Error & { code?: string }): void => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    reject(isTooLarge ? parquetUnsupported('a very large row group of variants') : error)
  }
  const exit = (): void => {
    reject(new Error('a thread ended without an answer'))
  }
  worker.on('message', resolve).on('error', fail).on('exit', exit)
  const buffers = input.chunks.map(({ bytes }) => bytes.buffer as ArrayBuffer)
  worker.postMessage(input, buffers)
  try {
    const answer = await promise
    worker.off('message', resolve).off('error', fail).off('exit', exit)
    worker.unref()
    idle.push(worker)
    return answer
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
