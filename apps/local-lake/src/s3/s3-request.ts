// One storage request, understood and authenticated, and the two plain ways to answer it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Scope } from './credentials.ts'
import type { MultipartUploads } from './multipart.ts'
import type { ObjectFiles } from './object-files.ts'
import { S3Error } from './s3-error.ts'
import type { Identity } from './signature.ts'

export interface S3Request {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly bucket: string
  /** Empty for requests to the bucket itself. */
  readonly key: string
  readonly query: ReadonlyMap<string, string>
  readonly identity: Identity
  readonly objects: ObjectFiles
  readonly uploads: MultipartUploads
  readonly signal: AbortSignal
}

/** @throws S3Error AccessDenied for a key outside of the scope */
export function checkKeyInScope(scope: Scope | undefined, key: string): void {
  if (scope !== undefined && !key.startsWith(scope.prefix)) throw new S3Error('AccessDenied', 'Access Denied')
}

export function sendXml(response: ServerResponse, body: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${body}`
  response.writeHead(200, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 ? {} : { 'content-length': 0 }).end()
}
