// Reads objects over HTTP: ranged GETs over bounded keep-alive connections. What is asked, and what a refusal means, is the
// work of one kind of store (`ObjectService`). Every answer is checked to be exactly the bytes asked for. One retry for
// failures that pass (resets, 5xx, SlowDown); redirects are not followed. The ETag of an object's first answer is pinned: a
// replaced object is an error, never a mix.
import { assert } from '@lake/core/assert.ts'
import { AppError, isAppError, type ErrorDetails } from '@lake/core/errors.ts'
import { Agent } from 'undici'
import type { Dispatcher } from 'undici'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { abortError, startDeadline, throwIfAborted } from '../concurrency/deadline.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { LIMITS } from '../limits.ts'
import type { ByteRange, ObjectStore } from './object-store.ts'
import { readExactly, readText, readUpTo, singleHeader, sizeOf } from './response-body.ts'
import { objectChanged, objectTooShort, type StorageAnswer } from './storage-errors.ts'

/** What is to be sent, as it is: the headers are all that go with it. */
export interface PreparedRequest {
  readonly origin: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** How one kind of store is asked for an object, and what it says where it does not give it. */
export interface ObjectService {
  /** Names the object in errors; no secret. Throws AppError TABLE_CORRUPT for a URI that names none. */
  details(uri: string): ErrorDetails
  /** Throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, and what asking for credentials or a signature throws. */
  request(
    uri: string,
    request: { readonly method: 'GET' | 'HEAD'; readonly headers: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<PreparedRequest>
  /** What an answer of another status than 2xx means. */
  failure(answer: StorageAnswer, uri: string): AppError
}

/** `ok`, or the code that a read failed with. */
export type StorageOutcome = (outcome: string) => void

export interface HttpObjectStoreOptions {
  /** Connections to share with other stores; without it the store opens its own and closes them when disposed. */
  readonly dispatcher?: Dispatcher
  /** Bounds one read, its retry included. */
  readonly requestTimeoutMs?: number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Told of every read. */
  readonly onOutcome?: StorageOutcome
}

export interface HttpObjectStore extends ObjectStore, AsyncDisposable {}

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
  accept(response: Dispatcher.ResponseData): Promise<Result>
}

export function createHttpObjectStore(
  service: ObjectService,
  options: HttpObjectStoreOptions,
): HttpObjectStore {
  const send = createSender(service, options)
  return {
    async readRange(uri, range, signal) {
      assert(range.start >= 0 && range.start <= range.end, 'a byte range runs backwards')
      if (range.start === range.end) return new Uint8Array(0)
      return await send(
        {
          method: 'GET',
          uri,
          range,
          accept: (response) => acceptRange(response, range, service.details(uri)),
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

function createSender(service: ObjectService, options: HttpObjectStoreOptions): Sender {
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
    const { method, uri } = request
    const headers: Record<string, string> = { 'accept-encoding': 'identity' }
    if (request.range) headers['range'] = `bytes=${request.range.start}-${request.range.end - 1}`
    const pinned = etags.get(uri)
    if (pinned !== undefined) headers['if-match'] = pinned
    const prepared = await service.request(uri, { method, headers }, signal)
    throwIfAborted(signal)
    const response = await dispatcher.request({ method, ...prepared, signal })
    // An error of a body that nobody reads any more must not become an uncaught exception.
    response.body.on('error', () => undefined)
    try {
      if (response.statusCode < 200 || response.statusCode > 299) {
        const bodyText = await readText(response, LIMITS.storageErrorBodyBytesMax)
        const answer = { status: response.statusCode, headers: response.headers, bodyText }
        if (answer.status === 416 && request.range) throw objectTooShort(service.details(uri))
        throw service.failure(answer, uri)
      }
      if (!etags.pin(uri, singleHeader(response, 'etag'))) throw objectChanged(service.details(uri))
      return await request.accept(response)
    } finally {
      response.body.destroy()
    }
  }

  const trySend = async <Result>(request: ReadRequest<Result>, signal: AbortSignal): Promise<Result> => {
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
  const send = async <Result>(request: ReadRequest<Result>, signal: AbortSignal): Promise<Result> => {
    try {
      const result = await trySend(request, signal)
      options.onOutcome?.('ok')
      return result
    } catch (error) {
      options.onOutcome?.(isAppError(error) ? error.code : 'INTERNAL')
      throw error
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
  details: ErrorDetails,
): Promise<Uint8Array> {
  const lengthBytes = range.end - range.start
  if (response.statusCode === 206) {
    const given = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(singleHeader(response, 'content-range') ?? '')
    if (given && Number(given[1]) === range.start && Number(given[3]) < range.end) {
      throw objectTooShort(details)
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
