// Decodes pages in threads: nothing else waits for them, and a file that lies about its pages costs a thread and no more.
// A few threads at once, each with a bounded heap; one is kept for the next task unless it failed or its statement was
// cancelled.
import { Worker } from 'node:worker_threads'
import { AppError } from '@lake/core/errors.ts'
import type { ErrorCode } from '@lake/core/errors.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import type { ColumnChunk } from './parquet-metadata.ts'
import type { DeletedPositions, PositionPages } from './position-delete-pages.ts'
import { parquetUnsupported } from './thrift.ts'
import type { RewriteInput } from './variant/rewrite-column.ts'

/** What a thread can do, and what that is called in messages. All of it is plain data. */
interface PageTasks {
  readonly 'a row group of variants': {
    readonly input: RewriteInput
    readonly output: readonly ColumnChunk[]
  }
  readonly 'a position delete file': {
    readonly input: PositionPages
    readonly output: DeletedPositions
  }
}
type Kind = keyof PageTasks

export type PageTask = { [K in Kind]: { readonly kind: K; readonly input: PageTasks[K]['input'] } }[Kind]

/** What the thread says once. */
export type PageAnswer =
  | { readonly output: PageTasks[Kind]['output'] }
  | { readonly failure: { readonly code: ErrorCode; readonly message: string; readonly details: unknown } }

const threads = createSemaphore({
  permitsMax: LIMITS.pageThreadsMax,
  waitingMax: LIMITS.pageTasksWaitingMax,
  name: 'decoding of pages',
})

/**
 * @param buffers of the input; they are the thread's from then on
 * @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT, BUSY, CANCELLED or DEADLINE_EXCEEDED
 */
export async function decodeInThread<K extends Kind>(
  kind: K,
  input: PageTasks[K]['input'],
  buffers: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<PageTasks[K]['output']> {
  const release = await threads.acquire(signal)
  try {
    const answer = await runThread({ kind, input } as PageTask, buffers, signal)
    if ('output' in answer) return answer.output
    const { code, message, details } = answer.failure
    throw new AppError(code, message, { details: details as Record<string, string> })
  } finally {
    release()
  }
}

/** Threads without work. They keep nothing alive. */
const idle: Worker[] = []

function startThread(): Worker {
  return new Worker(new URL('page-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: LIMITS.pageThreadHeapMib, maxYoungGenerationSizeMb: 128 },
    env: {},
  })
}

async function runThread(
  task: PageTask,
  buffers: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<PageAnswer> {
  const worker = idle.pop() ?? startThread()
  worker.ref()
  const { promise, resolve, reject } = Promise.withResolvers<PageAnswer>()
  const abort = (): void => {
    reject(signal.reason as Error)
  }
  signal.addEventListener('abort', abort, { once: true })
  const fail = (error: Error & { code?: string }): void => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    reject(isTooLarge ? parquetUnsupported(`${task.kind} that is very large`) : error)
  }
  const exit = (): void => {
    reject(new Error('a thread ended without an answer'))
  }
  worker.on('message', resolve).on('error', fail).on('exit', exit)
  const transferred = new Set(buffers.map(({ buffer }) => buffer as ArrayBuffer))
  worker.postMessage(task, [...transferred])
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
