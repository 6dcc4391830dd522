// A thread that decodes pages, one task after the other (page-threads.ts).
import { parentPort } from 'node:worker_threads'
import { isAppError } from '@lake/core/errors.ts'
import type { PageAnswer, PageTask } from './page-threads.ts'
import { decodePositions } from './position-delete-pages.ts'
import { rewriteRowGroup } from './variant/rewrite-column.ts'

function perform(task: PageTask): PageAnswer {
  switch (task.kind) {
    case 'a row group of variants':
      return { output: rewriteRowGroup(task.input) }
    case 'a position delete file':
      return { output: decodePositions(task.input) }
  }
}

function answer(task: PageTask): PageAnswer {
  try {
    return perform(task)
  } catch (error) {
    if (!isAppError(error)) throw error
    const { code, message, details } = error
    return { failure: { code, message, details } }
  }
}

parentPort?.on('message', (task: PageTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  parentPort?.postMessage(answer(task))
})
