// The S3 store, met by the SDK that engines use, with credentials that the catalog vended.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Client } from '@aws-sdk/client-s3'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CredentialIssuer } from '../src/s3/credentials.ts'
import { createTable, openTestLake, s3Client } from './support/lake.ts'
import type { TestLake } from './support/lake.ts'

const Bucket = 'lake'
let test: TestLake
let s3: S3Client
let prefix: string
let config: Record<string, string>
let skewMs = 0

beforeAll(async () => {
  const rootCredentials = { accessKeyId: 'root', secretAccessKey: 'root-secret' }
  test = await openTestLake({ clock: () => Date.now() + skewMs, rootCredentials })
  const created = await createTable(test, 'one')
  prefix = created.prefix
  config = created.config
  s3 = s3Client(test.lake, config)
  await s3.send(new PutObjectCommand({ Bucket, Key: `${prefix}d/ten`, Body: '0123456789' }))
})
afterAll(async () => {
  s3.destroy()
  await test[Symbol.asyncDispose]()
})

const codeOf = async (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'ok',
    (error: { name: string; Code?: string }) => error.Code ?? error.name,
  )
const read = async (Key: string, Range?: string): Promise<string | undefined> =>
  (
    await s3.send(new GetObjectCommand({ Bucket, Key, ...(Range === undefined ? {} : { Range }) }))
  ).Body?.transformToString()

describe('objects', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('answers %s', async (Range, text, contentRange) => {
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: `${prefix}d/ten`, Range }))
    expect(await got.Body?.transformToString()).toBe(text)
    expect([got.$metadata.httpStatusCode, got.ContentRange]).toEqual([206, contentRange])
  })

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('refuses %s as not satisfiable', async (Range) => {
    expect(await codeOf(read(`${prefix}d/ten`, Range))).toBe('InvalidRange')
  })

  it('keeps odd keys apart and never leaves its folder', async () => {
    const keys = [
      '../up',
      '...',
      'a/../b',
      './x',
      'sp ace',
      'pér%cent',
      '%2E%2E',
      'q?#&+=',
      'dir/',
      "it's*(ok)!",
      '日本',
    ]
    for (const key of keys)
      await s3.send(new PutObjectCommand({ Bucket, Key: `${prefix}odd/${key}`, Body: key }))
    for (const key of keys) expect(await read(`${prefix}odd/${key}`)).toBe(key)
    const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}odd/` }))
    expect(listed.Contents?.map(({ Key }) => Key?.slice(prefix.length + 4)).sort()).toEqual(keys.sort())
    const clash = new PutObjectCommand({ Bucket, Key: `${prefix}odd/..`, Body: '' })
    expect(await codeOf(s3.send(clash))).toBe('InvalidArgument')
    const raw = await fetch(`${test.lake.s3Endpoint}/lake/..%2f..%2f..%2fcatalog.sqlite`)
    expect(raw.status).toBe(403)
  })

  it('holds If-None-Match: * and If-Match', async () => {
    const put = { Bucket, Key: `${prefix}once`, Body: 'x', IfNoneMatch: '*' }
    expect(await codeOf(s3.send(new PutObjectCommand(put)))).toBe('ok')
    expect(await codeOf(s3.send(new PutObjectCommand(put)))).toBe('PreconditionFailed')
    const get = new GetObjectCommand({ Bucket, Key: `${prefix}once`, IfMatch: '"other"' })
    expect(await codeOf(s3.send(get))).toBe('PreconditionFailed')
    const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: `${prefix}once` }))
    expect(await codeOf(s3.send(new GetObjectCommand({ Bucket, Key: `${prefix}once`, IfMatch: ETag })))).toBe(
      'ok',
    )
  })

  it('decodes an aws-chunked body with a trailing checksum', async () => {
    const body = Buffer.alloc(300_000, 'chunk')
    await s3.send(
      new PutObjectCommand({
        Bucket,
        Key: `${prefix}stream`,
        Body: Readable.from([body]),
        ContentLength: body.length,
      }),
    )
    expect((await read(`${prefix}stream`))?.length).toBe(300_000)
  })

  it('lists in pages and by delimiter', async () => {
    for (const name of ['l/1', 'l/2', 'l/m/3', 'l/m/4', 'l/z'])
      await s3.send(new PutObjectCommand({ Bucket, Key: prefix + name, Body: '' }))
    const seen: (string | undefined)[] = []
    let token: string | undefined
    do {
      const page = await s3.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: `${prefix}l/`,
          MaxKeys: 2,
          ...(token && { ContinuationToken: token }),
        }),
      )
      seen.push(...(page.Contents ?? []).map(({ Key }) => Key?.slice(prefix.length)))
      token = page.NextContinuationToken
    } while (token !== undefined)
    expect(seen).toEqual(['l/1', 'l/2', 'l/m/3', 'l/m/4', 'l/z'])
    const grouped = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}l/`, Delimiter: '/' }))
    expect(grouped.CommonPrefixes).toEqual([{ Prefix: `${prefix}l/m/` }])
    expect(grouped.KeyCount).toBe(4)
  })

  it('uploads in parts, and forgets an aborted upload', async () => {
    const target = { Bucket, Key: `${prefix}parts` }
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target))
    const Parts = []
    for (const PartNumber of [1, 2]) {
      const { ETag } = await s3.send(
        new UploadPartCommand({ ...target, UploadId, PartNumber, Body: `part${PartNumber}` }),
      )
      Parts.push({ PartNumber, ETag })
    }
    const wrong = { ...target, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag: '"no"' }] } }
    expect(await codeOf(s3.send(new CompleteMultipartUploadCommand(wrong)))).toBe('InvalidPart')
    await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
    expect(await read(`${prefix}parts`)).toBe('part1part2')
    const second = await s3.send(new CreateMultipartUploadCommand(target))
    const abort = { ...target, UploadId: second.UploadId }
    await s3.send(new AbortMultipartUploadCommand(abort))
    expect(await codeOf(s3.send(new AbortMultipartUploadCommand(abort)))).toBe('NoSuchUpload')
  })

  it('deletes one and many, and names what is missing', async () => {
    expect(await codeOf(read(`${prefix}none`))).toBe('NoSuchKey')
    await s3.send(new PutObjectCommand({ Bucket, Key: `${prefix}x&<y>`, Body: '' }))
    await s3.send(new PutObjectCommand({ Bucket, Key: `${prefix}x2`, Body: '' }))
    const Delete = { Objects: [{ Key: `${prefix}x&<y>` }, { Key: 'other/file' }] }
    const result = await s3.send(new DeleteObjectsCommand({ Bucket, Delete }))
    expect(result.Errors).toMatchObject([{ Key: 'other/file', Code: 'AccessDenied' }])
    expect(result.Deleted).toMatchObject([{ Key: `${prefix}x&<y>` }])
    await s3.send(new DeleteObjectCommand({ Bucket, Key: `${prefix}x2` }))
    expect(await codeOf(read(`${prefix}x2`))).toBe('NoSuchKey')
  })
})

