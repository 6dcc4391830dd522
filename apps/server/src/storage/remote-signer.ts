// Requests that the catalog signs one by one, where it gives out no credentials. What comes back must be a signature of
// this very request: its address is taken as it was written, but only if it is the same object at the same store.
// Source: Iceberg REST OpenAPI, RemoteSignRequest and RemoteSignResult.
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { LIMITS } from '../limits.ts'
import type { PreparedRequest } from './http-object-store.ts'
import type { S3Signer, S3Target } from './s3-request.ts'

export interface SignableRequest {
  readonly region: string
  readonly uri: string
  readonly method: 'GET' | 'HEAD'
  readonly headers: Readonly<Record<string, readonly string[]>>
}

export interface SignatureAnswer {
  readonly uri: string
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** The signer allows to use it again for an equal request. */
  readonly isCacheable: boolean
}

/** Asks the catalog. Throws AppError CATALOG_*, DEADLINE_EXCEEDED, CANCELLED. */
export type AskSignature = (request: SignableRequest, signal: AbortSignal) => Promise<SignatureAnswer>

/** Of the connection rather than of the request, or for the signer's client alone. */
const HEADERS_DROPPED = new Set([
  'cache-control',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const ORIGIN_AND_PATH = /^(https?:\/\/[^/?#]+)(\/[^#]*)$/

/** @throws (by the signer) AppError STORAGE_ACCESS_DENIED when the signature is of another request */
export function createRemoteSigner(options: { region: string; ask: AskSignature; clock: Clock }): S3Signer {
  const { region, ask, clock } = options
  const cache = new Map<string, { readonly signed: PreparedRequest; readonly signedAtMs: number }>()
  return async ({ method, target, headers }, signal) => {
    const uri = target.origin + target.path
    // The headers too, above all the range: a signer may cover any of them.
    const key = JSON.stringify([method, region, uri, Object.entries(headers)])
    const known = cache.get(key)
    if (known && clock.nowMs() - known.signedAtMs < LIMITS.signedRequestFreshMs) return known.signed
    // Proxies rewrite the encoding that is accepted, so it stays out of what is signed.
    const { 'accept-encoding': _unsigned, ...signable } = headers
    const listed = Object.entries({ host: target.host, ...signable }).map(
      ([name, value]) => [name, [value]] as const,
    )
    const answer = await ask({ region, uri, method, headers: Object.fromEntries(listed) }, signal)
    const signed = readSigned(answer, target, headers)
    cache.delete(key)
    if (answer.isCacheable) {
      const oldest = cache.keys().next()
      if (cache.size >= LIMITS.signedRequestsCachedMax && !oldest.done) cache.delete(oldest.value)
      cache.set(key, { signed, signedAtMs: clock.nowMs() })
    }
    return signed
  }
}

function readSigned(
  answer: SignatureAnswer,
  target: S3Target,
  own: Readonly<Record<string, string>>,
): PreparedRequest {
  const [, origin = '', path = ''] = ORIGIN_AND_PATH.exec(answer.uri) ?? []
  if (origin !== target.origin || !isSamePath(path.replace(/\?.*$/, ''), target.path)) {
    throw new AppError(
      'STORAGE_ACCESS_DENIED',
      'The catalog signed another request than the one that was asked for',
    )
  }
  const added = Object.entries(answer.headers).flatMap(([name, values]) => {
    const lowered = name.toLowerCase()
    const isUsable = HEADER_NAME.test(lowered) && !HEADERS_DROPPED.has(lowered)
    return isUsable ? [[lowered, values.join(', ')] as const] : []
  })
  return { origin, path, headers: { ...Object.fromEntries(added), host: target.host, ...own } }
}

/** Signers write the same path with other percent signs, which must come back as they were signed. */
function isSamePath(path: string, own: string): boolean {
  try {
    return decodeURIComponent(path) === decodeURIComponent(own)
  } catch {
    return false
  }
}
