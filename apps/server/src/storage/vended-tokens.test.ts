import { describe, expect, it } from 'vitest'
import { Secret } from '../observability/redaction.ts'
import { credentialsEndAtMs, selectSettings, type StorageGrant } from './vended-credentials.ts'

const S3 = { endpoint: undefined, region: undefined, isPathStyle: undefined, isAnonymous: false }
const OVERRIDES = {
  storageAccess: 'vended-credentials',
  s3: S3,
  gcsEndpoint: undefined,
  adlsEndpoint: undefined,
} as const
const properties = (map: Record<string, string>) =>
  new Map(Object.entries(map).map(([key, value]) => [key, new Secret(value)]))
const grant = (
  entries: Record<string, Record<string, string>>,
  config: Record<string, string> = {},
): StorageGrant => ({
  storageCredentials: Object.entries(entries).map(([prefix, map]) => ({ prefix, config: properties(map) })),
  config: properties(config),
})
/** What would be read with what: the credential revealed. */
function select(uri: string, given: StorageGrant, overrides: Partial<typeof OVERRIDES> | object = {}) {
  const settings = selectSettings(uri, given, { ...OVERRIDES, ...overrides })
  if (settings.kind === 's3') throw new Error('this is not S3')
  const credential = settings.kind === 'gcs' ? settings.token : settings.sas
  return { ...settings, credential: credential.reveal() }
}
const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return (error as { code: string }).code
  }
}

const GS = 'gs://b/t/x'
const AZURE = 'abfss://c@acct.dfs.core.windows.net/t/x'
const SAS = 'sv=2020-10-02&se=2030-01-02T03%3A04%3A05Z&sig=a%2Bb'

describe('[CR10] tokens for Google Cloud Storage', () => {
  it('go to Google, with their end and who pays', () => {
    const given = grant(
      { 'gs://b/t': { 'gcs.oauth2.token': 'tok', 'gcs.oauth2.token-expires-at': '1800000000000' } },
      { 'gcs.user-project': 'payer-1' },
    )
    expect(select(GS, given)).toMatchObject({
      kind: 'gcs',
      endpoint: 'https://storage.googleapis.com',
      credential: 'tok',
      expiresAtMs: 1_800_000_000_000,
      userProject: 'payer-1',
    })
    expect(credentialsEndAtMs(given)).toBe(1_800_000_000_000)
  })

  it('[CR1] are those of the longest prefix, at a boundary, else of the config', () => {
    const token = (text: string) => ({ 'gcs.oauth2.token': text })
    const given = grant({ 'gs://b/t1': token('sibling'), 'gs://b': token('bucket'), gs: token('root') })
    expect(select('gs://b/t10/x', given).credential).toBe('bucket')
    expect(select('gs://b/t1/x', given).credential).toBe('sibling')
    expect(select('gs://other/x', given).credential).toBe('root')
    expect(select(GS, grant({ 's3://b': token('s3') }, token('config'))).credential).toBe('config')
  })

  it.each([
    ['https://storage.googleapis.com', true],
    ['storage.me-central2.rep.googleapis.com', true],
    ['https://storage-x.p.googleapis.com/', true],
    ['https://googleapis.com.evil.example', false],
    ['https://evilgoogleapis.com', false],
    ['http://storage.googleapis.com', false],
    ['https://evil.example/storage.googleapis.com', false],
    ['https://storage.googleapis.com@evil.example', false],
    ['http://127.0.0.1:1', false],
  ])('do not go where the catalog says but to Google’s own names: %s (%s)', (host, isAllowed) => {
    const given = grant({}, { 'gcs.oauth2.token': 'tok', 'gcs.service.host': host })
    const outcome = codeOf(() => new URL(select(GS, given).endpoint ?? '').host)
    expect(outcome).toBe(
      isAllowed ? new URL(host.includes('//') ? host : `https://${host}`).host : 'TABLE_UNSUPPORTED',
    )
    const chosen = new URL('https://chosen.example/')
    expect(select(GS, given, { gcsEndpoint: chosen }).endpoint).toBe(chosen.href)
  })

  it.each([
    ['none', {}],
    ['keys of S3', { 's3.access-key-id': 'k', 's3.secret-access-key': 's' }],
    ['a token that would break a header', { 'gcs.oauth2.token': 'a\r\nb: c' }],
    ['word that no token is needed', { 'gcs.no-auth': 'true' }],
  ])('[CR2] fail closed where the catalog vended %s', (_what, config) => {
    expect(codeOf(() => select(GS, grant({}, config)))).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
  })
})

