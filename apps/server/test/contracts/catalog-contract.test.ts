import { afterEach, describe, expect, it } from 'vitest'
import { lakeEnvironment } from '../../../../scripts/programs.ts'
import { load, startStubCatalog, tableBody } from '../support/stub-catalog.ts'
import type { StubAnswer } from '../support/stub-http.ts'
import { startTestLake } from '../support/test-stack.ts'
import { describeCatalog, type CatalogUnderTest } from './catalog-contract.ts'
import { startHabitualCatalog, type Habits } from './habitual-catalog.ts'

const ARN = 'arn%3Aaws%3As3tables%3Aeu-west-1%3A1%3Abucket%2Fb'
const HABITS: readonly (readonly [name: string, habits: Habits])[] = [
  ['a catalog as the protocol has it', { prefix: 'p', endpoints: [], etag: '"1-?"' }],
  [
    'no prefix, no list of endpoints, nothing but nulls',
    { endpoints: null, config: { prefix: null, uri: null } },
  ],
  [
    'a prefix of several segments (Unity, BigLake)',
    { prefix: 'projects/1/catalogs/a', basePath: '/iceberg-rest' },
  ],
  ['a prefix that is encoded already (S3 Tables)', { prefix: ARN }],
  ['a prefix with a bar (Nessie)', { prefix: 'main|wh', prefixInPath: 'main%7Cwh' }],
  [
    'an encoded bar and a ref in the address (Nessie)',
    { prefix: 'main%7Cwh', basePath: '/iceberg/main', movedTo: '/iceberg' },
  ],
  [
    'a prefix in defaults and an address in overrides (Lakekeeper)',
    { prefix: 'b2-4', isPrefixDefault: true, basePath: '/catalog', movedTo: '/catalog/x', etag: 'W/"?"' },
  ],
  ['levels parted by dots', { separator: '%2E', namespace: ['a', 'b c', 'é'] }],
  ['levels parted by U+001F', { namespace: ['a', 'b/c'] }],
  [
    'HEAD that hangs and 404 in plain text (Unity, open source)',
    {
      isHeadAdvertised: true,
      head: 'hang',
      notFound: { status: 404, body: 'no such thing', headers: { 'content-type': 'text/plain' } },
    },
  ],
  ['HEAD refused with 405', { isHeadAdvertised: true, head: 405 }],
  ['HEAD that works', { isHeadAdvertised: true }],
  ['419 for an ended token (Gravitino)', { expiredStatus: 419 }],
  ['501 for an ended token (SeaweedFS)', { expiredStatus: 501 }],
  [
    'pages: full, empty, absent, then the end by an empty token',
    { pages: [['t'], [], null, ['t', 'z']], lastToken: '' },
  ],
  [
    '404 without a body, and JSON called HTML',
    { notFound: { status: 404, body: '' }, contentType: 'text/html' },
  ],
  [
    '404 as a bare error model',
    { notFound: { status: 404, body: { message: 'gone', type: 'NotFound', code: 404 } } },
  ],
  [
    'fields and credentials that are unknown or empty',
    { more: ',"config":null,"storage-credentials":[],"labels":{"a":1},"new-field":[1]' },
  ],
]

describe('catalogs by their habits', () => {
  for (const [name, habits] of HABITS) {
    describeCatalog(name, async (): Promise<CatalogUnderTest> => {
      const stub = await startHabitualCatalog(habits)
      const { namespace = ['ns'] } = habits
      return {
        environment: {
          LAKE_ICEBERG_REST_ENDPOINT: stub.url.origin + (habits.basePath ?? ''),
          LAKE_ICEBERG_WAREHOUSE: 'w',
          LAKE_ICEBERG_NAMESPACES: JSON.stringify(namespace),
          ...(habits.expiredStatus === undefined ? {} : { LAKE_ICEBERG_REST_CREDENTIAL: 'id:secret' }),
        },
        namespace,
        table: 't',
        [Symbol.asyncDispose]: async () => {
          await stub[Symbol.asyncDispose]()
        },
      }
    })
  }
})

