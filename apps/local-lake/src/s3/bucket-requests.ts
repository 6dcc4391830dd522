// ListBuckets, ListObjectsV2 and DeleteObjects.
import { LIMITS } from '../limits.ts'
import type { ObjectInfo } from './object-files.ts'
import { decodeBody, readSmallBody } from './request-body.ts'
import { escapeXml, S3Error, unescapeXml } from './s3-error.ts'
import { checkKeyInScope, sendXml } from './s3-request.ts'
import type { S3Request } from './s3-request.ts'

const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

export function listBuckets(request: S3Request): void {
  if (request.identity.scope !== undefined || request.incoming.method !== 'GET')
    throw new S3Error('AccessDenied', 'Access Denied')
  const buckets = request.objects
    .bucketNames()
    .map((name) => `<Bucket><Name>${escapeXml(name)}</Name></Bucket>`)
  sendXml(
    request.response,
    `<ListAllMyBucketsResult ${NAMESPACE}><Buckets>${buckets.join('')}</Buckets></ListAllMyBucketsResult>`,
  )
}

type Entry = { readonly name: string; readonly object: ObjectInfo | undefined }

export async function listObjects(request: S3Request): Promise<void> {
  const { query } = request
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const maxKeys = parseMaxKeys(query.get('max-keys'))
  const token = query.get('continuation-token')
  const after = token === undefined ? (query.get('start-after') ?? '') : decodeToken(token)
  const entries = groupEntries(await request.objects.list(request.bucket, prefix), prefix, delimiter)
  const rest = entries.filter(({ name }) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0)
  const page = rest.slice(0, maxKeys)
  const last = page.at(-1)
  const isTruncated = page.length < rest.length && last !== undefined
  const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : escapeXml
  const next = isTruncated
    ? `<NextContinuationToken>${Buffer.from(last.name).toString('base64url')}</NextContinuationToken>`
    : ''
  const echo = token === undefined ? '' : `<ContinuationToken>${escapeXml(token)}</ContinuationToken>`
  const encoding = query.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : ''
  sendXml(
    request.response,
    `<ListBucketResult ${NAMESPACE}><Name>${escapeXml(request.bucket)}</Name><Prefix>${encode(prefix)}</Prefix>` +
      (delimiter === '' ? '' : `<Delimiter>${encode(delimiter)}</Delimiter>`) +
      `<KeyCount>${page.length}</KeyCount><MaxKeys>${maxKeys}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>` +
      `${encoding}${echo}${next}${page.map((entry) => entryXml(entry, encode)).join('')}</ListBucketResult>`,
  )
}

function groupEntries(objects: readonly ObjectInfo[], prefix: string, delimiter: string): Entry[] {
  if (delimiter === '') return objects.map((object) => ({ name: object.key, object }))
  const entries: Entry[] = []
  const seen = new Set<string>()
  for (const object of objects) {
    const at = object.key.indexOf(delimiter, prefix.length)
    const name = at === -1 ? object.key : object.key.slice(0, at + delimiter.length)
    if (seen.has(name)) continue
    seen.add(name)
    entries.push({ name, object: at === -1 ? object : undefined })
  }
  return entries
}

function entryXml({ name, object }: Entry, encode: (text: string) => string): string {
  if (object === undefined) return `<CommonPrefixes><Prefix>${encode(name)}</Prefix></CommonPrefixes>`
  const modified = new Date(object.modifiedMs).toISOString()
  return (
    `<Contents><Key>${encode(name)}</Key><LastModified>${modified}</LastModified>` +
    `<ETag>${escapeXml(object.etag)}</ETag><Size>${object.sizeBytes}</Size><StorageClass>STANDARD</StorageClass></Contents>`
  )
}

function parseMaxKeys(text: string | undefined): number {
  if (text === undefined) return LIMITS.listKeysMax
  if (!/^\d{1,9}$/.test(text)) throw new S3Error('InvalidArgument', 'max-keys must be a whole number')
  return Math.min(Number(text), LIMITS.listKeysMax)
}

function decodeToken(token: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(token))
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect')
  return Buffer.from(token, 'base64url').toString('utf8')
}

export async function deleteObjects(request: S3Request): Promise<void> {
  const declared = Number(request.incoming.headers['content-length'] ?? 0)
  if (declared > LIMITS.xmlBodyBytesMax) throw new S3Error('EntityTooLarge', 'The request body is too large')
  const xml = await readSmallBody(decodeBody(request.incoming, request.identity))
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key))
  if (keys.length === 0 || keys.length > LIMITS.listKeysMax)
    throw new S3Error('MalformedXML', 'The XML must list 1 to 1000 keys')
  const results: string[] = []
  for (const key of keys) {
    try {
      checkKeyInScope(request.identity.scope, key)
      await request.objects.remove(request.bucket, key)
      results.push(`<Deleted><Key>${escapeXml(key)}</Key></Deleted>`)
    } catch (error) {
      if (!(error instanceof S3Error)) throw error
      results.push(
        `<Error><Key>${escapeXml(key)}</Key><Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message></Error>`,
      )
    }
  }
  const isQuiet = /<Quiet>\s*true\s*<\/Quiet>/.test(xml)
  const shown = isQuiet ? results.filter((result) => result.startsWith('<Error>')) : results
  sendXml(request.response, `<DeleteResult ${NAMESPACE}>${shown.join('')}</DeleteResult>`)
}
