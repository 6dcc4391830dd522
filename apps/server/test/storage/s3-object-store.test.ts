import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../src/observability/redaction.ts'
import { createS3ObjectStore } from '../../src/storage/s3-object-store.ts'
import type { S3ObjectStoreOptions } from '../../src/storage/s3-object-store.ts'
import { failure, object, startS3Stub } from './s3-stub.ts'
import type { Handler, S3Stub } from './s3-stub.ts'

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: new Secret('very-secret-key'),
  sessionToken: new Secret('session-secret'),
}
const content = Uint8Array.from({ length: 1_000 }, (_, index) => index % 251)
const uri = 's3://bucket/dir/key.parquet'
let signal = new AbortController().signal
let stub: S3Stub
let delays: number[]
let stores: ReturnType<typeof createS3ObjectStore>[]

beforeEach(async () => {
  signal = new AbortController().signal
  stub = await startS3Stub()
  delays = []
  stores = []
})
afterEach(async () => {
  await Promise.all(stores.map(async (store) => await store[Symbol.asyncDispose]()))
  await stub[Symbol.asyncDispose]()
})

function open(options: Partial<S3ObjectStoreOptions> = {}) {
  const store = createS3ObjectStore({
    endpoint: stub.endpoint,
    region: 'eu-north-1',
    isPathStyle: true,
    credentials,
    now: () => new Date('2026-01-02T03:04:05Z'),
    sleep: async (ms) => {
      delays.push(ms)
      await Promise.resolve()
    },
    ...options,
  })
  stores.push(store)
  return store
}
const range = { start: 100, end: 200 }
const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => 'succeeded',
    (error: unknown) => error,
  )

