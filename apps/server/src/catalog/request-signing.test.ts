import { afterEach, describe, expect, it } from 'vitest'
import {
  clientCredentials,
  load,
  startStubCatalog,
  staticToken,
  tableBody,
} from '../../test/support/stub-catalog.ts'
import type { StubAnswer, StubRequest } from '../../test/support/stub-http.ts'

const NEVER = new AbortController().signal
const REQUEST = {
  region: 'r',
  uri: 'https://s3.example/b/k',
  method: 'GET',
  headers: { range: ['bytes=0-1'] },
} as const
const SIGNED: StubAnswer = {
  body: { uri: REQUEST.uri, headers: { Authorization: ['a'], 'X-Amz-Date': 'd' } },
}
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of opened.splice(0)) await part[Symbol.asyncDispose]()
})

async function setUp(
  more: string,
  options: Parameters<typeof startStubCatalog>[1] = {},
  answer: (request: StubRequest) => StubAnswer = () => SIGNED,
) {
  const started = await startStubCatalog(
    (request) => (request.method === 'POST' ? answer(request) : { body: tableBody(more) }),
    { auth: staticToken('session'), storageAccess: 'remote-signing', ...options },
  )
  opened.push(started)
  const sign = async () => await started.catalog.signRequest(await load(started.catalog), REQUEST, NEVER)
  const posted = (): StubRequest[] => started.stub.requests.filter(({ method }) => method === 'POST')
  return { ...started, sign, posted }
}
const advertised = { endpoints: ['POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign'] }

describe('[CR6] the endpoint that signs', () => {
  it.each([
    [
      'named by signer.endpoint',
      ',"config":{"signer.endpoint":"v1/sign-here?x=%1F","s3.signer.endpoint":"no"}',
      {},
      '/v1/sign-here',
    ],
    [
      'named by s3.signer.endpoint',
      ',"config":{"s3.signer.endpoint":"/v1/p/s3-sign2/abc"}',
      {},
      '/v1/p/s3-sign2/abc',
    ],
    ['advertised', '', advertised, '/v1/namespaces/ns/tables/t/sign'],
    [
      'of a table with a signing config',
      ',"remote-signing-config":{}',
      {},
      '/v1/namespaces/ns/tables/t/sign',
    ],
    ['of old catalogs', '', {}, '/v1/aws/s3/sign'],
  ])('is the one %s', async (_which, more, config, path) => {
    const { sign, posted, stub } = await setUp(more, { config })
    expect(await sign()).toEqual({
      uri: REQUEST.uri,
      headers: { Authorization: ['a'], 'X-Amz-Date': ['d'] },
      isCacheable: false,
    })
    expect(posted().map((request) => request.path)).toEqual([path])
    expect(JSON.parse(posted()[0]?.body ?? '')).toEqual({ ...REQUEST, provider: 's3' })
    expect(
      stub.requests.find(({ method, path: of }) => method === 'GET' && of.endsWith('/t'))?.headers,
    ).toMatchObject({
      'x-iceberg-access-delegation': 'remote-signing',
    })
  })

  it('gets the properties and headers of the signing config, and the token of the table', async () => {
    const { sign, posted } = await setUp(
      ',"config":{"token":"table"},"remote-signing-config":{"properties":{"k":"v"},"headers":{"X-Sign":["1","2"]}}',
    )
    await sign()
    expect(JSON.parse(posted()[0]?.body ?? '')).toMatchObject({ properties: { k: 'v' } })
    expect(posted()[0]?.headers).toMatchObject({ authorization: 'Bearer table', 'x-sign': '1, 2' })
  })

  it('of another origin gets no token unless the deployment allows it', async () => {
    const signer = await setUp('')
    const more = `,"config":{"signer.uri":"${signer.stub.url.href}","signer.endpoint":"sign"}`
    const refused = await setUp(more)
    await expect(refused.sign()).rejects.toMatchObject({
      code: 'CATALOG_CREDENTIALS_NOT_VENDED',
      message: expect.stringContaining('LAKE_ICEBERG_SIGNER_ORIGINS') as string,
    })
    expect(signer.stub.requests).toEqual([])
    const allowed = await setUp(more, { signerOrigins: [signer.stub.url.origin] })
    await allowed.sign()
    expect(signer.stub.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/sign', 'Bearer session'],
    ])
    const odd = await setUp(',"config":{"signer.endpoint":"https://"}')
    await expect(odd.sign()).rejects.toMatchObject({ code: 'CATALOG_REFUSED' })
  })

  it('renews the session once when it is refused', async () => {
    let issued = 0
    const { sign, posted } = await setUp('', { auth: clientCredentials() }, ({ path, headers }) => {
      if (path === '/v1/oauth/tokens') return { body: { access_token: `t${(issued += 1)}` } }
      return headers.authorization === 'Bearer t1' ? { status: 419 } : SIGNED
    })
    await sign()
    expect(posted().map(({ path }) => path)).toEqual([
      '/v1/oauth/tokens',
      '/v1/aws/s3/sign',
      '/v1/oauth/tokens',
      '/v1/aws/s3/sign',
    ])
  })
})

describe('[CR6] a signer that does not sign', () => {
  it.each([
    [404, 'no', 'CATALOG_CREDENTIALS_NOT_VENDED'],
    [405, '', 'CATALOG_CREDENTIALS_NOT_VENDED'],
    [403, { error: { message: 'no' } }, 'CATALOG_PERMISSION_DENIED'],
    [401, '', 'CATALOG_UNAUTHORIZED'],
    [400, '', 'CATALOG_REFUSED'],
    [503, '', 'CATALOG_UNAVAILABLE'],
    [200, 'not json', 'CATALOG_UNAVAILABLE'],
    [200, {}, 'CATALOG_UNAVAILABLE'],
    [200, { uri: 'x', headers: { a: 1 } }, 'CATALOG_UNAVAILABLE'],
  ])('answering %i %j ends in %s', async (status, body, code) => {
    const { sign } = await setUp('', {}, () => ({ status, body }))
    await expect(sign()).rejects.toMatchObject({ code })
  })
})

describe('[CR7] whether a signature may be kept', () => {
  it.each([
    ['private', true],
    ['Private, max-age=30', true],
    ['private, no-cache', false],
    ['no-store', false],
    ['public', false],
  ])('is said by Cache-Control: %s (%s)', async (value, isCacheable) => {
    const { sign } = await setUp('', {}, () => ({ ...SIGNED, headers: { 'cache-control': value } }))
    expect((await sign()).isCacheable).toBe(isCacheable)
  })
})
