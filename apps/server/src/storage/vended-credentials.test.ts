import { describe, expect, it } from 'vitest'
import type { S3Override } from '../config.ts'
import { Secret } from '../observability/redaction.ts'
import { selectS3Settings, type StorageGrant } from './vended-credentials.ts'

const NO_OVERRIDE: S3Override = {
  endpoint: undefined,
  region: undefined,
  isPathStyle: undefined,
  isAnonymous: false,
}
const properties = (map: Record<string, string>) =>
  new Map(Object.entries(map).map(([key, value]) => [key, new Secret(value)]))
const keys = (name: string) => ({ 's3.access-key-id': name, 's3.secret-access-key': `${name}-secret` })
const grant = (
  entries: Record<string, Record<string, string>>,
  config: Record<string, string> = {},
): StorageGrant => ({
  storageCredentials: Object.entries(entries).map(([prefix, map]) => ({ prefix, config: properties(map) })),
  config: properties(config),
})
const select = (
  uri: string,
  given: StorageGrant,
  override = NO_OVERRIDE,
  access: 'vended-credentials' | 'workload-identity' = 'vended-credentials',
) => selectS3Settings(uri, given, { access, override })
const keyOf = (uri: string, given: StorageGrant): string | undefined => {
  const { credentials } = select(uri, given)
  return typeof credentials === 'string' ? credentials : credentials.accessKeyId.reveal()
}

describe('selectS3Settings', () => {
  it('[CR1] [H18] takes the longest prefix that ends at a boundary', () => {
    // In no order of length, so that neither the first nor the last that fits is the right one.
    const given = grant({
      's3://b/t1': keys('table'),
      's3://b/t1/data/': keys('data'),
      's3://b': keys('bucket'),
    })
    expect(keyOf('s3://b/t1/metadata/x', given)).toBe('table')
    expect(keyOf('s3://b/t1/data/x', given)).toBe('data')
    expect(keyOf('s3://b/t10/x', given)).toBe('bucket')
    expect(keyOf('s3://b/t1', given)).toBe('table')
  })

  it('[CR1] passes over entries without credentials, however long their prefix', () => {
    expect(
      keyOf('s3://b/t1/x', grant({ 's3://b/t1/': { 'client.region': 'r' }, 's3://b': keys('bucket') })),
    ).toBe('bucket')
  })

  it('[CR1] treats s3a as s3, and a bare s3 as everything', () => {
    expect(keyOf('s3://b/t/x', grant({ 's3a://b/t': keys('a') }))).toBe('a')
    expect(keyOf('s3://any/x', grant({ s3: keys('root') }))).toBe('root')
  })

  it('[CR1] merges the entry over the config, which may hold region and endpoint alone', () => {
    const config = {
      'client.region': 'eu-1',
      's3.endpoint': 'https://s3.example',
      's3.path-style-access': 'true',
      ...keys('config'),
    }
    expect(select('s3://b/t/x', grant({ 's3://b/t/': keys('entry') }, config))).toMatchObject({
      region: 'eu-1',
      endpoint: 'https://s3.example',
      isPathStyle: true,
    })
    expect(keyOf('s3://b/t/x', grant({ 's3://b/t/': keys('entry') }, config))).toBe('entry')
    expect(keyOf('s3://b/t/x', grant({ 's3://b/t/': {} }, config))).toBe('config')
    expect(keyOf('s3://b/t/x', grant({}, config))).toBe('config')
  })

  it('[CR1] takes nothing of the config’s credentials into those of an entry', () => {
    const config = { ...keys('config'), 's3.session-token': 'config-token' }
    const of = (entry: Record<string, string>) => {
      const { credentials } = select('s3://b/t/x', grant({ 's3://b/t': entry }, config))
      if (typeof credentials === 'string') return credentials
      return [credentials.accessKeyId, credentials.secretAccessKey, credentials.sessionToken].map((secret) =>
        secret?.reveal(),
      )
    }
    expect(of(keys('entry'))).toEqual(['entry', 'entry-secret', undefined])
    expect(of({ 'client.region': 'r' })).toEqual(['config', 'config-secret', 'config-token'])
    expect(() => of({ 's3.access-key-id': 'half' })).toThrow(
      expect.objectContaining({ code: 'CATALOG_CREDENTIALS_NOT_VENDED' }),
    )
  })

  it('refuses objects under a key of the customer by name', () => {
    for (const config of [{ 's3.sse.type': 'kms' }, { 's3.sse.type': 's3' }, {}])
      expect(keyOf('s3://b/x', grant({ s3: keys('k') }, config))).toBe('k')
    expect(() => select('s3://b/x', grant({ s3: keys('k') }, { 's3.sse.type': 'custom' }))).toThrow(
      expect.objectContaining({
        code: 'TABLE_UNSUPPORTED',
        details: { feature: 'customer’s key for its objects (s3.sse.type=custom)' },
      }),
    )
  })

  it.each([
    ['none at all', grant({})],
    ['only for a sibling', grant({ 's3://b/t1': keys('sibling') })],
    ['without a secret', grant({ 's3://b/t': { 's3.access-key-id': 'half' } })],
  ])('[CR2] fails closed when the catalog vended %s', (_what, given) => {
    expect(() => select('s3://b/t10/x', given)).toThrow(
      expect.objectContaining({ code: 'CATALOG_CREDENTIALS_NOT_VENDED' }),
    )
  })

  it('[CR2] uses the ambient identity only when that was chosen', () => {
    expect(select('s3://b/x', grant({}), NO_OVERRIDE, 'workload-identity').credentials).toBe('ambient')
  })

  it('[CR9] never sends the ambient identity to an endpoint of the catalog', () => {
    const given = grant({}, { 's3.endpoint': 'https://elsewhere.example', 'client.region': 'r' })
    expect(select('s3://b/x', given, NO_OVERRIDE, 'workload-identity').endpoint).toBeUndefined()
    const override = { ...NO_OVERRIDE, endpoint: new URL('https://chosen.example'), region: 'r' }
    expect(select('s3://b/x', given, override, 'workload-identity').endpoint).toBe('https://chosen.example/')
  })

  it('[CR3] lets the override win, also over vended keys when anonymous', () => {
    const given = grant(
      { s3: keys('k') },
      { 'client.region': 'a', 's3.endpoint': 'https://catalogs.example', 's3.path-style-access': 'false' },
    )
    const override = {
      endpoint: new URL('http://127.0.0.1:9000'),
      region: 'z',
      isPathStyle: true,
      isAnonymous: true,
    }
    expect(select('s3://b/x', given, override)).toEqual({
      kind: 's3',
      endpoint: 'http://127.0.0.1:9000/',
      region: 'z',
      isPathStyle: true,
      credentials: 'anonymous',
    })
  })
})
