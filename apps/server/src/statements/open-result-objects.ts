// Opens the configured store of results.
import { AppError } from '@lake/core/errors.ts'
import { resolveSecret, type SecretResolver, type SecretSetting } from '../catalog/secrets.ts'
import type { ResultsConfig } from '../config/state.ts'
import { LIMITS } from '../limits.ts'
import { Secret } from '../observability/redaction.ts'
import { createFolderResultObjects } from '../storage/folder-result-objects.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import type { S3Credentials } from '../storage/s3-request.ts'

/** @throws AppError INVALID_REQUEST, and what resolving a secret throws */
export async function openResultObjects(
  config: ResultsConfig,
  resolver: SecretResolver,
): Promise<ResultObjects> {
  if (config.kind === 'folder') return createFolderResultObjects(config.directory)
  const credentials = config.credential && (await resolveKeyPair(config.credential, resolver))
  // The SDK is large; it is loaded where results are in a bucket.
  const { createS3ResultObjects } = await import('../storage/s3-result-objects.ts')
  return createS3ResultObjects(config, credentials)
}

async function resolveKeyPair(setting: SecretSetting, resolver: SecretResolver): Promise<S3Credentials> {
  const secret = await resolveSecret(setting, resolver, AbortSignal.timeout(LIMITS.secretResolveTimeoutMs))
  const [accessKeyId, ...rest] = secret.reveal().split(':')
  if (accessKeyId === undefined || accessKeyId === '' || rest.length === 0)
    throw new AppError(
      'INVALID_REQUEST',
      'LAKE_RESULTS_S3_CREDENTIAL resolves to something that is no key pair',
    )
  return { accessKeyId, secretAccessKey: new Secret(rest.join(':')) }
}
