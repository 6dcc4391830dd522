// The deployment's configuration: read from the environment once, validated whole before anything listens, and all
// faults reported together. The only file that reads the environment. docs/configuration.md describes each variable.
import { availableParallelism } from 'node:os'
import { AppError } from '@lake/core/errors.ts'
import { parseSecretSetting, type SecretSetting } from './catalog/secrets.ts'
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
  /** Origins besides the catalog's that the token may go to for signing. */
  readonly signerOrigins: readonly string[]
  readonly s3: S3Override
  readonly discovery: 'exact' | 'list'
}

export interface Address {
  readonly host: string
  readonly port: number
}

export interface TicketKey {
  readonly id: string
  /** 32 bytes, base64. */
  readonly key: Secret
}

export interface Config {
  readonly iceberg: IcebergConfig | undefined
  readonly http: Address
  readonly metrics: Address | undefined
  /** First seals, all open. Empty: a key is made at start, and tickets end with the process. */
  readonly ticketKeys: readonly TicketKey[]
  readonly cacheDirectory: string | undefined
  readonly cacheBytesMax: number
  readonly scanBytesMax: number
  readonly engineMemoryBytesMax: number
  readonly enginesMax: number
  readonly engineSpillBytesMax: number
  readonly engineThreads: number
  readonly logLevel: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Every variable that is read; docs/configuration.md lists the same. */
export const VARIABLES = [
  'LAKE_ICEBERG_REST_ENDPOINT',
  'LAKE_ICEBERG_WAREHOUSE',
  'LAKE_ICEBERG_NAMESPACES',
  'LAKE_ICEBERG_REST_TOKEN',
  'LAKE_ICEBERG_REST_CREDENTIAL',
  'LAKE_ICEBERG_REST_OAUTH2_SERVER_URI',
  'LAKE_ICEBERG_REST_OAUTH_SCOPE',
  'LAKE_ICEBERG_REST_OAUTH_AUDIENCE',
  'LAKE_ICEBERG_REST_OAUTH_RESOURCE',
  'LAKE_ICEBERG_REST_OAUTH_CLIENT_AUTH',
  'LAKE_ICEBERG_STORAGE_ACCESS',
  'LAKE_ICEBERG_SIGNER_ORIGINS',
  'LAKE_ICEBERG_S3_ENDPOINT',
  'LAKE_ICEBERG_S3_REGION',
  'LAKE_ICEBERG_S3_PATH_STYLE',
  'LAKE_ICEBERG_S3_ANONYMOUS',
  'LAKE_ICEBERG_DISCOVERY',
  'LAKE_HTTP_ADDR',
  'LAKE_METRICS_ADDR',
  'LAKE_TICKET_KEYS',
  'LAKE_CACHE_DIR',
  'LAKE_CACHE_BYTES_MAX',
  'LAKE_SCAN_BYTES_MAX',
  'LAKE_ENGINE_MEMORY_BYTES_MAX',
  'LAKE_ENGINES_MAX',
  'LAKE_ENGINE_SPILL_BYTES_MAX',
  'LAKE_ENGINE_THREADS',
  'LAKE_LOG_LEVEL',
] as const
export type Variable = (typeof VARIABLES)[number]

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
  const http = reader.address('LAKE_HTTP_ADDR') ?? { host: '127.0.0.1', port: 8321 }
  if (!isLoopbackHost(http.host)) {
    reader.fault('LAKE_HTTP_ADDR', 'must be a loopback address: no authentication is configured')
  }
  const config: Config = {
    iceberg: readIceberg(reader),
    http,
    metrics: reader.address('LAKE_METRICS_ADDR'),
    ticketKeys: readTicketKeys(reader),
    cacheDirectory: reader.text('LAKE_CACHE_DIR'),
    cacheBytesMax: reader.integer('LAKE_CACHE_BYTES_MAX', 2 * GIB, 0),
    scanBytesMax: reader.integer('LAKE_SCAN_BYTES_MAX', 20 * GIB, 1),
    engineMemoryBytesMax: reader.integer('LAKE_ENGINE_MEMORY_BYTES_MAX', 2 * GIB, 64 * 1_048_576),
    enginesMax: reader.integer('LAKE_ENGINES_MAX', 2, 1),
    engineSpillBytesMax: reader.integer('LAKE_ENGINE_SPILL_BYTES_MAX', 10 * GIB, 0),
    engineThreads: reader.integer('LAKE_ENGINE_THREADS', availableParallelism(), 1),
    logLevel: reader.choice('LAKE_LOG_LEVEL', LOG_LEVELS) ?? 'info',
  }
  if (reader.faults.length > 0) {
    const faults = [...reader.faults]
    throw new AppError('INVALID_REQUEST', `The configuration has faults:\n  ${faults.join('\n  ')}`, {
      details: { faults },
    })
  }
  return config
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
    signerOrigins: readSignerOrigins(reader, storageAccess),
    s3,
    discovery: reader.choice('LAKE_ICEBERG_DISCOVERY', ['exact', 'list'] as const) ?? 'exact',
  }
  if (endpoint === undefined || warehouse === undefined || namespaces === undefined) return undefined
  return { endpoint, warehouse, namespaces, ...settings }
}

