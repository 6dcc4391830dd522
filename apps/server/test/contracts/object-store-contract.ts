// What an object store promises over any real server of its kind. One suite, run against the local lake's S3 server and any
// server that LAKE_TEST_S3_…, LAKE_TEST_GCS_… or LAKE_TEST_ADLS_… name.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mapConcurrently } from '../../src/concurrency/map-concurrently.ts'
import type { HttpObjectStore } from '../../src/storage/http-object-store.ts'

export interface StoreUnderTest extends AsyncDisposable {
  /** Writes an object by other means than ours. */
  put(key: string, body: Uint8Array): Promise<void>
  uriOf(key: string): string
  /** In a bucket that is not there. */
  readonly missingBucketUri: string
  open(): HttpObjectStore
  /** With credentials that are not right, or none; empty where the server takes any. */
  readonly openWrong: readonly (() => HttpObjectStore)[]
  /** Ways to open it for a while, and ways like those that are not right. */
  readonly temporary?:
    { open(): HttpObjectStore; readonly openWrong: readonly (() => HttpObjectStore)[] } | undefined
}

const signal = new AbortController().signal
const CONTENT = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 251)
const denied = (key: string) => ({ code: 'STORAGE_ACCESS_DENIED', details: { key } })

/** @param start is called once; the suite disposes of what it gives */
export function describeObjectStore(
  name: string,
  start: () => Promise<StoreUnderTest>,
  options: { readonly skip?: boolean } = {},
): void {
  describe.skipIf(options.skip === true)(name, () => {
    let subject: StoreUnderTest
    beforeAll(async () => {
      subject = await start()
    }, 120_000)
    afterAll(async () => {
      await subject?.[Symbol.asyncDispose]()
    })
    const put = async (key: string, body: Uint8Array | string = CONTENT): Promise<void> => {
      await subject.put(key, typeof body === 'string' ? Buffer.from(body) : body)
    }
    const readStart = async (store: HttpObjectStore, key: string): Promise<Uint8Array> =>
      await store.readRange(subject.uriOf(key), { start: 0, end: 10 }, signal)

    test.each(['plain.parquet', 'a b+c/%3D=é.parquet', "it's(1)!*~_-.$&,:;@", 'deep/a/b/c/d'])(
      '[H17] reads what another wrote under %s',
      async (key) => {
        await put(key)
        await using store = subject.open()
        const uri = subject.uriOf(key)
        expect(await store.statObject(uri, signal)).toEqual({ sizeBytes: CONTENT.byteLength })
        const end = await store.readRange(uri, { start: 2_999_990, end: 3_000_000 }, signal)
        expect(end).toEqual(CONTENT.slice(2_999_990))
        const whole = await store.readObject(uri, { bytesMax: 3_000_000 }, signal)
        expect(Buffer.compare(whole, CONTENT)).toBe(0)
      },
    )

    test('a replaced object is noticed', async () => {
      await put('replaced')
      await using store = subject.open()
      await readStart(store, 'replaced')
      await put('replaced', 'another content')
      await expect(readStart(store, 'replaced')).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    })

    test('a range beyond the end, and an object beyond the bound, are damage', async () => {
      await put('short', '0123456789')
      await using store = subject.open()
      const uri = subject.uriOf('short')
      for (const range of [
        { start: 5, end: 11 },
        { start: 10, end: 20 },
        { start: 1_000, end: 2_000 },
      ]) {
        await expect(store.readRange(uri, range, signal)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
      }
      await expect(store.readObject(uri, { bytesMax: 9 }, signal)).rejects.toMatchObject({
        code: 'TABLE_CORRUPT',
      })
    })

    test('wrong credentials are refused', async (context) => {
      if (subject.openWrong.length === 0) return context.skip('this server takes any credentials')
      await put('there')
      for (const openWrong of subject.openWrong) {
        await using wrong = openWrong()
        await expect(readStart(wrong, 'there')).rejects.toMatchObject(denied('there'))
      }
    })

    test('a missing object is missing', async () => {
      await using store = subject.open()
      const missing = { code: 'OBJECT_MISSING', details: { key: 'not-there' } }
      await expect(readStart(store, 'not-there')).rejects.toMatchObject(missing)
      await expect(store.statObject(subject.uriOf('not-there'), signal)).rejects.toMatchObject(missing)
    })

    test('a bucket that is not there is an error of storage', async () => {
      await using store = subject.open()
      const reading = store.readRange(subject.missingBucketUri, { start: 0, end: 1 }, signal)
      await expect(reading).rejects.toMatchObject({
        code: expect.stringMatching(/^(OBJECT_MISSING|STORAGE_ACCESS_DENIED)$/) as string,
        details: { bucket: expect.stringContaining('no-such-bucket-here') as string },
      })
    })

    test('temporary credentials read, and not without their token or with another', async (context) => {
      const { temporary } = subject
      if (!temporary) return context.skip('this server was started without temporary credentials')
      await put('session')
      await using store = temporary.open()
      expect(await readStart(store, 'session')).toEqual(CONTENT.slice(0, 10))
      for (const openWrong of temporary.openWrong) {
        await using wrong = openWrong()
        await expect(readStart(wrong, 'session')).rejects.toMatchObject(denied('session'))
      }
    })

    test('many reads at once all give their own bytes', async () => {
      await put('many')
      await using store = subject.open()
      const starts = Array.from({ length: 200 }, (_, index) => index * 14_000)
      await mapConcurrently(
        starts,
        64,
        async (offset, inner) => {
          const range = { start: offset, end: offset + 64_000 }
          const bytes = await store.readRange(subject.uriOf('many'), range, inner)
          expect(Buffer.compare(bytes, CONTENT.subarray(offset, offset + 64_000))).toBe(0)
        },
        signal,
      )
    })
  })
}
