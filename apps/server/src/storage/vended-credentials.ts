// Which storage settings apply to one object: the catalog's credentials by longest prefix, its config, and the
// deployment's S3 override. Pure. Fails closed: where credentials were to be vended and none fit, nothing else is tried.
// Source: Iceberg REST OpenAPI, LoadTableResult ("storage-credentials first, then config").
import { AppError } from '@lake/core/errors.ts'
import type { IcebergConfig, S3Override } from '../config.ts'
import type { Secret } from '../observability/redaction.ts'

export type StorageProperties = ReadonlyMap<string, Secret>

export interface StorageGrant {
  readonly storageCredentials: readonly { readonly prefix: string; readonly config: StorageProperties }[]
  /** The table's config over the catalog's. */
  readonly config: StorageProperties
  /** Set where the catalog says how it signs requests. */
  readonly remoteSigning?: object | undefined
}

export interface S3Settings {
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
 * Settings for reading `uri` (canonical, `s3://…`).
 * @throws AppError CATALOG_CREDENTIALS_NOT_VENDED
 */
export function selectS3Settings(
  uri: string,
  grant: StorageGrant,
  options: { access: IcebergConfig['storageAccess']; override: S3Override },
): S3Settings {
  const { access, override } = options
  const matched = longestPrefix(uri, grant.storageCredentials)
  const properties = new Map([...grant.config, ...(matched?.config ?? [])])
  const text = (name: string): string | undefined => properties.get(name)?.reveal()
  const isPathStyle = override.isPathStyle ?? text('s3.path-style-access') === 'true'
  const credentials = override.isAnonymous ? 'anonymous' : credentialsFor(access, properties, grant)
  return {
    // A request that the ambient identity signs goes nowhere that the deployment did not choose.
    endpoint: override.endpoint?.href ?? (access === 'workload-identity' ? undefined : text('s3.endpoint')),
    region: override.region ?? text('client.region') ?? text('s3.region') ?? text('region'),
    isPathStyle,
    credentials,
    expiresAtMs: typeof credentials === 'string' ? undefined : expiryOf(text),
  }
}

function credentialsFor(
  access: IcebergConfig['storageAccess'],
  properties: StorageProperties,
  grant: StorageGrant,
): S3Settings['credentials'] {
  if (access === 'workload-identity') return 'ambient'
  if (access === 'vended-credentials') return vendedKeys(properties)
  // That a signer is named says nothing: some catalogs name one for every table.
  if (properties.get('s3.remote-signing-enabled')?.reveal() === 'true' || grant.remoteSigning !== undefined)
    return 'remote-signing'
  throw new AppError(
    'CATALOG_CREDENTIALS_NOT_VENDED',
    'The catalog does not sign requests for this table; nothing else is tried in their place',
  )
}

/** Names under which catalogs tell the end of credentials, in milliseconds since 1970. */
const EXPIRY_PROPERTIES = ['s3.session-token-expires-at-ms', 'expiration-time', 'expires-at-ms']

function expiryOf(text: (name: string) => string | undefined): number | undefined {
  const said = EXPIRY_PROPERTIES.map(text).find((value) => value !== undefined && /^\d{10,16}$/.test(value))
  return said === undefined ? undefined : Number(said)
}

/** The earliest end that a grant's credentials are said to have; undefined where none is said. */
export function credentialsEndAtMs({ storageCredentials, config }: StorageGrant): number | undefined {
  const ends = [config, ...storageCredentials.map((entry) => entry.config)].flatMap(
    (properties) => expiryOf((name) => properties.get(name)?.reveal()) ?? [],
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

/** Longest prefix that ends at a `/` boundary of `uri`; entries without credentials are passed over. */
function longestPrefix(
  uri: string,
  entries: StorageGrant['storageCredentials'],
): StorageGrant['storageCredentials'][number] | undefined {
  let best: StorageGrant['storageCredentials'][number] | undefined
  for (const entry of entries) {
    const hasKeys = entry.config.has('s3.access-key-id')
    if (hasKeys && covers(entry.prefix, uri) && entry.prefix.length > (best?.prefix.length ?? -1))
      best = entry
  }
  return best
}

/** A bare `s3` is the root of everything; `s3a` and `s3n` are the same storage. */
function covers(prefix: string, uri: string): boolean {
  const canonical = prefix.replace(/^s3[an]:\/\//, 's3://')
  if (canonical === 's3' || canonical === 's3://' || canonical === '') return true
  if (!uri.startsWith(canonical)) return false
  return canonical.endsWith('/') || uri.length === canonical.length || uri[canonical.length] === '/'
}
