// Avro object container files: header, blocks, codecs and sync markers. Source: Apache Avro specification, "Object
// Container Files". Yields to the event loop while it decodes, so that a large manifest holds nothing up.
// Anything malformed is TABLE_CORRUPT naming the file; sizes are checked before memory is taken.
import { AppError } from '@lake/core/errors.ts'
import { decodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import { createTurns, type Turns } from '../concurrency/turns.ts'
import { LIMITS } from '../limits.ts'
import { decompressAvroBlock } from './avro-codecs.ts'
import { AvroCursor, compileAvroDecoder } from './avro-decoder.ts'
import type { AvroDecoder, AvroRecord } from './avro-decoder.ts'
import { parseAvroSchema } from './avro-schema.ts'
import type { AvroType } from './avro-schema.ts'

const MAGIC = [0x4f, 0x62, 0x6a, 0x01] as const
/** Iceberg's encrypted streams begin so (table spec, "AES GCM Stream file format"). */
const ENCRYPTED_MAGIC = [0x41, 0x47, 0x53, 0x31] as const
const SYNC_BYTES = 16
const METADATA_ENTRIES_MAX = 1_000
const SCHEMA_CACHED_CHARS_MAX = 262_144
const RECORDS_PER_CLOCK_CHECK = 16

interface CompiledSchema {
  readonly schema: Extract<AvroType, { readonly kind: 'record' }>
  readonly decode: AvroDecoder
}

export interface AvroHeader extends CompiledSchema {
  readonly codec: string
  readonly metadata: ReadonlyMap<string, Uint8Array>
  readonly sync: Uint8Array
  /** Where the first block begins. */
  readonly blocksStart: number
}

/**
 * Reads the header of a container file whose values are records.
 * @param path names the file in messages
 * @throws AppError TABLE_CORRUPT; TABLE_UNSUPPORTED for an encrypted file
 */
export function decodeAvroHeader(bytes: Uint8Array, path: string): AvroHeader {
  const cursor = new AvroCursor(bytes, path)
  if (ENCRYPTED_MAGIC.every((byte, index) => bytes[index] === byte)) {
    throw new AppError('TABLE_UNSUPPORTED', `File ${path} is encrypted, which is not read`, {
      details: { feature: 'encryption' },
    })
  }
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) throw cursor.corrupt('does not begin as one')
  cursor.advance(MAGIC.length)
  const metadata = new Map<string, Uint8Array>()
  for (;;) {
    let count = cursor.readCount('metadata count')
    if (count === 0) break
    if (count < 0) {
      count = -count
      cursor.readCount('block size')
    }
    for (let index = 0; index < count; index += 1) {
      metadata.set(cursor.readString(), cursor.readBytes())
      if (metadata.size > METADATA_ENTRIES_MAX) throw cursor.corrupt('has too much metadata')
    }
  }
  const syncStart = cursor.advance(SYNC_BYTES)
  return {
    ...compileSchema(metadataText(metadata, 'avro.schema') ?? '', path),
    codec: metadataText(metadata, 'avro.codec') ?? 'null',
    metadata,
    sync: cursor.bytes.slice(syncStart, syncStart + SYNC_BYTES),
    blocksStart: cursor.position,
  }
}

/** By text: the manifests of a table repeat a few schemas thousands of times. */
const schemas = new Map<string, CompiledSchema>()

function compileSchema(text: string, path: string): CompiledSchema {
  const known = schemas.get(text)
  if (known) return known
  const schema = parseAvroSchema(text, path)
  if (schema.kind !== 'record') throw corruptAvro(path, 'does not hold records')
  const compiled = { schema, decode: compileAvroDecoder(schema) }
  // Bounded in number here and in size by the header; emptying it costs little.
  if (text.length <= SCHEMA_CACHED_CHARS_MAX) {
    if (schemas.size >= LIMITS.avroSchemasCachedMax) schemas.clear()
    schemas.set(text, compiled)
  }
  return compiled
}

/** Text of one metadata entry; undefined where absent or not UTF-8. */
export function metadataText(metadata: ReadonlyMap<string, Uint8Array>, key: string): string | undefined {
  const bytes = metadata.get(key)
  return bytes === undefined ? undefined : decodeUtf8(bytes)
}

/**
 * Decodes all records in order and calls `take` for each.
 * @throws AppError TABLE_CORRUPT, CANCELLED or DEADLINE_EXCEEDED; and what `take` throws
 */
export async function decodeAvroRecords(
  file: {
    readonly bytes: Uint8Array
    readonly path: string
    readonly header: AvroHeader
    /** Keys of lists of key-value pairs to keep; all where absent. */
    readonly pairKeys?: ReadonlySet<unknown> | undefined
    /** Decodes a record in another form than `AvroRecord`. */
    readonly decode?: AvroDecoder
    /** Of all blocks, decompressed. */
    readonly decodedBytesMax?: number
  },
  take: (record: AvroRecord) => void,
  signal: AbortSignal,
): Promise<void> {
  const { bytes, path, header, decode = header.decode, decodedBytesMax = LIMITS.avroDecodedBytesMax } = file
  const cursor = new AvroCursor(bytes, path)
  cursor.position = header.blocksStart
  const turns = createTurns(signal)
  let decodedBytes = 0
  while (cursor.remaining > 0) {
    const count = cursor.readCount('record count')
    const sizeBytes = cursor.readCount('block size')
    const start = cursor.advance(sizeBytes)
    checkSync(cursor, header.sync)
    const data = await decompressAvroBlock(header.codec, bytes.subarray(start, start + sizeBytes), path)
    decodedBytes += data.length
    if (decodedBytes > decodedBytesMax) throw cursor.corrupt('decodes to more bytes than allowed')
    const { bytesMin } = header.schema
    if (count < 0 || count * bytesMin > data.length) throw cursor.corrupt('has more records than bytes')
    const block = new AvroCursor(data, path)
    block.pairKeys = file.pairKeys
    block.emptyItems = cursor.emptyItems
    if (bytesMin === 0) block.takeEmptyItems(count)
    await decodeBlock(block, { count, decode, take, turns })
  }
}

async function decodeBlock(
  cursor: AvroCursor,
  work: {
    readonly count: number
    readonly decode: AvroDecoder
    readonly take: (record: AvroRecord) => void
    readonly turns: Turns
  },
): Promise<void> {
  for (let index = 0; index < work.count; index += 1) {
    work.take(work.decode(cursor) as AvroRecord)
    if (index % RECORDS_PER_CLOCK_CHECK === 0 && work.turns.isDue()) await work.turns.take()
  }
  if (cursor.remaining !== 0) throw cursor.corrupt('has bytes after the last record of a block')
}

function checkSync(cursor: AvroCursor, sync: Uint8Array): void {
  const start = cursor.advance(SYNC_BYTES)
  if (sync.some((byte, index) => cursor.bytes[start + index] !== byte)) {
    throw cursor.corrupt('has a block without its sync marker')
  }
}

/** Builds a TABLE_CORRUPT for content that decoded but makes no sense. */
export function corruptAvro(path: string, what: string): AppError {
  return new AppError('TABLE_CORRUPT', `Avro file ${path} ${what}`)
}