describe('access', () => {
  const withKey = (change: Record<string, string>): S3Client => s3Client(test.lake, { ...config, ...change })
  const get = (): GetObjectCommand => new GetObjectCommand({ Bucket, Key: `${prefix}d/ten` })

  it.each([
    ['a wrong secret', { 's3.secret-access-key': 'wrong' }, 'SignatureDoesNotMatch'],
    ['a wrong access key', { 's3.access-key-id': 'ASIAWRONG' }, 'InvalidAccessKeyId'],
    ['a forged token', { 's3.session-token': 'e30.AAAA' }, 'InvalidToken'],
  ])('refuses %s', async (_what, change, code) => {
    expect(await codeOf(withKey(change).send(get()))).toBe(code)
  })

  it('holds a token to its own table, for reading, listing and writing', async () => {
    const other = await createTable(test, 'other')
    const key = `${other.prefix}d`
    expect(await codeOf(read(key))).toBe('AccessDenied')
    expect(await codeOf(s3.send(new PutObjectCommand({ Bucket, Key: key, Body: '' })))).toBe('AccessDenied')
    expect(await codeOf(s3.send(new ListObjectsV2Command({ Bucket, Prefix: '' })))).toBe('AccessDenied')
    expect(await codeOf(s3.send(new ListObjectsV2Command({ Bucket, Prefix: other.prefix })))).toBe(
      'AccessDenied',
    )
    expect(await codeOf(s3.send(new GetObjectCommand({ Bucket: 'corpus', Key: key })))).toBe('AccessDenied')
    // A sibling whose name merely begins alike is another table.
    expect(await codeOf(read(`${prefix.slice(0, -1)}0/x`))).toBe('AccessDenied')
    expect(await codeOf(s3.send(new ListBucketsCommand({})))).toBe('AccessDenied')
  })

  it('refuses an expired token, and a token read-only for writing', async () => {
    const issuer = new CredentialIssuer('k', undefined)
    const scope = { bucket: Bucket, prefix, isWritable: false, expiresAtMs: 1_000 }
    const { accessKeyId, sessionToken } = issuer.vend(scope)
    expect(() => issuer.resolve(accessKeyId, sessionToken, 1_000)).toThrow('expired')
    skewMs = 3_601_000
    const late = s3Client(test.lake, config)
    late.config.systemClockOffset = skewMs
    const code = await codeOf(late.send(get()))
    skewMs = 0
    expect(code).toBe('ExpiredToken')
  })

  it('refuses a clock that is far off', async () => {
    skewMs = 1_000_000
    const code = await codeOf(s3Client(test.lake, config).send(get()))
    skewMs = 0
    expect(code).toBe('RequestTimeTooSkewed')
  })

  it('takes presigned requests until they expire, and no other than was signed', async () => {
    const url = await presigned(0)
    const good = await fetch(url)
    expect([good.status, await good.text()]).toEqual([200, '0123456789'])
    expect((await fetch(url.replace('d/ten', 'd/tem'))).status).toBe(403)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
    expect((await fetch(await presigned(-120_000))).status).toBe(403)
  })

  it('refuses unsigned requests unless anonymous reading is on, and unsigned writes always', async () => {
    const url = `${test.lake.s3Endpoint}/lake/${prefix}d/ten`
    const refused = await fetch(url)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('<Code>AccessDenied</Code>'),
    ])
    await using open = await openTestLake({ dataFolder: test.dataFolder, isAnonymousAllowed: true })
    const base = `${open.lake.s3Endpoint}/lake/${prefix}d/ten`
    expect(await (await fetch(base)).text()).toBe('0123456789')
    expect((await fetch(base, { method: 'PUT', body: 'x' })).status).toBe(403)
    expect((await fetch(base, { method: 'DELETE' })).status).toBe(403)
  })

  it('refuses a body that is not the signed one', async () => {
    const client = s3Client(test.lake, config)
    client.middlewareStack.add(
      (next) => (args) => {
        Object.assign(args.request as object, { body: 'tampered' })
        return next(args)
      },
      { step: 'finalizeRequest', priority: 'low' },
    )
    const put = new PutObjectCommand({ Bucket, Key: `${prefix}tampered`, Body: 'original' })
    expect(await codeOf(client.send(put))).toBe('XAmzContentSHA256Mismatch')
    expect(await codeOf(read(`${prefix}tampered`))).toBe('NoSuchKey')
  })

  it('lets the root key see every bucket', async () => {
    const root = s3Client(test.lake, { 's3.access-key-id': 'root', 's3.secret-access-key': 'root-secret' })
    expect((await root.send(new ListBucketsCommand({}))).Buckets).toMatchObject([{ Name: 'lake' }])
    expect(await codeOf(root.send(new GetObjectCommand({ Bucket: 'none', Key: 'x' })))).toBe('NoSuchBucket')
  })

  /** A presigned GET of the ten bytes, good for a minute from `offsetMs` from now. */
  async function presigned(offsetMs: number): Promise<string> {
    const { hostname, port, host } = new URL(test.lake.s3Endpoint)
    const signer = new SignatureV4({
      service: 's3',
      region: 'us-east-1',
      sha256: Sha256,
      uriEscapePath: false,
      credentials: {
        accessKeyId: config['s3.access-key-id']!,
        secretAccessKey: config['s3.secret-access-key']!,
        sessionToken: config['s3.session-token']!,
      },
    })
    const path = `/lake/${prefix}d/ten`
    const headers = { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    const request = new HttpRequest({
      method: 'GET',
      protocol: 'http:',
      hostname,
      port: Number(port),
      path,
      headers,
    })
    const signed = await signer.presign(request, {
      expiresIn: 60,
      signingDate: new Date(Date.now() + offsetMs),
      unsignableHeaders: new Set(['x-amz-content-sha256']),
    })
    const query = Object.entries(signed.query ?? {}).map(
      ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
    )
    return `${test.lake.s3Endpoint}${path}?${query.join('&')}`
  }
})
