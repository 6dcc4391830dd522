// S3 and S3-compatible stores as object stores: signed requests, and what their refusals mean.
import { AppError } from '@lake/core/errors.ts'
import type { ErrorDetails } from '@lake/core/errors.ts'
import {
  createHttpObjectStore,
  type HttpObjectStore,
  type HttpObjectStoreOptions,
  type ObjectService,
} from './http-object-store.ts'
import { parseS3Uri } from './object-uri.ts'
import { createS3Addressing, createS3Signer } from './s3-request.ts'
import type { S3CredentialSource, S3Service, S3Signer } from './s3-request.ts'
import { saidBy, storageError, type StorageAnswer } from './storage-errors.ts'

export interface S3ObjectStoreOptions extends S3Service, HttpObjectStoreOptions {
  /** Ours to sign with, or whoever signs in their place. */
  readonly credentials: S3CredentialSource | { readonly sign: S3Signer }
  readonly now?: () => Date
}

/** @throws AppError TABLE_UNSUPPORTED when the endpoint or region cannot be used safely */
export function createS3ObjectStore(options: S3ObjectStoreOptions): HttpObjectStore {
  const locate = createS3Addressing(options)
  const { credentials, region, now = () => new Date() } = options
  const sign =
    typeof credentials === 'object' && 'sign' in credentials
      ? credentials.sign
      : createS3Signer({ region, credentials, now })
  const details = (uri: string): ErrorDetails => ({ ...parseS3Uri(uri), region })
  const service: ObjectService = {
    details,
    request: async (uri, { method, headers }, signal) =>
      await sign({ method, target: locate(parseS3Uri(uri)), headers }, signal),
    failure: (answer, uri) => s3Error(answer, details(uri), region),
  }
  return createHttpObjectStore(service, options)
}

/** @param region the one that the request was signed for */
function s3Error(answer: StorageAnswer, details: ErrorDetails, region: string): AppError {
  const actualRegion = bucketRegion(answer)
  if (actualRegion !== undefined && actualRegion !== region) {
    return new AppError(
      'STORAGE_ACCESS_DENIED',
      `The bucket is in region ${actualRegion}, but the request was signed for ${region} (${saidBy(answer)}). ` +
        'Configure the region of the storage',
      { details: { ...details, region: actualRegion } },
    )
  }
  return storageError(answer, details, {
    isCredentialFailure: (code, status) =>
      code === 'ExpiredToken' ||
      code === 'InvalidToken' ||
      // Ceph says so of a damaged session token. Asking again does not help, other credentials may.
      (status === 400 && code !== 'RequestTimeout'),
    missingBucketCodes: ['NoSuchBucket'],
  })
}

function bucketRegion(answer: StorageAnswer): string | undefined {
  // The header also comes with plain refusals, but then it equals the region of the request unless that was wrong.
  const header = answer.headers['x-amz-bucket-region']
  const text = typeof header === 'string' ? header : /<Region>([^<]*)<\/Region>/.exec(answer.bodyText)?.[1]
  return text !== undefined && /^[a-z0-9-]{1,64}$/.test(text) ? text : undefined
}
