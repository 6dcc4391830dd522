// The one error type and the one table of codes. Codes are part of the interface: each is documented in
// docs/errors.md, and a test keeps the two lists the same.

interface ErrorCodeEntry {
  /** HTTP status of the response that carries it. */
  readonly status: number
  /** True when the same request may succeed later without being changed. */
  readonly isRetryable: boolean
  /** One line for people. */
  readonly summary: string
}

const permanent = (status: number, summary: string): ErrorCodeEntry => ({
  status,
  isRetryable: false,
  summary,
})
const retryable = (status: number, summary: string): ErrorCodeEntry => ({
  status,
  isRetryable: true,
  summary,
})

/** Every code that leaves the server, with its HTTP status. Words follow Iceberg's exceptions and gRPC's status names. */
export const ERROR_CODES = {
  SQL_SYNTAX: permanent(400, 'The SQL text does not parse.'),
  SQL_BINDING: permanent(
    400,
    'The SQL names a column, function or type that does not exist or does not fit.',
  ),
  SQL_NOT_READ_ONLY: permanent(400, 'Only queries run here; the statement would change something.'),
  SQL_UNSUPPORTED: permanent(
    400,
    'The statement uses a form, function or table that the workbench does not run.',
  ),
  SQL_EXECUTION: permanent(
    400,
    'The statement failed on the data, for example by an overflow or a failed cast.',
  ),
  INVALID_REQUEST: permanent(400, 'The request does not fit the contract of its route.'),
  UNAUTHENTICATED: permanent(401, 'No or unusable credentials.'),
  SIGN_IN_UNAVAILABLE: retryable(
    503,
    'Who asks cannot be told now: the identity provider, or the store of sign-outs, did not answer.',
  ),
  PERMISSION_DENIED: permanent(403, 'The request comes from a host or origin that is not allowed.'),
  NO_SUCH_ROUTE: permanent(404, 'No such route.'),
  NO_SUCH_NAMESPACE: permanent(
    404,
    'No such namespace, or it is not one this deployment or principal may read.',
  ),
  NO_SUCH_TABLE: permanent(404, 'No such table, or it is not one this deployment or principal may read.'),
  NO_SUCH_SNAPSHOT: permanent(404, 'The table has no such snapshot.'),
  SNAPSHOT_EXPIRED: permanent(410, 'The pinned snapshot has been removed from the table since.'),
  TABLE_REPLACED: permanent(409, 'Another table now has this name: its UUID differs from the pinned one.'),
  TABLE_UNSUPPORTED: permanent(422, 'The table uses a feature that is not read, so nothing of it is.'),
  TABLE_CORRUPT: permanent(502, 'Metadata or data of the table breaks its format.'),
  READ_RESTRICTED: permanent(
    403,
    'The catalog restricts rows or columns in a way that is not enforced here, so nothing is read.',
  ),
  CATALOG_UNAVAILABLE: retryable(503, 'The catalog did not answer, or not usefully.'),
  CATALOG_REFUSED: permanent(502, 'The catalog does not take the request, now or later.'),
  CATALOG_UNAUTHORIZED: permanent(502, 'The catalog refused the credentials of this deployment.'),
  CATALOG_PERMISSION_DENIED: permanent(403, 'The catalog does not let this deployment read the table.'),
  CATALOG_CREDENTIALS_NOT_VENDED: permanent(
    403,
    'The catalog vended no storage credentials although they were asked for.',
  ),
  STORAGE_ACCESS_DENIED: permanent(403, 'Object storage refused the credentials for this object.'),
  STORAGE_UNAVAILABLE: retryable(503, 'Object storage did not answer, or not usefully.'),
  OBJECT_MISSING: permanent(502, 'A file that the table names is not in object storage.'),
  TICKET_INVALID: permanent(
    400,
    'The ticket was altered, made for another purpose, or sealed by another key.',
  ),
  TICKET_EXPIRED: permanent(410, 'The ticket is past its expiry; plan the statement again.'),
  NO_SUCH_STATEMENT: permanent(
    404,
    'No such background statement, or it is not one of yours, or it has been removed since.',
  ),
  STATEMENT_CONFLICT: permanent(409, 'The idempotency key was used for another statement.'),
  STATEMENT_UNREADABLE: permanent(
    410,
    'A stored statement was sealed by a key that is no longer in the ring, or was altered.',
  ),
  STATEMENTS_UNAVAILABLE: retryable(503, 'The store of background statements did not answer.'),
  RESULTS_UNAVAILABLE: retryable(503, 'The store of results did not take or give an object.'),
  RESULTS_FULL: permanent(507, 'There is no room left for the result.'),
  RESULT_CORRUPT: permanent(502, 'A stored part of a result is missing or not what was written.'),
  SCAN_TOO_LARGE: permanent(413, 'The statement would read more bytes than allowed.'),
  RESULT_TOO_LARGE: permanent(413, 'A value, a batch or the whole of the result is larger than allowed.'),
  EXPORT_FORMAT_LIMIT: permanent(
    422,
    'The result has what the file format cannot hold, so there is no file; another format can.',
  ),
  BUSY: retryable(429, 'Too much is running or waiting; come back after Retry-After.'),
  QUOTA_EXCEEDED: retryable(429, 'The statements of a day have read as many bytes as allowed.'),
  DEADLINE_EXCEEDED: retryable(504, 'It took longer than allowed.'),
  CANCELLED: permanent(499, 'It was stopped by the caller.'),
  ENGINE_FAILED: retryable(500, 'The process that ran the statement ended, for example for lack of memory.'),
  INTERNAL: permanent(500, 'A bug here. The request id finds it in the log.'),
} as const satisfies Record<string, ErrorCodeEntry>

export type ErrorCode = keyof typeof ERROR_CODES

/**
 * Facts about a failure that a caller can use. Plain JSON, never a secret.
 * `startOffset` (inclusive) and `endOffset` (exclusive) are UTF-16 positions in the SQL text as submitted.
 */
export interface ErrorDetails {
  readonly startOffset?: number
  readonly endOffset?: number
  readonly table?: string
  readonly feature?: string
  readonly snapshotId?: string
  readonly bucket?: string
  readonly key?: string
  readonly region?: string
  readonly bytes?: number
  readonly bytesMax?: number
  readonly retryAfterMs?: number
  /** A limit of a file format by name, such as `rows`, and the most that it allows. */
  readonly format?: string
  readonly limit?: string
  readonly limitMax?: number
  readonly faults?: readonly string[]
}

/** Names and paths of tables are in messages, and may be of any length. */
const ERROR_CHARS_MAX = 4_000

function shortened(text: string): string {
  return text.length > ERROR_CHARS_MAX ? `${text.slice(0, ERROR_CHARS_MAX)}…` : text
}

function shortenedDetails(details: ErrorDetails): ErrorDetails {
  const isShort = Object.values(details).every(
    (value) => typeof value !== 'string' || value.length <= ERROR_CHARS_MAX,
  )
  if (isShort) return details
  return Object.fromEntries(
    Object.entries(details).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? shortened(value) : value,
    ]),
  )
}

/** An expected failure. Carries a code that callers branch on and people look up in docs/errors.md. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(shortened(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details && shortenedDetails(options.details)
  }
}

/** True when `error` is an AppError, of the given code where one is named. */
export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code)
}
