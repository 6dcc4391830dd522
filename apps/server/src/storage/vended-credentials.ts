// Which storage settings apply to one object: the catalog's credentials by longest prefix, its config, and what the
// deployment sets in their place. Pure. Fails closed: where credentials were to be vended and none fit, nothing else is tried.
import { AppError } from '@lake/core/errors.ts'
import type { IcebergConfig, S3Override } from '../config.ts'
import type { Secret } from '../observability/redaction.ts'
import { longestPrefix, type StorageEntry, type StorageProperties } from './credential-prefix.ts'
import { unusedFeature } from './storage-endpoint.ts'
import {
  expiryOf,
  GENERAL_EXPIRY_PROPERTIES,
  selectAzureSettings,
  selectGcsSettings,
  tokenExpiries,
  type AzureSettings,
  type GcsSettings,
} from './vended-tokens.ts'

export interface StorageGrant {
  readonly storageCredentials: readonly StorageEntry[]
  /** The table's config over the catalog's. */
  readonly config: StorageProperties
  /** Set where the catalog says how it signs requests. */
  readonly remoteSigning?: object | undefined
}

export type StorageSettings = S3Settings | GcsSettings | AzureSettings

/** What the deployment sets for the storage of all tables. */
export type StorageOverrides = Pick<IcebergConfig, 'storageAccess' | 's3' | 'gcsEndpoint' | 'adlsEndpoint'>

export interface S3Settings {
  readonly kind: 's3'
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly isPathStyle: boolean
  readonly credentials: S3Keys | 'anonymous' | 'ambient' | 'remote-signing'
  /** When vended credentials end, as far as the catalog says; undefined: not said, or not vended. */
  readonly expiresAtMs: number | undefined
}

export interface S3Keys {
  readonly accessKeyId: Secret
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret | undefined
}

/**
 * Settings for reading `uri` (canonical).
 * @throws AppError CATALOG_CREDENTIALS_NOT_VENDED, TABLE_UNSUPPORTED (a store that this way to storage is not for)
 */
export function selectSettings(
  uri: string,
  grant: StorageGrant,
  overrides: StorageOverrides,
): StorageSettings {
  const { storageAccess: access } = overrides
  if (uri.startsWith('s3://')) return selectS3Settings(uri, grant, { access, override: overrides.s3 })
  const isGcs = uri.startsWith('gs://')
  if (access !== 'vended-credentials') {
    const place = isGcs ? 'Google Cloud Storage' : 'Azure Storage'
    throw new AppError(
      'TABLE_UNSUPPORTED',
      `The table is on ${place}, which is read with vended credentials only, not by ${access}`,
      { details: { feature: `${access} on ${place}` } },
    )
  }
  return isGcs
    ? selectGcsSettings(uri, grant, overrides.gcsEndpoint)
    : selectAzureSettings(uri, grant, overrides.adlsEndpoint)
}

/** @throws AppError CATALOG_CREDENTIALS_NOT_VENDED, TABLE_UNSUPPORTED */
export function selectS3Settings(
  uri: string,
  grant: StorageGrant,
  options: { access: IcebergConfig['storageAccess']; override: S3Override },
): S3Settings {
  const { access, override } = options
  const matched = longestPrefix(uri, grant.storageCredentials, (config) => config.has('s3.access-key-id'))
  const properties = new Map([...grant.config, ...(matched?.config ?? [])])
  const text = (name: string): string | undefined => properties.get(name)?.reveal()
  if (text('s3.sse.type') === 'custom')
    throw unusedFeature('customer’s key for its objects (s3.sse.type=custom)')
  const isPathStyle = override.isPathStyle ?? text('s3.path-style-access') === 'true'
  // Keys and session token are of one credential, so that nothing of the config's is sent with another's.
  const source = matched?.config ?? grant.config
  const credentials = override.isAnonymous
    ? 'anonymous'
    : credentialsFor(access, { properties, source }, grant)
  return {
    kind: 's3',
    // A request that the ambient identity signs goes nowhere that the deployment did not choose.
    endpoint: override.endpoint?.href ?? (access === 'workload-identity' ? undefined : text('s3.endpoint')),
    region: override.region ?? text('client.region') ?? text('s3.region') ?? text('region'),
    isPathStyle,
    credentials,
    expiresAtMs: typeof credentials === 'string' ? undefined : expiryOf(text, S3_EXPIRY_PROPERTIES),
  }
}

function credentialsFor(
  access: IcebergConfig['storageAccess'],
  { properties, source }: { readonly properties: StorageProperties; readonly source: StorageProperties },
  grant: StorageGrant,
): S3Settings['credentials'] {
  if (access === 'workload-identity') return 'ambient'
  if (access === 'vended-credentials') return vendedKeys(source)
  // That a signer is named says nothing: some catalogs name one for every table.
  if (properties.get('s3.remote-signing-enabled')?.reveal() === 'true' || grant.remoteSigning !== undefined)
    return 'remote-signing'
  throw new AppError(
    'CATALOG_CREDENTIALS_NOT_VENDED',
    'The catalog does not sign requests for this table; nothing else is tried in their place',
  )
}

const S3_EXPIRY_PROPERTIES = ['s3.session-token-expires-at-ms', ...GENERAL_EXPIRY_PROPERTIES]

/** The earliest end that a grant's credentials are said to have; undefined where none is said. */
export function credentialsEndAtMs({ storageCredentials, config }: StorageGrant): number | undefined {
  const ends = [config, ...storageCredentials.map((entry) => entry.config)].flatMap((properties) =>
    [
      expiryOf((name) => properties.get(name)?.reveal(), S3_EXPIRY_PROPERTIES) ?? [],
      tokenExpiries(properties),
    ].flat(),
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

function vendedKeys(properties: StorageProperties): S3Keys {
  const accessKeyId = properties.get('s3.access-key-id')
  const secretAccessKey = properties.get('s3.secret-access-key')
  if (!accessKeyId || !secretAccessKey) {
    throw new AppError(
      'CATALOG_CREDENTIALS_NOT_VENDED',
      'The catalog vended no storage credentials for a file of this table; nothing else is tried in their place',
    )
  }
  return { accessKeyId, secretAccessKey, sessionToken: properties.get('s3.session-token') }
}
