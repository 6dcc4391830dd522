import avsc from 'avsc'
import { describe, expect, test } from 'vitest'
import type { ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import { parseSchema } from '@lake/core/iceberg/schema.ts'
import { decodeManifest } from './manifest-decoder.ts'
import { decodeManifestList } from './manifest-list-decoder.ts'
import { container, longType } from './test/avro-file.ts'

const signal = new AbortController().signal
const schema = parseSchema(
  {
    fields: [
      { id: 1, name: 'a', required: false, type: 'long' },
      { id: 2, name: 'amount', required: false, type: 'decimal(9, 2)' },
      { id: 3, name: 'at', required: false, type: 'timestamp' },
    ],
  },
  '$',
)
const field = (sourceId: number, fieldId: number, name: string, transform = 'identity') => ({
  sourceIds: [sourceId],
  fieldId,
  name,
  transform,
})
const unpartitioned: PartitionSpec = { specId: 0, fields: [] }

const manifest = (changes: Partial<ManifestFile> = {}): ManifestFile => ({
  path: 's3://b/m.avro',
  lengthBytes: 1,
  partitionSpecId: 0,
  content: 'data',
  sequenceNumber: 9n,
  minSequenceNumber: 1n,
  addedSnapshotId: 77n,
  addedFilesCount: 1,
  existingFilesCount: 0,
  deletedFilesCount: 0,
  addedRowsCount: 1n,
  existingRowsCount: 0n,
  partitions: undefined,
  hasKeyMetadata: false,
  firstRowId: undefined,
  ...changes,
})

const optional = (type: unknown, name: string, id?: number) => ({
  name,
  type: ['null', type],
  default: null,
  ...(id === undefined ? {} : { 'field-id': id }),
})
const map = (name: string, id: number, value: string) =>
  optional(
    {
      type: 'array',
      logicalType: 'map',
      items: {
        type: 'record',
        name: `${name}_entry`,
        fields: [
          { name: 'key', type: 'int', 'field-id': id + 1000 },
          { name: 'value', type: value, 'field-id': id + 1001 },
        ],
      },
    },
    name,
    id,
  )

/** The order of fields is not that of the spec, on purpose. */
const entrySchema = (partitionFields: readonly unknown[] = [], extra: readonly unknown[] = []) => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    {
      name: 'data_file',
      'field-id': 2,
      type: {
        type: 'record',
        name: 'r2',
        fields: [
          optional('long', 'first_row_id', 142),
          { name: 'record_count', type: 'long', 'field-id': 103 },
          { name: 'renamed_path', type: 'string', 'field-id': 100 },
          { name: 'unheard_of', type: 'string', 'field-id': 9999 },
          { name: 'file_format', type: 'string', 'field-id': 101 },
          {
            name: 'partition',
            'field-id': 102,
            type: { type: 'record', name: 'r102', fields: partitionFields },
          },
          { name: 'file_size_in_bytes', type: 'long', 'field-id': 104 },
          map('value_counts', 109, 'long'),
          map('lower_bounds', 125, 'bytes'),
          ...extra,
        ],
      },
    },
    optional('long', 'sequence_number', 3),
    optional('long', 'snapshot_id', 1),
    { name: 'status', type: 'int', 'field-id': 0 },
  ],
})

interface EntrySketch {
  readonly status?: number
  readonly sequence?: bigint | null
  readonly file?: Readonly<Record<string, unknown>>
}

function encode(schemaJson: unknown, records: readonly unknown[]): Uint8Array {
  const type = avsc.Type.forSchema(structuredClone(schemaJson) as avsc.Schema, {
    registry: { long: longType },
    wrapUnions: false,
  })
  const data = Buffer.concat(records.map((record) => type.toBuffer(record)))
  return container(schemaJson, { codec: 'deflate', blocks: [{ count: records.length, data }] })
}

const entry = ({ status = 1, sequence = null, file = {} }: EntrySketch) => ({
  status,
  snapshot_id: null,
  sequence_number: sequence,
  data_file: {
    first_row_id: null,
    record_count: 10n,
    renamed_path: 's3://b/f.parquet',
    unheard_of: 'x',
    file_format: 'PARQUET',
    partition: {},
    file_size_in_bytes: 100n,
    value_counts: null,
    lower_bounds: null,
    ...file,
  },
})

const decode = async (bytes: Uint8Array, about = manifest(), spec = unpartitioned) =>
  await decodeManifest({ bytes, manifest: about }, { spec, schema }, signal)

