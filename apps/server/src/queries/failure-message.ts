// How a failure looks when it is the last message of a stream.
import type { Failure } from '@lake/core/api/wire.ts'
import { AppError } from '@lake/core/errors.ts'
import { bugTrace } from '../observability/bug-trace.ts'
import type { Logger } from '../observability/logger.ts'

/** Bugs are logged with their stack and told as INTERNAL; what is expected is told as it is. */
export function failureMessage(
  error: unknown,
  context: { readonly requestId: string; readonly logger: Logger },
): Failure {
  const { requestId, logger } = context
  if (error instanceof AppError) {
    const { code, message, details } = error
    return {
      kind: 'failure',
      error: { code, message, requestId, ...(details ? { details: { ...details } } : {}) },
    }
  }
  logger.error({ requestId, trace: bugTrace(error) }, 'bug')
  const message = 'Something went wrong here; the request id finds it in the log'
  return { kind: 'failure', error: { code: 'INTERNAL', message, requestId } }
}
