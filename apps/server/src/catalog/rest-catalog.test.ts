import { afterEach, describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import {
  startStub,
  type StubAnswer,
  type StubRequest,
  type StubServer,
} from '../../test/support/stub-http.ts'
import type { CatalogAuth } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { Secret } from '../observability/redaction.ts'
import { createRestCatalog, type RestCatalog } from './rest-catalog.ts'
import { createSecretResolver } from './secrets.ts'

const NEVER = new AbortController().signal
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part[Symbol.asyncDispose]()
})

const SNAPSHOT_ID = '7505300640432048841'
const METADATA = `{"format-version":2,"table-uuid":"u-1","location":"s3://b/t","last-sequence-number":1,"last-updated-ms":1,
  "last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":"long"}]}],
  "default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,
  "sort-orders":[{"order-id":0,"fields":[]}],"properties":{},"current-snapshot-id":${SNAPSHOT_ID},
  "snapshots":[{"snapshot-id":${SNAPSHOT_ID},"sequence-number":1,"timestamp-ms":1,"manifest-list":"s3://b/t/m.avro","summary":{"operation":"append"},"schema-id":0}]}`
const tableBody = (more = ''): string =>
  `{"metadata-location":"s3://b/t/v1.json","metadata":${METADATA}${more}}`

type Answer = StubAnswer | undefined
type Answers = (request: StubRequest) => Answer | Promise<Answer>

async function setUp(
  answers: Answers,
  options: { auth?: CatalogAuth; config?: unknown } = {},
): Promise<{
  catalog: RestCatalog
  stub: StubServer
  clock: ReturnType<typeof createManualClock>
  renewals: string[]
}> {
  const stub = await startStub(async (request) => {
    if (request.path === '/v1/config') return { body: options.config ?? { overrides: { prefix: 'p' } } }
    return await answers(request)
  })
  const clock = createManualClock()
  const renewals: string[] = []
  const catalog = createRestCatalog({
    config: {
      endpoint: stub.url,
      warehouse: 'w h',
      namespaces: [['ns']],
      auth: options.auth ?? { kind: 'none' },
      storageAccess: 'vended-credentials',
      s3: { endpoint: undefined, region: undefined, isPathStyle: undefined, isAnonymous: false },
      discovery: 'list',
    },
    resolver: createSecretResolver({}),
    clock,
    onCall: () => undefined,
    onRenewal: (outcome) => renewals.push(outcome),
  })
  opened.push(stub, catalog)
  return { catalog, stub, clock, renewals }
}

const load = async (catalog: RestCatalog, namespace = ['ns'], table = 't') =>
  await catalog.loadTable({ namespace, table }, NEVER)
const token = (text: string): CatalogAuth => ({
  kind: 'token',
  token: { kind: 'inline', secret: new Secret(text) },
})
const credentials = (
  more: Partial<Extract<CatalogAuth, { kind: 'client-credentials' }>> = {},
): CatalogAuth => ({
  kind: 'client-credentials',
  credential: { kind: 'inline', secret: new Secret('id:se:cret') },
  serverUri: undefined,
  scope: undefined,
  audience: undefined,
  resource: undefined,
  clientAuth: 'body',
  ...more,
})

