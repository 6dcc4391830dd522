// A thread that rewrites row groups, one after the other (rewrite-in-thread.ts).
import { parentPort } from 'node:worker_threads'
import { isAppError } from '@lake/core/errors.ts'
import { rewriteRowGroup } from './rewrite-column.ts'
import type { RewriteInput } from './rewrite-column.ts'
import type { RewriteAnswer } from './rewrite-in-thread.ts'

function answer(input: RewriteInput): RewriteAnswer {
  try {
    return { chunks: rewriteRowGroup(input) }
  } catch (error) {
    if (!isAppError(error)) throw error
    const { code, message, details } = error
    return { failure: { code, message, details } }
  }
}

parentPort?.on('message', (input: RewriteInput) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  parentPort?.postMessage(answer(input))
})
