// What the object store promises over any real S3 server that checks signatures. One suite, run against the local lake's
// and any server that LAKE_TEST_S3_… names. Objects are written by the S3 SDK, so that keys and signatures are judged by
// two others.
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mapConcurrently } from '../../src/concurrency/map-concurrently.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { createS3ObjectStore, type S3ObjectStore } from '../../src/storage/s3-object-store.ts'

export interface S3Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface S3UnderTest extends AsyncDisposable {
  readonly endpoint: string
  /** One that is there, and that `keys` may write to. */
  readonly bucket: string
  readonly keys: S3Keys
  /** Of a session, with a token, that may read the bucket. */
  readonly temporary: S3Keys | undefined
}

const signal = new AbortController().signal
const CONTENT = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 251)
const REGION = 'us-east-1'
const denied = (key: string) => ({ code: 'STORAGE_ACCESS_DENIED', details: { key } })

/** @param start is called once; the suite disposes of what it gives */
export function describeObjectStore(
  name: string,
  start: () => Promise<S3UnderTest>,
  options: { readonly skip?: boolean } = {},
): void {
  describe.skipIf(options.skip === true)(name, () => {
    let subject: S3UnderTest
    let client: S3Client
    beforeAll(async () => {
      subject = await start()
      const { endpoint, keys } = subject
      client = new S3Client({
        endpoint,
        region: REGION,
        forcePathStyle: true,
        credentials: { accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
        // Stores that are not AWS need not know the trailers of newer SDKs.
        requestChecksumCalculation: 'WHEN_REQUIRED',
      })
    }, 120_000)
    afterAll(async () => {
      client?.destroy()
      await subject?.[Symbol.asyncDispose]()
    })
    const open = (keys: S3Keys | 'anonymous' = subject.keys): S3ObjectStore =>
      createS3ObjectStore({
        endpoint: subject.endpoint,
        region: REGION,
        isPathStyle: true,
        credentials:
          keys === 'anonymous'
            ? keys
            : {
                accessKeyId: keys.accessKeyId,
                secretAccessKey: new Secret(keys.secretAccessKey),
                ...(keys.sessionToken === undefined ? {} : { sessionToken: new Secret(keys.sessionToken) }),
              },
      })
    const uriOf = (key: string): string => `s3://${subject.bucket}/${key}`
    const put = async (key: string, body: Uint8Array | string = CONTENT): Promise<void> => {
      await client.send(new PutObjectCommand({ Bucket: subject.bucket, Key: key, Body: body }))
    }
    const readStart = async (store: S3ObjectStore, key: string): Promise<Uint8Array> =>
      await store.readRange(uriOf(key), { start: 0, end: 10 }, signal)

    test.each(['plain.parquet', 'a b+c/%3D=é.parquet', "it's(1)!*~_-.$&,:;@", 'deep/a/b/c/d'])(
      '[H17] reads what the SDK wrote under %s',
      async (key) => {
        await put(key)
        await using store = open()
        expect(await store.statObject(uriOf(key), signal)).toEqual({ sizeBytes: CONTENT.byteLength })
        const end = await store.readRange(uriOf(key), { start: 2_999_990, end: 3_000_000 }, signal)
        expect(end).toEqual(CONTENT.slice(2_999_990))
        const whole = await store.readObject(uriOf(key), { bytesMax: 3_000_000 }, signal)
        expect(Buffer.compare(whole, CONTENT)).toBe(0)
      },
    )

    test('a replaced object is noticed', async () => {
      await put('replaced')
      await using store = open()
      await readStart(store, 'replaced')
      await put('replaced', 'another content')
      await expect(readStart(store, 'replaced')).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    })

    test('a range beyond the end, and an object beyond the bound, are damage', async () => {
      await put('short', '0123456789')
      await using store = open()
      for (const range of [
        { start: 5, end: 11 },
        { start: 10, end: 20 },
        { start: 1_000, end: 2_000 },
      ]) {
        await expect(store.readRange(uriOf('short'), range, signal)).rejects.toMatchObject({
          code: 'TABLE_CORRUPT',
        })
      }
      await expect(store.readObject(uriOf('short'), { bytesMax: 9 }, signal)).rejects.toMatchObject({
        code: 'TABLE_CORRUPT',
      })
    })

    test('wrong keys are refused, and a missing object is missing', async () => {
      await put('there')
      for (const keys of [
        { ...subject.keys, secretAccessKey: 'not it' },
        { ...subject.keys, accessKeyId: 'NOBODY' },
        'anonymous',
      ] as const) {
        await using wrong = open(keys)
        await expect(readStart(wrong, 'there')).rejects.toMatchObject(denied('there'))
      }
      await using store = open()
      await expect(readStart(store, 'not-there')).rejects.toMatchObject({ code: 'OBJECT_MISSING' })
      await expect(store.statObject(uriOf('not-there'), signal)).rejects.toMatchObject({
        code: 'OBJECT_MISSING',
      })
    })

    test('a bucket that is not there is an error of storage', async () => {
      await using store = open()
      const reading = store.readRange('s3://no-such-bucket-here/key', { start: 0, end: 1 }, signal)
      await expect(reading).rejects.toMatchObject({
        code: expect.stringMatching(/^(OBJECT_MISSING|STORAGE_ACCESS_DENIED)$/) as string,
        details: { bucket: 'no-such-bucket-here' },
      })
    })

    test('keys of a session read with their token, and not without it or with another', async (context) => {
      const { temporary } = subject
      if (!temporary) return context.skip('this server was started without keys of a session')
      await put('session')
      await using store = open(temporary)
      expect(await readStart(store, 'session')).toEqual(CONTENT.slice(0, 10))
      const token = temporary.sessionToken ?? ''
      const changed = `${token.slice(0, 100)}AAAA${token.slice(104)}`
      for (const sessionToken of [undefined, changed, 'garbage']) {
        await using wrong = open({ ...temporary, sessionToken })
        await expect(readStart(wrong, 'session')).rejects.toMatchObject(denied('session'))
      }
    })

    test('many reads at once all give their own bytes', async () => {
      await put('many')
      await using store = open()
      const starts = Array.from({ length: 200 }, (_, index) => index * 14_000)
      await mapConcurrently(
        starts,
        64,
        async (start, inner) => {
          const bytes = await store.readRange(uriOf('many'), { start, end: start + 64_000 }, inner)
          expect(Buffer.compare(bytes, CONTENT.subarray(start, start + 64_000))).toBe(0)
        },
        signal,
      )
    })
  })
}
