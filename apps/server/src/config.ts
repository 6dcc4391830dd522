// The deployment's configuration: read from the environment once, validated whole before anything listens, and all
// faults reported together. The only file that reads the environment. docs/configuration.md describes each variable.
import { availableParallelism } from 'node:os'
import { AppError } from '@lake/core/errors.ts'
import type { SecretSetting } from './catalog/secrets.ts'
import { readAccess, type AccessConfig } from './config/access.ts'
import {
  createReader,
  parseEndpoint,
  VARIABLES,
  type Address,
  type Environment,
  type Reader,
} from './config/reader.ts'
import { readStatements, type StatementsConfig } from './config/state.ts'
import { Secret } from './observability/redaction.ts'

export type CatalogAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: SecretSetting }
  | {
      readonly kind: 'client-credentials'
      readonly credential: SecretSetting
      readonly serverUri: URL | undefined
      readonly scope: string | undefined
      readonly audience: string | undefined
      readonly resource: string | undefined
      readonly clientAuth: 'body' | 'basic'
    }

export interface S3Override {
  readonly endpoint: URL | undefined
  readonly region: string | undefined
  readonly isPathStyle: boolean | undefined
  readonly isAnonymous: boolean
}

export interface IcebergConfig {
  readonly endpoint: URL
  readonly warehouse: string
  readonly namespaces: readonly (readonly string[])[]
  readonly auth: CatalogAuth
  readonly storageAccess: 'vended-credentials' | 'remote-signing' | 'workload-identity'
  /** Origins besides the endpoint's that the catalog may name as its address. */
  readonly catalogOrigins: readonly string[]
  /** Origins besides the catalog's that the token may go to for signing. */
  readonly signerOrigins: readonly string[]
  readonly s3: S3Override
  /** Where tokens for Google Cloud Storage and signatures for Azure Storage go, in place of those services' own addresses. */
  readonly gcsEndpoint: URL | undefined
  readonly adlsEndpoint: URL | undefined
  readonly discovery: 'exact' | 'list'
}

export interface TicketKey {
  readonly id: string
  /** 32 bytes, base64. */
  readonly key: Secret
}

export interface Config extends AccessConfig {
  readonly iceberg: IcebergConfig | undefined
  readonly metrics: Address | undefined
  /** How long running requests may go on when the server is asked to end. */
  readonly drainMs: number
  /** First seals, all open. Empty: a key is made at start, and tickets end with the process. A reference is resolved at start. */
  readonly ticketKeys: readonly TicketKey[] | { readonly kind: 'reference'; readonly reference: string }
  /** undefined: statements run while somebody reads them, and not in the background. */
  readonly statements: StatementsConfig | undefined
  readonly cacheDirectory: string | undefined
  readonly cacheBytesMax: number
  readonly scanBytesMax: number
  readonly engineMemoryBytesMax: number
  readonly enginesMax: number
  readonly engineSpillBytesMax: number
  readonly engineThreads: number
  /** undefined: engine processes are of the server's user. */
  readonly engineUser: { readonly uid: number; readonly gid: number } | undefined
  readonly logLevel: string
}

const GIB = 1_073_741_824
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

/** The environment of this process, for `readConfig` and for secret references. */
export function processEnvironment(): Environment {
  return process.env
}

/**
 * Reads and validates the whole configuration.
 * @throws AppError INVALID_REQUEST whose `details.faults` names every fault, one line each, never a secret's value
 */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment)
  const config: Config = {
    iceberg: readIceberg(reader),
    ...readAccess(reader),
    metrics: reader.address('LAKE_METRICS_ADDR'),
    drainMs: reader.integer('LAKE_DRAIN_MS', 5_000, 0),
    ticketKeys: readTicketKeys(reader),
    statements: readStatements(reader),
    cacheDirectory: reader.text('LAKE_CACHE_DIR'),
    cacheBytesMax: reader.integer('LAKE_CACHE_BYTES_MAX', 2 * GIB, 0),
    scanBytesMax: reader.integer('LAKE_SCAN_BYTES_MAX', 20 * GIB, 1),
    engineMemoryBytesMax: reader.integer('LAKE_ENGINE_MEMORY_BYTES_MAX', 2 * GIB, 64 * 1_048_576),
    enginesMax: reader.integer('LAKE_ENGINES_MAX', 2, 1),
    engineSpillBytesMax: reader.integer('LAKE_ENGINE_SPILL_BYTES_MAX', 10 * GIB, 0),
    engineUser: readEngineUser(reader),
    engineThreads: reader.integer('LAKE_ENGINE_THREADS', availableParallelism(), 1),
    logLevel: reader.choice('LAKE_LOG_LEVEL', LOG_LEVELS) ?? 'info',
  }
  if (config.statements && config.enginesMax < 2)
    reader.fault(
      'LAKE_ENGINES_MAX',
      'must be 2 or more where LAKE_STATE_URL is set, so that statements in the background leave one for those who wait',
    )
  if (reader.faults.length > 0) {
    const faults = [...reader.faults]
    throw new AppError('INVALID_REQUEST', `The configuration has faults:\n  ${faults.join('\n  ')}`, {
      details: { faults },
    })
  }
  return config
}

