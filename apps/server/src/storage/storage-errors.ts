// Turns what an object store answers into our errors. Only the error's code and the region are taken from its body: the text
// may repeat access keys and signed headers. A 403 is about this object or these credentials, never about our caller.
import { AppError } from '@lake/core/errors.ts'
import type { ErrorDetails } from '@lake/core/errors.ts'

export interface StorageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The beginning of the body, empty for HEAD. */
  readonly bodyText: string
}

/** STORAGE_ACCESS_DENIED because of the credentials themselves, so that fresh ones may help. */
export class StorageCredentialsRefused extends AppError {
  constructor(message: string, details: ErrorDetails) {
    super('STORAGE_ACCESS_DENIED', message, { details })
  }
}

/** The store's word for an error, where it is one word. */
function errorCode({ headers, bodyText }: StorageAnswer): string | undefined {
  const header = headers['x-ms-error-code']
  if (typeof header === 'string' && /^[A-Za-z0-9.]{1,100}$/.test(header)) return header
  return /<Code>([A-Za-z0-9.]{1,100})<\/Code>/.exec(bodyText)?.[1]
}

/** `HTTP 403 AccessDenied`. */
export function saidBy(answer: StorageAnswer): string {
  const code = errorCode(answer)
  return code === undefined ? `HTTP ${answer.status}` : `HTTP ${answer.status} ${code}`
}

/** What a status means at every store. @param details the object, and the region that was asked where there is one */
export function storageError(
  answer: StorageAnswer,
  details: ErrorDetails,
  options: {
    /** Codes and statuses that tell of the credentials rather than of the object. */
    readonly isCredentialFailure: (code: string | undefined, status: number) => boolean
    /** Codes that tell of a whole bucket that is missing. */
    readonly missingBucketCodes: readonly string[]
  },
): AppError {
  const { status } = answer
  const code = errorCode(answer)
  const said = saidBy(answer)
  if (status >= 300 && status < 400) {
    return new AppError(
      'STORAGE_UNAVAILABLE',
      `Object storage redirected (${said}); redirects are not followed`,
      { details },
    )
  }
  if (status === 401 || options.isCredentialFailure(code, status)) {
    const what = status === 400 ? 'the request or its credentials' : 'the credentials'
    return new StorageCredentialsRefused(`Object storage refused ${what} (${said})`, details)
  }
  switch (status) {
    case 403:
      return new AppError(
        'STORAGE_ACCESS_DENIED',
        `Object storage refused the request (${said}). Either the credentials may not read this object, ` +
          'or it is missing: without permission to list the bucket, a missing object is answered the same way',
        { details },
      )
    case 404:
      return new AppError(
        'OBJECT_MISSING',
        code !== undefined && options.missingBucketCodes.includes(code)
          ? `The bucket of a file of the table does not exist (${said})`
          : `A file that the table names is not in object storage (${said})`,
        { details },
      )
    case 412:
      return objectChanged(details)
    default:
      return new AppError('STORAGE_UNAVAILABLE', `Object storage answered ${said}`, { details })
  }
}

/** Data and metadata files are immutable, so an object that was replaced would mix two versions in one answer. */
export function objectChanged(details: ErrorDetails): AppError {
  return new AppError('TABLE_CORRUPT', 'A file of the table changed while it was read: object changed', {
    details,
  })
}

export function objectTooShort(details: ErrorDetails): AppError {
  return new AppError('TABLE_CORRUPT', 'A file of the table is shorter than its metadata says', { details })
}
