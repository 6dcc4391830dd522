// Damaged words of catalogs and token servers, as they are obeyed: configuration and the addresses made from it, tokens,
// signatures, refusals, properties of storage; and damaged settings of the deployment.
import { describe } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { catalogFailure } from '../../src/catalog/catalog-failure.ts'
import { readSetup } from '../../src/catalog/catalog-setup.ts'
import { oauthError, parseTokenAnswer } from '../../src/catalog/client-credentials.ts'
import { catalogUrl, resolveEndpoint, tablePath } from '../../src/catalog/paths.ts'
import { parseSignature } from '../../src/catalog/request-signing.ts'
import { configAnswer, listTablesAnswer, parseAnswer } from '../../src/catalog/rest-schemas.ts'
import { parseSecretSetting } from '../../src/catalog/secrets.ts'
import { asSecrets } from '../../src/catalog/table-credentials.ts'
import { readConfig } from '../../src/config.ts'
import { LIMITS } from '../../src/limits.ts'
import { parseStorageEndpoint } from '../../src/storage/storage-endpoint.ts'
import { createTablePaths } from '../../src/storage/table-paths.ts'
import { readPathMap } from '../../src/storage/table-storage.ts'
import { credentialsEndAtMs, selectSettings } from '../../src/storage/vended-credentials.ts'
import { fuzz } from './fuzz.ts'
import type { Random } from './mutate-bytes.ts'
import { mutateJson, type Json } from './mutate-json.ts'
import { bytesOf, jsonTarget, textTarget } from './text-targets.ts'

const BASE = new URL('https://catalog.example/api/catalog')

/** Every address that is asked is below the one that is configured or allowed. */
function checkAddress(url: URL, root: string): string {
  if (url.origin !== BASE.origin || url.username !== '' || url.hash !== '')
    throw new Error(`left: ${url.href}`)
  if (!url.pathname.startsWith(root)) throw new Error(`above ${root}: ${url.href}`)
  return url.href
}

describe('[RC1] [RC4] [FZ1] the configuration of a catalog', () => {
  fuzz('configuration, as it is obeyed', {
    ...jsonTarget,
    inputs: [
      JSON.stringify({
        defaults: { prefix: 'catalogs/a%2Fb', 'namespace-separator': '%2E', uri: null },
        overrides: { uri: 'https://catalog.example/other/', token: 'x' },
        endpoints: ['GET /v1/{prefix}/namespaces'],
      }),
      JSON.stringify({ overrides: { prefix: 'main|wh', 'namespace-separator': '.' } }),
    ],
    runs: 2_000,
    codes: ['CATALOG_UNAVAILABLE', 'CATALOG_REFUSED', 'INVALID_REQUEST'],
    run: (text) => {
      const answer = parseAnswer(configAnswer, text, 'configuration')
      const { base, root, separator } = readSetup({ endpoint: BASE, catalogOrigins: [] }, answer)
      const path = tablePath({ namespace: ['a', 'é/b'], table: 't.1' }, separator)
      return checkAddress(catalogUrl(base, root + path, { snapshots: 'refs' }), base.pathname)
    },
  })
  fuzz('pages of tables, and the next one', {
    ...jsonTarget,
    inputs: [JSON.stringify({ identifiers: [{ namespace: ['a'], name: 't' }], 'next-page-token': 'a/+ é' })],
    runs: 500,
    codes: ['CATALOG_UNAVAILABLE', 'INVALID_REQUEST'],
    run: (text) => {
      const list = parseAnswer(listTablesAnswer, text, 'list of tables')
      const urls = (list.identifiers ?? []).map(({ namespace, name }) =>
        catalogUrl(BASE, `/v1${tablePath({ namespace, table: name }, '%1F')}`),
      )
      const next = catalogUrl(BASE, '/v1/namespaces', { pageToken: list['next-page-token'] ?? '' })
      return [...urls, next].map((url) => checkAddress(url, '/api/catalog/v1/namespaces'))
    },
  })
  fuzz('endpoints that a table names', {
    ...textTarget,
    inputs: ['v1/aws/s3/sign', '/v1/p/s3-sign2/a%2Fb', 'https://other.example/sign?x=1', 'http://[::1]:80/'],
    isTotal: true,
    runs: 1_000,
    run: (text) => resolveEndpoint(text, BASE.href)?.href,
  })
})

