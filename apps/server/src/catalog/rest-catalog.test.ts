import { describe, expect, it } from 'vitest'
import type { AppError } from '@lake/core/errors.ts'
import { openStubs } from '../../test/support/open-stubs.ts'
import { load, staticToken, tableBody } from '../../test/support/stub-catalog.ts'
import { startStub } from '../../test/support/stub-http.ts'
import { LIMITS } from '../limits.ts'

const NEVER = new AbortController().signal
const { opened, setUp } = openStubs()

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
    await expect(load(moved.catalog)).rejects.toMatchObject({
      code: 'CATALOG_REFUSED',
      message: expect.stringContaining('LAKE_ICEBERG_REST_ORIGINS') as string,
    })
    const allowed = await setUp(() => ({ body: tableBody() }), {
      config: { overrides: { uri: `${origin}/elsewhere`, prefix: 'q' } },
      catalogOrigins: [origin],
    })
    await load(allowed.catalog)
    expect(stub.requests.at(-1)?.path).toBe('/elsewhere/v1/q/namespaces/ns/tables/t')
  })

  it('[RC4] lets a table’s own properties win over the catalog’s', async () => {
    const { catalog } = await setUp(() => ({ body: tableBody(',"config":{"client.region":"table"}') }), {
      config: {
        defaults: { 's3.endpoint': 'https://default.example' },
        overrides: { 'client.region': 'catalog' },
      },
    })
    const { config } = await load(catalog)
    expect(config.get('client.region')?.reveal()).toBe('table')
    expect(config.get('s3.endpoint')?.reveal()).toBe('https://default.example')
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

  it.each([
    ['"row-policies":[{"x":1}]', true],
    ['"readRestrictions":{"a":1}', true],
    ['"row-policies":{}', false],
    ['"labels":{"policy":"x"}', false],
  ])('[RC11] with an unknown field %s refuses: %s', async (field, isRefused) => {
    const { catalog } = await setUp(() => ({ body: tableBody(`,${field}`) }))
    const loading = load(catalog)
    if (isRefused) await expect(loading).rejects.toMatchObject({ code: 'READ_RESTRICTED' })
    else await expect(loading).resolves.toBeDefined()
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
    [400, {}, { error: { message: 'no such name', type: 'BadRequestException' } }, 'CATALOG_REFUSED'],
    [301, { location: '/v2' }, '', 'CATALOG_REFUSED'],
    [308, { location: '/v2' }, '', 'CATALOG_REFUSED'],
    [302, { location: '/login' }, '', 'CATALOG_UNAVAILABLE'],
    [303, { location: '/login' }, '', 'CATALOG_UNAVAILABLE'],
    [307, { location: '/login' }, '', 'CATALOG_UNAVAILABLE'],
    [405, {}, '', 'CATALOG_REFUSED'],
    [422, {}, '<html>', 'CATALOG_REFUSED'],
    [501, {}, '', 'CATALOG_REFUSED'],
    [408, {}, '', 'CATALOG_UNAVAILABLE'],
    [409, {}, '', 'CATALOG_UNAVAILABLE'],
    [423, {}, '', 'CATALOG_UNAVAILABLE'],
    [425, {}, '', 'CATALOG_UNAVAILABLE'],
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

  it.each([
    [429, { 'retry-after': '7' }, 7_000],
    [429, { 'retry-after': '0' }, 1_000],
    [429, { 'retry-after': '999999' }, 60_000],
    [429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, 30_000],
    [429, { 'retry-after': 'soon' }, 1_000],
    [429, {}, 1_000],
    [503, { 'retry-after': '5' }, 5_000],
    [503, {}, undefined],
  ])('[RC12] tells when to come back after %i with %j: %s ms', async (status, headers, expected) => {
    const { catalog } = await setUp(() => ({ status, headers, body: '' }))
    const failure = await load(catalog).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
    expect((failure as AppError).details?.retryAfterMs).toBe(expected)
  })

  it.each([true, false])(
    '[RC9] cuts off a body beyond the bound, with its length told or not (%s)',
    async (isTold) => {
      const limits = LIMITS as unknown as Record<string, number>
      const saved = limits['catalogBodyBytesMax'] ?? 0
      limits['catalogBodyBytesMax'] = 10_000
      try {
        let sentBytes = 0
        const { catalog } = await setUp((_request, response) => {
          response.writeHead(200, isTold ? { 'content-length': '100000000' } : {})
          const send = (): void => {
            if (response.destroyed || sentBytes > 50_000_000) return
            sentBytes += 65_536
            response.write(' '.repeat(65_536), send)
          }
          send()
          return undefined
        })
        await expect(load(catalog)).rejects.toMatchObject({
          code: 'CATALOG_UNAVAILABLE',
          details: { bytesMax: 10_000 },
        })
        expect(sentBytes).toBeLessThan(20_000_000)
      } finally {
        limits['catalogBodyBytesMax'] = saved
      }
    },
  )

  it.each([301, 302, 303, 307, 308])('[RC9] does not follow a redirect of %i', async (status) => {
    const { catalog, stub } = await setUp(() => ({ status, headers: { location: '/login' } }), {
      auth: staticToken('t'),
    })
    await expect(load(catalog)).rejects.toMatchObject({
      message: `The catalog redirects (HTTP ${status}), which is not followed`,
    })
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

  it('[RC12] says what the catalog said of a name that it does not take', async () => {
    const { catalog } = await setUp(() => ({
      status: 400,
      body: { error: { message: 'Invalid identifier', type: 'BadRequestException', code: 400 } },
    }))
    await expect(load(catalog, ['ns'], 'a\tb')).rejects.toMatchObject({
      code: 'CATALOG_REFUSED',
      message: 'The catalog answered HTTP 400 for the table ns.a\tb: Invalid identifier',
    })
  })

  it.each([
    [404, { error: { message: 'no such warehouse', type: 'NoSuchWarehouseException' } }, 'CATALOG_REFUSED'],
    [400, '', 'CATALOG_REFUSED'],
    [403, '', 'CATALOG_PERMISSION_DENIED'],
    [500, '', 'CATALOG_UNAVAILABLE'],
  ])('[RC12] takes %i for the configuration as %j says: %s', async (status, body, code) => {
    const stub = await startStub(() => ({ status, body }))
    opened.push(stub)
    const { catalog } = await setUp(() => ({ body: tableBody() }), { endpoint: stub.url })
    await expect(load(catalog)).rejects.toMatchObject({ code })
    expect(stub.requests.map(({ path }) => path)).toEqual(['/v1/config'])
  })

  it('reports a refused connection and a cut body', async () => {
    const { catalog, stub } = await setUp(() => ({ body: tableBody() }))
    await stub[Symbol.asyncDispose]()
    await expect(load(catalog)).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
  })
})

describe('[CR5] credentials again', () => {
  const entry = '{"prefix":"s3://b/t","config":{"s3.access-key-id":"fresh"}}'
  const credentialsPath = '/v1/namespaces/ns/tables/t/credentials'
  const config = { endpoints: ['GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials'] }

  it.each([
    ['the endpoint gives some', config, { body: `{"storage-credentials":[${entry}]}` }, 'fresh'],
    ['the endpoint gives none', config, { body: '{"storage-credentials":[]}' }, 'loaded'],
    ['the endpoint fails', config, { status: 501, body: '' }, 'loaded'],
    ['there is no endpoint', {}, { status: 404, body: '' }, 'loaded'],
  ])('when %s', async (_when, setup, answer, expected) => {
    const body = tableBody(
      ',"config":{"token":"table-token"},"storage-credentials":[{"prefix":"s3://b/t","config":{"s3.access-key-id":"loaded"}}]',
    )
    const { catalog, stub } = await setUp(({ path }) => (path === credentialsPath ? answer : { body }), {
      config: setup,
      auth: staticToken('t'),
    })
    const { storageCredentials } = await catalog.loadCredentials(await load(catalog), NEVER)
    expect(storageCredentials[0]?.config.get('s3.access-key-id')?.reveal()).toBe(expected)
    const call = stub.requests.find(({ path }) => path === credentialsPath)
    expect(call?.headers.authorization).toBe('endpoints' in setup ? 'Bearer table-token' : undefined)
  })

  it.each([
    ['relative', 'client', () => 'v1/again', 'fresh'],
    ['relative with a slash', 'gcs.oauth2', () => '/v1/again', 'fresh'],
    ['absolute', 'adls', (origin: string) => `${origin}/v1/again`, 'fresh'],
    ['of another origin', 'client', () => 'http://127.0.0.2:1/v1/again', 'loaded'],
    ['no URL', 'client', () => 'http://', 'loaded'],
    ['switched off', 'client', () => 'v1/again', 'loaded'],
  ])('where the table names the endpoint: %s', async (kind, family, endpoint, expected) => {
    const { catalog, stub } = await setUp(({ path }) => {
      if (path === '/v1/again') return { body: `{"storage-credentials":[${entry}]}` }
      const properties = {
        [`${family}.refresh-credentials-endpoint`]: endpoint(stub.url.origin),
        ...(kind === 'switched off' ? { [`${family}.refresh-credentials-enabled`]: 'false' } : {}),
      }
      const loaded = `{"prefix":"s3://b/t","config":{"s3.access-key-id":"loaded"}}`
      return { body: tableBody(`,"config":${JSON.stringify(properties)},"storage-credentials":[${loaded}]`) }
    })
    const { storageCredentials } = await catalog.loadCredentials(await load(catalog), NEVER)
    expect(storageCredentials[0]?.config.get('s3.access-key-id')?.reveal()).toBe(expected)
  })
})
