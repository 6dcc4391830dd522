// Whole tables on Google Cloud Storage and Azure Storage: the local lake's demo tables, whose paths the catalog's answers map to
// those stores, from stubs that speak their dialects, demand the newest credential and have the lake's own bytes.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyStorageAccessResponse } from '@lake/core/api/contract.ts'
import { Secret } from '../src/observability/redaction.ts'
import { createS3ObjectStore } from '../src/storage/s3-object-store.ts'
import type { HttpObjectStore } from '../src/storage/http-object-store.ts'
import { object, startS3Stub, type S3Stub } from './storage/s3-stub.ts'
import { startCatalogProxy, type CatalogProxy } from './support/catalog-proxy.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const KEYS = { accessKeyId: 'ROOT', secretAccessKey: 'root-secret' }
const ACCOUNT = 'lakeacct'
const CLOUDS = [
  {
    cloud: 'Google Cloud Storage',
    root: 'gs://lake/',
    vend: (credential: string) => ({ 'gcs.oauth2.token': credential }),
    environment: (url: string) => ({ LAKE_ICEBERG_GCS_ENDPOINT: url }),
    credentialOf: ({ headers }: S3Stub['requests'][number]) => headers.authorization?.replace('Bearer ', ''),
    keyOf: (path: string) => path.replace('/lake/', ''),
    ended: 401,
    bucket: 'lake',
  },
  {
    cloud: 'Azure Storage',
    root: `abfss://lake@${ACCOUNT}.dfs.core.windows.net/`,
    vend: (credential: string) => ({
      [`adls.sas-token.${ACCOUNT}.dfs.core.windows.net`]: `sv=2020-10-02&sp=r&sig=${credential}`,
    }),
    environment: (url: string) => ({ LAKE_ICEBERG_ADLS_ENDPOINT: `${url}/${ACCOUNT}` }),
    credentialOf: ({ url }: S3Stub['requests'][number]) => /[?&]sig=([^&]*)/.exec(url)?.[1],
    keyOf: (path: string) => path.replace(`/${ACCOUNT}/lake/`, ''),
    ended: 403,
    bucket: `lake@${ACCOUNT}`,
  },
]

