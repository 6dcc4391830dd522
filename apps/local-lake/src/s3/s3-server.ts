// The S3 store over HTTP: path-style requests in, objects out. Who asks is settled first (signature, or nobody in
// anonymous mode), then what they may touch (the scope of their token), and only then is a file looked at. Covers what
// Iceberg engines use; anything else is NotImplemented.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { CredentialIssuer, Scope } from './credentials.ts'
import { MultipartUploads } from './multipart.ts'
import type { ObjectFiles } from './object-files.ts'
import { deleteObject, getObject, putObject } from './object-requests.ts'
import { deleteObjects, listBuckets, listObjects } from './bucket-requests.ts'
import { multipartRequest } from './multipart-requests.ts'
import { S3Error } from './s3-error.ts'
import { checkKeyInScope, sendEmpty, sendXml } from './s3-request.ts'
import type { S3Request } from './s3-request.ts'
import { authenticate, decode, parseQuery, splitOnce, UNSIGNED_PAYLOAD } from './signature.ts'
import type { Identity } from './signature.ts'

export interface S3Options {
  readonly objects: ObjectFiles
  readonly issuer: CredentialIssuer
  /** Unsigned reads are allowed. Writes always need a signature. */
  readonly isAnonymousAllowed: boolean
  readonly clock: () => number
  readonly log: (message: string) => void
}

export function createS3Server(options: S3Options): Server {
  const uploads = new MultipartUploads(options.objects)
  return createServer((incoming, response) => {
    const requestId = randomUUID()
    response.setHeader('x-amz-request-id', requestId)
    answer(incoming, response, options, uploads).catch((error: unknown) => {
      if (!(error instanceof S3Error) && !response.destroyed)
        options.log(`s3: ${incoming.method} failed: ${String(error)}`)
      sendError(incoming, response, error, requestId)
    })
  })
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: S3Options,
  uploads: MultipartUploads,
): Promise<void> {
  const target = incoming.url ?? '/'
  const method = incoming.method ?? 'GET'
  const identity = identify(incoming, target, method, options)
  const [path = '/', queryText = ''] = splitOnce(target, '?')
  const [bucket = '', key = ''] = splitOnce(path.slice(1), '/').map(decode)
  const controller = new AbortController()
  response.on('close', () => controller.abort())
  const { objects } = options
  const query = new Map(parseQuery(queryText))
  const request = {
    incoming,
    response,
    bucket,
    key,
    query,
    identity,
    objects,
    uploads,
    signal: controller.signal,
  }
  if (bucket === '') return listBuckets(request)
  authorize(identity.scope, request, method)
  objects.bucket(bucket)
  if (key === '') return bucketRequest(request, method)
  if (query.has('uploads') || query.has('uploadId')) return multipartRequest(request, method)
  for (const name of ['acl', 'tagging', 'retention', 'legal-hold', 'attributes', 'torrent', 'versionId'])
    if (query.has(name)) throw new S3Error('NotImplemented', `This store does not do ?${name}`)
  if (method === 'GET' || method === 'HEAD') return getObject(request, method)
  if (method === 'PUT') return putObject(request)
  if (method === 'DELETE') return deleteObject(request)
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
}

function identify(incoming: IncomingMessage, target: string, method: string, options: S3Options): Identity {
  const signed = authenticate({ method, target, headers: incoming.headers }, options.issuer, options.clock())
  if (signed !== undefined) return signed
  if (!options.isAnonymousAllowed || (method !== 'GET' && method !== 'HEAD'))
    throw new S3Error('AccessDenied', 'Access Denied')
  const chunkSigning = { signingKey: Buffer.alloc(0), amzDate: '', credentialScope: '', seedSignature: '' }
  return { scope: undefined, payloadHash: UNSIGNED_PAYLOAD, chunkSigning }
}

/** Holds a request against the scope of its token. Keys of a DeleteObjects body are held against it there. */
function authorize(scope: Scope | undefined, request: S3Request, method: string): void {
  if (scope === undefined) return
  const isRead = method === 'GET' || method === 'HEAD'
  if (scope.bucket !== request.bucket || (!isRead && !scope.isWritable))
    throw new S3Error('AccessDenied', 'Access Denied')
  if (request.key !== '') return checkKeyInScope(scope, request.key)
  const isListing = method === 'GET' && !request.query.has('location')
  if (isListing && !(request.query.get('prefix') ?? '').startsWith(scope.prefix))
    throw new S3Error('AccessDenied', 'Access Denied')
}

async function bucketRequest(request: S3Request, method: string): Promise<void> {
  const { query, response } = request
  if (method === 'HEAD') return sendEmpty(response, 200)
  if (method === 'GET' && query.has('location'))
    return sendXml(response, '<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>')
  if (method === 'GET' && query.get('list-type') === '2') return listObjects(request)
  if (method === 'POST' && query.has('delete')) return deleteObjects(request)
  throw new S3Error('NotImplemented', 'This store does not do this request on a bucket')
}

function sendError(
  incoming: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  requestId: string,
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const failure =
    error instanceof S3Error ? error : new S3Error('InternalError', 'We encountered an internal error.')
  const [resource = '/'] = splitOnce(incoming.url ?? '/', '?')
  const body = failure.toXml(resource, requestId)
  // A body that was not read would otherwise be taken for the next request of the connection.
  if (!incoming.complete) response.setHeader('connection', 'close')
  response.writeHead(failure.status, {
    'content-type': 'application/xml',
    'content-length': Buffer.byteLength(body),
  })
  response.end(incoming.method === 'HEAD' ? undefined : body)
}