const STORAGE_ACCESSES = ['vended-credentials', 'remote-signing', 'workload-identity'] as const

function readSignerOrigins(reader: Reader, access: IcebergConfig['storageAccess']): readonly string[] {
  const name = 'LAKE_ICEBERG_SIGNER_ORIGINS'
  const text = reader.text(name)
  if (text === undefined) return []
  if (access !== 'remote-signing') reader.fault(name, 'needs LAKE_ICEBERG_STORAGE_ACCESS=remote-signing')
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

function readTicketKeys(reader: Reader): readonly TicketKey[] {
  const name = 'LAKE_TICKET_KEYS'
  const setting = reader.rawText(name)
  if (setting === undefined) return []
  const keys: TicketKey[] = []
  for (const part of setting.split(',')) {
    const [id, key, ...rest] = part.trim().split(':')
    const isKey = key !== undefined && Buffer.from(key, 'base64').length === 32
    if (id === undefined || !/^[A-Za-z0-9_-]{1,32}$/.test(id) || !isKey || rest.length > 0) {
      reader.fault(name, 'must be id:key pairs parted by commas, each key 32 bytes in base64')
      return []
    }
    keys.push({ id, key: new Secret(key) })
  }
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) reader.fault(name, 'names a key id twice')
  return keys
}

/** True for 127.0.0.0/8 and ::1 written as numbers; a name such as `localhost` may resolve to anything. */
function isLoopbackHost(host: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === '[::1]'
}

interface Reader {
  readonly faults: readonly string[]
  fault(name: Variable, words: string): void
  /** undefined where unset or blank. */
  text(name: Variable): string | undefined
  /** undefined only where unset. */
  rawText(name: Variable): string | undefined
  url(name: Variable): URL | undefined
  boolean(name: Variable): boolean | undefined
  integer(name: Variable, fallback: number, min: number): number
  choice<const Choice extends string>(name: Variable, choices: readonly Choice[]): Choice | undefined
  secret(name: Variable): SecretSetting | undefined
  address(name: Variable): Address | undefined
}

function createReader(environment: Environment): Reader {
  const faults: string[] = []
  const fault = (name: Variable, words: string): void => {
    faults.push(`${name} ${words}`)
  }
  const text = (name: Variable): string | undefined => {
    const value = environment[name]?.trim()
    return value === undefined || value === '' ? undefined : value
  }
  return {
    faults,
    fault,
    text,
    rawText: (name) => environment[name],
    url(name) {
      const value = text(name)
      return value === undefined
        ? undefined
        : parseEndpoint(value, (words) => {
            fault(name, words)
          })
    },
    boolean(name) {
      const value = text(name)
      if (value === undefined || value === 'true' || value === 'false')
        return value === undefined ? undefined : value === 'true'
      fault(name, 'must be true or false')
      return undefined
    },
    integer(name, fallback, min) {
      const value = text(name)
      if (value === undefined) return fallback
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      if (number >= min) return number
      fault(name, `must be a whole number, at least ${min}`)
      return fallback
    },
    choice(name, choices) {
      const value = text(name)
      const found = choices.find((choice) => choice === value)
      if (value !== undefined && found === undefined) fault(name, `must be one of ${choices.join(', ')}`)
      return found
    },
    secret(name) {
      const value = text(name)
      if (value === undefined) return undefined
      const setting = parseSecretSetting(value)
      if (setting.kind !== 'fault') return setting
      fault(name, setting.fault)
      return undefined
    },
    address(name) {
      const value = text(name)
      if (value === undefined) return undefined
      const match = /^(\[[0-9a-f:]+\]|[^:[\]]+):(\d{1,5})$/i.exec(value)
      const port = Number(match?.[2])
      if (match?.[1] !== undefined && port <= 65_535) return { host: match[1].replaceAll(/[[\]]/g, ''), port }
      fault(name, 'must be host:port')
      return undefined
    },
  }
}

/** https anywhere, http for numeric loopback only, no user info, query or fragment. */
function parseEndpoint(value: string, fault: (words: string) => void): URL | undefined {
  if (!URL.canParse(value)) {
    fault('must be a URL')
    return undefined
  }
  const url = new URL(value)
  const isPlainLoopback = url.protocol === 'http:' && isLoopbackHost(url.hostname)
  if (url.protocol !== 'https:' && !isPlainLoopback)
    fault('must be https:, or http: to a numeric loopback address')
  else if (url.username !== '' || url.password !== '') fault('must not hold a user name or password')
  else if (url.search !== '' || url.hash !== '') fault('must not have a query or fragment')
  else return url
  return undefined
}
