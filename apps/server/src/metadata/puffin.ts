// The envelope of a Puffin file: magic at both ends, and a footer in JSON that says where each blob is. Only what deletion
// vectors need is read of it; other blobs (statistics) are passed over. Source: Puffin spec, "File structure".
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'

const MAGIC = 'PFA1'
export const PUFFIN_HEAD_BYTES = 4
/** Payload size, flags, magic. */
export const PUFFIN_TRAILER_BYTES = 12
const FLAG_COMPRESSED = 1

const footer = z.object({
  blobs: z.array(
    z.object({
      type: z.string(),
      offset: z.number().int().nonnegative(),
      length: z.number().int().nonnegative(),
      'compression-codec': z.string().nullish(),
    }),
  ),
})

export interface PuffinBlob {
  readonly type: string
  readonly offset: number
  readonly lengthBytes: number
  readonly codec: string | undefined
}

/**
 * Where the footer begins, magic included.
 * @param tail the last bytes of the file, at least 12 where the file has as many
 * @throws AppError TABLE_CORRUPT where the file is no Puffin file
 */
export function puffinFooterStart(tail: Uint8Array, fileSizeBytes: number, path: string): number {
  if (tail.byteLength < PUFFIN_TRAILER_BYTES || textOf(tail.subarray(-PUFFIN_HEAD_BYTES)) !== MAGIC) {
    throw corrupt(path, 'does not end as one')
  }
  const view = new DataView(tail.buffer, tail.byteOffset + tail.byteLength - PUFFIN_TRAILER_BYTES)
  const start = fileSizeBytes - PUFFIN_TRAILER_BYTES - view.getInt32(0, true) - PUFFIN_HEAD_BYTES
  if (view.getInt32(0, true) < 0 || start < PUFFIN_HEAD_BYTES)
    throw corrupt(path, 'has a footer of no possible size')
  return start
}

/**
 * The blobs that a footer lists; undefined where it is compressed, which says nothing about the blobs.
 * @param bytes from the footer's start to the end of the file
 * @throws AppError TABLE_CORRUPT
 */
export function decodePuffinFooter(bytes: Uint8Array, path: string): readonly PuffinBlob[] | undefined {
  if (textOf(bytes.subarray(0, PUFFIN_HEAD_BYTES)) !== MAGIC)
    throw corrupt(path, 'has a footer that does not begin as one')
  const flags = bytes[bytes.byteLength - PUFFIN_TRAILER_BYTES + 4] ?? 0
  if ((flags & FLAG_COMPRESSED) !== 0) return undefined
  let parsed: z.infer<typeof footer>
  try {
    parsed = footer.parse(
      JSON.parse(textOf(bytes.subarray(PUFFIN_HEAD_BYTES, bytes.byteLength - PUFFIN_TRAILER_BYTES))),
    )
  } catch (cause) {
    throw corrupt(path, 'has a malformed footer', cause)
  }
  return parsed.blobs.map(({ type, offset, length, 'compression-codec': codec }) => ({
    type,
    offset,
    lengthBytes: length,
    codec: codec ?? undefined,
  }))
}

/** @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED where the footer does not list this deletion vector as it must be */
export function checkVectorIsListed(
  blobs: readonly PuffinBlob[],
  vector: { readonly path: string; readonly offset: number; readonly sizeBytes: number },
): void {
  const blob = blobs.find(
    ({ offset, lengthBytes }) => offset === vector.offset && lengthBytes === vector.sizeBytes,
  )
  if (blob?.type !== 'deletion-vector-v1') {
    throw corrupt(vector.path, `lists no deletion vector at ${vector.offset} of ${vector.sizeBytes} bytes`)
  }
  if (blob.codec !== undefined) {
    const feature = 'compressed deletion vectors'
    throw new AppError('TABLE_UNSUPPORTED', `The table uses ${feature}, which is not read`, {
      details: { feature },
    })
  }
}

export function hasPuffinHead(head: Uint8Array): boolean {
  return textOf(head.subarray(0, PUFFIN_HEAD_BYTES)) === MAGIC
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function corrupt(path: string, what: string, cause?: unknown): AppError {
  return new AppError('TABLE_CORRUPT', `Puffin file ${path} ${what}`, { cause })
}