describe('reading', () => {
  test('gives exactly the bytes of a range, the whole object, and its size', async () => {
    stub.answer(object(content))
    const store = open()
    expect(await store.readRange(uri, range, signal)).toEqual(content.subarray(100, 200))
    expect(await store.readRange(uri, { start: 5, end: 5 }, signal)).toEqual(new Uint8Array(0))
    expect(await store.readObject(uri, { bytesMax: 1_000 }, signal)).toEqual(content)
    expect(await store.statObject(uri, signal)).toEqual({ sizeBytes: 1_000 })
    expect(stub.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /bucket/dir/key.parquet',
      'GET /bucket/dir/key.parquet',
      'HEAD /bucket/dir/key.parquet',
    ])
  })

  test('signs the range and the session token with version 4', async () => {
    stub.answer(object(content))
    await open().readRange(uri, range, signal)
    const { headers } = stub.requests[0]!
    expect(headers.range).toBe('bytes=100-199')
    expect(headers['x-amz-security-token']).toBe('session-secret')
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260102\/eu-north-1\/s3\/aws4_request, SignedHeaders=[a-z0-9;-]*range[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
    )
  })

  test('sends anonymous requests unsigned', async () => {
    stub.answer(object(content))
    await open({ credentials: 'anonymous' }).readRange(uri, range, signal)
    expect(stub.requests[0]!.headers.authorization).toBeUndefined()
  })

  test('asks a provider for credentials at each request', async () => {
    stub.answer(object(content))
    let calls = 0
    const store = open({
      credentials: async () => {
        calls += 1
        await Promise.resolve()
        return { accessKeyId: `AKID${calls}`, secretAccessKey: new Secret('x') }
      },
    })
    await store.readRange(uri, range, signal)
    await store.readRange(uri, range, signal)
    expect(stub.requests[1]!.headers.authorization).toContain('AKID2')
  })

  test.each([
    ['s3://bucket/a//b', '/bucket/a//b'],
    ['s3://bucket/a/../b/./c', '/bucket/a/../b/./c'],
    ['s3://bucket/c%3D1/d+e f', '/bucket/c%253D1/d%2Be%20f'],
    ["s3://bucket/é?x=1#y'(!*)", '/bucket/%C3%A9%3Fx%3D1%23y%27%28%21%2A%29'],
    ['s3://bucket//lead', '/bucket//lead'],
  ])('%s is sent as %s, each character encoded once', async (odd, path) => {
    stub.answer(object(content))
    await open().readRange(odd, range, signal)
    expect(stub.requests[0]!.url).toBe(path)
  })

  test('pins the ETag of the first answer and notices a replaced object', async () => {
    stub.answer(object(content, '"v1"'))
    const store = open()
    await store.readRange(uri, range, signal)
    await store.readRange(uri, range, signal)
    expect(stub.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"v1"'])
    stub.answer(object(content, '"v2"'))
    await expect(store.readRange(uri, range, signal)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    // A store that ignores If-Match is noticed by the ETag of its answer.
    stub.answer((request, response) => {
      delete request.headers['if-match']
      object(content, '"v3"')(request, response)
    })
    await expect(store.readRange(uri, range, signal)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
  })

  test('refuses an object beyond the bound, with and without a length', async () => {
    stub.answer(object(content))
    await expect(open().readObject(uri, { bytesMax: 999 }, signal)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
    stub.answer((_request, response) => {
      response.writeHead(200)
      response.write(content)
      response.end()
    })
    await expect(open().readObject(uri, { bytesMax: 999 }, signal)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
    expect(await open().readObject(uri, { bytesMax: 1_000 }, signal)).toEqual(content)
  })
})

const resetMidBody: Handler = (_request, response) => {
  response.writeHead(206, { 'content-range': 'bytes 100-199/1000', 'content-length': 100 })
  response.write(content.subarray(100, 150))
  setTimeout(() => {
    response.socket?.destroy()
  }, 10)
}
const answerWith =
  (status: number, headers: Record<string, string | number>, body: Uint8Array): Handler =>
  (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
const part = content.subarray(100, 200)

describe('failures that pass', () => {
  test.each<[string, Handler]>([
    ['a reset in mid-body', resetMidBody],
    ['a reset before the answer', (request) => request.socket.destroy()],
    ['503 SlowDown', failure(503, 'SlowDown')],
    ['500', failure(500, 'InternalError')],
    ['another range', answerWith(206, { 'content-range': 'bytes 0-99/1000' }, part)],
    ['no Content-Range', answerWith(206, {}, part)],
    ['a short body', answerWith(206, { 'content-range': 'bytes 100-199/1000' }, part.subarray(1))],
    ['a long body', answerWith(206, { 'content-range': 'bytes 100-199/1000' }, content)],
    ['the whole object', answerWith(200, {}, content)],
    ['rubbish', (request) => request.socket.end('HTTP/1.1 nonsense\r\n\r\n')],
  ])('%s is tried once more, and then is STORAGE_UNAVAILABLE', async (_what, fault) => {
    stub.answer(fault, object(content))
    const store = open()
    expect(await store.readRange(uri, range, signal)).toEqual(part)
    expect(delays).toEqual([100])
    stub.answer(fault)
    const before = stub.requests.length
    await expect(store.readRange(uri, range, signal)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(stub.requests.length - before).toBe(2)
  })

  test('a refused connection is STORAGE_UNAVAILABLE', async () => {
    const store = open({ endpoint: 'http://127.0.0.1:1' })
    await expect(store.readRange(uri, range, signal)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })

  test('a whole object in place of a range is right when it is the range', async () => {
    stub.answer(answerWith(200, { 'content-length': 1_000 }, content))
    expect(await open().readRange(uri, { start: 0, end: 1_000 }, signal)).toEqual(content)
  })

  test('a slow store is STORAGE_UNAVAILABLE within the time limit, once', async () => {
    stub.answer((_request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 100-199/1000', 'content-length': 100 })
      response.write(part.subarray(0, 1))
    })
    const store = open({ requestTimeoutMs: 80 })
    await expect(store.readRange(uri, range, signal)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(stub.requests).toHaveLength(1)
  })
})

describe('failures that stay', () => {
  test('403 is STORAGE_ACCESS_DENIED with bucket, key and region, and says that it may be a missing object', async () => {
    stub.answer(failure(403, 'AccessDenied'))
    const error = await failureOf(open().readRange(uri, range, signal))
    expect(error).toMatchObject({
      code: 'STORAGE_ACCESS_DENIED',
      message: expect.stringMatching(/AccessDenied.*missing/s) as string,
      details: { bucket: 'bucket', key: 'dir/key.parquet', region: 'eu-north-1' },
    })
    expect(stub.requests).toHaveLength(1)
  })

  test.each<[string, Handler, string]>([
    ['404 NoSuchKey', failure(404, 'NoSuchKey'), 'OBJECT_MISSING'],
    ['404 NoSuchBucket', failure(404, 'NoSuchBucket'), 'OBJECT_MISSING'],
    ['400 ExpiredToken', failure(400, 'ExpiredToken'), 'STORAGE_ACCESS_DENIED'],
    [
      '400 InvalidArgument, said of a damaged token',
      failure(400, 'InvalidArgument'),
      'STORAGE_ACCESS_DENIED',
    ],
    ['400 without a code', failure(400), 'STORAGE_ACCESS_DENIED'],
    ['401', failure(401), 'STORAGE_ACCESS_DENIED'],
    ['412', failure(412, 'PreconditionFailed'), 'TABLE_CORRUPT'],
    ['416, the object is shorter than its metadata says', failure(416, 'InvalidRange'), 'TABLE_CORRUPT'],
    [
      'a range cut by the end of the object',
      answerWith(206, { 'content-range': 'bytes 100-149/150' }, part.subarray(0, 50)),
      'TABLE_CORRUPT',
    ],
    [
      '301 to another region',
      failure(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'us-west-2' }),
      'STORAGE_ACCESS_DENIED',
    ],
    [
      '400 that names the region in its body',
      failure(400, 'AuthorizationHeaderMalformed', {}, '<Region>us-west-2</Region>'),
      'STORAGE_ACCESS_DENIED',
    ],
  ])('%s', async (_what, handler, code) => {
    stub.answer(handler)
    await expect(open().readRange(uri, range, signal)).rejects.toMatchObject({ code })
    expect(stub.requests).toHaveLength(1)
  })

  test('a wrong region is named', async () => {
    stub.answer(failure(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'us-west-2' }))
    await expect(open().readRange(uri, range, signal)).rejects.toMatchObject({
      message: expect.stringContaining('us-west-2') as string,
      details: { region: 'us-west-2' },
    })
  })

  test('redirects are not followed', async () => {
    stub.answer(failure(307, '', { location: `${stub.endpoint}/elsewhere` }))
    await expect(open().readRange(uri, range, signal)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(stub.requests.some(({ url }) => url === '/elsewhere')).toBe(false)
  })

  test('HEAD without a body still says 403 and 404', async () => {
    stub.answer(failure(403))
    await expect(open().statObject(uri, signal)).rejects.toMatchObject({ code: 'STORAGE_ACCESS_DENIED' })
    stub.answer(failure(404))
    await expect(open().statObject(uri, signal)).rejects.toMatchObject({ code: 'OBJECT_MISSING' })
  })

  test('no error shows a key, a token, a signature or what the store wrote', async () => {
    const faults = [failure(403, 'AccessDenied'), failure(500, 'Oops'), resetMidBody, failure(301, 'X')]
    for (const fault of faults) {
      stub.answer(fault)
      const error = await failureOf(open().readRange(uri, range, signal))
      const print = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)
      expect(print).not.toMatch(/very-secret|session-secret|AKIDEXAMPLE|Signature|secret message/)
    }
  })
})

describe('cancellation', () => {
  test('ends a read at once, as what the caller aborted with, and closes the connection', async () => {
    stub.answer((_request, response) => {
      response.writeHead(206, { 'content-range': 'bytes 100-199/1000', 'content-length': 100 })
      response.write(part.subarray(0, 1))
    })
    const controller = new AbortController()
    const read = open().readRange(uri, range, controller.signal)
    setTimeout(() => {
      controller.abort()
    }, 30)
    await expect(read).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect.poll(stub.connections).toBe(0)
  })

  test('before the read sends nothing', async () => {
    stub.answer(object(content))
    await expect(open().readRange(uri, range, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(stub.requests).toHaveLength(0)
  })
})

describe('settings that are refused', () => {
  test.each([
    ['http://example.com'],
    ['http://localhost:9000'],
    ['http://10.0.0.1'],
    ['https://user:pass@example.com'],
    ['https://example.com?x=1'],
    ['ftp://example.com'],
    ['nonsense'],
  ])('endpoint %s', (endpoint) => {
    expect(() => open({ endpoint })).toThrow(expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }))
  })

  test('a region that would change the host name', () => {
    expect(() => open({ region: 'evil.com/x' })).toThrow(
      expect.objectContaining({ code: 'TABLE_UNSUPPORTED' }),
    )
  })
})
