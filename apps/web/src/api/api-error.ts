// The one error the web app shows: what the server answered, or why no answer came. Help texts are chosen by code
// in the component that shows it; nothing else branches on messages.
import { ERROR_CODES, isAppError, type ErrorCode } from '@lake/core/errors.ts'
import { errorBody } from '@lake/core/api/contract.ts'
import { writtenOffset, type TextEdit } from '../sql/parameters.ts'

/** Codes of failures that happen on this side of the wire. */
export type ClientErrorCode = 'NETWORK' | 'STREAM_INCOMPLETE' | 'UNEXPECTED_RESPONSE'

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  readonly requestId: string | null
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    options: {
      requestId?: string | null
      details?: Record<string, unknown> | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.requestId = options.requestId ?? null
    this.details = options.details ?? {}
  }

  get isRetryable(): boolean {
    if (this.code === 'NETWORK' || this.code === 'STREAM_INCOMPLETE') return true
    return this.code in ERROR_CODES && ERROR_CODES[this.code as ErrorCode].isRetryable
  }
}

/** UTF-16 positions in the SQL as submitted, end exclusive; null where the error has none. */
export function errorRange(error: ApiError): { startOffset: number; endOffset: number } | null {
  const { startOffset, endOffset } = error.details
  if (typeof startOffset !== 'number' || startOffset < 0) return null
  const end = typeof endOffset === 'number' && endOffset > startOffset ? endOffset : startOffset + 1
  return { startOffset, endOffset: end }
}

/** The same failure with its places in the text as it was written. */
export function atWrittenPlace(error: ApiError, edits: readonly TextEdit[]): ApiError {
  const range = errorRange(error)
  if (range === null || edits.length === 0) return error
  const details = {
    ...error.details,
    startOffset: writtenOffset(range.startOffset, edits),
    endOffset: writtenOffset(range.endOffset, edits),
  }
  const { code, message, requestId } = error
  return new ApiError(code, message, { requestId, details, cause: error })
}

/** Reads the body of a response that is not 2xx. Never throws: an unreadable body is a failure with its own words. */
export async function errorOfResponse(response: Response): Promise<ApiError> {
  try {
    const { error } = errorBody.parse(await response.json())
    return new ApiError(error.code, error.message, { requestId: error.requestId, details: error.details })
  } catch (cause) {
    return new ApiError('UNEXPECTED_RESPONSE', `The server answered ${response.status} without saying why.`, {
      cause,
    })
  }
}

/** Any thrown value as an ApiError; aborts are for the caller to recognise first. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isAppError(error)) return new ApiError(error.code, error.message, { cause: error })
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new ApiError('DEADLINE_EXCEEDED', 'The server did not answer in time.', { cause: error })
  if (error instanceof TypeError)
    return new ApiError('NETWORK', 'The server could not be reached.', { cause: error })
  return new ApiError('INTERNAL', error instanceof Error ? error.message : String(error), { cause: error })
}
