// Reads objects of S3 and S3-compatible stores: signed ranged GETs over bounded keep-alive connections.
// Every answer is checked to be exactly the bytes asked for. One retry for failures that pass (resets, 5xx, SlowDown);
// redirects are not followed. The ETag of an object's first answer is pinned: a replaced object is an error, never a mix.
import { assert } from '@lake/core/assert.ts'
import { AppError, isAppError } from '@lake/core/errors.ts'
import { Agent } from 'undici'
import type { Dispatcher } from 'undici'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { abortError, startDeadline, throwIfAborted } from '../concurrency/deadline.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import type { ByteRange, ObjectStore } from './object-store.ts'
import { readExactly, readText, readUpTo, singleHeader, sizeOf } from './s3-body.ts'
import { objectChanged, s3Error } from './s3-errors.ts'
import { createS3Addressing, createS3Signer } from './s3-request.ts'
import type { S3CredentialSource, S3Service, S3Signer } from './s3-request.ts'
import { parseS3Uri } from './table-paths.ts'
import type { S3Location } from './table-paths.ts'

export interface S3ObjectStoreOptions extends S3Service {
  /** Ours to sign with, or whoever signs in their place. */
  readonly credentials: S3CredentialSource | { readonly sign: S3Signer }
  /** Connections to share with other stores; without it the store opens its own and closes them when disposed. */
  readonly dispatcher?: Dispatcher
  /** Bounds one read, its retry included. */
  readonly requestTimeoutMs?: number
  readonly now?: () => Date
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface S3ObjectStore extends ObjectStore, AsyncDisposable {}

/** The connection pool that all stores of a server share. Close it after the stores' last use. */
export function createStorageDispatcher(): Dispatcher {
  return new Agent({
    connections: LIMITS.storageConnectionsMax,
    pipelining: 1,
    connect: { timeout: LIMITS.storageRequestTimeoutMs },
    headersTimeout: LIMITS.storageRequestTimeoutMs,
    bodyTimeout: LIMITS.storageRequestTimeoutMs,
    maxHeaderSize: 65_536,
  })
}

interface ReadRequest<Result> {
  readonly method: 'GET' | 'HEAD'
  readonly uri: string
  readonly range?: ByteRange
  /** Takes the answer of a 2xx status; must consume or destroy its body. */
  accept(response: Dispatcher.ResponseData, location: S3Location): Promise<Result>
}

/** @throws AppError TABLE_UNSUPPORTED when the endpoint or region cannot be used safely */
export function createS3ObjectStore(options: S3ObjectStoreOptions): S3ObjectStore {
  const send = createSender(options)
  return {
    async readRange(uri, range, signal) {
      assert(range.start >= 0 && range.start <= range.end, 'a byte range runs backwards')
      if (range.start === range.end) return new Uint8Array(0)
      return await send(
        {
          method: 'GET',
          uri,
          range,
          accept: (response, location) => acceptRange(response, range, location),
        },
        signal,
      )
    },
    async readObject(uri, { bytesMax }, signal) {
      return await send({ method: 'GET', uri, accept: (response) => readUpTo(response, bytesMax) }, signal)
    },
    async statObject(uri, signal) {
      return await send(
        {
          method: 'HEAD',
          uri,
          accept: async (response) => {
            await response.body.dump()
            return { sizeBytes: sizeOf(response) }
          },
        },
        signal,
      )
    },
    async [Symbol.asyncDispose]() {
      await send.close()
    },
  }
}

type Sender = (<Result>(request: ReadRequest<Result>, signal: AbortSignal) => Promise<Result>) & {
  close(): Promise<void>
}

function createSender(options: S3ObjectStoreOptions): Sender {
  const locate = createS3Addressing(options)
  const { credentials, region, now = () => new Date() } = options
  const sign =
    typeof credentials === 'object' && 'sign' in credentials
      ? credentials.sign
      : createS3Signer({ region, credentials, now })
  const sleep = options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal }))
  const timeoutMs = options.requestTimeoutMs ?? LIMITS.storageRequestTimeoutMs
  const dispatcher = options.dispatcher ?? createStorageDispatcher()
  const etags = createEtagPins()
  const permits = createSemaphore({
    permitsMax: LIMITS.storageConnectionsMax,
    waitingMax: LIMITS.storageRequestsWaitingMax,
    name: 'object storage',
  })

  const attempt = async <Result>(request: ReadRequest<Result>, signal: AbortSignal): Promise<Result> => {
    const location = parseS3Uri(request.uri)
    const target = locate(location)
    const headers: Record<string, string> = { 'accept-encoding': 'identity' }
    if (request.range) headers['range'] = `bytes=${request.range.start}-${request.range.end - 1}`
    const pinned = etags.get(request.uri)
    if (pinned !== undefined) headers['if-match'] = pinned
    const { method } = request
    const signed = await sign({ method, target, headers }, signal)
    throwIfAborted(signal)
    const response = await dispatcher.request({ method, ...signed, signal })
    // An error of a body that nobody reads any more must not become an uncaught exception.
    response.body.on('error', () => undefined)
    try {
      if (response.statusCode < 200 || response.statusCode > 299) {
        const bodyText = await readText(response, LIMITS.storageErrorBodyBytesMax)
        const answer = { status: response.statusCode, headers: response.headers, bodyText }
        if (answer.status === 416 && request.range) throw objectTooShort(location, options.region)
        throw s3Error(answer, location, options.region)
      }
      if (!etags.pin(request.uri, singleHeader(response, 'etag'))) {
        throw objectChanged(location, options.region)
      }
      return await request.accept(response, location)
    } finally {
      response.body.destroy()
    }
  }

  const send = async <Result>(request: ReadRequest<Result>, signal: AbortSignal): Promise<Result> => {
    using deadline = startDeadline(signal, timeoutMs, 'A read from object storage')
    const release = await permits.acquire(deadline.signal)
    try {
      try {
        return await attempt(request, deadline.signal)
      } catch (error) {
        const failure = asAppError(error, signal, deadline.signal, timeoutMs)
        if (failure.code !== 'STORAGE_UNAVAILABLE' || deadline.signal.aborted) throw failure
        await sleep(LIMITS.storageRetryDelayMs, deadline.signal)
        return await attempt(request, deadline.signal)
      }
    } catch (error) {
      throw asAppError(error, signal, deadline.signal, timeoutMs)
    } finally {
      release()
    }
  }
  const close = async (): Promise<void> => {
    if (options.dispatcher === undefined) await dispatcher.destroy()
  }
  return Object.assign(send, { close })
}

