// What an answer of the catalog that is none of the expected ones stands for. The status decides, and above all whether to
// ask again helps; the body only adds words. Source: Iceberg REST OpenAPI, the errors of each operation; RFC 9110 §15.
import { AppError } from '@lake/core/errors.ts'
import { LIMITS } from '../limits.ts'
import { singleHeader, type HttpAnswer } from './http-client.ts'
import { parseErrorBody } from './rest-schemas.ts'

/** Too slow a request, too early or too many, or something in its way: the same request may be taken later. */
const LATER_STATUSES: ReadonlySet<number> = new Set([408, 409, 423, 425, 429])

/** Redirects for now, as of a gateway whose sign-in has lapsed: the next request goes to the same address again (RFC 9110 §15.4). */
const TEMPORARY_REDIRECTS: ReadonlySet<number> = new Set([302, 303, 307])

/** True where the same request will not be taken later either: redirects for good, and what the catalog does not know or serve. */
export function isRefusal(status: number): boolean {
  if (status === 304 || TEMPORARY_REDIRECTS.has(status)) return false
  return (status >= 300 && status < 500 && !LATER_STATUSES.has(status)) || status === 501 || status === 505
}

/** The error that a status stands for. The status decides; the body only adds words. */
export function catalogFailure(
  answer: HttpAnswer,
  notFound: 'NO_SUCH_NAMESPACE' | 'NO_SUCH_TABLE' | undefined,
  what: string,
): AppError {
  const { status } = answer
  const said = parseErrorBody(answer.text).message
  const words = said === undefined ? '' : `: ${said}`
  const isThrottled =
    status === 429 || String(answer.headers['x-amzn-errortype'] ?? '').startsWith('ThrottlingException')
  if (status === 404 && notFound)
    return new AppError(notFound, `The catalog does not have ${what}, or does not show it`)
  if (status === 401 || status === 419)
    return new AppError('CATALOG_UNAUTHORIZED', 'The catalog refused the credentials of this deployment')
  if (status === 403)
    return new AppError('CATALOG_PERMISSION_DENIED', `The catalog does not allow reading ${what}${words}`)
  if (isThrottled)
    return new AppError('CATALOG_UNAVAILABLE', 'The catalog asks to slow down', {
      details: { retryAfterMs: retryAfterMs(answer) ?? LIMITS.catalogRetryAfterMs },
    })
  if (status === 304)
    return new AppError('CATALOG_UNAVAILABLE', `The catalog sent nothing for ${what} (HTTP 304), unasked`)
  if (status >= 300 && status < 400)
    return new AppError(
      isRefusal(status) ? 'CATALOG_REFUSED' : 'CATALOG_UNAVAILABLE',
      `The catalog redirects (HTTP ${status}), which is not followed`,
    )
  if (isRefusal(status))
    return new AppError('CATALOG_REFUSED', `The catalog answered HTTP ${status} for ${what}${words}`)
  const waitMs = status === 503 ? retryAfterMs(answer) : undefined
  const details = waitMs === undefined ? {} : { details: { retryAfterMs: waitMs } }
  return new AppError(
    'CATALOG_UNAVAILABLE',
    `The catalog answered HTTP ${status} for ${what}${words}`,
    details,
  )
}

/** `Retry-After`, in seconds or as a date beside the answer's own, within bounds; undefined where it says nothing usable. */
function retryAfterMs(answer: HttpAnswer): number | undefined {
  const text = singleHeader(answer, 'retry-after') ?? ''
  const saidMs = /^\d{1,9}$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - Date.parse(singleHeader(answer, 'date') ?? '')
  if (Number.isNaN(saidMs)) return undefined
  return Math.min(Math.max(saidMs, LIMITS.catalogRetryAfterMs), LIMITS.catalogRetryAfterMsMax)
}
