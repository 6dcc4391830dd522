// The codecs of Avro blocks: null, deflate (raw), snappy (with CRC) and zstandard. The size of the output is bounded, so that
// a small block cannot fill the memory. Source: Apache Avro specification, "Required Codecs" and "Optional Codecs".
import { AppError } from '@lake/core/errors.ts'
import { promisify } from 'node:util'
import { crc32, inflateRaw, inflateRawSync, zstdDecompress } from 'node:zlib'
import { LIMITS } from '../limits.ts'

const inflateRawAsync = promisify(inflateRaw)
const zstdDecompressAsync = promisify(zstdDecompress)
const CRC_BYTES = 4
/** Inflating so little here takes less than a trip through the thread pool; at worst it makes 8 MiB. */
const SYNC_BLOCK_BYTES_MAX = 8_192

/** @throws AppError TABLE_CORRUPT; TABLE_UNSUPPORTED for another codec */
export async function decompressAvroBlock(
  codec: string,
  block: Uint8Array,
  path: string,
): Promise<Uint8Array> {
  const options = { maxOutputLength: LIMITS.avroBlockBytesMax }
  try {
    switch (codec) {
      case 'null':
        return block
      case 'deflate':
        return block.length <= SYNC_BLOCK_BYTES_MAX
          ? inflateRawSync(block, options)
          : await inflateRawAsync(block, options)
      case 'zstandard':
        return await zstdDecompressAsync(block, options)
      case 'snappy':
        return decompressSnappyWithCrc(block)
      default:
        throw new AppError(
          'TABLE_UNSUPPORTED',
          `Avro file ${path} has the codec ${codec}, which is not read`,
          {
            details: { feature: `Avro codec ${codec}` },
          },
        )
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('TABLE_CORRUPT', `A block of Avro file ${path} does not decompress`, { cause })
  }
}

function decompressSnappyWithCrc(block: Uint8Array): Uint8Array {
  if (block.length < CRC_BYTES) throw new RangeError('no room for a checksum')
  const end = block.length - CRC_BYTES
  const output = decompressSnappy(block.subarray(0, end), LIMITS.avroBlockBytesMax)
  const expected = new DataView(block.buffer, block.byteOffset + end, CRC_BYTES).getUint32(0, false)
  if (crc32(output) !== expected) throw new RangeError('checksum does not match')
  return output
}

/**
 * Decompresses raw Snappy data (format description of google/snappy).
 * @throws RangeError for malformed input, or more than `bytesMax` bytes of output
 */
export function decompressSnappy(input: Uint8Array, bytesMax: number): Uint8Array {
  const { length, position: start } = readSnappyLength(input)
  // No element makes more than 64 bytes of output from less than 3 of input, so a longer claim is a lie.
  if (length > bytesMax || length > input.length * 32) throw new RangeError('length is not possible')
  const output = new Uint8Array(length)
  let position = start
  let written = 0
  while (position < input.length) {
    const element = readSnappyElement(input, position)
    position = element.next
    if (written + element.length > length) throw new RangeError('more output than announced')
    if (element.offset === 0) {
      if (position + element.length > input.length) throw new RangeError('literal is truncated')
      output.set(input.subarray(position, position + element.length), written)
      position += element.length
    } else {
      if (element.offset > written) throw new RangeError('copy from before the start')
      // Byte by byte, because a copy may overlap what it writes.
      for (let index = 0; index < element.length; index += 1) {
        output[written + index] = output[written + index - element.offset] ?? 0
      }
    }
    written += element.length
  }
  if (written !== length) throw new RangeError('less output than announced')
  return output
}

function readSnappyLength(input: Uint8Array): { readonly length: number; readonly position: number } {
  let length = 0
  for (let index = 0; index < 5; index += 1) {
    const byte = byteAt(input, index)
    length += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { length, position: index + 1 }
  }
  throw new RangeError('length is too long')
}

interface SnappyElement {
  readonly length: number
  /** How far back a copy begins; 0 for a literal, whose bytes follow at `next`. */
  readonly offset: number
  readonly next: number
}

function readSnappyElement(input: Uint8Array, position: number): SnappyElement {
  const tag = byteAt(input, position)
  const upper = tag >> 2
  switch (tag & 3) {
    case 0: {
      if (upper < 60) return { length: upper + 1, offset: 0, next: position + 1 }
      const width = upper - 59
      return {
        length: littleEndian(input, position + 1, width) + 1,
        offset: 0,
        next: position + 1 + width,
      }
    }
    case 1:
      return copyOf({
        length: (upper & 7) + 4,
        offset: (tag >> 5) * 256 + byteAt(input, position + 1),
        next: position + 2,
      })
    case 2:
      return copyOf({
        length: upper + 1,
        offset: littleEndian(input, position + 1, 2),
        next: position + 3,
      })
    default:
      return copyOf({
        length: upper + 1,
        offset: littleEndian(input, position + 1, 4),
        next: position + 5,
      })
  }
}

function copyOf(element: SnappyElement): SnappyElement {
  if (element.offset === 0) throw new RangeError('copy of nothing')
  return element
}

function littleEndian(input: Uint8Array, position: number, width: number): number {
  let value = 0
  for (let index = width - 1; index >= 0; index -= 1) value = value * 256 + byteAt(input, position + index)
  return value
}

function byteAt(input: Uint8Array, position: number): number {
  const byte = input[position]
  if (byte === undefined) throw new RangeError('input is truncated')
  return byte
}
