// A real S3 server that checks signatures, for the suite of object stores. Objects are written by the S3 SDK, so that keys
// and signatures are judged by two others.
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Secret } from '../../src/observability/redaction.ts'
import type { HttpObjectStore } from '../../src/storage/http-object-store.ts'
import { createS3ObjectStore } from '../../src/storage/s3-object-store.ts'
import type { StoreUnderTest } from './object-store-contract.ts'

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

const REGION = 'us-east-1'

export function s3Store(server: S3UnderTest): StoreUnderTest {
  const { endpoint, bucket, keys, temporary } = server
  const client = new S3Client({
    endpoint,
    region: REGION,
    forcePathStyle: true,
    credentials: { accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey },
    // Stores that are not AWS need not know the trailers of newer SDKs.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  const open = (given: S3Keys | 'anonymous'): HttpObjectStore =>
    createS3ObjectStore({ endpoint, region: REGION, isPathStyle: true, credentials: credentialsOf(given) })
  const token = temporary?.sessionToken ?? ''
  const changed = `${token.slice(0, 100)}AAAA${token.slice(104)}`
  return {
    put: async (key, body) => {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))
    },
    uriOf: (key) => `s3://${bucket}/${key}`,
    missingBucketUri: 's3://no-such-bucket-here/key',
    open: () => open(keys),
    openWrong: [
      () => open({ ...keys, secretAccessKey: 'not it' }),
      () => open({ ...keys, accessKeyId: 'NOBODY' }),
      () => open('anonymous'),
    ],
    temporary: temporary && {
      open: () => open(temporary),
      openWrong: [undefined, changed, 'garbage'].map(
        (sessionToken) => () => open({ ...temporary, sessionToken }),
      ),
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

function credentialsOf(keys: S3Keys | 'anonymous') {
  if (keys === 'anonymous') return keys
  const { accessKeyId, secretAccessKey, sessionToken } = keys
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    ...(sessionToken === undefined ? {} : { sessionToken: new Secret(sessionToken) }),
  }
}
