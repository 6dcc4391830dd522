// Sends an Arrow stream at the pace of its reader.
import type { Response } from 'express'
import { once } from 'node:events'
import { ARROW_STREAM_MEDIA_TYPE } from '@lake/core/api/wire.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { systemTime, type SteadyTime } from '../concurrency/steady-time.ts'
import { LIMITS } from '../limits.ts'

/**
 * The answer begins with the first chunk, so that a failure before it still has a status of its own. A reader that takes
 * nothing for `readerStallMs` ends the stream with DEADLINE_EXCEEDED.
 */
export async function sendArrowStream(
  response: Response,
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of chunks) {
    if (!response.headersSent) {
      response.status(200).setHeader('content-type', ARROW_STREAM_MEDIA_TYPE)
      response.setHeader('cache-control', 'no-store')
      response.setHeader('x-accel-buffering', 'no')
    }
    if (!response.write(chunk)) {
      using stall = startDeadline(signal, LIMITS.readerStallMs, 'The reader of the result')
      await once(response, 'drain', { signal: stall.signal })
    }
  }
  response.end()
}

/** Sends a whole Arrow stream that is at hand. */
export function sendArrowPart(response: Response, bytes: Uint8Array, time?: SteadyTime): void {
  cutSlowReader(response, bytes.byteLength, time)
  response.status(200).setHeader('content-type', ARROW_STREAM_MEDIA_TYPE)
  response.setHeader('content-length', bytes.byteLength)
  response.end(bytes)
}

/** Cuts an answer of at most so many bytes, which wait in memory, off from a reader that takes a little now and then. */
export function cutSlowReader(response: Response, bytesMax: number, time: SteadyTime = systemTime): void {
  const { wholeAnswerWaitMs, wholeAnswerBytesPerSecondMin } = LIMITS
  const waitMs = wholeAnswerWaitMs + (bytesMax / wholeAnswerBytesPerSecondMin) * 1_000
  const endWait = time.after(waitMs, () => {
    response.destroy()
  })
  response.once('close', endWait)
}

/** Aborts when the client goes away before the answer is finished. */
export function disconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}
