// The identity of the machine or pod that the server runs on, by the S3 SDK's own chain. Used only where a deployment
// opts into it (workload identity); loaded only then, since the SDK is large.
import type { S3Client } from '@aws-sdk/client-s3'
import { AppError } from '@lake/core/errors.ts'
import { raceAbort, throwIfAborted } from '../concurrency/deadline.ts'
import { Secret } from '../observability/redaction.ts'
import type { S3Credentials } from './s3-request.ts'

export interface AmbientIdentity {
  /** The SDK keeps credentials until shortly before they expire. Throws AppError STORAGE_ACCESS_DENIED when there are none. */
  credentials(signal: AbortSignal): Promise<S3Credentials>
  /** Region of the environment; undefined where it names none. */
  region(signal: AbortSignal): Promise<string | undefined>
}

export function createAmbientIdentity(): AmbientIdentity {
  let clientPromise: ReturnType<typeof loadClient> | undefined
  const client = (): ReturnType<typeof loadClient> => (clientPromise ??= loadClient())
  return {
    async credentials(signal) {
      throwIfAborted(signal)
      try {
        const { config } = await client()
        const found = await raceAbort(config.credentials(), signal)
        return {
          accessKeyId: found.accessKeyId,
          secretAccessKey: new Secret(found.secretAccessKey),
          ...(found.sessionToken === undefined ? {} : { sessionToken: new Secret(found.sessionToken) }),
        }
      } catch (error) {
        throwIfAborted(signal)
        throw new AppError('STORAGE_ACCESS_DENIED', 'The environment offers no storage credentials', {
          cause: error,
        })
      }
    },
    async region(signal) {
      throwIfAborted(signal)
      try {
        const { config } = await client()
        return await raceAbort(config.region(), signal)
      } catch {
        throwIfAborted(signal)
        return undefined
      }
    },
  }
}

async function loadClient(): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3')
  return new S3Client({})
}
