// Where a table's metadata comes from, counted at the storage server: inline no metadata file is read, otherwise one is, on
// every way to a table, over the real local lake behind a proxy that takes the metadata out of the catalog's answers.
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LIMITS } from '../src/limits.ts'
import { startCatalogProxy, type CatalogProxy } from './support/catalog-proxy.ts'
import { startCountingStore, type CountingStore } from './support/counting-store.ts'
import { startFaultProxy, type Fault } from './support/fault-proxy.ts'
import { load, METADATA, startStubCatalog } from './support/stub-catalog.ts'
import type { TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let catalog: CatalogProxy
let store: CountingStore
/** What the catalog's answers have in place of `metadata`, and otherwise than it says; undefined: they stay. */
let replacement: Record<string, unknown> | undefined
/** The file that they name, of the one that the catalog names. */
let relocate: (location: string) => string

beforeEach(() => {
  relocate = (location) => location
})
beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  store = await startCountingStore(lake.ready.s3Endpoint)
  catalog = await startCatalogProxy(lake.ready.restEndpoint, async ({ path, method }, pass) => {
    if (method !== 'GET' || !/\/tables\/[^/]+$/.test(path) || !replacement) return undefined
    const answer = await pass()
    if (answer.status !== 200) return answer
    const { metadata: _inline, ...rest } = JSON.parse(answer.body) as Record<string, unknown>
    const location = relocate(String(rest['metadata-location']))
    return { ...answer, body: JSON.stringify({ ...rest, 'metadata-location': location, ...replacement }) }
  })
}, 120_000)

afterAll(async () => {
  await catalog?.[Symbol.asyncDispose]()
  await store?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

const startCold = async (more: Readonly<Record<string, string>> = {}): Promise<TestStack> =>
  await startTestStack(lake, {
    LAKE_ICEBERG_REST_ENDPOINT: catalog.url.href,
    LAKE_ICEBERG_S3_ENDPOINT: store.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
    LAKE_ICEBERG_S3_PATH_STYLE: 'true',
    ...more,
  })

/** Every way to a table, each over one that nothing has loaded yet. */
const WAYS: readonly (readonly [name: string, go: (client: TestClient) => Promise<unknown>])[] = [
  ['a query', async (client) => await client.query('SELECT * FROM iceberg.analytics.robots')],
  [
    'an estimate',
    async (client) => await client.request('POST', '/estimate', { sql: 'SELECT * FROM iceberg.models.runs' }),
  ],
  ['the table page', async (client) => await client.request('GET', '/namespaces/analytics/tables/episodes')],
  [
    'the check of storage access',
    async (client) =>
      await client.request('POST', '/namespaces/analytics/tables/telemetry/verify-storage-access'),
  ],
]
const metadataFiles = (): string[] =>
  store.take().flatMap(({ method, path }) => (path.endsWith('.metadata.json') ? [method] : []))

async function answersOf(stack: TestStack): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const [, go] of WAYS) {
    const answer = await go(stack.client)
    if (!(answer instanceof Response)) {
      answers.push((answer as { rowCount: number }).rowCount)
      continue
    }
    expect(answer.status).toBe(200)
    // How long it took differs.
    answers.push(JSON.parse((await answer.text()).replaceAll(/"(?:elapsedMs|metadataAgeMs)":\d+/g, '"ms":0')))
  }
  return answers
}

describe('[RC6] [RC18] metadata files that are read', () => {
  it.each<[string, Record<string, unknown> | undefined, readonly string[]]>([
    ['the catalog sends the metadata: none', undefined, []],
    ['it is null: one', { metadata: null }, ['GET']],
    ['it is absent: one', {}, ['GET']],
  ])('where %s, on every way to a table', async (_case, given, expected) => {
    replacement = given
    await using stack = await startCold()
    for (const [name, go] of WAYS) {
      store.take()
      await go(stack.client)
      expect(metadataFiles(), name).toEqual(expected)
      await go(stack.client)
      expect(metadataFiles(), `${name}, again`).toEqual([])
    }
  })

  it('give the answers that inline metadata gives', async () => {
    replacement = undefined
    await using inline = await startCold()
    const expected = await answersOf(inline)
    replacement = { metadata: null }
    await using byLocation = await startCold()
    expect(await answersOf(byLocation)).toEqual(expected)
  })

  it('fail closed where the catalog vends nothing to read them with', async () => {
    replacement = { metadata: null, config: {}, 'storage-credentials': [] }
    await using stack = await startCold()
    store.take()
    for (const sql of ['SELECT * FROM iceberg.analytics.robots', 'SELECT count(*) FROM iceberg.models.runs'])
      expect(await stack.client.outcome(sql)).toBe('CATALOG_CREDENTIALS_NOT_VENDED')
    const page = await stack.client.request('GET', '/namespaces/analytics/tables/robots')
    expect([page.status, await page.json()]).toMatchObject([
      403,
      { error: { code: 'CATALOG_CREDENTIALS_NOT_VENDED' } },
    ])
    expect(store.take()).toEqual([])
  })
})

