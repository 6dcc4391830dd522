// Builds Avro object container files for tests, block by block, so that malformed ones can be built too.
// Values are encoded by avsc, another implementation than the one under test.
import avsc from 'avsc'
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib'

export const SYNC = Buffer.from('0123456789abcdef')

export type Codec = 'null' | 'deflate' | 'zstandard' | 'snappy'

/** Avro longs as bigint. */
// oxlint-disable-next-line no-underscore-dangle -- The name is avsc's.
export const longType = avsc.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8)
    buffer.writeBigInt64LE(value)
    return buffer
  },
  fromJSON: (value: unknown) => BigInt(value as number),
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value),
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
})

export function encodeLong(value: number): Buffer {
  return avsc.Type.forSchema('long').toBuffer(value)
}

/** Snappy of literals alone: valid, though it compresses nothing. */
function snappyLiterals(data: Uint8Array): Buffer {
  const parts: Buffer[] = []
  let length = data.length
  const varint: number[] = []
  while (length >= 128) {
    varint.push((length % 128) + 128)
    length = Math.floor(length / 128)
  }
  parts.push(Buffer.from([...varint, length]))
  for (let start = 0; start < data.length; start += 256) {
    const piece = data.subarray(start, start + 256)
    parts.push(Buffer.from([60 << 2, piece.length - 1]), Buffer.from(piece))
  }
  return Buffer.concat(parts)
}

function compress(codec: Codec, data: Buffer): Buffer {
  if (codec === 'deflate') return deflateRawSync(data)
  if (codec === 'zstandard') return zstdCompressSync(data)
  if (codec === 'null') return data
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(data))
  return Buffer.concat([snappyLiterals(data), checksum])
}

export interface ContainerOptions {
  readonly codec?: Codec | 'lzo'
  readonly blocks?: readonly { readonly count: number; readonly data: Buffer }[]
}

/** An object container file of blocks that are already encoded. */
export function container(schema: unknown, { codec = 'null', blocks = [] }: ContainerOptions): Buffer {
  const text = (value: string): Buffer => avsc.Type.forSchema('string').toBuffer(value)
  return Buffer.concat([
    Buffer.from('Obj\u0001'),
    encodeLong(2),
    text('avro.schema'),
    text(JSON.stringify(schema)),
    text('avro.codec'),
    text(codec),
    encodeLong(0),
    SYNC,
    ...blocks.flatMap(({ count, data }) => {
      const compressed = compress(codec as Codec, data)
      return [encodeLong(count), encodeLong(compressed.length), compressed, SYNC]
    }),
  ])
}