async function acceptRange(
  response: Dispatcher.ResponseData,
  range: ByteRange,
  location: S3Location,
): Promise<Uint8Array> {
  const lengthBytes = range.end - range.start
  if (response.statusCode === 206) {
    const given = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(singleHeader(response, 'content-range') ?? '')
    if (given && Number(given[1]) === range.start && Number(given[3]) < range.end) {
      throw objectTooShort(location, undefined)
    }
    if (!given || Number(given[1]) !== range.start || Number(given[2]) !== range.end - 1) {
      throw new AppError('STORAGE_UNAVAILABLE', 'Object storage answered with another range than asked for')
    }
  } else if (range.start !== 0 || sizeOf(response) !== lengthBytes) {
    // A whole object in place of a range: right only when the range is the whole object.
    throw new AppError('STORAGE_UNAVAILABLE', 'Object storage ignored the range that was asked for')
  }
  return await readExactly(response, lengthBytes)
}

function objectTooShort(location: S3Location, region: string | undefined): AppError {
  return new AppError('TABLE_CORRUPT', 'A file of the table is shorter than its metadata says', {
    details: { ...location, ...(region === undefined ? {} : { region }) },
  })
}

/** ETags by URI, bounded; the oldest is forgotten first. */
function createEtagPins(): {
  get(uri: string): string | undefined
  /** False when the object was pinned with another ETag. Weak ETags are not pinned. */
  pin(uri: string, etag: string | undefined): boolean
} {
  const pins = new Map<string, string>()
  return {
    get: (uri) => pins.get(uri),
    pin(uri, etag) {
      if (etag === undefined || !etag.startsWith('"')) return true
      const pinned = pins.get(uri)
      if (pinned !== undefined) return pinned === etag
      if (pins.size >= LIMITS.storageEtagsMax) pins.delete(pins.keys().next().value ?? uri)
      pins.set(uri, etag)
      return true
    },
  }
}

/** Network failures and our own time limit become STORAGE_UNAVAILABLE; the caller's abort stays what it is. */
function asAppError(error: unknown, caller: AbortSignal, own: AbortSignal, timeoutMs: number): AppError {
  if (caller.aborted) return abortError(caller)
  if (own.aborted) {
    return new AppError('STORAGE_UNAVAILABLE', `Object storage did not answer within ${timeoutMs} ms`)
  }
  if (isAppError(error)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure'
  // The error itself is left out: some carry the request with its signed headers.
  return new AppError('STORAGE_UNAVAILABLE', `Object storage could not be reached (${code})`)
}