describeCatalog('the local lake', async () => {
  const lake = await startTestLake(['--demo-scale', '0.01'])
  return {
    environment: lakeEnvironment(lake.ready),
    namespace: ['analytics'],
    table: 'robots',
    [Symbol.asyncDispose]: async () => {
      await lake[Symbol.asyncDispose]()
    },
  }
})

const external = (name: string): string => process.env[`LAKE_TEST_REST_${name}`] ?? ''
const isNamed = external('ENDPOINT') !== ''
describeCatalog(
  isNamed
    ? 'the catalog of LAKE_TEST_REST_ENDPOINT'
    : 'another catalog (skipped: LAKE_TEST_REST_ENDPOINT is not set)',
  () =>
    Promise.resolve({
      environment: {
        LAKE_ICEBERG_REST_ENDPOINT: external('ENDPOINT'),
        LAKE_ICEBERG_WAREHOUSE: external('WAREHOUSE'),
        LAKE_ICEBERG_NAMESPACES: external('NAMESPACE'),
        LAKE_ICEBERG_REST_TOKEN: external('TOKEN'),
        LAKE_ICEBERG_REST_CREDENTIAL: external('CREDENTIAL'),
        ...(external('OAUTH2_SERVER_URI') === ''
          ? {}
          : { LAKE_ICEBERG_REST_OAUTH2_SERVER_URI: external('OAUTH2_SERVER_URI') }),
        ...(external('OAUTH_SCOPE') === '' ? {} : { LAKE_ICEBERG_REST_OAUTH_SCOPE: external('OAUTH_SCOPE') }),
      },
      namespace: external('NAMESPACE').split('.'),
      table: external('TABLE'),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  { skip: !isNamed },
)

describe('[RC17] habits that are refused', () => {
  const opened: AsyncDisposable[] = []
  afterEach(async () => {
    for (const part of opened.splice(0)) await part[Symbol.asyncDispose]()
  })
  it.each<[string, StubAnswer, object]>([
    [
      'throttling as a 400 (Glue)',
      { status: 400, headers: { 'x-amzn-errortype': 'ThrottlingException:http://x' }, body: '' },
      { code: 'CATALOG_UNAVAILABLE', details: { retryAfterMs: 1_000 } },
    ],
    [
      'throttling without a body (Polaris)',
      { status: 429, body: '' },
      { code: 'CATALOG_UNAVAILABLE', details: { retryAfterMs: 1_000 } },
    ],
    [
      'a login page (Databricks)',
      { status: 303, headers: { location: '/login' }, body: '' },
      { code: 'CATALOG_UNAVAILABLE' },
    ],
    [
      'neither metadata nor where it is',
      { body: '{"metadata-location":null,"metadata":null}' },
      { code: 'TABLE_UNSUPPORTED' },
    ],
    [
      'planning by the catalog (Horizon)',
      { body: tableBody(',"config":{"scan-planning-mode":"server"}') },
      { code: 'TABLE_UNSUPPORTED' },
    ],
    [
      'row filters (Horizon)',
      { body: tableBody(',"read-restrictions":{"required-row-filter":true}') },
      { code: 'READ_RESTRICTED' },
    ],
  ])('%s', async (_habit, answer, failure) => {
    const started = await startStubCatalog(() => answer)
    opened.push(started)
    await expect(load(started.catalog)).rejects.toMatchObject(failure)
  })

  it('a token or credential from the catalog’s configuration: neither is used', async () => {
    const started = await startStubCatalog(() => ({ body: tableBody() }), {
      config: { defaults: { credential: 'a:b' }, overrides: { token: 'other' } },
    })
    opened.push(started)
    const { config } = await load(started.catalog)
    expect([config.has('token'), config.has('credential')]).toEqual([false, false])
    expect(started.stub.requests.at(-1)?.headers.authorization).toBeUndefined()
  })
})