let lake: TestLake
let files: HttpObjectStore
beforeAll(async () => {
  const flags = ['--s3-access-key', KEYS.accessKeyId, '--s3-secret-key', KEYS.secretAccessKey]
  lake = await startTestLake(['--demo-scale', '0.01', ...flags])
  files = createS3ObjectStore({
    endpoint: lake.ready.s3Endpoint,
    region: 'us-east-1',
    isPathStyle: true,
    credentials: { accessKeyId: KEYS.accessKeyId, secretAccessKey: new Secret(KEYS.secretAccessKey) },
  })
}, 120_000)
afterAll(async () => {
  await files?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

describe.each(CLOUDS)('[CR10] tables on $cloud', (kind) => {
  let stub: S3Stub
  let catalog: CatalogProxy
  let stack: TestStack
  let cache: string
  /** What the catalog vends, and what storage takes. */
  let vended: string | undefined
  let taken: string
  let refusal: { status: number; code: string } | undefined

  beforeAll(async () => {
    stub = await startS3Stub()
    stub.answer((request, response) => {
      const asked = { url: request.url ?? '', headers: request.headers, method: request.method ?? '' }
      const refused =
        refusal ??
        (kind.credentialOf(asked) === taken
          ? undefined
          : { status: kind.ended, code: 'AuthenticationFailed' })
      if (refused) {
        response.writeHead(refused.status, { 'x-ms-error-code': refused.code }).end(asked.url)
        return
      }
      const key = decodeURIComponent(kind.keyOf(asked.url.split('?')[0] ?? ''))
      void files
        .readObject(`s3://lake/${key}`, { bytesMax: 100_000_000 }, new AbortController().signal)
        .then((bytes) => object(bytes)(request, response))
    })
    const entries = () => (vended === undefined ? [] : [{ prefix: kind.root, config: kind.vend(vended) }])
    catalog = await startCatalogProxy(lake.ready.restEndpoint, async ({ path, method }, pass) => {
      if (path.endsWith('/credentials')) return { body: { 'storage-credentials': entries() } }
      if (method !== 'GET' || !/\/tables\/[^/]+$/.test(path)) return undefined
      const answer = await pass()
      if (answer.status !== 200) return answer
      const config = { 'lake.path-map': JSON.stringify({ 's3://lake/': kind.root }) }
      // The metadata stays as it was written, with ids that JSON numbers cannot hold.
      const metadata = /"metadata":(\{.*\}),"config":/s.exec(answer.body)?.[1]
      if (metadata === undefined) throw new Error('the lake writes its answers otherwise now')
      const body = `{"metadata":${metadata},"config":${JSON.stringify(config)},"storage-credentials":${JSON.stringify(entries())}}`
      return { ...answer, headers: { 'content-type': 'application/json' }, body }
    })
    cache = await mkdtemp(join(tmpdir(), 'lake-cloud-'))
    stack = await startCold()
  }, 60_000)
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]()
    await catalog?.[Symbol.asyncDispose]()
    await stub?.[Symbol.asyncDispose]()
    await rm(cache, { recursive: true, force: true })
  })
  beforeEach(() => {
    vended = 'canary-one'
    taken = 'canary-one'
    refusal = undefined
    stub.requests.length = 0
  })

  const startCold = async (): Promise<TestStack> =>
    await startTestStack(lake, {
      LAKE_ICEBERG_REST_ENDPOINT: catalog.url.href,
      LAKE_CACHE_DIR: cache,
      LAKE_METRICS_ADDR: '127.0.0.1:0',
      ...kind.environment(stub.endpoint),
    })
  const SQL = 'SELECT * FROM iceberg.analytics.robots ORDER BY robot_id'
  const rowsOf = async (of: TestStack): Promise<string[]> => {
    const { batches, receipt } = await of.client.query(SQL)
    expect(receipt).toBeDefined()
    return batches.flatMap((batch) => [...batch].map(String))
  }
  const verify = async (of = stack) => {
    const path = '/namespaces/analytics/tables/robots/verify-storage-access'
    const response = await of.client.request('POST', path)
    return verifyStorageAccessResponse.parse(await response.json())
  }

  it('give the rows that they give from S3, and cached chunks outlive their credential', async () => {
    await using plain = await startTestStack(lake)
    expect(await rowsOf(stack)).toEqual(await rowsOf(plain))
    expect(stub.requests.length).toBeGreaterThan(0)
    const cold = stub.requests.length
    vended = taken = 'canary-two'
    stub.requests.length = 0
    await rowsOf(stack)
    expect(stub.requests.length).toBeLessThan(cold)
  })

  it('pass the check of storage access, whose failure names the object', async () => {
    expect(await verify()).toMatchObject({ isAccessible: true })
    refusal = { status: 403, code: 'AuthorizationPermissionMismatch' }
    const { checks } = await verify()
    expect(checks.at(-1)).toMatchObject({ step: 'manifest-list', code: 'STORAGE_ACCESS_DENIED' })
    expect(checks.at(-1)?.details).toMatchObject({
      bucket: kind.bucket,
      key: expect.stringMatching(/\.avro$/) as string,
    })
  })

  it('are refused as denied when the credential has ended and the catalog has no better one', async () => {
    taken = 'canary-another'
    expect(await stack.client.outcome(SQL)).toBe('STORAGE_ACCESS_DENIED')
    // Once with the first, once with what the catalog gave in its place.
    expect(stub.requests).toHaveLength(2)
  })

  it('[CR2] fail closed where nothing is vended', async () => {
    vended = undefined
    await using cold = await startCold()
    expect(await cold.client.outcome(SQL)).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
    const estimate = await cold.client.request('POST', '/estimate', { sql: SQL })
    expect(await estimate.json()).toMatchObject({ error: { code: 'CATALOG_CREDENTIALS_NOT_VENDED' } })
    expect((await verify(cold)).checks.at(-1)?.code).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
    expect(stub.requests).toEqual([])
  })

  it('[SX1] leave no credential in answers, logs, metrics and cache', async () => {
    const seen: string[] = []
    for (const next of [
      undefined,
      { status: 403, code: 'X' },
      { status: 500, code: 'Y' },
      { status: 404, code: 'Z' },
    ]) {
      refusal = next
      seen.push(JSON.stringify(await verify()), await stack.client.outcome(SQL))
      const path = '/namespaces/analytics/tables/robots'
      seen.push(await (await stack.client.request('GET', path)).text())
    }
    for (const name of await readdir(cache, { recursive: true, withFileTypes: true })) {
      seen.push(name.name)
      if (name.isFile()) seen.push((await readFile(join(name.parentPath, name.name))).toString('latin1'))
    }
    const metrics = await (await fetch(`${stack.metricsUrl}/metrics`)).text()
    seen.push(...stack.log.map((line) => JSON.stringify(line)), metrics)
    expect(seen.filter((text) => text.includes('canary-'))).toEqual([])
    expect(metrics).toMatch(/lake_storage_reads_total\{outcome="ok"\} [1-9]/)
    expect(metrics).toMatch(/lake_storage_reads_total\{outcome="STORAGE_ACCESS_DENIED"\} [1-9]/)
  })
})
