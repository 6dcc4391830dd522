// Results in a bucket, by the S3 SDK: few requests, all of them whole objects. An object is written with
// `If-None-Match: *`, so the store itself keeps two writers from one key. Loaded only where results are in a bucket.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { AppError, isAppError } from '@lake/core/errors.ts'
import { abortError, startDeadline } from '../concurrency/deadline.ts'
import type { ResultsBucket } from '../config/state.ts'
import { LIMITS } from '../limits.ts'
import type { ResultObjects } from './result-objects.ts'
import type { S3Credentials } from './s3-request.ts'

/** @param credentials undefined: the identity of the machine or pod */
export function createS3ResultObjects(
  config: Omit<ResultsBucket, 'credential'>,
  credentials: S3Credentials | undefined,
): ResultObjects {
  const { bucket: Bucket, prefix } = config
  const client = createClient(config, credentials)
  const keyOf = (key: string): string => (prefix === '' ? key : `${prefix}/${key}`)
  const nameOf = (key: string): string => (prefix === '' ? key : key.slice(prefix.length + 1))

  return {
    putIfAbsent: async (key, bytes, signal) =>
      await bounded(signal, async (abortSignal) => {
        try {
          const put = new PutObjectCommand({ Bucket, Key: keyOf(key), Body: bytes, IfNoneMatch: '*' })
          await client.send(put, { abortSignal })
          return true
        } catch (error) {
          if (statusOf(error) === 412) return false
          throw error
        }
      }),
    read: async (key, bytesMax, signal) =>
      await bounded(signal, async (abortSignal) => {
        try {
          const { Body, ContentLength } = await client.send(
            new GetObjectCommand({ Bucket, Key: keyOf(key) }),
            { abortSignal },
          )
          if (Body === undefined || (ContentLength ?? 0) > bytesMax)
            throw new AppError('RESULTS_UNAVAILABLE', 'A stored result is larger than any is written')
          return await Body.transformToByteArray()
        } catch (error) {
          if (nameOfError(error) === 'NoSuchKey') return undefined
          throw error
        }
      }),
    async *list(prefixOfKey, signal) {
      const pages = paginateListObjectsV2(
        { client },
        { Bucket, Prefix: keyOf(prefixOfKey) },
        { abortSignal: signal },
      )
      const iterator = pages[Symbol.asyncIterator]()
      for (;;) {
        const page = await bounded(signal, async () => await iterator.next())
        if (page.done === true) return
        for (const { Key, LastModified } of page.value.Contents ?? [])
          if (Key !== undefined) yield { key: nameOf(Key), modifiedAtMs: LastModified?.getTime() ?? 0 }
      }
    },
    async remove(key, signal) {
      await bounded(signal, async (abortSignal) => {
        await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(key) }), { abortSignal })
      })
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await Promise.resolve()
    },
  }
}

function createClient(
  { endpoint, region, isPathStyle }: Omit<ResultsBucket, 'credential'>,
  credentials: S3Credentials | undefined,
): S3Client {
  const keys = credentials && {
    accessKeyId: credentials.accessKeyId,
    secretAccessKey: credentials.secretAccessKey.reveal(),
  }
  return new S3Client({
    region,
    forcePathStyle: isPathStyle,
    ...(endpoint ? { endpoint: endpoint.href } : {}),
    ...(keys ? { credentials: keys } : {}),
    // Ours are SHA-256 and in the manifest; stores that are like S3 do not all know those of the SDK.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
  })
}

async function bounded<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using deadline = startDeadline(signal, LIMITS.resultRequestTimeoutMs, 'A request to the store of results')
  try {
    return await work(deadline.signal)
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    if (isAppError(error)) throw error
    // The error itself is left out: it carries the request with its signed headers.
    const said = `${statusOf(error) ?? 'no answer'}, ${nameOfError(error)}`
    if (statusOf(error) === 507 || FULL_NAMES.includes(nameOfError(error)))
      throw new AppError('RESULTS_FULL', `The bucket of results is full (${said})`)
    throw new AppError('RESULTS_UNAVAILABLE', `The bucket of results answered with a failure (${said})`)
  }
}

/** How stores say that a quota is reached. */
const FULL_NAMES: readonly string[] = [
  'QuotaExceeded',
  'XMinioStorageFull',
  'InsufficientStorage',
  'EntityTooLarge',
]

const nameOfError = (error: unknown): string => (error instanceof Error ? error.name : 'unknown failure')

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode
}
