// Queries that read object storage by requests that a signer signs one by one: the local lake's store checks the
// signatures, and its catalog vends nothing. The signer here is a stand-in with the store's real keys.
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startCatalogProxy, type CatalogProxy } from './support/catalog-proxy.ts'
import type { StubAnswer, StubRequest } from './support/stub-http.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const KEYS = { accessKeyId: 'SIGNER', secretAccessKey: 'canary-signing-key' }
const TABLE = 'iceberg.analytics.episodes'
let lake: TestLake
let catalog: CatalogProxy
let stack: TestStack
let signed: { uri: string; authorization: string | undefined; range: string | undefined }[] = []
let config: Record<string, string>
let cacheControl: string
/** All that the signer gave out. */
const signatures = new Set<string>()

beforeAll(async () => {
  const flags = ['--s3-access-key', KEYS.accessKeyId, '--s3-secret-key', KEYS.secretAccessKey]
  lake = await startTestLake(['--demo-scale', '0.01', '--no-vended-credentials', ...flags])
  catalog = await startCatalogProxy(lake.ready.restEndpoint, async (request, pass) => {
    if (request.method === 'POST' && request.path.endsWith('/sign')) return await sign(request)
    if (!/\/tables\/[^/]+$/.test(request.path)) return undefined
    const answer = await pass()
    const at = answer.body.lastIndexOf('"config":{') + '"config":{'.length
    const members = Object.entries(config).map(
      ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
    )
    return { ...answer, body: answer.body.slice(0, at) + members.join('') + answer.body.slice(at) }
  })
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_REST_ENDPOINT: catalog.url.href,
    LAKE_ICEBERG_STORAGE_ACCESS: 'remote-signing',
  })
}, 120_000)
beforeEach(() => {
  signed = []
  config = { 's3.remote-signing-enabled': 'true', 'signer.endpoint': 'v1/lake/sign' }
  cacheControl = 'no-cache'
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await catalog?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

async function sign({ body, headers: sent }: StubRequest): Promise<StubAnswer> {
  const { uri, method, region, headers } = JSON.parse(body) as {
    uri: string
    method: string
    region: string
    headers: Record<string, string[]>
  }
  signed.push({ uri, authorization: sent.authorization, range: headers['range']?.[0] })
  const url = new URL(uri)
  const signer = new SignatureV4({
    credentials: KEYS,
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
  })
  const request = await signer.sign(
    new HttpRequest({
      method,
      hostname: url.host,
      path: url.pathname,
      headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])),
    }),
  )
  const answered = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value]]))
  signatures.add(/Signature=([0-9a-f]+)/.exec(request.headers['authorization'] ?? '')?.[1] ?? 'none')
  return { body: { uri, headers: answered }, headers: { 'cache-control': cacheControl } }
}

describe('[CR6] remote signing', () => {
  it('reads a table without any credential: each request is signed with its range, and the rows are right', async () => {
    const { batches, receipt } = await stack.client.query(
      `SELECT count(*), count(DISTINCT episode_id) FROM ${TABLE}`,
    )
    const [row] = batches[0]?.toArray() ?? []
    const [all, distinct] = Object.values((row as { toJSON(): Record<string, bigint> }).toJSON())
    expect(all).toBe(distinct)
    expect(all).toBeGreaterThan(0n)
    expect(receipt?.tables[0]?.scan?.bytesRead).toBeGreaterThan(0)
    expect(signed.length).toBeGreaterThan(2)
    expect(new Set(signed.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${lake.ready.token}`]),
    )
    expect(signed.some(({ range }) => range?.startsWith('bytes=') === true)).toBe(true)
    expect(signed.every(({ uri }) => uri.startsWith(new URL(lake.ready.s3Endpoint).origin))).toBe(true)
  })

  it('gives the same rows where signatures may be kept', async () => {
    const sql = `SELECT * FROM ${TABLE} ORDER BY ALL`
    const rows = async (): Promise<string> =>
      (await stack.client.query(sql)).batches.map((batch) => batch.toArray().map(String).join()).join()
    const fresh = await rows()
    cacheControl = 'private'
    expect(await rows()).toBe(fresh)
  })

  it('is refused where the catalog only names a signer, as some do for every table', async () => {
    config = { 's3.signer': 'S3V4RestSigner', 's3.signer.endpoint': 'v1/lake/sign' }
    expect(await stack.client.outcome(`SELECT * FROM ${TABLE}`)).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
    expect(signed).toEqual([])
  })

  it('goes to the endpoint of the protocol where none is named, which this catalog does not have', async () => {
    config = { 's3.remote-signing-enabled': 'true', 'signer.endpoint': 'v1/nothing' }
    expect(await stack.client.outcome(`SELECT * FROM ${TABLE}`)).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
  })

  it('tells of it when access is verified', async () => {
    const answer = await stack.client.request(
      'POST',
      '/namespaces/analytics/tables/episodes/verify-storage-access',
    )
    expect(await answer.json()).toMatchObject({ isAccessible: true })
    expect(signed.length).toBeGreaterThan(2)
  })

  it('[SX1] shows no signature and no token, in success or failure', async () => {
    const seen: string[] = []
    for (const table of ['episodes', 'nothing']) {
      const planned = await stack.client.request('POST', '/flight-info', {
        sql: `SELECT * FROM iceberg.analytics.${table}`,
      })
      const text = await planned.text()
      seen.push(text)
      if (!planned.ok) continue
      const { ticket } = JSON.parse(text) as { ticket: string }
      const answer = await stack.client.doGet(ticket)
      seen.push(Buffer.from(await answer.arrayBuffer()).toString('latin1'))
    }
    seen.push(...stack.log.map((line) => JSON.stringify(line)))
    expect(signatures.size).toBeGreaterThan(2)
    expect(signatures).not.toContain('none')
    for (const secret of [...signatures, lake.ready.token, KEYS.secretAccessKey])
      expect(seen.filter((text) => text.includes(secret))).toEqual([])
  })
})