const jwt = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), 'x']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
const NOW_MS = 1_800_000_000_000

describe('[RC16] [FZ1] token servers', () => {
  fuzz('tokens and their ends', {
    ...jsonTarget,
    inputs: [
      JSON.stringify({ access_token: 'opaque', token_type: 'bearer', expires_in: 3_600 }),
      JSON.stringify({ access_token: jwt({ exp: 1_800_000_600, sub: 'a' }), expires_in: null }),
      JSON.stringify({ access_token: jwt({ exp: '1' }), token_type: 'N_A', scope: '' }),
    ],
    runs: 1_000,
    codes: ['CATALOG_UNAVAILABLE'],
    run: (text) => {
      const { secret, expiresAtMs } = parseTokenAnswer(text, NOW_MS)
      if (Number.isNaN(expiresAtMs) || secret.reveal() === '') throw new Error('no end, or no token')
      return String(secret)
    },
  })
  fuzz('claims of tokens', {
    ...jsonTarget,
    inputs: [JSON.stringify({ exp: 1_800_000_600, iat: 1 })],
    isTotal: true,
    run: (text) => {
      const token = `h.${Buffer.from(text).toString('base64url')}.s`
      const { expiresAtMs } = parseTokenAnswer(JSON.stringify({ access_token: token }), NOW_MS)
      if (!(expiresAtMs > NOW_MS)) throw new Error(`ends at ${expiresAtMs}`)
    },
  })
  fuzz('refusals', {
    ...jsonTarget,
    inputs: [JSON.stringify({ error: 'invalid_scope', error_description: 'secret words' })],
    isTotal: true,
    run: (text) => {
      if (!/^(?: [a-z_]{1,40})?$/.test(oauthError(text))) throw new Error('more than a code')
    },
  })
})

const STATUSES = [304, 303, 400, 401, 403, 404, 405, 408, 419, 422, 429, 500, 501, 503, 599] as const
const HEADERS = ['7', 'Thu, 01 Jan 2026 00:00:30 GMT', '999999999', '-1', '1e9']

describe('[RC12] [FZ1] answers that are none', () => {
  fuzz('statuses, bodies and times to wait', {
    ...jsonTarget,
    inputs: HEADERS.map((retryAfter, index) =>
      JSON.stringify({ status: index, retryAfter, error: { message: 'no', type: 'X' } }),
    ),
    isTotal: true,
    runs: 1_000,
    run: (text) => {
      const said = /"retryAfter":"([^"]*)"/.exec(text)?.[1]
      const answer = {
        status: STATUSES[text.length % STATUSES.length] ?? 500,
        headers: { 'retry-after': said, date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
        bytes: bytesOf(text),
        text,
      }
      const { message, details } = catalogFailure(answer, 'NO_SUCH_TABLE', 'the table ns.t')
      const waitMs = details?.retryAfterMs ?? LIMITS.catalogRetryAfterMs
      if (!(waitMs >= LIMITS.catalogRetryAfterMs && waitMs <= LIMITS.catalogRetryAfterMsMax))
        throw new Error(`waits ${waitMs}`)
      if (message.length > 1_000) throw new Error('very many words')
    },
  })
  fuzz('signatures', {
    ...jsonTarget,
    inputs: [
      JSON.stringify({
        uri: 'https://s3.example/b/k?x=1',
        headers: { Authorization: ['a'], 'X-Amz-Date': 'd' },
      }),
    ],
    codes: ['CATALOG_UNAVAILABLE'],
    run: parseSignature,
  })
})

