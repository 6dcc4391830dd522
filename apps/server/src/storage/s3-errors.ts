// Turns what an S3 store answers into our errors. Only the error's code and the region are taken from its body: the text
// may repeat access keys and signed headers. A 403 is about this object or these credentials, never about our caller.
import { AppError } from '@lake/core/errors.ts'
import type { ErrorDetails } from '@lake/core/errors.ts'
import type { S3Location } from './table-paths.ts'

export interface S3Answer {
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

/** @param region the one that the request was signed for */
export function s3Error(answer: S3Answer, location: S3Location, region: string): AppError {
  const details = { ...location, region }
  const code = /<Code>([A-Za-z0-9.]{1,100})<\/Code>/.exec(answer.bodyText)?.[1]
  const said = code === undefined ? `HTTP ${answer.status}` : `HTTP ${answer.status} ${code}`
  const actualRegion = bucketRegion(answer)
  if (actualRegion !== undefined && actualRegion !== region) return wrongRegion(said, actualRegion, details)
  if (answer.status >= 300 && answer.status < 400) {
    return new AppError(
      'STORAGE_UNAVAILABLE',
      `Object storage redirected (${said}); redirects are not followed`,
      { details },
    )
  }
  if (code === 'ExpiredToken' || code === 'InvalidToken' || answer.status === 401) {
    return new StorageCredentialsRefused(`Object storage refused the credentials (${said})`, details)
  }
  switch (answer.status) {
    case 400:
      // Ceph says so of a damaged session token. Asking again does not help, other credentials may.
      if (code === 'RequestTimeout') break
      return new StorageCredentialsRefused(
        `Object storage refused the request or its credentials (${said})`,
        details,
      )
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
        code === 'NoSuchBucket'
          ? `The bucket of a file of the table does not exist (${said})`
          : `A file that the table names is not in object storage (${said})`,
        { details },
      )
    case 412:
      return objectChanged(location, region)
    default:
      break
  }
  return new AppError('STORAGE_UNAVAILABLE', `Object storage answered ${said}`, { details })
}

/** Data and metadata files are immutable, so an object that was replaced would mix two versions in one answer. */
export function objectChanged(location: S3Location, region: string): AppError {
  return new AppError('TABLE_CORRUPT', 'A file of the table changed while it was read: object changed', {
    details: { ...location, region },
  })
}

function wrongRegion(said: string, actualRegion: string, details: ErrorDetails): AppError {
  return new AppError(
    'STORAGE_ACCESS_DENIED',
    `The bucket is in region ${actualRegion}, but the request was signed for ${details.region ?? ''} (${said}). ` +
      'Configure the region of the storage',
    { details: { ...details, region: actualRegion } },
  )
}

function bucketRegion(answer: S3Answer): string | undefined {
  // The header also comes with plain refusals, but then it equals the region of the request unless that was wrong.
  const header = answer.headers['x-amz-bucket-region']
  const text = typeof header === 'string' ? header : /<Region>([^<]*)<\/Region>/.exec(answer.bodyText)?.[1]
  return text !== undefined && /^[a-z0-9-]{1,64}$/.test(text) ? text : undefined
}
