// Every failure becomes an HTTP answer here and nowhere else. What is not an AppError is a bug: it is logged with its
// stack and answered as INTERNAL with the request id and nothing more.
import type { Response } from 'express'
import { AppError, ERROR_CODES } from '@lake/core/errors.ts'
import type { ErrorBody } from '@lake/core/api/contract.ts'
import { LIMITS } from '../limits.ts'
import { bugTrace } from '../observability/bug-trace.ts'
import type { Logger } from '../observability/logger.ts'

/** The error as it may leave the server. */
function publicError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('INTERNAL', 'Something went wrong here; the request id finds it in the log')
}

function errorBody(error: unknown, requestId: string): ErrorBody {
  const { code, message, details } = publicError(error)
  return {
    error: { code, message, requestId, ...(details === undefined ? {} : { details: { ...details } }) },
  }
}

/** Logs what operators need: bugs with their stack, the rest by code. */
export function logError(logger: Logger, error: unknown, requestId: string): void {
  if (error instanceof AppError) {
    const level = ERROR_CODES[error.code].status >= 500 ? 'warn' : 'info'
    logger[level]({ requestId, code: error.code }, 'request failed')
  } else {
    logger.error({ requestId, trace: bugTrace(error) }, 'bug')
  }
}

/** Sends the error unless the answer has begun, in which case the connection is cut so that nothing looks complete. */
export function sendError(response: Response, error: unknown, requestId: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { code, details } = publicError(error)
  const retryAfterMs = details?.retryAfterMs ?? usualRetryAfterMs(ERROR_CODES[code].status)
  if (retryAfterMs !== undefined) response.setHeader('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
  response.once('finish', () => {
    endUnread(response)
  })
  response.status(ERROR_CODES[code].status).json(errorBody(error, requestId))
}

/** Whoever is told to come back is told when. */
function usualRetryAfterMs(status: number): number | undefined {
  if (status === 429) return LIMITS.requestRetryAfterMs
  return status === 503 ? LIMITS.outageRetryAfterMs : undefined
}

/** What is still being sent is thrown away for a moment, so that the answer arrives, and then the connection is cut. */
function endUnread({ req: request }: Response): void {
  if (request.complete) return
  setTimeout(() => {
    // The request itself may count as ended already, while the connection goes on.
    if (!request.complete) request.socket.destroy()
  }, LIMITS.unreadBodyMs).unref()
}