it('objects of Google Cloud Storage under a key of the customer are refused by name', () => {
  const config = { 'gcs.oauth2.token': 't', 'gcs.decryption-key': 'k' }
  expect(codeOf(() => select(GS, grant({}, config)))).toBe('TABLE_UNSUPPORTED')
})

describe('[CR10] signatures for Azure Storage', () => {
  it.each([
    ['adls.sas-token.acct.dfs.core.windows.net'],
    ['adls.sas-token.acct.blob.core.windows.net'],
    ['adls.sas-token.acct'],
  ])('are found under %s', (name) => {
    expect(select(AZURE, grant({}, { [name]: `?${SAS}` })).credential).toBe(SAS)
    const other = AZURE.replace('acct', 'acct2')
    expect(codeOf(() => select(other, grant({}, { [name]: SAS })))).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
  })

  it('without a name count for the account of the prefix, or the one that is called the table’s', () => {
    const bare = { 'adls.sas-token': SAS }
    expect(select(AZURE, grant({ 'abfs://c@acct.dfs.core.windows.net/t': bare })).credential).toBe(SAS)
    expect(select(AZURE, grant({ 'wasbs://c@acct.blob.core.windows.net': bare })).credential).toBe(SAS)
    expect(select(AZURE, grant({}, { ...bare, 'adls.account-name': 'acct' })).credential).toBe(SAS)
    for (const given of [
      grant({ abfss: bare }),
      grant({}, bare),
      grant({}, { ...bare, 'adls.account-name': 'other' }),
      grant({ 'abfss://c@other.dfs.core.windows.net/t': bare }),
      grant({ 'abfss://c@evil.example/t': bare }),
    ])
      expect(codeOf(() => select(AZURE, given))).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
  })

  it('end when the catalog says, or they themselves, and the name of an end is no signature', () => {
    const name = 'adls.sas-token.acct.dfs.core.windows.net'
    const endName = 'adls.sas-token-expires-at-ms.acct.dfs.core.windows.net'
    const given = grant({}, { [endName]: '1800000000000', [name]: SAS })
    expect(select(AZURE, given).expiresAtMs).toBe(1_800_000_000_000)
    const silent = grant({}, { [name]: SAS })
    const endMs = Date.parse('2030-01-02T03:04:05Z')
    expect([select(AZURE, silent).expiresAtMs, credentialsEndAtMs(silent)]).toEqual([endMs, endMs])
    expect(codeOf(() => select(AZURE, grant({}, { [endName]: '1800000000000' })))).toBe(
      'CATALOG_CREDENTIALS_NOT_VENDED',
    )
  })

  it('go to the account’s own address or to the deployment’s, wherever else the catalog points', () => {
    const given = grant(
      {},
      {
        'adls.sas-token.acct': SAS,
        'adls.connection-string.acct.dfs.core.windows.net': 'https://evil.example/',
        'adls.account-host': 'evil.example',
      },
    )
    expect(select(AZURE, given).endpoint).toBeUndefined()
    const chosen = new URL('http://127.0.0.1:10000/acct')
    expect(select(AZURE, given, { adlsEndpoint: chosen }).endpoint).toBe(chosen.href)
  })

  it.each([
    ['no signature', { 'adls.sas-token.acct': 'sv=1&sp=r' }],
    ['a fragment', { 'adls.sas-token.acct': `${SAS}#x` }],
    ['a line break', { 'adls.sas-token.acct': `${SAS}\r\nHost: evil.example` }],
    [
      'the key of the account',
      { 'adls.auth.shared-key.account.name': 'acct', 'adls.auth.shared-key.account.key': 'k' },
    ],
  ])('[CR2] fail closed where the catalog vended %s', (_what, config) => {
    expect(codeOf(() => select(AZURE, grant({}, config)))).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
  })
})

it.each([
  ['remote-signing', GS, 'remote-signing on Google Cloud Storage'],
  ['workload-identity', AZURE, 'workload-identity on Azure Storage'],
])('[CR8] %s is for S3: %s is refused by name', (storageAccess, uri, feature) => {
  expect(() => select(uri, grant({}), { storageAccess })).toThrow(
    expect.objectContaining({ code: 'TABLE_UNSUPPORTED', details: { feature } }),
  )
})