function readEngineUser(reader: Reader): Config['engineUser'] {
  const name = 'LAKE_ENGINE_USER'
  const text = reader.text(name)
  if (text === undefined) return undefined
  const [, uid, gid] = /^([1-9]\d{0,9}):([1-9]\d{0,9})$/.exec(text) ?? []
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  reader.fault(name, 'must be uid:gid, both numbers and not 0')
  return undefined
}

function readIceberg(reader: Reader): IcebergConfig | undefined {
  const endpoint = reader.url('LAKE_ICEBERG_REST_ENDPOINT')
  const warehouse = reader.text('LAKE_ICEBERG_WAREHOUSE')
  const namespaces = readNamespaces(reader)
  const triple = ['LAKE_ICEBERG_REST_ENDPOINT', 'LAKE_ICEBERG_WAREHOUSE', 'LAKE_ICEBERG_NAMESPACES'] as const
  const missing = triple.filter((name) => reader.text(name) === undefined)
  if (missing.length > 0 && missing.length < triple.length) {
    for (const name of missing)
      reader.fault(
        name,
        `is required, because ${triple.filter((n) => !missing.includes(n)).join(' and ')} is set`,
      )
  }
  const s3 = readS3Override(reader)
  const storageAccess = reader.choice('LAKE_ICEBERG_STORAGE_ACCESS', STORAGE_ACCESSES) ?? 'vended-credentials'
  const settings = {
    auth: readAuth(reader),
    storageAccess,
    catalogOrigins: readOrigins(reader, 'LAKE_ICEBERG_REST_ORIGINS'),
    signerOrigins: readSignerOrigins(reader, storageAccess),
    s3,
    gcsEndpoint: reader.url('LAKE_ICEBERG_GCS_ENDPOINT'),
    adlsEndpoint: reader.url('LAKE_ICEBERG_ADLS_ENDPOINT'),
    discovery: reader.choice('LAKE_ICEBERG_DISCOVERY', ['exact', 'list'] as const) ?? 'exact',
  }
  if (endpoint === undefined || warehouse === undefined || namespaces === undefined) return undefined
  return { endpoint, warehouse, namespaces, ...settings }
}

const STORAGE_ACCESSES = ['vended-credentials', 'remote-signing', 'workload-identity'] as const

function readSignerOrigins(reader: Reader, access: IcebergConfig['storageAccess']): readonly string[] {
  const name = 'LAKE_ICEBERG_SIGNER_ORIGINS'
  if (reader.text(name) !== undefined && access !== 'remote-signing')
    reader.fault(name, 'needs LAKE_ICEBERG_STORAGE_ACCESS=remote-signing')
  return readOrigins(reader, name)
}

function readOrigins(
  reader: Reader,
  name: 'LAKE_ICEBERG_REST_ORIGINS' | 'LAKE_ICEBERG_SIGNER_ORIGINS',
): readonly string[] {
  const text = reader.text(name)
  if (text === undefined) return []
  return text.split(',').flatMap((part) => {
    const url = parseEndpoint(part.trim(), (words) => {
      reader.fault(name, words)
    })
    if (url && url.pathname !== '/') reader.fault(name, 'must be origins, without a path')
    return url ? [url.origin] : []
  })
}

function readS3Override(reader: Reader): S3Override {
  const endpoint = reader.url('LAKE_ICEBERG_S3_ENDPOINT')
  const region = reader.text('LAKE_ICEBERG_S3_REGION')
  if ((reader.text('LAKE_ICEBERG_S3_ENDPOINT') === undefined) !== (region === undefined)) {
    reader.fault('LAKE_ICEBERG_S3_ENDPOINT', 'and LAKE_ICEBERG_S3_REGION go together: set both or neither')
  }
  return {
    endpoint,
    region,
    isPathStyle: reader.boolean('LAKE_ICEBERG_S3_PATH_STYLE'),
    isAnonymous: reader.boolean('LAKE_ICEBERG_S3_ANONYMOUS') ?? false,
  }
}

