// Decodes a deletion vector: the blob of one data file inside a Puffin file. Its length, magic, checksum and number of
// positions must all be right, since a vector that is read wrongly shows deleted rows.
// Source: Puffin spec, "deletion-vector-v1 blob type".
import { crc32 } from 'node:zlib'
import { AppError } from '@lake/core/errors.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import { createPositionSet, type PositionSet } from '@lake/core/scan/position-set.ts'
import { readRoaring64 } from './roaring-bitmap.ts'

const MAGIC = 0xd1d33964
const LENGTH_BYTES = 4
const MAGIC_BYTES = 4
const CRC_BYTES = 4

/**
 * @param blob the bytes that the delete file's offset and size name
 * @throws AppError TABLE_CORRUPT
 */
export function decodeDeletionVector(
  blob: Uint8Array,
  file: Pick<DataFile, 'path' | 'recordCount'>,
): PositionSet {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  const fail = (what: string, cause?: unknown): AppError =>
    new AppError('TABLE_CORRUPT', `A deletion vector in ${file.path} ${what}`, { cause })
  if (blob.byteLength < LENGTH_BYTES + MAGIC_BYTES + CRC_BYTES) throw fail('is too short to be one')
  const coveredEnd = blob.byteLength - CRC_BYTES
  if (view.getUint32(0) !== coveredEnd - LENGTH_BYTES) throw fail('is not as long as it says')
  if (view.getUint32(LENGTH_BYTES) !== MAGIC) throw fail('does not begin as one')
  if (crc32(blob.subarray(LENGTH_BYTES, coveredEnd)) !== view.getUint32(coveredEnd)) {
    throw fail('does not match its checksum')
  }
  const positions = createPositionSet()
  let cardinality: number
  try {
    const bitmap = blob.subarray(LENGTH_BYTES + MAGIC_BYTES, coveredEnd)
    cardinality = readRoaring64(bitmap, positions, file.recordCount)
  } catch (cause) {
    throw fail(
      `is no roaring bitmap: ${cause instanceof RangeError ? cause.message : 'it is damaged'}`,
      cause,
    )
  }
  if (cardinality !== file.recordCount) {
    throw fail(`holds ${cardinality} positions, not the ${file.recordCount} of its manifest entry`)
  }
  return positions
}
