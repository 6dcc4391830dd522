// Damaged Avro: container files as they are written, blocks behind a right envelope, and schemas.
import avsc from 'avsc'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import { UNPARTITIONED } from '@lake/core/iceberg/partition-spec.ts'
import type { ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { readAvroPositionDeletes } from '../../src/avro/avro-position-deletes.ts'
import { writeAvroExcerpt } from '../../src/avro/avro-excerpt.ts'
import { decodeAvroHeader, decodeAvroRecords } from '../../src/metadata/avro-container.ts'
import { decompressAvroBlock } from '../../src/metadata/avro-codecs.ts'
import { decodeManifest } from '../../src/metadata/manifest-decoder.ts'
import { decodeManifestList } from '../../src/metadata/manifest-list-decoder.ts'
import { container, longType, type Codec } from '../../src/metadata/test/avro-file.ts'
import { field, schemaOf } from '../storage/excerpt.ts'
import { fuzz } from './fuzz.ts'
import { fixtureFiles, memoryReader, memoryStore, NEVER } from './inputs.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { mutateJson, type Json } from './mutate-json.ts'

const PATH = 's3://b/f.avro'
/** What a deflated block may swell to. */
const DEFLATED = 1_100 * 64
const bytesTarget = { mutate: mutateBytes, sizeOf: (bytes: Uint8Array) => bytes.byteLength }

const lists = fixtureFiles(/snap-.*\.avro$/)
const manifests = fixtureFiles(/-m\d+\.avro$/)

const manifestOf = (content: ManifestFile['content']): ManifestFile => ({
  path: PATH,
  lengthBytes: 1,
  partitionSpecId: 0,
  content,
  sequenceNumber: 2n,
  minSequenceNumber: 1n,
  addedSnapshotId: 7n,
  addedFilesCount: 1,
  existingFilesCount: 0,
  deletedFilesCount: 0,
  addedRowsCount: 1n,
  existingRowsCount: 0n,
  partitions: undefined,
  hasKeyMetadata: false,
  firstRowId: 5n,
})

/** Types and partition fields of every kind, whatever the manifest has. */
const SCHEMA: Schema = schemaOf(
  ...(['int', 'long', 'float', 'double', 'date', 'time', 'timestamp', 'timestamptz'] as const).map(
    (kind, index) => field(index + 1, kind, { kind }),
  ),
  ...(['string', 'uuid', 'binary', 'boolean', 'timestamp_ns'] as const).map((kind, index) =>
    field(index + 9, kind, { kind }),
  ),
  field(14, 'decimal', { kind: 'decimal', precision: 9, scale: 2 }),
)
const SPEC: PartitionSpec = {
  specId: 0,
  fields: SCHEMA.fields.map(({ id, name }, index) => ({
    sourceIds: [id],
    fieldId: 1_000 + index,
    name: `p_${name}`,
    transform: index % 3 === 2 ? 'bucket[4]' : 'identity',
  })),
}

const readManifest = async (bytes: Uint8Array, content: ManifestFile['content']): Promise<unknown> =>
  await decodeManifest(
    { bytes, manifest: manifestOf(content) },
    { spec: SPEC, schema: SCHEMA, hasDetails: true },
    NEVER,
  )

/** A manifest's content decides what it may hold, so that both readings count as one. */
async function readEitherManifest(bytes: Uint8Array): Promise<unknown> {
  try {
    return await readManifest(bytes, 'data')
  } catch {
    return await readManifest(bytes, 'deletes')
  }
}

interface BlockInput {
  readonly schema: Json
  readonly data: Uint8Array
  readonly count: number
  readonly codec: Codec
}

/** The first block of a file, decompressed, with what stands around it. */
async function openBlock(bytes: Uint8Array): Promise<BlockInput> {
  const header = decodeAvroHeader(bytes, PATH)
  let count = 0
  await decodeAvroRecords({ bytes, path: PATH, header }, () => (count += 1), NEVER)
  const cursor = bytes.subarray(header.blocksStart)
  // Two varints of at most two bytes each in files this small: their ends are found by the high bit.
  let position = 0
  for (let varints = 0; varints < 2; position += 1) if ((cursor[position] ?? 0) < 0x80) varints += 1
  const stored = cursor.subarray(position, -16)
  const data = await decompressAvroBlock(header.codec, stored, PATH)
  const text = new TextDecoder().decode(header.metadata.get('avro.schema'))
  return { schema: JSON.parse(text) as Json, data: new Uint8Array(data), count, codec: 'null' }
}

const CODECS: readonly Codec[] = ['null', 'null', 'deflate', 'snappy', 'zstandard']
const blockTarget = {
  mutate: (inputs: readonly BlockInput[], random: () => number): BlockInput => {
    const input = inputs[Math.floor(random() * inputs.length)]!
    const codec = CODECS[Math.floor(random() * CODECS.length)]!
    const kind = random()
    if (kind < 0.3) return { ...input, codec, schema: mutateJson([input.schema], random) }
    if (kind < 0.4) return { ...input, codec, count: Math.floor(random() * 3) ** 20 }
    return { ...input, codec, data: mutateBytes([input.data], random) }
  },
  sizeOf: ({ schema, data }: BlockInput) => JSON.stringify(schema).length + data.byteLength,
}
const envelope = ({ schema, data, count, codec }: BlockInput): Uint8Array =>
  container(schema, { codec, blocks: [{ count, data: Buffer.from(data) }] })

describe('[H32] [FZ1] Avro metadata', () => {
  fuzz('manifest lists', {
    ...bytesTarget,
    inputs: lists,
    multiple: DEFLATED,
    run: async (bytes) => await decodeManifestList(bytes, PATH, NEVER),
  })
  fuzz('manifests', { ...bytesTarget, inputs: manifests, multiple: DEFLATED, run: readEitherManifest })
})

describe('[H32] [FZ1] Avro metadata behind its envelope', async () => {
  const listBlocks = await Promise.all(lists.map(openBlock))
  const manifestBlocks = await Promise.all(manifests.map(openBlock))
  fuzz('blocks of manifest lists', {
    ...blockTarget,
    inputs: listBlocks,
    runs: 500,
    run: async (input) => await decodeManifestList(envelope(input), PATH, NEVER),
  })
  fuzz('blocks of manifests', {
    ...blockTarget,
    inputs: manifestBlocks,
    runs: 500,
    run: async (input) => await readEitherManifest(envelope(input)),
  })
})

const DATA_SCHEMA = {
  type: 'record',
  name: 'row',
  fields: [
    { name: 'l', type: 'long', 'field-id': 1 },
    { name: 's', type: ['null', 'string'], 'field-id': 2 },
    {
      name: 'n',
      type: { type: 'record', name: 'n', fields: [{ name: 'd', type: 'double', 'field-id': 4 }] },
      'field-id': 3,
    },
    { name: 'a', type: { type: 'array', items: ['null', 'int'], 'element-id': 6 }, 'field-id': 5 },
    { name: 'm', type: { type: 'map', values: 'bytes' }, 'field-id': 7 },
    {
      name: 'f',
      type: { type: 'fixed', name: 'f', size: 4, logicalType: 'decimal', precision: 9, scale: 2 },
      'field-id': 10,
    },
    {
      name: 't',
      type: { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': true },
      'field-id': 11,
    },
    { name: 'e', type: { type: 'enum', name: 'e', symbols: ['A', 'B'] }, 'field-id': 12 },
  ],
}
const ROWS = Array.from({ length: 6 }, (_, index) => ({
  l: BigInt(index) ** 20n,
  s: index % 2 === 0 ? null : `text ${index}`,
  n: { d: index / 3 },
  a: Array.from({ length: index }, (_item, place) => (place % 2 === 0 ? null : place)),
  m: { k: Buffer.from([index]) },
  f: Buffer.from([0, 0, 1, index]),
  t: 1_700_000_000_000_000n,
  e: 'B',
}))
const TABLE: Schema = schemaOf(
  field(1, 'l', 'long'),
  field(2, 's', 'string'),
  field(3, 'n', { kind: 'struct', fields: [field(4, 'd', 'double')] }),
  field(5, 'a', { kind: 'list', elementId: 6, element: { kind: 'int' }, isElementRequired: false }),
  field(10, 'f', { kind: 'decimal', precision: 9, scale: 2 }),
  field(11, 't', { kind: 'timestamptz' }),
  field(12, 'e', 'string'),
)

function rowsBlock(schema: object, rows: readonly unknown[]): BlockInput {
  const isLong = (item: unknown): boolean =>
    item === 'long' ||
    (typeof item === 'object' && item !== null && (item as { type?: unknown }).type === 'long')
  const type = avsc.Type.forSchema(structuredClone(schema) as avsc.Schema, {
    typeHook: (attributes) => (isLong(attributes) ? longType : undefined),
    wrapUnions: false,
  })
  const data = new Uint8Array(Buffer.concat(rows.map((row) => type.toBuffer(row))))
  return { schema: schema as unknown as Json, data, count: rows.length, codec: 'null' }
}

const directory = mkdtempSync(join(tmpdir(), 'fuzz-avro-'))
let next = 0
afterAll(() => {
  rmSync(directory, { recursive: true })
})

async function excerptOf(bytes: Uint8Array): Promise<unknown> {
  next += 1
  return await writeAvroExcerpt(
    {
      task: {
        file: dataFile(PATH, { format: 'avro', fileSizeBytes: bytes.byteLength }),
        sequenceNumber: 1n,
        deletes: [],
      },
      partitionSpec: UNPARTITIONED,
      schema: TABLE,
      nameMapping: undefined,
      columnIndexes: new Set(TABLE.fields.keys()),
      predicate: ALWAYS_TRUE,
      store: memoryStore(bytes),
      uri: 's3://b/f',
      directory,
      name: `e${next}`,
    },
    NEVER,
  )
}

const DELETES_SCHEMA = {
  type: 'record',
  name: 'r',
  fields: [
    { name: 'file_path', type: ['null', 'string'], 'field-id': 2147483546 },
    { name: 'pos', type: 'long', 'field-id': 2147483545 },
  ],
}
const DELETES = [
  { file_path: 's3://b/a.parquet', pos: 1n },
  { file_path: null, pos: 2n },
  { file_path: 's3://b/b.parquet', pos: 2n ** 40n },
]

describe('[H32] [FZ1] Avro data', () => {
  fuzz('data files', {
    ...blockTarget,
    inputs: [rowsBlock(DATA_SCHEMA, ROWS)],
    multiple: 256,
    run: async (input) => await excerptOf(envelope(input)),
  })
  fuzz('position delete files in Avro', {
    ...blockTarget,
    inputs: [rowsBlock(DELETES_SCHEMA, DELETES)],
    run: async (input) => {
      const bytes = envelope(input)
      const positions: unknown[] = []
      const file = { path: PATH, fileSizeBytes: bytes.byteLength }
      await readAvroPositionDeletes(
        memoryReader(bytes),
        file,
        (path, position) => positions.push([path, position]),
        NEVER,
      )
      return positions
    },
  })
})
