// The thread that rewrites one row group (rewrite-in-thread.ts) and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { isAppError } from '@lake/core/errors.ts'
import { rewriteRowGroup } from './rewrite-column.ts'
import type { RewriteInput } from './rewrite-column.ts'
import type { RewriteAnswer } from './rewrite-in-thread.ts'

function answer(): RewriteAnswer {
  try {
    return { chunks: rewriteRowGroup(workerData as RewriteInput) }
  } catch (error) {
    if (!isAppError(error)) throw error
    const { code, message, details } = error
    return { failure: { code, message, details } }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
parentPort?.postMessage(answer())