describe('configuration and paths', () => {
  it('[RC2] [RC3] asks for the warehouse once and builds paths from prefix and separator', async () => {
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }), {
      config: { overrides: { prefix: 'catalogs/a%2Fb' } },
    })
    await load(catalog, ['n 1', 'n/2'], 'é')
    await load(catalog, ['ns'])
    expect(stub.requests.map(({ path }) => path)).toEqual([
      '/v1/config',
      '/v1/catalogs/a%2Fb/namespaces/n%201%1Fn%2F2/tables/%C3%A9',
      '/v1/catalogs/a%2Fb/namespaces/ns/tables/t',
    ])
    expect(stub.requests[0]?.query.get('warehouse')).toBe('w h')
  })

  it('[RC1] refuses a name that no encoding protects before any call', async () => {
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }))
    await load(catalog)
    const callCount = stub.requests.length
    for (const [namespace, table] of [
      [['..'], 't'],
      [['ns'], '..'],
      [['ns'], '.'],
      [['ns', ''], 't'],
    ] as const) {
      await expect(load(catalog, [...namespace], table)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    }
    expect(stub.requests).toHaveLength(callCount)
  })

  it('[RC4] lets overrides win, and honours a uri of the same origin only', async () => {
    let origin = ''
    const config = {
      defaults: { prefix: 'default', 'namespace-separator': null },
      overrides: { prefix: 'over' },
    }
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }), { config })
    await load(catalog)
    expect(stub.requests.at(-1)?.path).toBe('/v1/over/namespaces/ns/tables/t')
    origin = stub.url.origin
    const moved = await setUp(() => ({ body: tableBody() }), {
      config: { overrides: { uri: `${origin}/elsewhere` } },
    })
    await expect(load(moved.catalog)).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
  })

  it('tries the configuration afresh after it failed', async () => {
    let failures = 1
    const { catalog } = await setUp(() => ({ body: tableBody() }), {
      get config() {
        failures -= 1
        return failures >= 0 ? 'not json' : {}
      },
    })
    await expect(load(catalog)).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
    await expect(load(catalog)).resolves.toMatchObject({ metadata: { tableUuid: 'u-1' } })
  })
})

describe('tables', () => {
  it('[RC5] [RC6] reads inline metadata with exact ids and fetches nothing else', async () => {
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }))
    const { metadata } = await load(catalog)
    expect(metadata.currentSnapshotId).toBe(7_505_300_640_432_048_841n)
    expect(stub.requests).toHaveLength(2)
    expect(stub.requests[1]?.headers['x-iceberg-access-delegation']).toBe('vended-credentials')
  })

  it('keeps credentials as secrets that do not print', async () => {
    const body = tableBody(
      ',"config":{"client.region":"r"},"storage-credentials":[{"prefix":"s3://b/t","config":{"s3.secret-access-key":"canary"}}]',
    )
    const { catalog } = await setUp(() => ({ body }))
    const table = await load(catalog)
    expect(table.storageCredentials[0]?.config.get('s3.secret-access-key')?.reveal()).toBe('canary')
    expect(JSON.stringify([...(table.storageCredentials[0]?.config ?? [])])).not.toContain('canary')
  })

  it.each([
    ['{"required-row-filter":true}', true],
    ['{"required-column-projections":[{"field-id":1,"action":"mask-alphanum"}]}', true],
    ['{"required-column-projections":[],"required-row-filter":false}', true],
    ['{"something-new":null}', true],
    ['[]', true],
    ['"all"', true],
    ['{}', false],
    ['null', false],
    ['{"required-column-projections":[]}', false],
  ])('[RC11] with read-restrictions %s refuses: %s', async (restrictions, isRefused) => {
    const { catalog } = await setUp(() => ({ body: tableBody(`,"read-restrictions":${restrictions}`) }))
    const outcome = await load(catalog).then(
      () => 'read',
      (error: { code: string }) => error.code,
    )
    expect(outcome).toBe(isRefused ? 'READ_RESTRICTED' : 'read')
  })

  it('[RC11] refuses a table that the catalog must plan', async () => {
    const { catalog } = await setUp(() => ({ body: tableBody(',"config":{"scan-planning-mode":"server"}') }))
    await expect(load(catalog)).rejects.toMatchObject({
      code: 'TABLE_UNSUPPORTED',
      details: { feature: 'server-side scan planning' },
    })
  })

  it('[RC10] reads every page once and refuses a cycle', async () => {
    const pages: Record<string, unknown> = {
      '': { identifiers: [{ namespace: ['ns'], name: 'b' }], 'next-page-token': 'x' },
      x: { identifiers: [{ namespace: ['ns'], name: 'a' }], 'next-page-token': '' },
    }
    const { catalog } = await setUp(({ query }) => ({ body: pages[query.get('pageToken') ?? ''] }))
    expect(await catalog.listTables(['ns'], NEVER)).toEqual({ tables: ['a', 'b'], isTruncated: false })
    const cyclic = await setUp(({ query }) => ({
      body: { identifiers: [], 'next-page-token': query.get('pageToken') === 'A' ? 'B' : 'A' },
    }))
    await expect(cyclic.catalog.listTables(['ns'], NEVER)).rejects.toMatchObject({
      code: 'CATALOG_UNAVAILABLE',
    })
    expect(cyclic.stub.requests.length).toBeLessThan(6)
  })

  it('asks for a namespace by HEAD only where that is advertised, and falls back to GET', async () => {
    const config = { endpoints: ['HEAD /v1/{prefix}/namespaces/{namespace}'] }
    const { catalog, stub } = await setUp(({ method }) => ({ status: method === 'HEAD' ? 405 : 200 }), {
      config,
    })
    expect(await catalog.hasNamespace(['ns'], NEVER)).toBe(true)
    expect(stub.requests.map(({ method }) => method)).toEqual(['GET', 'HEAD', 'GET'])
    const plain = await setUp(() => ({ status: 404 }))
    expect(await plain.catalog.hasNamespace(['ns'], NEVER)).toBe(false)
    expect(plain.stub.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })
})