test('fields are found by id, others are skipped, absent ones unknown', async () => {
  const file = {
    value_counts: [{ key: 1, value: 2n ** 40n }],
    lower_bounds: [{ key: 1, value: Buffer.from([5]) }],
  }
  const [decoded] = await decode(encode(entrySchema(), [entry({ file })]))
  expect(decoded).toMatchObject({
    status: 'added',
    snapshotId: 77n,
    file: {
      content: 'data',
      path: 's3://b/f.parquet',
      format: 'parquet',
      recordCount: 10,
      valueCounts: new Map([[1, 2 ** 40]]),
      lowerBounds: new Map([[1, Uint8Array.of(5)]]),
      upperBounds: undefined,
      equalityIds: undefined,
      hasKeyMetadata: false,
    },
  })
})

test('metrics of fields that are not asked for are passed over', async () => {
  const pairs = [1, 2, 3].map((key) => ({ key, value: Buffer.from([key]) }))
  const counts = [1, 2, 3].map((key) => ({ key, value: BigInt(key) }))
  const bytes = encode(entrySchema(), [
    entry({ file: { lower_bounds: pairs, value_counts: counts } }),
    entry({}),
  ])
  const context = { spec: unpartitioned, schema, metricsFieldIds: new Set([2]) }
  const [first, second] = await decodeManifest({ bytes, manifest: manifest() }, context, signal)
  expect(first?.file.lowerBounds).toEqual(new Map([[2, Uint8Array.of(2)]]))
  expect(first?.file.valueCounts).toEqual(new Map([[2, 2]]))
  expect(second?.file.path).toBe('s3://b/f.parquet')
})

