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

/** Records of a schema as a file of one block; longs are bigint. */
export function encodeRecords(schemaJson: unknown, records: readonly unknown[]): Buffer {
  // avsc writes into the schemas that it is given.
  const type = avsc.Type.forSchema(structuredClone(schemaJson) as avsc.Schema, {
    registry: { long: longType },
    wrapUnions: false,
  })
  const data = Buffer.concat(records.map((record) => type.toBuffer(record)))
  return container(schemaJson, { codec: 'deflate', blocks: [{ count: records.length, data }] })
}

/** A field that may be null, and is by default. */
export const optionalField = (name: string, fieldId: number, type: unknown) => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': fieldId,
})

/** A map from column ids, which Avro has as an array of pairs. */
export const mapByFieldId = (name: string, fieldId: number, value: string) =>
  optionalField(name, fieldId, {
    type: 'array',
    logicalType: 'map',
    items: {
      type: 'record',
      name: `${name}_entry`,
      fields: [
        { name: 'key', type: 'int', 'field-id': fieldId + 1_000 },
        { name: 'value', type: value, 'field-id': fieldId + 2_000 },
      ],
    },
  })

/** What every line of a manifest list has, in this order. */
export const MANIFEST_FILE_FIELDS = [
  { name: 'manifest_path', type: 'string', 'field-id': 500 },
  { name: 'manifest_length', type: 'long', 'field-id': 501 },
  { name: 'partition_spec_id', type: 'int', 'field-id': 502 },
  { name: 'content', type: 'int', 'field-id': 517 },
  { name: 'sequence_number', type: 'long', 'field-id': 515 },
  { name: 'min_sequence_number', type: 'long', 'field-id': 516 },
  { name: 'added_snapshot_id', type: 'long', 'field-id': 503 },
] as const