describe('failures', () => {
  it.each([
    [404, {}, { error: { message: 'gone', type: 'NoSuchTableException', code: 404 } }, 'NO_SUCH_TABLE'],
    [404, {}, '<html>', 'NO_SUCH_TABLE'],
    [403, {}, { error: { message: 'no' } }, 'CATALOG_PERMISSION_DENIED'],
    [401, {}, '', 'CATALOG_UNAUTHORIZED'],
    [419, {}, '', 'CATALOG_UNAUTHORIZED'],
    [400, { 'x-amzn-errortype': 'ThrottlingException' }, '', 'CATALOG_UNAVAILABLE'],
    [429, {}, '', 'CATALOG_UNAVAILABLE'],
    [500, {}, { message: 'bare model' }, 'CATALOG_UNAVAILABLE'],
    [502, {}, '<html>bad gateway</html>', 'CATALOG_UNAVAILABLE'],
    [503, {}, 'null', 'CATALOG_UNAVAILABLE'],
    [200, {}, 'not json', 'CATALOG_UNAVAILABLE'],
    [200, {}, '[]', 'CATALOG_UNAVAILABLE'],
  ] as const)('[RC12] answers %i %j %j as %s', async (status, headers, body, code) => {
    const { catalog, stub } = await setUp(() => ({ status, headers, body }))
    await expect(load(catalog)).rejects.toMatchObject({ code })
    expect(stub.requests).toHaveLength(2)
  })

  it('[RC9] does not follow a redirect', async () => {
    const { catalog, stub } = await setUp(() => ({ status: 303, headers: { location: '/login' } }), {
      auth: token('t'),
    })
    await expect(load(catalog)).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
    expect(stub.requests.map(({ path }) => path)).not.toContain('/login')
  })

  it('[RC9] ends with the caller, not with the answer', async () => {
    const { catalog } = await setUp(() => undefined)
    const caller = new AbortController()
    const call = catalog.loadTable({ namespace: ['ns'], table: 't' }, caller.signal)
    setTimeout(() => {
      caller.abort()
    }, 50)
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('reports a refused connection and a cut body', async () => {
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }))
    await stub[Symbol.asyncDispose]()
    await expect(load(catalog)).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
  })
})

