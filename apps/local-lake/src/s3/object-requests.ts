// GET, HEAD, PUT and DELETE of one object. Bodies stream both ways.
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parseRange } from './byte-range.ts'
import { decodeBody } from './request-body.ts'
import { S3Error } from './s3-error.ts'
import { sendEmpty } from './s3-request.ts'
import type { S3Request } from './s3-request.ts'
import { single } from './signature.ts'

export async function getObject(request: S3Request, method: 'GET' | 'HEAD'): Promise<void> {
  const { bucket, key, incoming, response, objects } = request
  const info = await objects.info(bucket, key)
  const ifMatch = incoming.headers['if-match']
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== info.etag)
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
  response.setHeader('etag', info.etag)
  response.setHeader('last-modified', new Date(info.modifiedMs).toUTCString())
  if (incoming.headers['if-none-match'] === info.etag) return sendEmpty(response, 304)
  const range = parseRange(incoming.headers.range, info.sizeBytes)
  const { start, end } = range ?? { start: 0, end: info.sizeBytes }
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('content-type', 'application/octet-stream')
  response.setHeader('content-length', end - start)
  if (range !== undefined) response.setHeader('content-range', `bytes ${start}-${end - 1}/${info.sizeBytes}`)
  response.writeHead(range === undefined ? 200 : 206)
  if (method === 'HEAD' || end === start) {
    response.end()
    return
  }
  const file = createReadStream(objects.path(bucket, key), { start, end: end - 1 })
  await pipeline(file, response, { signal: request.signal })
}

export async function putObject(request: S3Request): Promise<void> {
  const { bucket, key, incoming, response, objects } = request
  if (incoming.headers['x-amz-copy-source'] !== undefined)
    throw new S3Error('NotImplemented', 'This store does not copy objects')
  const ifAbsent = readIfAbsent(request)
  if (ifAbsent && (await exists(request)))
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
  const scratch = await objects.writeScratch(decodeBody(incoming, request.identity), request.signal)
  await objects.commitFile(scratch, bucket, key, ifAbsent)
  const { etag } = await objects.info(bucket, key)
  response.setHeader('etag', etag)
  sendEmpty(response, 200)
}

/** Whether the object must not exist yet. `*` is the only form of If-None-Match on a write, as in S3. */
export function readIfAbsent(request: S3Request): boolean {
  const condition = single(request.incoming.headers['if-none-match'])
  if (request.incoming.headers['if-match'] !== undefined || (condition !== undefined && condition !== '*'))
    throw new S3Error('NotImplemented', 'Of conditional writes this store does If-None-Match: * alone')
  return condition === '*'
}

async function exists({ objects, bucket, key }: S3Request): Promise<boolean> {
  try {
    await objects.info(bucket, key)
    return true
  } catch (error) {
    if (error instanceof S3Error && error.code === 'NoSuchKey') return false
    throw error
  }
}

export async function deleteObject(request: S3Request): Promise<void> {
  await request.objects.remove(request.bucket, request.key)
  sendEmpty(request.response, 204)
}
