// The body of an upload as plain bytes: an aws-chunked body is decoded, chunk signatures and the SHA-256 of the payload
// are checked as it streams by, so that nothing unchecked is given a name. Trailing checksums: crc32 and sha256 are
// checked, others (crc32c, crc64nvme, sha1) are accepted unread.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { LIMITS } from '../limits.ts'
import { isSame } from './credentials.ts'
import { S3Error } from './s3-error.ts'
import { hmac, sha256Hex } from './signature.ts'
import type { ChunkSigning, Identity } from './signature.ts'

const EMPTY_SHA256 = sha256Hex('')

/** A stream of the object's bytes. It fails with an S3Error where the body is not what was signed. */
export function decodeBody(body: Readable, identity: Identity): Readable {
  const hash = identity.payloadHash
  const isTrailed = hash.endsWith('-TRAILER')
  if (hash === 'UNSIGNED-PAYLOAD') return Readable.from(plain(body, undefined))
  if (/^[0-9a-f]{64}$/.test(hash)) return Readable.from(plain(body, hash))
  if (hash === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return Readable.from(chunked(body, undefined, isTrailed))
  if (hash === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' || hash === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER')
    return Readable.from(chunked(body, identity.chunkSigning, isTrailed))
  throw new S3Error('NotImplemented', 'This kind of x-amz-content-sha256 is not supported')
}

async function* plain(body: Readable, expectedHash: string | undefined): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  let size = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length
    checkSize(size)
    if (expectedHash !== undefined) digest.update(piece)
    yield piece
  }
  if (expectedHash !== undefined && digest.digest('hex') !== expectedHash)
    throw new S3Error(
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    )
}

async function* chunked(
  body: Readable,
  signing: ChunkSigning | undefined,
  isTrailed: boolean,
): AsyncGenerator<Buffer> {
  const input = new ByteReader(body)
  const sha256 = createHash('sha256')
  let [crc, size, previous] = [0, 0, signing?.seedSignature ?? '']
  for (;;) {
    const header = (await input.line()).split(';')
    const length = Number.parseInt(header[0] ?? '', 16)
    if (!/^[0-9a-fA-F]+$/.test(header[0] ?? '') || length > LIMITS.awsChunkBytesMax)
      throw new S3Error('IncompleteBody', 'A chunk header of the aws-chunked body is not valid')
    const chunk = await input.take(length)
    if (signing !== undefined) {
      const given = header.find((part) => part.startsWith('chunk-signature='))?.slice(16) ?? ''
      previous = checkChunk(signing, previous, sha256Hex(chunk), given)
    }
    size += length
    checkSize(size)
    if (length === 0) break
    if ((await input.line()) !== '') throw new S3Error('IncompleteBody', 'A chunk does not end where it says')
    crc = crc32(chunk, crc)
    sha256.update(chunk)
    yield chunk
  }
  if (isTrailed) checkTrailers(await readTrailers(input), crc, sha256.digest('base64'), signing, previous)
}

function checkChunk(signing: ChunkSigning, previous: string, chunkHash: string, given: string): string {
  const text = [
    'AWS4-HMAC-SHA256-PAYLOAD',
    signing.amzDate,
    signing.credentialScope,
    previous,
    EMPTY_SHA256,
    chunkHash,
  ].join('\n')
  const expected = hmac(signing.signingKey, text).toString('hex')
  if (!isSame(expected, given))
    throw new S3Error('SignatureDoesNotMatch', 'A chunk signature of the body does not match')
  return expected
}

async function readTrailers(input: ByteReader): Promise<Map<string, string>> {
  const trailers = new Map<string, string>()
  for (let line = await input.line(); line !== ''; line = await input.line()) {
    const at = line.indexOf(':')
    if (at === -1 || trailers.size > 16) throw new S3Error('IncompleteBody', 'A trailer is not valid')
    trailers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim())
  }
  return trailers
}

function checkTrailers(
  trailers: ReadonlyMap<string, string>,
  crc: number,
  sha256: string,
  signing: ChunkSigning | undefined,
  previous: string,
): void {
  const crcBytes = Buffer.alloc(4)
  crcBytes.writeUInt32BE(crc)
  for (const [name, value] of [
    ['x-amz-checksum-crc32', crcBytes.toString('base64')],
    ['x-amz-checksum-sha256', sha256],
  ] as const) {
    const given = trailers.get(name)
    if (given !== undefined && given !== value)
      throw new S3Error('BadDigest', `The ${name} you specified did not match what was received.`)
  }
  if (signing === undefined) return
  const signed = [...trailers].filter(([name]) => name !== 'x-amz-trailer-signature')
  const text = [
    'AWS4-HMAC-SHA256-TRAILER',
    signing.amzDate,
    signing.credentialScope,
    previous,
    sha256Hex(signed.map(([name, value]) => `${name}:${value}\n`).join('')),
  ].join('\n')
  if (!isSame(hmac(signing.signingKey, text).toString('hex'), trailers.get('x-amz-trailer-signature') ?? ''))
    throw new S3Error('SignatureDoesNotMatch', 'The signature of the trailers does not match')
}

function checkSize(size: number): void {
  if (size > LIMITS.objectPutBytesMax)
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.')
}

/** Reads a small body whole, for XML requests. @throws S3Error EntityTooLarge */
export async function readSmallBody(body: Readable): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > LIMITS.xmlBodyBytesMax) throw new S3Error('EntityTooLarge', 'The request body is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Lines and exact lengths out of a stream of pieces. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #pending: Buffer = Buffer.alloc(0)

  constructor(source: Readable) {
    this.#source = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  /** Up to CRLF, which is dropped; the end of the stream ends a line too when nothing follows. */
  async line(): Promise<string> {
    let from = 0
    for (;;) {
      const at = this.#pending.indexOf('\r\n', from)
      if (at !== -1) {
        const line = this.#pending.subarray(0, at).toString('latin1')
        this.#pending = this.#pending.subarray(at + 2)
        return line
      }
      if (this.#pending.length > LIMITS.awsChunkHeaderBytesMax)
        throw new S3Error('IncompleteBody', 'A line of the aws-chunked body is too long')
      from = Math.max(0, this.#pending.length - 1)
      if (!(await this.#pull())) {
        if (this.#pending.length === 0) return ''
        throw new S3Error('IncompleteBody', 'The aws-chunked body ends early')
      }
    }
  }

  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (this.#pending.length === 0 && !(await this.#pull()))
        throw new S3Error('IncompleteBody', 'The aws-chunked body ends early')
      const piece = this.#pending.subarray(0, missing)
      this.#pending = this.#pending.subarray(piece.length)
      missing -= piece.length
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  async #pull(): Promise<boolean> {
    const next = await this.#source.next()
    if (next.done === true) return false
    this.#pending = this.#pending.length === 0 ? next.value : Buffer.concat([this.#pending, next.value])
    return true
  }
}