const GRANT = {
  config: {
    's3.endpoint': 'https://s3.example',
    'client.region': 'r',
    's3.path-style-access': 'true',
    'gcs.service.host': 'storage.googleapis.com',
    'adls.account-name': 'account',
    'lake.path-map': '{"/warehouse":"s3://b/w"}',
  },
  credentials: [
    {
      prefix: 's3://b/t',
      config: {
        's3.access-key-id': 'a',
        's3.secret-access-key': 'b',
        's3.session-token-expires-at-ms': '1800000000000',
      },
    },
    { prefix: 'gs://b', config: { 'gcs.oauth2.token': 't', 'gcs.oauth2.token-expires-at': '1800000000000' } },
    {
      prefix: 'abfss://c@account.dfs.core.windows.net/',
      config: { 'adls.sas-token.account.dfs.core.windows.net': '?sv=1&se=2030-01-01T00%3A00%3A00Z&sig=x' },
    },
  ],
}
const FILES = ['s3://b/t/f', 'gs://b/f', 'abfss://c@account.dfs.core.windows.net/f']
const OVERRIDES = {
  storageAccess: 'vended-credentials',
  s3: { endpoint: undefined, region: undefined, isPathStyle: undefined, isAnonymous: false },
  gcsEndpoint: undefined,
  adlsEndpoint: undefined,
} as const
const STORAGE_CODES = [
  'CATALOG_CREDENTIALS_NOT_VENDED',
  'TABLE_UNSUPPORTED',
  'TABLE_CORRUPT',
  'CATALOG_UNAVAILABLE',
] as const

