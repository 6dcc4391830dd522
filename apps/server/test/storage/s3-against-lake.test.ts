// The store against a real S3 server that checks signatures: the local lake's, as a program of its own. Objects are
// written by the S3 SDK, so that keys and signatures are judged by two others.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../src/observability/redaction.ts'
import { createS3ObjectStore } from '../../src/storage/s3-object-store.ts'
import { mapConcurrently } from '../../src/concurrency/map-concurrently.ts'

const program = resolve(import.meta.dirname, '../../../local-lake/src/main.ts')
const signal = new AbortController().signal
const BUCKET = 'lake'

describe.skipIf(!existsSync(program))('the local lake as object storage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lake-'))
  const content = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 251)
  let lake: ChildProcess
  let endpoint: string
  let client: S3Client

  beforeAll(async () => {
    const flags = ['--data', folder, '--no-demo', '--s3-access-key', 'ROOT', '--s3-secret-key', 'root-secret']
    lake = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface({ input: lake.stdout! }), 'line')) as [string]
    endpoint = (JSON.parse(line) as { s3Endpoint: string }).s3Endpoint
    client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'ROOT', secretAccessKey: 'root-secret' },
    })
  })
  afterAll(async () => {
    client.destroy()
    lake.kill('SIGTERM')
    await once(lake, 'exit')
    rmSync(folder, { recursive: true })
  })
  const open = (secret = 'root-secret') =>
    createS3ObjectStore({
      endpoint,
      region: 'us-east-1',
      isPathStyle: true,
      credentials: { accessKeyId: 'ROOT', secretAccessKey: new Secret(secret) },
    })
  const put = async (key: string): Promise<void> => {
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: content }))
  }

  test.each(['plain.parquet', 'a b+c/%3D=é.parquet', "it's(1)!*~_-.$&,:;@", 'deep/a/b/c/d'])(
    '[H17] reads what the SDK wrote under %s',
    async (key) => {
      await put(key)
      await using store = open()
      const uri = `s3://${BUCKET}/${key}`
      expect(await store.statObject(uri, signal)).toEqual({ sizeBytes: content.byteLength })
      expect(await store.readRange(uri, { start: 2_999_990, end: 3_000_000 }, signal)).toEqual(
        content.slice(2_999_990),
      )
      const whole = await store.readObject(uri, { bytesMax: 3_000_000 }, signal)
      expect(Buffer.compare(whole, content)).toBe(0)
    },
  )

  test('a replaced object is noticed', async () => {
    await put('replaced')
    await using store = open()
    const uri = `s3://${BUCKET}/replaced`
    await store.readRange(uri, { start: 0, end: 10 }, signal)
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'replaced', Body: 'another content' }))
    await expect(store.readRange(uri, { start: 0, end: 10 }, signal)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
  })

  test('a wrong secret is refused and a missing object is missing', async () => {
    await put('there')
    await using wrong = open('not it')
    await expect(wrong.readRange(`s3://${BUCKET}/there`, { start: 0, end: 1 }, signal)).rejects.toMatchObject(
      { code: 'STORAGE_ACCESS_DENIED', details: { bucket: BUCKET, key: 'there' } },
    )
    await using store = open()
    await expect(
      store.readRange(`s3://${BUCKET}/not-there`, { start: 0, end: 1 }, signal),
    ).rejects.toMatchObject({ code: 'OBJECT_MISSING' })
  })

  test('many reads at once all give their own bytes', async () => {
    await put('many')
    await using store = open()
    const starts = Array.from({ length: 200 }, (_, index) => index * 14_000)
    await mapConcurrently(
      starts,
      64,
      async (start, inner) => {
        const bytes = await store.readRange(`s3://${BUCKET}/many`, { start, end: start + 64_000 }, inner)
        expect(Buffer.compare(bytes, content.subarray(start, start + 64_000))).toBe(0)
      },
      signal,
    )
  })
})
