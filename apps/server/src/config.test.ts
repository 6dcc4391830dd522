import { describe, expect, it } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { readConfig } from './config.ts'
import { parsePostgresUrl } from './config/state.ts'
import { Secret } from './observability/redaction.ts'

const TRIPLE = {
  LAKE_ICEBERG_REST_ENDPOINT: 'https://catalog.example/api',
  LAKE_ICEBERG_WAREHOUSE: 'w',
  LAKE_ICEBERG_NAMESPACES: 'analytics, models.v2',
}

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (!isAppError(error, 'INVALID_REQUEST')) throw error
    return error.details?.faults ?? []
  }
}

describe('readConfig', () => {
  it('[CF1] reads the triple, and no catalog where all of it is unset', () => {
    expect(readConfig(TRIPLE).iceberg).toMatchObject({
      warehouse: 'w',
      namespaces: [['analytics'], ['models', 'v2']],
      discovery: 'exact',
    })
    expect(readConfig({}).iceberg).toBeUndefined()
  })

  it.each(Object.keys(TRIPLE))('[CF1] reports %s as missing when the others are set', (name) => {
    expect(faultsOf({ ...TRIPLE, [name]: '' })).toEqual([
      expect.stringMatching(new RegExp(`^${name} is required`)),
    ])
  })

  it('[CF1] [H19] reads namespaces given as JSON arrays of levels', () => {
    const namespaces = (text: string) =>
      readConfig({ ...TRIPLE, LAKE_ICEBERG_NAMESPACES: text }).iceberg?.namespaces
    expect(namespaces('["a","b.c"],["d"]')).toEqual([['a', 'b.c'], ['d']])
    expect(namespaces('[["a"]]')).toEqual([['a']])
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_NAMESPACES: '["a",""]' })).toHaveLength(1)
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_NAMESPACES: 'a,,b' })).toHaveLength(1)
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_NAMESPACES: '["a.b"],["a","b"]' })).toHaveLength(1)
  })

  it('[CF2] takes a token or client credentials, not both', () => {
    expect(readConfig({ ...TRIPLE, LAKE_ICEBERG_REST_TOKEN: 't' }).iceberg?.auth.kind).toBe('token')
    expect(readConfig({ ...TRIPLE, LAKE_ICEBERG_REST_CREDENTIAL: 'id:secret' }).iceberg?.auth.kind).toBe(
      'client-credentials',
    )
    expect(readConfig(TRIPLE).iceberg?.auth.kind).toBe('none')
    expect(
      faultsOf({ ...TRIPLE, LAKE_ICEBERG_REST_TOKEN: 't', LAKE_ICEBERG_REST_CREDENTIAL: 'a:b' }),
    ).toHaveLength(1)
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_REST_CREDENTIAL: 'nocolon' })).toHaveLength(1)
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_REST_OAUTH_SCOPE: 's' })).toEqual([
      expect.stringContaining('LAKE_ICEBERG_REST_OAUTH_SCOPE'),
    ])
  })

  it.each([
    'http://catalog.example',
    'http://localhost:1',
    'https://user@catalog.example',
    'https://user:pw@catalog.example',
    'https://catalog.example?x=1',
    'https://catalog.example#x',
    'ftp://127.0.0.1',
    'not a url',
  ])('[CF3] refuses the endpoint %s', (endpoint) => {
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_REST_ENDPOINT: endpoint })).toHaveLength(1)
  })

  it.each(['https://catalog.example', 'http://127.0.0.1:8181', 'http://127.9.9.9/x', 'http://[::1]:9'])(
    '[CF3] takes the endpoint %s',
    (endpoint) => {
      expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_REST_ENDPOINT: endpoint })).toEqual([])
    },
  )

  it('[CF3] takes origins of signers with remote signing only', () => {
    const signing = { ...TRIPLE, LAKE_ICEBERG_STORAGE_ACCESS: 'remote-signing' }
    const origins = (text: string) => ({ ...signing, LAKE_ICEBERG_SIGNER_ORIGINS: text })
    expect(readConfig(origins('https://sign.example, http://127.0.0.1:9/')).iceberg).toMatchObject({
      storageAccess: 'remote-signing',
      signerOrigins: ['https://sign.example', 'http://127.0.0.1:9'],
    })
    for (const text of ['http://sign.example', 'https://sign.example/path', 'https://a.example,', 'x'])
      expect(faultsOf(origins(text))).toHaveLength(1)
    expect(faultsOf({ ...TRIPLE, LAKE_ICEBERG_SIGNER_ORIGINS: 'https://sign.example' })).toHaveLength(1)
  })

  it('[CF4] wants the S3 endpoint and region together, and strict booleans', () => {
    expect(faultsOf({ LAKE_ICEBERG_S3_REGION: 'r' })).toHaveLength(1)
    expect(faultsOf({ LAKE_ICEBERG_S3_ENDPOINT: 'https://s3.example' })).toHaveLength(1)
    expect(faultsOf({ LAKE_ICEBERG_S3_ENDPOINT: 'https://s3.example', LAKE_ICEBERG_S3_REGION: 'r' })).toEqual(
      [],
    )
    expect(faultsOf({ LAKE_ICEBERG_S3_PATH_STYLE: 'True' })).toHaveLength(1)
    expect(faultsOf({ LAKE_ICEBERG_S3_ANONYMOUS: '1' })).toHaveLength(1)
  })

  it('[CF5] reports every fault at once without the value of a secret', () => {
    const faults = faultsOf({
      LAKE_ICEBERG_WAREHOUSE: 'w',
      LAKE_ICEBERG_REST_TOKEN: '{"password":"canary-token"}',
      LAKE_ICEBERG_REST_CREDENTIAL: 'canary-credential',
      LAKE_HTTP_ADDR: 'nonsense',
      LAKE_TICKET_KEYS: 'k1:canary-key',
      LAKE_SCAN_BYTES_MAX: '-1',
      LAKE_LOG_LEVEL: 'loud',
      LAKE_ICEBERG_STORAGE_ACCESS: 'signed',
    })
    expect(faults).toHaveLength(9)
    expect(faults.join('\n')).not.toContain('canary')
  })

  it('[CF6] listens on loopback only', () => {
    expect(faultsOf({ LAKE_HTTP_ADDR: '0.0.0.0:80' })).toHaveLength(1)
    expect(faultsOf({ LAKE_HTTP_ADDR: 'localhost:80' })).toHaveLength(1)
    expect(readConfig({ LAKE_HTTP_ADDR: '[::1]:0' }).http).toEqual({ host: '::1', port: 0 })
  })

  it('[CF6] listens beyond loopback with authentication and behind TLS', () => {
    const wide = { LAKE_HTTP_ADDR: '0.0.0.0:80', LAKE_PRINCIPALS: '/run/principals.json' }
    expect(faultsOf(wide)).toEqual([expect.stringContaining('LAKE_PUBLIC_URL is required')])
    for (const url of [
      'http://lake.example.com',
      'https://lake.example.com/app',
      'https://u@lake.example.com',
    ])
      expect(faultsOf({ ...wide, LAKE_PUBLIC_URL: url }), url).toHaveLength(1)
    const open = readConfig({ ...wide, LAKE_PUBLIC_URL: 'https://lake.example.com' })
    expect(open.publicUrl?.origin).toBe('https://lake.example.com')
    expect(faultsOf({ LAKE_PUBLIC_URL: 'https://lake.example.com' })).toHaveLength(1)
  })

  it('reads quotas, the audit log and trusted proxies, and refuses what is none', () => {
    const config = readConfig({
      LAKE_PRINCIPAL_STATEMENTS_MAX: '2',
      LAKE_AUDIT_SINK: 'file:/var/log/lake/audit.jsonl',
      LAKE_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    })
    expect(config.quotas).toEqual({
      requestsPerMinuteMax: 1_200,
      statementsMax: 2,
      bytesPerDayMax: Number.POSITIVE_INFINITY,
    })
    expect(config.audit).toEqual({ file: '/var/log/lake/audit.jsonl', sqlMode: 'hash' })
    expect(config.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    for (const proxies of ['true', '1', 'all', '10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8'])
      expect(faultsOf({ LAKE_TRUSTED_PROXIES: proxies }), proxies).toHaveLength(1)
    for (const sink of ['/var/log/x', 'file:', 'stderr'])
      expect(faultsOf({ LAKE_AUDIT_SINK: sink }), sink).toHaveLength(1)
    expect(faultsOf({ LAKE_AUDIT_SQL: 'full' })).toHaveLength(1)
  })

  it('reads an identity provider whole or not at all', () => {
    const oidc = {
      LAKE_PUBLIC_URL: 'https://lake.example.com',
      LAKE_OIDC_ISSUER: 'https://idp.example.com/realm',
      LAKE_OIDC_CLIENT_ID: 'lake',
      LAKE_OIDC_GRANTS: '{"analysts":["a.b",["c.d"]],"admins":["*"]}',
    }
    expect(readConfig(oidc).oidc?.grants).toEqual(
      new Map([
        ['analysts', [['a', 'b'], ['c.d']]],
        ['admins', [[]]],
      ]),
    )
    expect(faultsOf({ ...oidc, LAKE_PUBLIC_URL: '' })).toHaveLength(1)
    expect(faultsOf({ ...oidc, LAKE_OIDC_CLIENT_ID: '' })).toHaveLength(1)
    expect(faultsOf({ ...oidc, LAKE_OIDC_SCOPE: 'email' })).toHaveLength(1)
    expect(faultsOf({ LAKE_OIDC_CLIENT_ID: 'lake' })).toHaveLength(1)
    for (const grants of ['[]', 'x', '{"a":"b"}', '{"a":[""]}', '{"a":[1]}', '{"a":[[]]}', '{"a":["b..c"]}'])
      expect(faultsOf({ ...oidc, LAKE_OIDC_GRANTS: grants }), grants).toHaveLength(1)
  })

  it('[CF7] takes a reference only in its exact form', () => {
    const auth = (token: string) => readConfig({ ...TRIPLE, LAKE_ICEBERG_REST_TOKEN: token }).iceberg?.auth
    expect(auth('{"secret_ref":"file:/run/secrets/x"}')).toMatchObject({
      token: { kind: 'reference', reference: 'file:/run/secrets/x' },
    })
    for (const text of [
      '{"secret_ref":1}',
      '{"secret_ref":"vault:x"}',
      '{"secret_ref":"file:/x","more":1}',
      '{}',
      '{oops',
    ]) {
      expect(faultsOf({ LAKE_ICEBERG_REST_TOKEN: text })).toHaveLength(1)
    }
  })

  it('reads a ring of ticket keys and refuses short or repeated ones', () => {
    const key = Buffer.alloc(32, 7).toString('base64')
    expect(readConfig({ LAKE_TICKET_KEYS: `new:${key},old:${key}` }).ticketKeys).toMatchObject([
      { id: 'new' },
      { id: 'old' },
    ])
    for (const text of [`a:${key},a:${key}`, 'a:c2hvcnQ=', '', `{"a":"${key}"}`, '{"secret_ref":"vault:x"}'])
      expect(faultsOf({ LAKE_TICKET_KEYS: text }), text).toHaveLength(1)
  })

  it('[CF7] takes every secret by reference', () => {
    const reference = '{"secret_ref":"file:/run/secrets/x"}'
    const expected = { kind: 'reference', reference: 'file:/run/secrets/x' }
    const oidc = {
      LAKE_OIDC_ISSUER: 'https://idp.example',
      LAKE_OIDC_CLIENT_ID: 'c',
      LAKE_OIDC_GRANTS: '{"*":["a"]}',
    }
    const config = readConfig({
      ...TRIPLE,
      ...oidc,
      LAKE_PUBLIC_URL: 'https://lake.example',
      LAKE_ICEBERG_REST_CREDENTIAL: reference,
      LAKE_OIDC_CLIENT_SECRET: reference,
      LAKE_TICKET_KEYS: reference,
      LAKE_STATE_URL: reference,
      LAKE_RESULTS_URL: 's3://bucket/x',
      LAKE_RESULTS_S3_CREDENTIAL: reference,
    })
    const { results, state } = config.statements ?? {}
    expect({ ...config.iceberg?.auth }).toMatchObject({ credential: expected })
    expect(readConfig({ ...TRIPLE, LAKE_ICEBERG_REST_TOKEN: reference }).iceberg?.auth).toMatchObject({
      token: expected,
    })
    expect([config.oidc?.clientSecret, config.ticketKeys]).toEqual([expected, expected])
    expect([results, state]).toMatchObject([{ credential: expected }, { url: expected }])
  })
})

