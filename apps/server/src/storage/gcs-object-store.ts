// Google Cloud Storage as an object store, by its XML API: ranged GETs with the bearer token that the catalog vended.
// Source: Cloud Storage XML API, GET and HEAD Object; "Transcoding of gzip-compressed files".
import type { Secret } from '../observability/redaction.ts'
import {
  createHttpObjectStore,
  type HttpObjectStore,
  type HttpObjectStoreOptions,
} from './http-object-store.ts'
import { parseGcsUri } from './object-uri.ts'
import { encodeKey, parseStorageEndpoint } from './storage-endpoint.ts'
import { storageError } from './storage-errors.ts'

export interface GcsObjectStoreOptions extends HttpObjectStoreOptions {
  /** Where the token goes, and nowhere else. */
  readonly endpoint: string
  readonly token: Secret
  /** Project that pays, where the bucket wants its readers to. */
  readonly userProject?: string | undefined
}

/** @throws AppError TABLE_UNSUPPORTED when the endpoint cannot be used safely */
export function createGcsObjectStore(options: GcsObjectStoreOptions): HttpObjectStore {
  const { token, userProject } = options
  const base = parseStorageEndpoint(options.endpoint)
  const basePath = base.pathname.replace(/\/$/, '')
  return createHttpObjectStore(
    {
      details: parseGcsUri,
      request: async (uri, { headers }) => {
        const { bucket, key } = parseGcsUri(uri)
        return await Promise.resolve({
          origin: base.origin,
          path: `${basePath}/${bucket}/${encodeKey(key)}`,
          headers: {
            ...headers,
            // Without it, what is stored compressed comes decompressed, and its ranges are not those of the stored bytes.
            'accept-encoding': 'gzip',
            authorization: `Bearer ${token.reveal()}`,
            ...(userProject === undefined ? {} : { 'x-goog-user-project': userProject }),
          },
        })
      },
      failure: (answer, uri) =>
        storageError(answer, parseGcsUri(uri), {
          isCredentialFailure: (code) => code === 'AuthenticationRequired' || code === 'ExpiredToken',
          missingBucketCodes: ['NoSuchBucket'],
        }),
    },
    options,
  )
}
