// From an object's location to a signed HTTP request. Leaves sending and answers to `s3-object-store.ts`.
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import type { Secret } from '../observability/redaction.ts'
import type { PreparedRequest } from './http-object-store.ts'
import type { S3Location } from './object-uri.ts'
import { encodeKey, isLoopback, parseStorageEndpoint, unusedFeature } from './storage-endpoint.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret
}

/** A function is asked before every request, so it should answer from memory until its credentials are about to expire. */
export type S3CredentialSource =
  S3Credentials | 'anonymous' | ((signal: AbortSignal) => Promise<S3Credentials>)

export interface S3Target {
  /** Scheme, host and port. */
  readonly origin: string
  readonly host: string
  /** Encoded, with its leading slash. */
  readonly path: string
}

export interface S3Service {
  /** Base URL of an S3-compatible store; undefined: AWS, by region. */
  readonly endpoint?: string
  readonly region: string
  readonly isPathStyle: boolean
}

const REGION = /^[A-Za-z0-9-]{1,64}$/
/** What may be a label of a host name; anything else is addressed by path. A dot would not fit a wildcard certificate. */
const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Checks a service's settings once and returns how objects are addressed.
 * @throws AppError TABLE_UNSUPPORTED for an endpoint that is not a plain https URL (http only for numeric loopback)
 */
export function createS3Addressing(service: S3Service): (location: S3Location) => S3Target {
  if (!REGION.test(service.region)) throw unusedFeature('storage region that is not a region name')
  const suffix = service.region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const base = parseStorageEndpoint(service.endpoint ?? `https://s3.${service.region}.${suffix}`)
  const basePath = base.pathname.replace(/\/$/, '')
  return ({ bucket, key }) => {
    const isByHost = !service.isPathStyle && HOST_LABEL.test(bucket) && !isLoopback(base)
    const host = isByHost ? `${bucket}.${base.host}` : base.host
    const path = isByHost ? `/${encodeKey(key)}` : `/${bucket}/${encodeKey(key)}`
    return { origin: `${base.protocol}//${host}`, host, path: basePath + path }
  }
}

/** Signs a body-less request. */
export type S3Signer = (
  request: { method: 'GET' | 'HEAD'; target: S3Target; headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
) => Promise<PreparedRequest>

export function createS3Signer(options: {
  region: string
  credentials: S3CredentialSource
  now: () => Date
}): S3Signer {
  const source = options.credentials
  if (source === 'anonymous') {
    return ({ target: { origin, host, path }, headers }) =>
      Promise.resolve({ origin, path, headers: { host, ...headers } })
  }
  // The base class caches signing keys by credential, so a signer per credential value is not needed.
  return async ({ method, target, headers }, signal) => {
    const credentials = typeof source === 'function' ? await source(signal) : source
    const signer = new SignatureV4({
      credentials: {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: credentials.secretAccessKey.reveal(),
        ...(credentials.sessionToken === undefined
          ? {}
          : { sessionToken: credentials.sessionToken.reveal() }),
      },
      region: options.region,
      service: 's3',
      sha256: Sha256,
      // The path is already encoded, and S3 signs it as it is sent.
      uriEscapePath: false,
    })
    const request = new HttpRequest({
      method,
      hostname: target.host,
      path: target.path,
      headers: { host: target.host, ...headers },
    })
    const signed = await signer.sign(request, { signingDate: options.now() })
    return { origin: target.origin, path: target.path, headers: signed.headers }
  }
}
