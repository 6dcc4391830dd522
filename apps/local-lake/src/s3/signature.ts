// AWS Signature Version 4 as S3 checks it, for header and presigned requests: the signature, the clock, the access key
// and its session token. What the signer may do is decided elsewhere, by the scope returned here.
import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { LIMITS } from '../limits.ts'
import { isSame } from './credentials.ts'
import type { CredentialIssuer, Scope } from './credentials.ts'
import { S3Error } from './s3-error.ts'

export interface SignedRequest {
  readonly method: string
  /** Path and query as sent, still encoded. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

/** What an authentic request may do, and what its body must hash to. */
export interface Identity {
  /** undefined: everything (root). */
  readonly scope: Scope | undefined
  /** Value of x-amz-content-sha256; `UNSIGNED-PAYLOAD` for presigned requests. */
  readonly payloadHash: string
  /** For the signatures of the chunks of an aws-chunked body. */
  readonly chunkSigning: ChunkSigning
}

export interface ChunkSigning {
  readonly signingKey: Buffer
  readonly amzDate: string
  readonly credentialScope: string
  readonly seedSignature: string
}

interface Claim {
  readonly accessKeyId: string
  readonly credentialScope: string
  readonly date: string
  readonly region: string
  readonly amzDate: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
  readonly sessionToken: string | undefined
  readonly payloadHash: string
  readonly isPresigned: boolean
}

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'
const ALGORITHM = 'AWS4-HMAC-SHA256'

/**
 * Authenticates a request; undefined when it carries no signature at all.
 * @throws S3Error in S3's words for each kind of failure
 */
export function authenticate(
  request: SignedRequest,
  issuer: CredentialIssuer,
  nowMs: number,
): Identity | undefined {
  const [path = '/', queryText = ''] = splitOnce(request.target, '?')
  const query = parseQuery(queryText)
  const claim = readClaim(request, query)
  if (claim === undefined) return undefined
  if (!claim.signedHeaders.includes('host'))
    throw new S3Error('AccessDenied', 'The host header must be signed')
  checkClock(claim, query, nowMs)
  const { secretAccessKey, scope } = issuer.resolve(claim.accessKeyId, claim.sessionToken, nowMs)
  const canonical = canonicalRequest(request, path, query, claim)
  const signingKey = deriveKey(secretAccessKey, claim.date, claim.region)
  const text = [ALGORITHM, claim.amzDate, claim.credentialScope, sha256Hex(canonical)].join('\n')
  if (!isSame(hmac(signingKey, text).toString('hex'), claim.signature))
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    )
  const { amzDate, credentialScope, signature: seedSignature, payloadHash } = claim
  return { scope, payloadHash, chunkSigning: { signingKey, amzDate, credentialScope, seedSignature } }
}

function readClaim(request: SignedRequest, query: readonly QueryPair[]): Claim | undefined {
  const authorization = request.headers.authorization
  if (authorization !== undefined) return readHeaderClaim(authorization, request.headers)
  const get = (name: string): string | undefined => query.find(([key]) => key === name)?.[1]
  if (get('X-Amz-Algorithm') === undefined) return undefined
  const [signature, signedHeaders] = [get('X-Amz-Signature'), get('X-Amz-SignedHeaders')]
  const [credential, amzDate] = [get('X-Amz-Credential'), get('X-Amz-Date')]
  if (
    get('X-Amz-Algorithm') !== ALGORITHM ||
    signature === undefined ||
    signedHeaders === undefined ||
    credential === undefined ||
    amzDate === undefined
  )
    throw new S3Error('AuthorizationQueryParametersError', 'The presigned parameters are incomplete')
  return {
    ...readCredential(credential),
    amzDate,
    signature,
    signedHeaders: signedHeaders.split(';'),
    sessionToken: get('X-Amz-Security-Token'),
    payloadHash: UNSIGNED_PAYLOAD,
    isPresigned: true,
  }
}

