// The HTTP side of multipart uploads: create, upload part, complete, abort.
import { decodeBody, readSmallBody } from './request-body.ts'
import { readIfAbsent } from './object-requests.ts'
import { escapeXml, S3Error, unescapeXml } from './s3-error.ts'
import { sendEmpty, sendXml } from './s3-request.ts'
import type { S3Request } from './s3-request.ts'

const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

export async function multipartRequest(request: S3Request, method: string): Promise<void> {
  const { query } = request
  const uploadId = query.get('uploadId')
  if (method === 'POST' && query.has('uploads')) return createUpload(request)
  if (uploadId === undefined) throw new S3Error('NotImplemented', 'This store does not list uploads')
  if (method === 'PUT') return uploadPart(request, uploadId)
  if (method === 'POST') return completeUpload(request, uploadId)
  if (method !== 'DELETE') throw new S3Error('NotImplemented', 'This store does not list parts')
  await request.uploads.abort([request.bucket, request.key], uploadId)
  sendEmpty(request.response, 204)
}

function createUpload({ uploads, bucket, key, response }: S3Request): void {
  const uploadId = uploads.create(bucket, key)
  sendXml(
    response,
    `<InitiateMultipartUploadResult ${NAMESPACE}><Bucket>${escapeXml(bucket)}</Bucket><Key>${escapeXml(key)}</Key>` +
      `<UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
  )
}

async function uploadPart(request: S3Request, uploadId: string): Promise<void> {
  const { bucket, key, query, incoming, response, objects, uploads } = request
  if (incoming.headers['x-amz-copy-source'] !== undefined)
    throw new S3Error('NotImplemented', 'This store does not copy objects')
  const scratch = await objects.writeScratch(decodeBody(incoming, request.identity), request.signal)
  const etag = await uploads.addPart([bucket, key], uploadId, Number(query.get('partNumber')), scratch)
  response.setHeader('etag', etag)
  sendEmpty(response, 200)
}

async function completeUpload(request: S3Request, uploadId: string): Promise<void> {
  const { bucket, key, response, objects, uploads } = request
  const ifAbsent = readIfAbsent(request)
  const xml = await readSmallBody(decodeBody(request.incoming, request.identity))
  const parts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => {
    const partNumber = Number(/<PartNumber>\s*(\d+)\s*<\/PartNumber>/.exec(part)?.[1] ?? 'NaN')
    const etag = unescapeXml(/<ETag>([^<]*)<\/ETag>/.exec(part)?.[1] ?? '')
    return { partNumber, etag }
  })
  await uploads.complete([bucket, key], uploadId, parts, { ifAbsent })
  const { etag } = await objects.info(bucket, key)
  sendXml(
    response,
    `<CompleteMultipartUploadResult ${NAMESPACE}><Bucket>${escapeXml(bucket)}</Bucket><Key>${escapeXml(key)}</Key>` +
      `<ETag>${escapeXml(etag)}</ETag></CompleteMultipartUploadResult>`,
  )
}
