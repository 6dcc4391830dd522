// Reads response bodies with exact or bounded sizes. A body that is too short or too long is STORAGE_UNAVAILABLE: another
// attempt may give the right one. Never trusts Content-Length alone.
import { AppError } from '@lake/core/errors.ts'
import type { Dispatcher } from 'undici'

type Response = Dispatcher.ResponseData

/** The value of a header that must not repeat; undefined when absent. */
export function singleHeader(response: Response, name: string): string | undefined {
  const value = response.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The object's size by Content-Length, in bytes. */
export function sizeOf(response: Response): number {
  const text = singleHeader(response, 'content-length')
  const sizeBytes = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
  if (sizeBytes === undefined) {
    throw new AppError('STORAGE_UNAVAILABLE', 'Object storage did not say how large the object is')
  }
  return sizeBytes
}

/** Reads a body that must have exactly `lengthBytes` bytes. */
export async function readExactly(response: Response, lengthBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(lengthBytes)
  let offset = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    if (offset + chunk.byteLength > lengthBytes) throw wrongSize('more')
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  if (offset < lengthBytes) throw wrongSize('fewer')
  return bytes
}

/**
 * Reads a whole body of at most `bytesMax` bytes.
 * @throws AppError TABLE_CORRUPT when the object is larger
 */
export async function readUpTo(response: Response, bytesMax: number): Promise<Uint8Array> {
  const hasLength = response.headers['content-length'] !== undefined
  if (hasLength) {
    const sizeBytes = sizeOf(response)
    if (sizeBytes > bytesMax) throw tooLarge(bytesMax)
    return await readExactly(response, sizeBytes)
  }
  const chunks: Uint8Array[] = []
  let totalBytes = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    totalBytes += chunk.byteLength
    if (totalBytes > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks, totalBytes))
}

/** The first `bytesMax` bytes of a body as text, for error answers. Failures while reading give what came before. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let totalBytes = 0
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      totalBytes += chunk.byteLength
      if (totalBytes >= bytesMax) break
    }
  } catch {
    // The status says enough.
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8')
}

function wrongSize(direction: 'more' | 'fewer'): AppError {
  return new AppError('STORAGE_UNAVAILABLE', `Object storage sent ${direction} bytes than it announced`)
}

function tooLarge(bytesMax: number): AppError {
  return new AppError(
    'TABLE_CORRUPT',
    `A file of the table is larger than the ${bytesMax} bytes that are read`,
    {
      details: { bytesMax },
    },
  )
}