function readAuth(reader: Reader): CatalogAuth {
  const token = reader.secret('LAKE_ICEBERG_REST_TOKEN')
  const credential = reader.secret('LAKE_ICEBERG_REST_CREDENTIAL')
  const oauth = {
    serverUri: reader.url('LAKE_ICEBERG_REST_OAUTH2_SERVER_URI'),
    scope: reader.rawText('LAKE_ICEBERG_REST_OAUTH_SCOPE'),
    audience: reader.text('LAKE_ICEBERG_REST_OAUTH_AUDIENCE'),
    resource: reader.text('LAKE_ICEBERG_REST_OAUTH_RESOURCE'),
    clientAuth: reader.choice('LAKE_ICEBERG_REST_OAUTH_CLIENT_AUTH', ['body', 'basic'] as const) ?? 'body',
  }
  if (token && credential) {
    reader.fault('LAKE_ICEBERG_REST_TOKEN', 'and LAKE_ICEBERG_REST_CREDENTIAL are mutually exclusive')
  }
  if (credential?.kind === 'inline' && !credential.secret.reveal().includes(':')) {
    reader.fault('LAKE_ICEBERG_REST_CREDENTIAL', 'must be client-id:client-secret')
  }
  if (!credential) {
    for (const name of VARIABLES.filter((variable) => variable.startsWith('LAKE_ICEBERG_REST_OAUTH'))) {
      if (reader.rawText(name) !== undefined) reader.fault(name, 'needs LAKE_ICEBERG_REST_CREDENTIAL')
    }
  }
  if (credential) return { kind: 'client-credentials', credential, ...oauth }
  return token ? { kind: 'token', token } : { kind: 'none' }
}

function readNamespaces(reader: Reader): readonly (readonly string[])[] | undefined {
  const name = 'LAKE_ICEBERG_NAMESPACES'
  const text = reader.text(name)
  if (text === undefined) return undefined
  const namespaces = text.trimStart().startsWith('[') ? parseNamespaceJson(text) : parseNamespaceList(text)
  if (namespaces === undefined) {
    reader.fault(
      name,
      'must be names parted by commas (levels by dots), or JSON arrays of levels such as ["a","b.c"]',
    )
    return undefined
  }
  const joined = namespaces.map((levels) => levels.join('.').toLowerCase())
  const repeated = joined.find((value, index) => joined.indexOf(value) !== index)
  if (repeated !== undefined) {
    reader.fault(name, `two namespaces would both be written "${repeated}" in SQL`)
  }
  return namespaces
}

function parseNamespaceList(text: string): readonly (readonly string[])[] | undefined {
  const namespaces = text.split(',').map((part) => part.trim().split('.'))
  return namespaces.every((levels) => levels.every((level) => level !== '')) ? namespaces : undefined
}

function parseNamespaceJson(text: string): readonly (readonly string[])[] | undefined {
  try {
    const outer: unknown = JSON.parse(text.trim().startsWith('[[') ? text : `[${text}]`)
    const isLevels = (value: unknown): value is string[] =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((level) => typeof level === 'string' && level !== '')
    return Array.isArray(outer) && outer.length > 0 && outer.every(isLevels) ? outer : undefined
  } catch {
    return undefined
  }
}

function readTicketKeys(reader: Reader): Config['ticketKeys'] {
  const name = 'LAKE_TICKET_KEYS'
  const text = reader.rawText(name)
  if (text === undefined) return []
  const setting = reader.secret(name)
  if (setting?.kind === 'reference') return setting
  const keys = setting && parseTicketKeys(setting.secret.reveal())
  if (keys !== undefined) return keys
  // A JSON object of another shape has its own words.
  if (setting !== undefined || text.trim() === '') reader.fault(name, `must be ${TICKET_KEYS_FORM}`)
  return []
}

export const TICKET_KEYS_FORM =
  'id:key pairs parted by commas, each key 32 bytes in base64, and no id twice; or a reference to such a text'

/** `id:key` pairs parted by commas, each key 32 bytes in base64, no id twice; undefined for anything else. */
export function parseTicketKeys(text: string): readonly TicketKey[] | undefined {
  const keys: TicketKey[] = []
  for (const part of text.split(',')) {
    const [id, key, ...rest] = part.trim().split(':')
    const isKey = key !== undefined && Buffer.from(key, 'base64').length === 32
    if (id === undefined || !/^[A-Za-z0-9_-]{1,32}$/.test(id) || !isKey || rest.length > 0) return undefined
    if (keys.some((known) => known.id === id)) return undefined
    keys.push({ id, key: new Secret(key) })
  }
  return keys
}
