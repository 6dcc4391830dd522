// An id per request, in the answer's `x-request-id`, in error bodies and in the log.
import type { RequestHandler, Response } from 'express'

export const REQUEST_ID_HEADER = 'x-request-id'

/** Ids are always made here: one sent by a client could not be trusted to be unique. */
export function assignRequestId(createId: () => string): RequestHandler {
  return (_request, response, next) => {
    response.setHeader(REQUEST_ID_HEADER, createId())
    next()
  }
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID_HEADER))
}
