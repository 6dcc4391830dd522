import { describe, expect, test } from 'vitest'
import type { ManifestFile } from '@lake/core/iceberg/manifest.ts'
import type { PartitionSpec } from '@lake/core/iceberg/table-metadata.ts'
import { parseSchema } from '@lake/core/iceberg/schema.ts'
import { decodeManifest } from './manifest-decoder.ts'
import { encodeRecords } from './test/avro-file.ts'
import { entry, entrySchema, optional, type EntrySketch } from './test/manifest-sketch.ts'

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

const decode = async (bytes: Uint8Array, about = manifest(), spec = unpartitioned) =>
  await decodeManifest({ bytes, manifest: about }, { spec, schema }, signal)

test('[H20] [H21] [H25] fields are found by id, others are skipped, absent ones unknown', async () => {
  const file = {
    value_counts: [{ key: 1, value: 2n ** 40n }],
    lower_bounds: [{ key: 1, value: Buffer.from([5]) }],
  }
  const [decoded] = await decode(encodeRecords(entrySchema(), [entry({ file })]))
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

test('[H21] metrics may be an Avro map, whose keys are texts', async () => {
  const schemaJson = entrySchema([], [optional({ type: 'map', values: 'bytes' }, 'upper_bounds', 128)])
  const bytes = encodeRecords(schemaJson, [entry({ file: { upper_bounds: { '1': Buffer.from([7]) } } })])
  expect((await decode(bytes))[0]?.file.upperBounds).toEqual(new Map([[1, Uint8Array.of(7)]]))
})

test('metrics of fields that are not asked for are passed over', async () => {
  const pairs = [1, 2, 3].map((key) => ({ key, value: Buffer.from([key]) }))
  const counts = [1, 2, 3].map((key) => ({ key, value: BigInt(key) }))
  const bytes = encodeRecords(entrySchema(), [
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
  const bytes = encodeRecords(entrySchema(), [
    entry({ status: 1 }),
    entry({ status: 0, sequence: 3n }),
    entry({ status: 2 }),
  ])

  test('[H24] an added entry inherits the number of its manifest, an existing one has its own', async () => {
    const entries = await decode(bytes)
    expect(entries.map(({ status, sequenceNumber }) => [status, sequenceNumber])).toEqual([
      ['added', 9n],
      ['existing', 3n],
      ['deleted', 9n],
    ])
  })

  test('[H24] an existing entry without a number is corrupt, unless the manifest is of version 1', async () => {
    const lacking = encodeRecords(entrySchema(), [entry({ status: 0 })])
    await expect(decode(lacking)).rejects.toMatchObject({ code: 'TABLE_CORRUPT' })
    expect((await decode(lacking, manifest({ sequenceNumber: 0n })))[0]?.sequenceNumber).toBe(0n)
  })
})

test('[H26] row ids count on from the manifest over live files that have none', async () => {
  const bytes = encodeRecords(entrySchema(), [
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

  test('[H35] are matched by field id, not by name or place', async () => {
    const bytes = encodeRecords(entrySchema([optional(decimal, 'p', 1001), optional('long', 'q', 1000)]), [
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

  test.each([
    ['int', 'int'],
    ['date', { type: 'int', logicalType: 'date' }],
  ])('[H43] hold the days of a timestamp, written as %s', async (_name, written) => {
    const bytes = encodeRecords(entrySchema([optional(written, 'at_day', 1000)]), [
      entry({ file: { partition: { at_day: -1 } } }),
    ])
    const spec = { specId: 0, fields: [field(3, 1000, 'at_day', 'day')] }
    const [decoded] = await decode(bytes, manifest(), spec)
    expect(decoded?.file.partition).toEqual(new Map([[1000, -1n]]))
  })

  test('[H46] [H47] hold every type exactly: NaN, the sign of zero, wide decimals, bytes of UUIDs', async () => {
    const columns: readonly (readonly [type: string, written: unknown, value: unknown, expected: unknown])[] =
      [
        ['double', 'double', Number.NaN, Number.NaN],
        ['double', 'double', -0, -0],
        ['float', 'float', Number.NaN, Number.NaN],
        [
          'decimal(38, 2)',
          { type: 'fixed', name: 'wide', size: 16, logicalType: 'decimal', precision: 38, scale: 2 },
          Buffer.from(`80${'00'.repeat(15)}`, 'hex'),
          -(2n ** 127n),
        ],
        [
          'decimal(9, 2)',
          { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 },
          Buffer.from('ff7f', 'hex'),
          -129n,
        ],
        [
          'uuid',
          { type: 'fixed', name: 'uuid_bytes', size: 16, logicalType: 'uuid' },
          Buffer.from('f79c3e09677c4bbda4793f349cb785e7', 'hex'),
          new Uint8Array(Buffer.from('f79c3e09677c4bbda4793f349cb785e7', 'hex')),
        ],
        [
          'fixed[2]',
          { type: 'fixed', name: 'two', size: 2 },
          Buffer.from([0xc3, 0x28]),
          Uint8Array.of(0xc3, 0x28),
        ],
        ['binary', 'bytes', Buffer.from([0xff, 0x00]), Uint8Array.of(0xff, 0x00)],
        ['long', 'long', 2n ** 63n - 1n, 2n ** 63n - 1n],
        ['boolean', 'boolean', false, false],
      ]
    const typed = parseSchema(
      {
        fields: columns.map(([type], index) => ({
          id: index + 1,
          name: `c${index}`,
          required: false,
          type,
        })),
      },
      '$',
    )
    const spec = { specId: 0, fields: columns.map((_, index) => field(index + 1, 1000 + index, `p${index}`)) }
    const bytes = encodeRecords(
      entrySchema(columns.map(([, written], index) => optional(written, `p${index}`, 1000 + index))),
      [
        entry({
          file: {
            partition: Object.fromEntries(columns.map(([, , value], index) => [`p${index}`, value])),
          },
        }),
      ],
    )
    const [decoded] = await decodeManifest({ bytes, manifest: manifest() }, { spec, schema: typed }, signal)
    columns.forEach(([type, , , expected], index) => {
      const value = decoded?.file.partition.get(1000 + index)
      expect(value instanceof Uint8Array ? new Uint8Array(value) : value, type).toEqual(expected)
    })
    expect(Object.is(decoded?.file.partition.get(1001), -0)).toBe(true)
  })

  test('are matched by name where the file has no ids', async () => {
    const bytes = encodeRecords(entrySchema([optional('int', 'p')]), [
      entry({ file: { partition: { p: 7 } } }),
    ])
    const [decoded] = await decode(bytes, manifest(), { specId: 0, fields: [field(1, 1000, 'p')] })
    expect(decoded?.file.partition).toEqual(new Map([[1000, 7n]]))
  })

  test('hold null as a value, and days of a date that became a timestamp', async () => {
    const bytes = encodeRecords(
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

  test('[H22] equality ids written as longs are numbers', async () => {
    const [decoded] = await decode(
      encodeRecords(withContent, [entry({ file })]),
      manifest({ content: 'deletes' }),
    )
    expect(decoded?.file).toMatchObject({
      content: 'equality-deletes',
      equalityIds: [1, 3],
      hasKeyMetadata: true,
    })
  })

  test('of another kind than the manifest is corrupt, unknown content unsupported', async () => {
    await expect(decode(encodeRecords(withContent, [entry({ file })]))).rejects.toMatchObject({
      code: 'TABLE_CORRUPT',
    })
    const unknown = encodeRecords(withContent, [entry({ file: { ...file, content: 5 } })])
    await expect(decode(unknown)).rejects.toMatchObject({ code: 'TABLE_UNSUPPORTED' })
  })
})

test.each<[string, EntrySketch]>([
  ['an unknown status', { status: 3 }],
  ['a negative record count', { file: { record_count: -1n } }],
  ['a record count beyond 2^53', { file: { record_count: 2n ** 60n } }],
])('%s is corrupt and names the manifest', async (_, sketch) => {
  await expect(decode(encodeRecords(entrySchema(), [entry(sketch)]))).rejects.toMatchObject({
    code: 'TABLE_CORRUPT',
    message: expect.stringContaining('s3://b/m.avro') as string,
  })
})
