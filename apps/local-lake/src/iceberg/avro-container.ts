// Avro object container files, whole in memory: enough for the manifests of this program. The schema goes into the
// header as it was given, since Avro libraries drop what they do not know and Iceberg's field ids are such. Longs are
// bigints.
import { randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import avro from 'avsc'
import { LIMITS } from '../limits.ts'

/** An Avro schema as JSON, with attributes that Avro does not know. */
export type AvroSchema = string | readonly AvroSchema[] | { readonly [attribute: string]: unknown }

const MAGIC = Buffer.from('Obj\u0001', 'latin1')
const SYNC_BYTES = 16

/** Encodes records into one container file with deflate blocks. */
export function encodeContainer(
  schema: AvroSchema,
  records: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Buffer {
  const type = parseType(schema)
  const sync = randomBytes(SYNC_BYTES)
  const header = { 'avro.schema': JSON.stringify(schema), 'avro.codec': 'deflate', ...metadata }
  const entries = Object.entries(header).map(([key, value]) => [key, Buffer.from(value)] as const)
  const pieces = [MAGIC, HEADER_TYPE.toBuffer(Object.fromEntries(entries)), sync]
  if (records.length > 0) {
    const block = deflateRawSync(Buffer.concat(records.map((record) => type.toBuffer(record))))
    pieces.push(LONG.toBuffer(BigInt(records.length)), LONG.toBuffer(BigInt(block.length)), block, sync)
  }
  return Buffer.concat(pieces)
}

/** Decodes a container file, of this or another writer. Throws Error when it is not one. */
export function decodeContainer(file: Buffer): Record<string, unknown>[] {
  if (!file.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('Not an Avro container file')
  const header = HEADER_TYPE.decode(file, MAGIC.length)
  const metadata = header.value as Record<string, Buffer>
  const type = parseType(JSON.parse(metadata['avro.schema']?.toString('utf8') ?? '') as AvroSchema)
  const codec = metadata['avro.codec']?.toString('utf8') ?? 'null'
  if (codec !== 'deflate' && codec !== 'null') throw new Error(`Unsupported Avro codec: ${codec}`)
  const records: Record<string, unknown>[] = []
  let offset = header.offset + SYNC_BYTES
  while (offset < file.length) {
    const count = LONG.decode(file, offset)
    const size = LONG.decode(file, count.offset)
    const end = size.offset + Number(size.value)
    const raw = file.subarray(size.offset, end)
    const block = codec === 'null' ? raw : inflateRawSync(raw, { maxOutputLength: LIMITS.manifestBytesMax })
    for (let at = 0, n = 0n; n < count.value; n += 1n) {
      const record = type.decode(block, at)
      records.push(record.value as Record<string, unknown>)
      at = record.offset
    }
    offset = end + SYNC_BYTES
  }
  return records
}

const LONG = avro.types.LongType['__with']({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8)
    buffer.writeBigInt64LE(value)
    return buffer
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
})

const HEADER_TYPE = avro.Type.forSchema({ type: 'map', values: 'bytes' })

function parseType(schema: AvroSchema): avro.Type {
  return avro.Type.forSchema(schema as avro.Schema, { registry: { long: LONG } })
}