describe('background statements', () => {
  const keys = `k:${Buffer.alloc(32).toString('base64')}`
  const statementsOf = (environment: Record<string, string>) => readConfig(environment).statements

  it('[CF10] are kept in a folder, with their results where no other place is named', () => {
    expect(statementsOf({})).toBeUndefined()
    expect(statementsOf({ LAKE_STATE_URL: 'file:///var/lib/lake%20x' })).toEqual({
      state: { kind: 'sqlite', directory: '/var/lib/lake x' },
      results: { kind: 'folder', directory: '/var/lib/lake x/results' },
      keptBytesMax: 107_374_182_400,
    })
    expect(faultsOf({ LAKE_PRINCIPAL_KEPT_BYTES_MAX: '1' })).toHaveLength(1)
  })

  it('[CF10] are shared with keys and results only', () => {
    const shared = { LAKE_STATE_URL: 'postgres://u:hunter2@db.example:5432/lake' }
    expect(faultsOf(shared)).toEqual([
      expect.stringMatching(/^LAKE_TICKET_KEYS is required/),
      expect.stringMatching(/^LAKE_RESULTS_URL is required/),
    ])
    const results = { LAKE_RESULTS_URL: 's3://bucket/a/b/', LAKE_RESULTS_S3_CREDENTIAL: 'id:secret' }
    expect(statementsOf({ ...shared, LAKE_TICKET_KEYS: keys, ...results })).toMatchObject({
      state: { kind: 'postgres' },
      results: { kind: 's3', bucket: 'bucket', prefix: 'a/b', region: 'us-east-1', isPathStyle: false },
    })
  })

  it('[AD1] need an engine process besides the one that is left for those who wait', () => {
    const state = { LAKE_STATE_URL: 'file:///var/lib/lake' }
    expect(faultsOf({ ...state, LAKE_ENGINES_MAX: '1' })).toEqual([
      expect.stringMatching(/^LAKE_ENGINES_MAX must be 2 or more/),
    ])
    expect(readConfig({ ...state, LAKE_ENGINES_MAX: '2' }).enginesMax).toBe(2)
    expect(readConfig({ LAKE_ENGINES_MAX: '1' }).enginesMax).toBe(1)
  })

  it.each([
    ['LAKE_STATE_URL', 'sqlite:x'],
    ['LAKE_STATE_URL', 'file://host/x'],
    ['LAKE_STATE_URL', 'file:///x%zz'],
    ['LAKE_STATE_URL', 'postgres://u:hunter2@db.example'],
    ['LAKE_STATE_URL', 'postgres://u:hunter2@db.example/lake?sslmode=disable'],
    ['LAKE_RESULTS_URL', 's3://UPPER/x'],
    ['LAKE_RESULTS_URL', 'https://bucket/x'],
    ['LAKE_RESULTS_URL', 'file:///x'],
    ['LAKE_RESULTS_S3_CREDENTIAL', 'hunter2'],
    ['LAKE_RESULTS_S3_REGION', 'eu'],
  ])('[CF5] [CF10] report %s=%s as a fault, without secrets', (name, value) => {
    const faults = faultsOf({ [name]: value })
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
    expect(faults.join()).not.toContain('hunter2')
  })

  it('[CF10] reach PostgreSQL without TLS on numeric loopback only', () => {
    const isEncrypted = (url: string) => parsePostgresUrl(new Secret(url))?.isEncrypted
    expect(isEncrypted('postgres://u@127.0.0.1:5432/lake')).toBe(false)
    expect(isEncrypted('postgres://u@[::1]/lake')).toBe(false)
    expect(isEncrypted('postgresql://u@localhost/lake')).toBe(true)
    expect(isEncrypted('postgres://u@10.0.0.1/lake')).toBe(true)
  })
})
