// Credentials that are sent as they are, for Google Cloud Storage and Azure Storage: whoever gets one can use it. So one
// goes only to the store that its name and the table's path tell, or to the endpoint that the deployment sets. Pure. Fails
// closed. Source: properties of Iceberg's GCSFileIO and ADLSFileIO, in the shapes that catalogs send.
import { AppError } from '@lake/core/errors.ts'
import { Secret } from '../observability/redaction.ts'
import { isRoot, longestPrefix, type StorageEntry, type StorageProperties } from './credential-prefix.ts'
import { parseAzureUri, type AzureLocation } from './object-uri.ts'
import { unusedFeature } from './storage-endpoint.ts'

export interface GcsSettings {
  readonly kind: 'gcs'
  readonly endpoint: string
  readonly token: Secret
  readonly userProject: string | undefined
  readonly expiresAtMs: number | undefined
}

export interface AzureSettings {
  readonly kind: 'azure'
  /** undefined: the account's own. */
  readonly endpoint: string | undefined
  readonly sas: Secret
  readonly expiresAtMs: number | undefined
}

/** What a table's catalog gave, and the endpoints that the deployment sets for all tables. */
export interface TokenGrant {
  readonly storageCredentials: readonly StorageEntry[]
  readonly config: StorageProperties
}

/** Names under which catalogs tell the end of credentials whatever the store, in milliseconds since 1970. */
export const GENERAL_EXPIRY_PROPERTIES = ['expiration-time', 'expires-at-ms'] as const

const GCS_ENDPOINT = 'https://storage.googleapis.com'
const SAS = 'adls.sas-token'
const SAS_EXPIRY = 'adls.sas-token-expires-at-ms'
/** A query of an address: nothing that ends it or breaks a line. */
const SAS_TEXT = /^[A-Za-z0-9%&=:+/._~*,;!$'()@-]+$/

/** Throws AppError CATALOG_CREDENTIALS_NOT_VENDED, TABLE_UNSUPPORTED (an endpoint that the token may not go to). */
export function selectGcsSettings(uri: string, grant: TokenGrant, override: URL | undefined): GcsSettings {
  const entry = longestPrefix(uri, grant.storageCredentials, (config) => config.has('gcs.oauth2.token'))
  const properties = new Map([...grant.config, ...(entry?.config ?? [])])
  const text = textOf(properties)
  const token = properties.get('gcs.oauth2.token')
  if (!token || !/^[\x21-\x7e]+$/.test(token.reveal())) throw notVended('Google Cloud Storage')
  if (properties.has('gcs.decryption-key'))
    throw unusedFeature('customer’s key for its objects (gcs.decryption-key)')
  const userProject = text('gcs.user-project')
  return {
    kind: 'gcs',
    endpoint: override?.href ?? allowedGcsEndpoint(text('gcs.service.host')),
    token,
    userProject:
      userProject !== undefined && /^[a-z0-9:.-]{1,100}$/.test(userProject) ? userProject : undefined,
    expiresAtMs: expiryOf(text, ['gcs.oauth2.token-expires-at', ...GENERAL_EXPIRY_PROPERTIES]),
  }
}

/** Google's own names, regional and private ones among them, are followed; any other is the deployment's to set. */
function allowedGcsEndpoint(named: string | undefined): string {
  if (named === undefined || named === '') return GCS_ENDPOINT
  const url = URL.parse(/^[a-z]+:\/\//.test(named) ? named : `https://${named}`)
  if (url?.protocol === 'https:' && /(?:^|\.)googleapis\.com$/.test(url.hostname)) return url.href
  throw new AppError(
    'TABLE_UNSUPPORTED',
    'The catalog names an endpoint of Google Cloud Storage that is not one of Google’s. The token goes there only if LAKE_ICEBERG_GCS_ENDPOINT says so',
    { details: { feature: 'storage endpoint that the deployment does not set' } },
  )
}

/** Throws AppError CATALOG_CREDENTIALS_NOT_VENDED. Connection strings and keys of an account are not used. */
export function selectAzureSettings(
  uri: string,
  grant: TokenGrant,
  override: URL | undefined,
): AzureSettings {
  const location = parseAzureUri(uri)
  const entry = longestPrefix(uri, grant.storageCredentials, (config) => [...config.keys()].some(isSasName))
  const properties = new Map([...grant.config, ...(entry?.config ?? [])])
  const text = textOf(properties)
  // Without a name it is of the account that the entry's prefix names, or that the catalog calls the table's.
  const isOfAccount =
    (entry !== undefined && !isRoot(entry.prefix, uri)) || text('adls.account-name') === location.account
  const names = [...namesOf(location).map((name) => `.${name}`), ...(isOfAccount ? [''] : [])]
  const sas = names.map((name) => text(`${SAS}${name}`)).find((value) => value !== undefined)
  const query = sas?.replace(/^\?/, '')
  if (query === undefined || !SAS_TEXT.test(query) || !/(?:^|&)sig=/.test(query)) {
    throw notVended('Azure Storage')
  }
  return {
    kind: 'azure',
    endpoint: override?.href,
    sas: new Secret(query),
    expiresAtMs:
      expiryOf(text, [...names.map((name) => `${SAS_EXPIRY}${name}`), ...GENERAL_EXPIRY_PROPERTIES]) ??
      signedExpiry(query),
  }
}

/** How catalogs spell the account that a signature is of. */
function namesOf({ account, dfsHost, blobHost }: AzureLocation): string[] {
  return [dfsHost, blobHost, account]
}

/** The names of signatures begin as those of their ends do. */
function isSasName(name: string): boolean {
  return name === SAS || name.startsWith(`${SAS}.`)
}

/** `se` of a shared access signature. */
function signedExpiry(query: string): number | undefined {
  const text = new URLSearchParams(query).get('se')
  const atMs = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(atMs) ? undefined : atMs
}

/** Every end that these properties tell of a token or a signature. */
export function tokenExpiries(properties: StorageProperties): number[] {
  return [...properties].flatMap(([name, value]) => {
    if (name === 'gcs.oauth2.token-expires-at' || name.startsWith(SAS_EXPIRY)) {
      return expiryOf(() => value.reveal(), [name]) ?? []
    }
    return isSasName(name) ? (signedExpiry(value.reveal().replace(/^\?/, '')) ?? []) : []
  })
}

export function expiryOf(
  text: (name: string) => string | undefined,
  names: readonly string[],
): number | undefined {
  const said = names.map(text).find((value) => value !== undefined && /^\d{10,16}$/.test(value))
  return said === undefined ? undefined : Number(said)
}

function textOf(properties: StorageProperties): (name: string) => string | undefined {
  return (name) => properties.get(name)?.reveal()
}

function notVended(store: string): AppError {
  return new AppError(
    'CATALOG_CREDENTIALS_NOT_VENDED',
    `The catalog vended no credentials for a file of this table on ${store}; nothing else is tried in their place`,
  )
}