/** The texts of properties have forms of their own. */
function damageOneText(json: Json, random: Random): Json {
  const texts: string[] = []
  JSON.stringify(json, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  const chosen = texts[Math.floor(random() * texts.length)] ?? ''
  const damaged = textTarget.mutate([chosen], random)
  return JSON.parse(
    JSON.stringify(json, (_key, value: unknown) => (value === chosen ? damaged : value)),
  ) as Json
}

/** As `rest-schemas` reads a map of properties: what is no text is left out. */
function propertiesOf(json: unknown): Record<string, string> {
  const entries = typeof json === 'object' && json !== null ? Object.entries(json) : []
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

describe('[CR1] [CR10] [FZ1] properties of storage', () => {
  fuzz('credentials, endpoints and maps of paths', {
    inputs: [GRANT as unknown as Json],
    mutate: (inputs, random) =>
      random() < 0.4 ? mutateJson(inputs, random) : damageOneText(inputs[0]!, random),
    sizeOf: (json) => JSON.stringify(json).length,
    multiple: 256,
    runs: 1_500,
    codes: STORAGE_CODES,
    run: (json) => {
      const { config, credentials } = (json ?? {}) as { config?: unknown; credentials?: unknown }
      const grant = {
        config: asSecrets(propertiesOf(config)),
        storageCredentials: (Array.isArray(credentials) ? (credentials as unknown[]) : []).map((entry) => {
          const { prefix, config: own } = propertiesAnd(entry)
          return { prefix, config: asSecrets(own) }
        }),
      }
      const paths = createTablePaths(readPathMap(grant))
      const endsAtMs = credentialsEndAtMs(grant)
      if (Number.isNaN(endsAtMs)) throw new Error('an end that is no time')
      // Each by itself, so that what one refuses does not hide another.
      const outcomes = FILES.map((uri) =>
        settingsOf(uri, () => selectSettings(paths.canonicalUri(uri), grant, OVERRIDES)),
      )
      const failures = outcomes.filter((outcome) => outcome instanceof Error)
      if (failures.length > 0) throw failures[0]
    },
  })
  fuzz('files of the catalog’s own shape', {
    ...textTarget,
    inputs: ['https://s3.example:9000/x', 'http://127.0.0.1:9000', 'https://[::1]/'],
    run: (text) => {
      const { protocol, hostname, username } = parseStorageEndpoint(text)
      const isSafe = protocol === 'https:' || (protocol === 'http:' && /^(?:127\.|\[::1\])/.test(hostname))
      if (!isSafe || username !== '') throw new Error('credentials would go there')
    },
  })
})

function propertiesAnd(entry: unknown): { prefix: string; config: Record<string, string> } {
  const { prefix, config } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<
    string,
    unknown
  >
  return { prefix: typeof prefix === 'string' ? prefix : '', config: propertiesOf(config) }
}

/** The refusal, or undefined where there are settings that credentials may be sent by. */
function settingsOf(uri: string, select: () => ReturnType<typeof selectSettings>): Error | undefined {
  try {
    const settings = select()
    const { endpoint } = settings
    if (endpoint !== undefined) parseStorageEndpoint(endpoint)
    if (settings.kind === 'gcs' && !/(?:^|\.)googleapis\.com$/.test(new URL(settings.endpoint).hostname))
      throw new Error(`the token for ${uri} would go elsewhere`)
    return undefined
  } catch (error) {
    return error as Error
  }
}

const ENVIRONMENT = {
  LAKE_ICEBERG_REST_ENDPOINT: 'https://catalog.example/api',
  LAKE_ICEBERG_WAREHOUSE: 'w',
  LAKE_ICEBERG_NAMESPACES: '["a","b.c"],["d"]',
  LAKE_ICEBERG_REST_CREDENTIAL: '{"secret_ref":"file:/run/secrets/x"}',
  LAKE_ICEBERG_REST_ORIGINS: 'https://a.example, https://b.example',
  LAKE_ICEBERG_S3_ENDPOINT: 'http://127.0.0.1:9000',
  LAKE_ICEBERG_S3_REGION: 'r',
  LAKE_ICEBERG_S3_PATH_STYLE: 'true',
  LAKE_HTTP_ADDR: '[::1]:8321',
  LAKE_TICKET_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}`,
  LAKE_STATE_URL: 'file:///var/lib/lake',
  LAKE_RESULTS_URL: 's3://bucket/prefix',
  LAKE_SCAN_BYTES_MAX: '1000',
  LAKE_ENGINES_MAX: '2',
  LAKE_ENGINE_USER: '1:1',
}

describe('[CF5] [CF7] [FZ1] settings of a deployment', () => {
  fuzz('secrets and references', {
    ...textTarget,
    inputs: [
      '{"secret_ref":"file:/run/x"}',
      '{"secret_ref":"aws-sm:n#k"}',
      'a-token',
      ' {"secret_ref":"env:X"}',
    ],
    isTotal: true,
    runs: 2_000,
    run: (text) => {
      const setting = parseSecretSetting(text)
      if (setting.kind === 'inline' && text.trimStart().startsWith('{'))
        throw new Error('an object became a secret')
      if (setting.kind === 'reference' && !/^(?:file|env|aws-sm):./su.test(setting.reference))
        throw new Error('a reference that nothing resolves')
    },
  })
  fuzz('whole configurations', {
    inputs: [ENVIRONMENT],
    mutate: (inputs: readonly Record<string, string>[], random) => {
      const [environment] = inputs
      const names = Object.keys(environment ?? {})
      const name = names[Math.floor(random() * names.length)] ?? ''
      return { ...environment, [name]: textTarget.mutate([environment?.[name] ?? ''], random) }
    },
    sizeOf: () => 1_000,
    runs: 1_000,
    multiple: 256,
    codes: ['INVALID_REQUEST'],
    run: (environment) => {
      try {
        readConfig(environment)
      } catch (error) {
        const faults = isAppError(error) ? (error.details?.faults ?? []) : []
        if (isAppError(error) && faults.length === 0)
          throw new Error('refused without a fault', { cause: error })
        throw error
      }
    },
  })
})