describe('session', () => {
  it('[RC7] sends a static bearer and never renews it', async () => {
    const { catalog, stub, renewals } = await setUp(() => ({ status: 401 }), { auth: token('canary') })
    await expect(load(catalog)).rejects.toMatchObject({
      code: 'CATALOG_UNAUTHORIZED',
      message: expect.not.stringContaining('canary') as string,
    })
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer canary',
      'Bearer canary',
    ])
    expect(renewals).toEqual([])
  })

  it.each([401, 419])('[RC7] renews once after %i and replays once', async (status) => {
    let issued = 0
    const { catalog, stub, renewals } = await setUp(
      ({ path, headers }) => {
        if (path === '/v1/oauth/tokens')
          return { body: { access_token: `token-${(issued += 1)}`, token_type: 'bearer' } }
        return headers.authorization === 'Bearer token-1' ? { status } : { body: tableBody() }
      },
      { auth: credentials() },
    )
    await load(catalog)
    expect(issued).toBe(2)
    expect(renewals).toEqual(['renewed'])
    const form = new URLSearchParams(stub.requests[0]?.body)
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'client_credentials',
      scope: 'catalog',
      client_id: 'id',
      client_secret: 'se:cret',
    })
  })

  it('[RC8] makes one renewal for all that failed with one token, and tries afresh after a failure', async () => {
    let issued = 0
    let isDown = false
    const { catalog, renewals } = await setUp(
      ({ path, headers }) => {
        if (path !== '/v1/oauth/tokens')
          return headers.authorization === `Bearer good` ? { body: tableBody() } : { status: 401 }
        issued += 1
        if (isDown) return { status: 500 }
        return { body: { access_token: issued === 1 ? 'old' : 'good' } }
      },
      { auth: credentials(), config: {} },
    )
    await load(catalog, ['ns']).catch(() => undefined)
    const after = issued
    isDown = false
    await Promise.all(Array.from({ length: 20 }, async () => await load(catalog)))
    expect(issued).toBe(after)
    expect(renewals.every((outcome) => outcome === 'renewed')).toBe(true)
    isDown = true
  })

  it('[RC8] shares a failed renewal and recovers on a later call', async () => {
    let issued = 0
    let isDown = false
    let accepted = 'token-1'
    const { catalog } = await setUp(
      ({ path, headers }) => {
        if (path !== '/v1/oauth/tokens')
          return headers.authorization === `Bearer ${accepted}` ? { body: tableBody() } : { status: 401 }
        issued += 1
        return isDown ? { status: 503 } : { body: { access_token: `token-${issued}` } }
      },
      { auth: credentials() },
    )
    await load(catalog)
    accepted = 'token-3'
    isDown = true
    const failed = await Promise.allSettled(Array.from({ length: 20 }, async () => await load(catalog)))
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true)
    const exchanges = issued
    expect(exchanges).toBeLessThan(21)
    isDown = false
    accepted = `token-${issued + 1}`
    await expect(load(catalog)).resolves.toBeDefined()
  })

  it('sends Basic client authentication, and leaves out what is blank', async () => {
    const basic = await setUp(
      ({ path }) => ({ body: path === '/v1/oauth/tokens' ? { access_token: 'a' } : tableBody() }),
      {
        auth: credentials({ clientAuth: 'basic', scope: '', audience: 'aud', resource: 'res' }),
      },
    )
    await load(basic.catalog)
    const request = basic.stub.requests[0]
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('id:se%3Acret').toString('base64')}`)
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      audience: 'aud',
      resource: 'res',
    })
  })

  it('asks for a new token when the known expiry has passed', async () => {
    let issued = 0
    const { catalog, clock } = await setUp(
      ({ path }) => ({
        body:
          path === '/v1/oauth/tokens' ? { access_token: `t${(issued += 1)}`, expires_in: 60 } : tableBody(),
      }),
      { auth: credentials() },
    )
    await load(catalog)
    clock.advance(59_999)
    await load(catalog)
    expect(issued).toBe(1)
    clock.advance(1)
    await load(catalog)
    expect(issued).toBe(2)
  })

  it('resolves references again after the life of a client', async () => {
    let resolved = 0
    const stub = await startStub(({ path }) => ({ body: path === '/v1/config' ? {} : tableBody() }))
    const clock = createManualClock()
    const catalog = createRestCatalog({
      config: {
        endpoint: stub.url,
        warehouse: 'w',
        namespaces: [['ns']],
        auth: { kind: 'token', token: { kind: 'reference', reference: 'file:/x' } },
        storageAccess: 'vended-credentials',
        s3: { endpoint: undefined, region: undefined, isPathStyle: undefined, isAnonymous: false },
        discovery: 'exact',
      },
      resolver: () => Promise.resolve(new Secret(`s${(resolved += 1)}`)),
      clock,
      onCall: () => undefined,
      onRenewal: () => undefined,
    })
    opened.push(stub, catalog)
    await load(catalog)
    await load(catalog)
    expect(resolved).toBe(1)
    clock.advance(LIMITS.catalogClientLifetimeMs)
    await load(catalog)
    expect(stub.requests.at(-1)?.headers.authorization).toBe('Bearer s2')
  })
})
