// The variables, and how the text of one is read. Faults are collected, so that all are reported at once, and none of
// them shows a secret's value.
import { parseSecretSetting, type SecretSetting } from '../catalog/secrets.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Address {
  readonly host: string
  readonly port: number
}

/** Every variable that is read; docs/configuration.md lists the same. */
export const VARIABLES = [
  'LAKE_ICEBERG_REST_ENDPOINT',
  'LAKE_ICEBERG_REST_ORIGINS',
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
  'LAKE_ICEBERG_GCS_ENDPOINT',
  'LAKE_ICEBERG_ADLS_ENDPOINT',
  'LAKE_ICEBERG_DISCOVERY',
  'LAKE_HTTP_ADDR',
  'LAKE_METRICS_ADDR',
  'LAKE_DRAIN_MS',
  'LAKE_PUBLIC_URL',
  'LAKE_PRINCIPALS',
  'LAKE_OIDC_ISSUER',
  'LAKE_OIDC_CLIENT_ID',
  'LAKE_OIDC_CLIENT_SECRET',
  'LAKE_OIDC_SCOPE',
  'LAKE_OIDC_NAME_CLAIM',
  'LAKE_OIDC_GRANTS_CLAIM',
  'LAKE_OIDC_GRANTS',
  'LAKE_OIDC_AUDIENCE',
  'LAKE_PRINCIPAL_REQUESTS_PER_MINUTE_MAX',
  'LAKE_PRINCIPAL_STATEMENTS_MAX',
  'LAKE_PRINCIPAL_BYTES_PER_DAY_MAX',
  'LAKE_PRINCIPAL_KEPT_BYTES_MAX',
  'LAKE_AUDIT_SINK',
  'LAKE_AUDIT_SQL',
  'LAKE_TRUSTED_PROXIES',
  'LAKE_TICKET_KEYS',
  'LAKE_STATE_URL',
  'LAKE_RESULTS_URL',
  'LAKE_RESULTS_S3_ENDPOINT',
  'LAKE_RESULTS_S3_REGION',
  'LAKE_RESULTS_S3_PATH_STYLE',
  'LAKE_RESULTS_S3_CREDENTIAL',
  'LAKE_CACHE_DIR',
  'LAKE_CACHE_BYTES_MAX',
  'LAKE_SCAN_BYTES_MAX',
  'LAKE_ENGINE_MEMORY_BYTES_MAX',
  'LAKE_ENGINES_MAX',
  'LAKE_ENGINE_SPILL_BYTES_MAX',
  'LAKE_ENGINE_THREADS',
  'LAKE_ENGINE_USER',
  'LAKE_LOG_LEVEL',
] as const
export type Variable = (typeof VARIABLES)[number]

/** True for 127.0.0.0/8 and ::1 written as numbers; a name such as `localhost` may resolve to anything. */
export function isLoopbackHost(host: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === '[::1]'
}

export interface Reader {
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

export function createReader(environment: Environment): Reader {
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
export function parseEndpoint(value: string, fault: (words: string) => void): URL | undefined {
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