function readHeaderClaim(authorization: string, headers: IncomingHttpHeaders): Claim {
  const match =
    /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      authorization,
    )
  const [, credential, signedHeaders, signature] = match ?? []
  const amzDate = single(headers['x-amz-date'])
  if (credential === undefined || signedHeaders === undefined || signature === undefined)
    throw new S3Error('AuthorizationHeaderMalformed', 'The authorization header is malformed')
  if (amzDate === undefined) throw new S3Error('AccessDenied', 'A signed request needs x-amz-date')
  const names = signedHeaders.split(';')
  const payloadHash = single(headers['x-amz-content-sha256'])
  if (payloadHash === undefined)
    throw new S3Error('AccessDenied', 'A signed request needs x-amz-content-sha256')
  return {
    ...readCredential(credential),
    amzDate,
    signature,
    signedHeaders: names,
    sessionToken: single(headers['x-amz-security-token']),
    payloadHash,
    isPresigned: false,
  }
}

function readCredential(text: string): Pick<Claim, 'accessKeyId' | 'credentialScope' | 'date' | 'region'> {
  const [accessKeyId, date, region, service, terminator, ...rest] = text.split('/')
  if (
    accessKeyId === undefined ||
    date === undefined ||
    region === undefined ||
    service !== 's3' ||
    terminator !== 'aws4_request' ||
    rest.length > 0
  )
    throw new S3Error('AuthorizationHeaderMalformed', 'The credential is not scoped to s3/aws4_request')
  return { accessKeyId, date, region, credentialScope: `${date}/${region}/s3/aws4_request` }
}

function checkClock(claim: Claim, query: readonly QueryPair[], nowMs: number): void {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(claim.amzDate)
  const [, year, month, day, hour, minute, second] = match ?? []
  const signedMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!Number.isFinite(signedMs) || !claim.amzDate.startsWith(claim.date))
    throw new S3Error('AccessDenied', 'The date of the signature is not valid')
  if (!claim.isPresigned) {
    if (Math.abs(nowMs - signedMs) > LIMITS.clockSkewMs)
      throw new S3Error(
        'RequestTimeTooSkewed',
        'The difference between the request time and the current time is too large.',
      )
    return
  }
  const lifetimeMs = Number(query.find(([key]) => key === 'X-Amz-Expires')?.[1] ?? 'NaN') * 1_000
  if (!(lifetimeMs > 0 && lifetimeMs <= LIMITS.presignedLifetimeMaxMs))
    throw new S3Error('AuthorizationQueryParametersError', 'X-Amz-Expires must be 1 to 604800 seconds')
  if (signedMs - nowMs > LIMITS.clockSkewMs) throw new S3Error('AccessDenied', 'Request is not yet valid')
  if (nowMs >= signedMs + lifetimeMs) throw new S3Error('AccessDenied', 'Request has expired')
}

function canonicalRequest(
  request: SignedRequest,
  path: string,
  query: readonly QueryPair[],
  claim: Claim,
): string {
  const headerLines = claim.signedHeaders.map((name) => {
    const value = request.headers[name]
    const text = Array.isArray(value) ? value.join(',') : (value ?? '')
    return `${name}:${text.trim().replace(/\s+/g, ' ')}\n`
  })
  const canonicalPath = path.split('/').map((segment) => encodeRfc3986(decode(segment)))
  const canonicalQuery = query
    .filter(([key]) => !(claim.isPresigned && key === 'X-Amz-Signature'))
    .map(([key, value]) => `${encodeRfc3986(key)}=${encodeRfc3986(value)}`)
    .sort()
  return [
    request.method,
    canonicalPath.join('/'),
    canonicalQuery.join('&'),
    headerLines.join(''),
    claim.signedHeaders.join(';'),
    claim.payloadHash,
  ].join('\n')
}

export type QueryPair = readonly [key: string, value: string]

/** Decoded pairs of a query string, in order. A `+` is a plus sign, as in S3. @throws S3Error InvalidArgument */
export function parseQuery(text: string): QueryPair[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [key = '', value = ''] = splitOnce(pair, '=')
      return [decode(key), decode(value)]
    })
}

/** Percent-decodes. @throws S3Error InvalidArgument */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError)
      throw new S3Error('InvalidArgument', 'The request URI is not encoded properly')
    throw error
  }
}

function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

export function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function deriveKey(secret: string, date: string, region: string): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), 's3'), 'aws4_request')
}