describe('[RC18] a metadata file that cannot be read', () => {
  it('is told by what is wrong with its place, on every way to the table, and is not missed once it is there', async () => {
    const places: readonly (readonly [string, typeof relocate])[] = [
      ['OBJECT_MISSING', (location) => location.replace('.metadata.json', '-gone.metadata.json')],
      ['OBJECT_MISSING', (location) => location.replace(/[^/]*$/, '')],
      // The store's own answer: the lake vends what it has for any place.
      ['STORAGE_ACCESS_DENIED', () => 's3://elsewhere/v1.metadata.json'],
      ['TABLE_UNSUPPORTED', () => 'hdfs://n:8020/v1.metadata.json'],
      ['TABLE_UNSUPPORTED', () => 'v1.metadata.json'],
    ]
    const sql = 'SELECT count(*) FROM iceberg.analytics.robots'
    replacement = { metadata: null }
    await using stack = await startCold()
    for (const [code, moved] of places) {
      relocate = moved
      expect(await stack.client.outcome(sql), moved('x/v1.metadata.json')).toBe(code)
      const page = await stack.client.request('GET', '/namespaces/analytics/tables/robots')
      expect(await page.json()).toMatchObject({ error: { code } })
    }
    relocate = (location) => location
    expect(await stack.client.outcome(sql)).toBe('ok')
  })

  it('fails by the code of what storage answers, or is asked for once more, and the next statement works', async () => {
    const faults: readonly (readonly [table: string, fault: Fault, code: string])[] = [
      ['analytics.robots', '403', 'STORAGE_ACCESS_DENIED'],
      ['analytics.episodes', '404', 'OBJECT_MISSING'],
      ['analytics.telemetry', '500', 'ok'],
      ['analytics.maintenance', 'reset mid-body', 'ok'],
      ['models.runs', 'garbage', 'TABLE_CORRUPT'],
    ]
    replacement = { metadata: null }
    await using storage = await startFaultProxy(store.url)
    await using stack = await startCold({ LAKE_ICEBERG_S3_ENDPOINT: storage.url })
    store.take()
    for (const [table, fault, code] of faults) {
      // The first call for a table that nothing has loaded yet is for its metadata file.
      storage.reset(0, fault)
      expect(await stack.client.outcome(`SELECT count(*) FROM iceberg.${table}`), fault).toBe(code)
      storage.reset()
      expect(await stack.client.outcome(`SELECT count(*) FROM iceberg.${table}`), `after ${fault}`).toBe('ok')
      expect(metadataFiles(), fault).toContain('GET')
    }
  })
})

describe('[RC18] a metadata file', () => {
  const opened: AsyncDisposable[] = []
  const limits = LIMITS as unknown as Record<string, number>
  const saved = { ...limits }
  afterEach(async () => {
    for (const part of opened.splice(0)) await part[Symbol.asyncDispose]()
    Object.assign(limits, saved)
  })
  /** A catalog that names `file`, and how often that is read. */
  const setUp = async (
    file: Uint8Array,
    location = 's3://b/t/v1.metadata.json',
  ): Promise<Awaited<ReturnType<typeof startStubCatalog>> & { reads: string[] }> => {
    const reads: string[] = []
    const started = await startStubCatalog(() => ({ body: { 'metadata-location': location } }), {
      readMetadataFile: async (_access, asked) => {
        reads.push(asked)
        await new Promise((resolve) => setTimeout(resolve, 5))
        return new Uint8Array(file)
      },
    })
    opened.push(started)
    return { ...started, reads }
  }

  it.each([
    ['plain', 's3://b/t/v1.metadata.json', Buffer.from(METADATA)],
    ['compressed, as Java names it', 's3://b/t/v1.gz.metadata.json', gzipSync(METADATA)],
    ['compressed, as older writers name it', 's3://b/t/v1.metadata.json.gz', gzipSync(METADATA)],
    ['compressed, and named as if it were not', 's3://b/t/v1.metadata.json', gzipSync(METADATA)],
  ])('[H12] is read whole and exactly: %s', async (_form, location, file) => {
    const { catalog: client } = await setUp(file, location)
    const table = await load(client)
    expect(table.metadata.currentSnapshotId).toBe(7_505_300_640_432_048_841n)
    expect(table.metadataLocation).toBe(location)
  })

  it('is read once for loads that run together, and for later ones of the same file', async () => {
    const { catalog: client, reads, stub } = await setUp(Buffer.from(METADATA))
    await Promise.all(Array.from({ length: 20 }, async () => await load(client)))
    await load(client)
    expect(reads).toHaveLength(1)
    // The catalog says at every load which file it is.
    expect(stub.requests.filter(({ path }) => path.endsWith('/tables/t'))).toHaveLength(21)
  })

  it('is not read for credentials alone', async () => {
    const { catalog: client, reads } = await setUp(Buffer.from(METADATA))
    const table = await load(client)
    await client.loadCredentials(table, new AbortController().signal)
    expect(reads).toHaveLength(1)
  })

  it('is bounded, also where it is small until it is decompressed', async () => {
    limits['metadataFileBytesMax'] = 1_000_000
    const { catalog: client } = await setUp(gzipSync(`${METADATA}${' '.repeat(1_000_001)}`))
    await expect(load(client)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
      details: { bytesMax: 1_000_000 },
    })
  })

  it.each([
    ['cut', Buffer.from(METADATA.slice(0, 400))],
    ['compressed and cut', gzipSync(METADATA).subarray(0, 100)],
    ['empty', Buffer.from('')],
    ['another document', Buffer.from('[]')],
  ])('that is damaged is TABLE_CORRUPT, and is read anew the next time: %s', async (_damage, file) => {
    const { catalog: client, reads } = await setUp(file)
    await expect(load(client)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    await expect(load(client)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    expect(reads).toHaveLength(2)
  })

  it('that neither comes nor is named is refused', async () => {
    const { catalog: client } = await setUp(Buffer.from(METADATA), '')
    await expect(load(client)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })
})