describe('sequence numbers', () => {
  const bytes = encode(entrySchema(), [
    entry({ status: 1 }),
    entry({ status: 0, sequence: 3n }),
    entry({ status: 2 }),
  ])

  test('an added entry inherits the number of its manifest, an existing one has its own', async () => {
    const entries = await decode(bytes)
    expect(entries.map(({ status, sequenceNumber }) => [status, sequenceNumber])).toEqual([
      ['added', 9n],
      ['existing', 3n],
      ['deleted', 9n],
    ])
  })

  test('an existing entry without a number is corrupt, unless the manifest is of version 1', async () => {
    const lacking = encode(entrySchema(), [entry({ status: 0 })])
    await expect(decode(lacking)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    expect((await decode(lacking, manifest({ sequenceNumber: 0n })))[0]?.sequenceNumber).toBe(0n)
  })
})

test('row ids count on from the manifest over live files that have none', async () => {
  const bytes = encode(entrySchema(), [
    entry({}),
    entry({ file: { first_row_id: 500n } }),
    entry({ status: 2 }),
    entry({ status: 0, sequence: 1n }),
  ])
  const rowIds = async (firstRowId: bigint | undefined) =>
    (await decode(bytes, manifest({ firstRowId }))).map(({ file }) => file.firstRowId)
  expect(await rowIds(1000n)).toEqual([1000n, 500n, undefined, 1010n])
  expect(await rowIds(undefined)).toEqual([undefined, 500n, undefined, undefined])
})

describe('partition tuples', () => {
  const decimal = { type: 'fixed', name: 'd', size: 4, logicalType: 'decimal', precision: 9, scale: 2 }

  test('are matched by field id, not by name or place', async () => {
    const bytes = encode(entrySchema([optional(decimal, 'p', 1001), optional('long', 'q', 1000)]), [
      entry({ file: { partition: { p: Buffer.from([255, 255, 255, 251]), q: 2n ** 60n } } }),
    ])
    const spec = {
      specId: 0,
      fields: [field(1, 1000, 'p'), field(2, 1001, 'q'), field(1, 1002, 'r', 'void')],
    }
    const [decoded] = await decode(bytes, manifest(), spec)
    expect(decoded?.file.partition).toEqual(
      new Map([
        [1000, 2n ** 60n],
        [1001, -5n],
      ]),
    )
  })

  test('are matched by name where the file has no ids', async () => {
    const bytes = encode(entrySchema([optional('int', 'p')]), [entry({ file: { partition: { p: 7 } } })])
    const [decoded] = await decode(bytes, manifest(), { specId: 0, fields: [field(1, 1000, 'p')] })
    expect(decoded?.file.partition).toEqual(new Map([[1000, 7n]]))
  })

  test('hold null as a value, and days of a date that became a timestamp', async () => {
    const bytes = encode(
      entrySchema([optional({ type: 'int', logicalType: 'date' }, 'p', 1000), optional('string', 'q', 1001)]),
      [entry({ file: { partition: { p: -1, q: null } } })],
    )
    const spec = { specId: 0, fields: [field(3, 1000, 'p'), field(9, 1001, 'q', 'zorder')] }
    const [decoded] = await decode(bytes, manifest(), spec)
    expect(decoded?.file.partition).toEqual(
      new Map([
        [1000, -86_400_000_000n],
        [1001, null],
      ]),
    )
  })
})

describe('content', () => {
  const withContent = entrySchema(
    [],
    [
      { name: 'content', type: 'int', 'field-id': 134 },
      optional({ type: 'array', items: 'long' }, 'equality_ids', 135),
      optional('bytes', 'key_metadata', 131),
    ],
  )
  const file = { content: 2, equality_ids: [1n, 3n], key_metadata: Buffer.from([1]) }

  test('equality ids written as longs are numbers', async () => {
    const [decoded] = await decode(encode(withContent, [entry({ file })]), manifest({ content: 'deletes' }))
    expect(decoded?.file).toMatchObject({
      content: 'equality-deletes',
      equalityIds: [1, 3],
      hasKeyMetadata: true,
    })
  })

  test('of another kind than the manifest is corrupt, unknown content unsupported', async () => {
    await expect(decode(encode(withContent, [entry({ file })]))).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
    const unknown = encode(withContent, [entry({ file: { ...file, content: 5 } })])
    await expect(decode(unknown)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })
})

test.each<[string, EntrySketch]>([
  ['an unknown status', { status: 3 }],
  ['a negative record count', { file: { record_count: -1n } }],
  ['a record count beyond 2^53', { file: { record_count: 2n ** 60n } }],
])('%s is corrupt and names the manifest', async (_, sketch) => {
  await expect(decode(encode(entrySchema(), [entry(sketch)]))).rejects.toMatchObject({
    code: 'TABLE_CORRUPT',
    message: expect.stringContaining('s3://b/m.avro') as string,
  })
})

describe('manifest lists', () => {
  const listSchema = (fields: readonly unknown[]) => ({
    type: 'record',
    name: 'manifest_file',
    fields: [
      { name: 'manifest_path', type: 'string', 'field-id': 500 },
      { name: 'manifest_length', type: 'long', 'field-id': 501 },
      ...fields,
    ],
  })
  const summary = {
    type: 'record',
    name: 'r508',
    fields: [
      { name: 'contains_null', type: 'boolean', 'field-id': 509 },
      optional('bytes', 'lower_bound', 510),
    ],
  }
  const line = { manifest_path: 's3://b/m', manifest_length: 5n }

  test('of version 1 have unknown counts and sequence number 0', async () => {
    const [decoded] = await decodeManifestList(encode(listSchema([]), [line]), 'list', signal)
    expect(decoded).toMatchObject({
      path: 's3://b/m',
      partitionSpecId: 0,
      content: 'data',
      sequenceNumber: 0n,
      addedFilesCount: undefined,
      existingFilesCount: undefined,
      partitions: undefined,
    })
  })

  test('have former names of counts, and summaries', async () => {
    const bytes = encode(
      listSchema([
        optional('int', 'added_data_files_count'),
        optional({ type: 'array', items: summary }, 'partitions', 507),
      ]),
      [
        {
          ...line,
          added_data_files_count: 4,
          partitions: [{ contains_null: true, lower_bound: Buffer.from([1]) }],
        },
      ],
    )
    const [decoded] = await decodeManifestList(bytes, 'list', signal)
    expect(decoded?.addedFilesCount).toBe(4)
    expect(decoded?.partitions).toEqual([
      { containsNull: true, containsNan: undefined, lowerBound: Uint8Array.of(1), upperBound: undefined },
    ])
  })

  test('without a path are corrupt, with unknown content unsupported', async () => {
    const pathless = encode({ type: 'record', name: 'm', fields: [{ name: 'x', type: 'int' }] }, [{ x: 1 }])
    await expect(decodeManifestList(pathless, 'list', signal)).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
    const odd = encode(listSchema([{ name: 'content', type: 'int', 'field-id': 517 }]), [
      { ...line, content: 2 },
    ])
    await expect(decodeManifestList(odd, 'list', signal)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })
})
