// Google Cloud Storage and Azure Storage over a stub: what is asked, what refusals mean, and that a credential stays where it
// belongs. That real servers understand it is for `npm run test:clouds`.
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../src/observability/redaction.ts'
import { createAzureObjectStore } from '../../src/storage/azure-object-store.ts'
import { createGcsObjectStore } from '../../src/storage/gcs-object-store.ts'
import type { HttpObjectStore, HttpObjectStoreOptions } from '../../src/storage/http-object-store.ts'
import { StorageCredentialsRefused } from '../../src/storage/storage-errors.ts'
import { object, startS3Stub, type Handler, type S3Stub } from './s3-stub.ts'

const CANARY = 'canary-credential'
const SAS = `sv=2020-10-02&sp=r&sig=${CANARY}%2B%2F%3D`
const content = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251)
const range = { start: 100, end: 200 }
const signal = new AbortController().signal
let stub: S3Stub
let opened: HttpObjectStore[]
let outcomes: string[]

beforeEach(async () => {
  stub = await startS3Stub()
  opened = []
  outcomes = []
})
afterEach(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]()
  await stub[Symbol.asyncDispose]()
})

const KINDS = [
  {
    kind: 'gcs' as const,
    uriOf: (key: string) => `gs://bucket/${key}`,
    details: { bucket: 'bucket', key: 'dir/key.parquet' },
    open: (options: HttpObjectStoreOptions) =>
      createGcsObjectStore({ endpoint: stub.endpoint, token: new Secret(CANARY), ...options }),
    pathOf: (encoded: string) => `/bucket/${encoded}`,
  },
  {
    kind: 'azure' as const,
    uriOf: (key: string) => `abfss://bucket@acct.dfs.core.windows.net/${key}`,
    details: { bucket: 'bucket@acct', key: 'dir/key.parquet' },
    open: (options: HttpObjectStoreOptions) =>
      createAzureObjectStore({ endpoint: `${stub.endpoint}/acct`, sas: new Secret(SAS), ...options }),
    pathOf: (encoded: string) => `/acct/bucket/${encoded}?${SAS}`,
  },
]

/** Answers with a status, and the code where each kind has it. */
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Handler =>
  (request, response) => {
    const body = `<Error><Code>${code}</Code><Message>${request.url ?? ''} ${request.headers.authorization ?? ''}</Message></Error>`
    response.writeHead(status, { 'x-ms-error-code': code, ...headers }).end(body)
  }

