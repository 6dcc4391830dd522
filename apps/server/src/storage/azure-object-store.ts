// Azure Storage as an object store: ranged GETs of the Blob service with the shared access signature that the catalog
// vended. The signature is the query of the address, which therefore appears in no error and no log.
// Source: Azure Blob Storage REST API, Get Blob and Get Blob Properties; Shared access signature error codes.
import type { ErrorDetails } from '@lake/core/errors.ts'
import type { Secret } from '../observability/redaction.ts'
import {
  createHttpObjectStore,
  type HttpObjectStore,
  type HttpObjectStoreOptions,
} from './http-object-store.ts'
import { parseAzureUri } from './object-uri.ts'
import { encodeKey, parseStorageEndpoint } from './storage-endpoint.ts'
import { storageError } from './storage-errors.ts'

/** Any service of the last years knows it, and it is not older than what signatures of directories need. */
const API_VERSION = '2020-10-02'

export interface AzureObjectStoreOptions extends HttpObjectStoreOptions {
  /** In place of the account's own address; undefined: the account's Blob service. */
  readonly endpoint: string | undefined
  /** As the query of an address, without its question mark. */
  readonly sas: Secret
}

/** @throws AppError TABLE_UNSUPPORTED when the endpoint cannot be used safely */
export function createAzureObjectStore(options: AzureObjectStoreOptions): HttpObjectStore {
  const { sas } = options
  const override = options.endpoint === undefined ? undefined : parseStorageEndpoint(options.endpoint)
  const basePath = override?.pathname.replace(/\/$/, '') ?? ''
  const details = (uri: string): ErrorDetails => {
    const { bucket, key, account } = parseAzureUri(uri)
    return { bucket: `${bucket}@${account}`, key }
  }
  return createHttpObjectStore(
    {
      details,
      request: async (uri, { headers }) => {
        const { bucket, key, blobHost } = parseAzureUri(uri)
        return await Promise.resolve({
          origin: override?.origin ?? `https://${blobHost}`,
          path: `${basePath}/${encodeKey(bucket)}/${encodeKey(key)}?${sas.reveal()}`,
          headers: { ...headers, 'x-ms-version': API_VERSION },
        })
      },
      failure: (answer, uri) =>
        storageError(answer, details(uri), {
          // Said of a signature that has ended, or of another key than the account's.
          isCredentialFailure: (code) =>
            code === 'AuthenticationFailed' || code === 'InvalidAuthenticationInfo',
          missingBucketCodes: ['ContainerNotFound'],
        }),
    },
    options,
  )
}
