// Reads the deletion vectors that a scan needs of one Puffin file: its envelope, then their blobs, near ones together.
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import type { PositionSet } from '@lake/core/scan/position-set.ts'
import { LIMITS } from '../limits.ts'
import { decodeDeletionVector } from '../metadata/deletion-vector.ts'
import {
  checkVectorIsListed,
  decodePuffinFooter,
  hasPuffinHead,
  puffinFooterStart,
  PUFFIN_HEAD_BYTES,
  PUFFIN_TRAILER_BYTES,
} from '../metadata/puffin.ts'
import type { FileReader } from '../parquet/file-reader.ts'

/**
 * Positions by manifest entry.
 * @param vectors entries of one path; each has its offset and size, as `indexDeleteFiles` has checked
 * @throws AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, and those of the store
 */
export async function readDeletionVectors(
  reader: FileReader,
  vectors: readonly DataFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<DataFile, PositionSet>> {
  const fileSizeBytes = vectors[0]?.fileSizeBytes ?? 0
  try {
    await checkEnvelope(reader, vectors, fileSizeBytes, signal)
  } catch (error) {
    if (!isAppError(error, 'TABLE_CORRUPT')) throw error
    // Some writers put wrong file sizes into manifests.
    const { sizeBytes } = await reader.stat(signal)
    if (sizeBytes === fileSizeBytes) throw error
    await checkEnvelope(reader, vectors, sizeBytes, signal)
  }
  const blobs = vectors.map((file) => {
    const { offset, sizeBytes } = placeOf(file)
    return { file, range: { start: offset, end: offset + sizeBytes }, bytes: new Uint8Array(sizeBytes) }
  })
  await reader.readRanges(
    blobs.map(({ range }) => range),
    async (index, position, part) => {
      const blob = blobs[index]
      if (blob) blob.bytes.set(part, position - blob.range.start)
      await Promise.resolve()
    },
    signal,
  )
  return new Map(blobs.map(({ file, bytes }) => [file, decodeDeletionVector(bytes, file)]))
}

async function checkEnvelope(
  reader: FileReader,
  vectors: readonly DataFile[],
  fileSizeBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const path = vectors[0]?.path ?? ''
  if (fileSizeBytes < PUFFIN_HEAD_BYTES + PUFFIN_TRAILER_BYTES) {
    throw new AppError('TABLE_CORRUPT', `Puffin file ${path} is too short to be one`)
  }
  const end = fileSizeBytes
  reader.expectRange({ start: Math.max(0, end - LIMITS.parquetFooterGuessBytes), end })
  const trailer = await reader.readRange({ start: end - PUFFIN_TRAILER_BYTES, end }, signal)
  const footerStart = puffinFooterStart(trailer, fileSizeBytes, path)
  if (end - footerStart > LIMITS.puffinFooterBytesMax) throw unsupported('a very large Puffin footer')
  const footer = await reader.readRange({ start: footerStart, end }, signal)
  const head = await reader.readRange({ start: 0, end: PUFFIN_HEAD_BYTES }, signal)
  if (!hasPuffinHead(head)) throw new AppError('TABLE_CORRUPT', `Puffin file ${path} does not begin as one`)
  const listed = decodePuffinFooter(footer, path)
  // They do not overlap, so they are no more than the file; and all of them are held at once.
  const vectorBytes = vectors.reduce((sum, file) => sum + placeOf(file).sizeBytes, 0)
  if (vectorBytes > LIMITS.deletionVectorsBytesMax) throw unsupported('very large deletion vectors')
  if (vectorBytes > footerStart) {
    throw new AppError('TABLE_CORRUPT', `Deletion vectors in ${path} overlap`)
  }
  for (const file of vectors) {
    const { offset, sizeBytes } = placeOf(file)
    if (offset + sizeBytes > footerStart) {
      throw new AppError('TABLE_CORRUPT', `A deletion vector in ${path} lies outside of its file`)
    }
    if (listed) checkVectorIsListed(listed, { path, offset, sizeBytes })
  }
}

function placeOf({ contentOffset = 0, contentSizeBytes = 0 }: DataFile): {
  readonly offset: number
  readonly sizeBytes: number
} {
  if (contentSizeBytes > LIMITS.deleteChunkBytesMax) throw unsupported('a very large deletion vector')
  return { offset: contentOffset, sizeBytes: contentSizeBytes }
}

function unsupported(feature: string): AppError {
  return new AppError('TABLE_UNSUPPORTED', `The table uses ${feature}, which is not read`, {
    details: { feature },
  })
}