describe.each(KINDS)('$kind', ({ kind, uriOf, details, open: openKind, pathOf }) => {
  const uri = uriOf('dir/key.parquet')
  const open = (options: HttpObjectStoreOptions = {}): HttpObjectStore => {
    const sleep = async (): Promise<void> => await Promise.resolve()
    const store = openKind({ sleep, onOutcome: (outcome) => outcomes.push(outcome), ...options })
    opened.push(store)
    return store
  }
  const failureOf = async (store = open()): Promise<unknown> =>
    await store.readRange(uri, range, signal).then(
      () => 'succeeded',
      (error: unknown) => error,
    )

  test('reads exactly the bytes of a range, the whole object, and its size', async () => {
    stub.answer(object(content, '"v1"'))
    const store = open()
    expect(await store.readRange(uri, range, signal)).toEqual(content.subarray(100, 200))
    expect(await store.readObject(uri, { bytesMax: 1_000 }, signal)).toEqual(content)
    expect(await store.statObject(uri, signal)).toEqual({ sizeBytes: 1_000 })
    expect(stub.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
      ['GET', 'GET', 'HEAD'].map((method) => `${method} ${pathOf('dir/key.parquet')}`),
    )
    expect(stub.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"v1"', '"v1"'])
    expect(outcomes).toEqual(['ok', 'ok', 'ok'])
  })

  test('sends the credential as the service wants it, and nowhere else', async () => {
    stub.answer(object(content))
    await open().readRange(uri, range, signal)
    const { headers, url } = stub.requests[0]!
    expect(headers.range).toBe('bytes=100-199')
    const isGcs = kind === 'gcs'
    expect(headers.authorization).toBe(isGcs ? `Bearer ${CANARY}` : undefined)
    expect(url.includes(CANARY)).toBe(!isGcs)
    expect(headers['accept-encoding']).toBe(isGcs ? 'gzip' : 'identity')
    expect(headers['x-ms-version']).toBe(isGcs ? undefined : '2020-10-02')
  })

  test.each([
    ['a//b', 'a//b'],
    ['a/../b/./c', 'a/../b/./c'],
    ['c%3D1/d+e f', 'c%253D1/d%2Be%20f'],
    ["é?x=1#y'(!*)", '%C3%A9%3Fx%3D1%23y%27%28%21%2A%29'],
  ])('%s is sent as %s, each character encoded once', async (key, path) => {
    stub.answer(object(content))
    await open().readRange(uriOf(key), range, signal)
    expect(stub.requests[0]!.url).toBe(pathOf(path))
  })

  test.each([
    [401, 'InvalidAuthenticationInfo', 'STORAGE_ACCESS_DENIED', true],
    [403, kind === 'gcs' ? 'ExpiredToken' : 'AuthenticationFailed', 'STORAGE_ACCESS_DENIED', true],
    [
      403,
      kind === 'gcs' ? 'AccessDenied' : 'AuthorizationPermissionMismatch',
      'STORAGE_ACCESS_DENIED',
      false,
    ],
    [404, kind === 'gcs' ? 'NoSuchKey' : 'BlobNotFound', 'OBJECT_MISSING', false],
    [404, kind === 'gcs' ? 'NoSuchBucket' : 'ContainerNotFound', 'OBJECT_MISSING', false],
    [412, 'ConditionNotMet', 'TABLE_CORRUPT', false],
    [416, 'InvalidRange', 'TABLE_CORRUPT', false],
    [429, 'SlowDown', 'STORAGE_UNAVAILABLE', false],
    [503, 'ServerBusy', 'STORAGE_UNAVAILABLE', false],
  ])('HTTP %i %s is %s; renewing may help: %s', async (status, code, expected, isOfCredentials) => {
    stub.answer(refuse(status, code))
    const failure = await failureOf()
    expect(failure).toMatchObject({ code: expected, details })
    expect(failure instanceof StorageCredentialsRefused).toBe(isOfCredentials)
    expect(outcomes).toEqual([expected])
    // Failures that pass are tried once more.
    expect(stub.requests).toHaveLength(expected === 'STORAGE_UNAVAILABLE' ? 2 : 1)
  })

  test('follows no redirect', async () => {
    await using elsewhere = await startS3Stub()
    elsewhere.answer(object(content))
    stub.answer(refuse(307, 'Moved', { location: `${elsewhere.endpoint}/stolen` }))
    expect(await failureOf()).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(elsewhere.requests).toEqual([])
  })

  test('[SX1] says the credential in no failure', async () => {
    const reset: Handler = (_request, response) => response.socket?.destroy()
    for (const handler of [refuse(403, 'AccessDenied'), refuse(400, 'Bad'), refuse(500, 'Internal'), reset]) {
      stub.answer(handler)
      expect(inspect(await failureOf(), { depth: 9, showHidden: true })).not.toContain(CANARY)
    }
    stub.answer(() => undefined)
    const slow = open({ requestTimeoutMs: 50 })
    expect(inspect(await failureOf(slow), { depth: 9, showHidden: true })).not.toContain(CANARY)
  })

  test('a replaced object is noticed, also by a store that ignores the condition', async () => {
    stub.answer(object(content, '"v1"'))
    const store = open()
    await store.readRange(uri, range, signal)
    stub.answer((request, response) => {
      delete request.headers['if-match']
      object(content, '"v2"')(request, response)
    })
    expect(await failureOf(store)).toMatchObject({ code: 'TABLE_CORRUPT' })
  })
})

test('an account’s own address is its Blob service, whichever the path names', async () => {
  const asked: string[] = []
  const dispatcher = {
    request: async ({ origin, path }: { origin: string; path: string }) => {
      asked.push(`${origin}${path}`)
      return await Promise.reject(new Error('enough'))
    },
  }
  const store = createAzureObjectStore({
    endpoint: undefined,
    sas: new Secret('sig=x'),
    dispatcher: dispatcher as never,
    sleep: async () => await Promise.resolve(),
  })
  await expect(
    store.readRange('abfss://c@acct.dfs.core.usgovcloudapi.net/k', range, signal),
  ).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect(asked[0]).toBe('https://acct.blob.core.usgovcloudapi.net/c/k?sig=x')
})

test('an endpoint that is not https, or a loopback address, is refused', () => {
  for (const endpoint of [
    'http://storage.example',
    'https://u:p@storage.example',
    'https://storage.example?x=1',
  ]) {
    const refused = expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }) as Error
    expect(() => createGcsObjectStore({ endpoint, token: new Secret('t') })).toThrow(refused)
    expect(() => createAzureObjectStore({ endpoint, sas: new Secret('sig=x') })).toThrow(refused)
  }
})
