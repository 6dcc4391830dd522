// Rows of files and partitions over a table whose specs have changed: one struct for files of all of them.
import { describe, expect, it } from 'vitest'
import type { DataFile, ManifestEntry, ManifestFile } from '@lake/core/iceberg/manifest.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import { dataFile } from '@lake/core/scan/test/data-file.ts'
import { createFileRows, createPartitionSums, manifestRows } from './file-rows.ts'
import { metadataTableSchema } from './metadata-table-schema.ts'
import { partitionStruct } from './partition-struct.ts'

const fields = [
  { id: 1, name: 'id', required: false, type: 'long' },
  { id: 2, name: 'ts', required: false, type: 'timestamptz' },
  { id: 3, name: 'Day', required: false, type: 'string' },
  { id: 4, name: 'n', required: false, type: 'timestamptz_ns' },
  {
    id: 5,
    name: 's',
    required: false,
    type: { type: 'struct', fields: [{ id: 6, name: 'x', required: false, type: 'double' }] },
  },
  {
    id: 7,
    name: 'l',
    required: false,
    type: { type: 'list', 'element-id': 8, element: 'long', 'element-required': false },
  },
]
const dropped = { id: 9, name: 'gone', required: false, type: 'uuid' }
const metadata = parseTableMetadata({
  'format-version': 3,
  location: 's3://b/t',
  'current-schema-id': 1,
  schemas: [
    { type: 'struct', 'schema-id': 0, fields: [...fields, dropped] },
    { type: 'struct', 'schema-id': 1, fields },
  ],
  'partition-specs': [
    {
      'spec-id': 0,
      fields: [
        { 'source-id': 2, 'field-id': 1000, name: 'day', transform: 'day' },
        { 'source-id': 9, 'field-id': 1001, name: 'gone', transform: 'identity' },
      ],
    },
    {
      'spec-id': 1,
      fields: [
        { 'source-id': 2, 'field-id': 1000, name: 'ts_day', transform: 'void' },
        { 'source-id': 3, 'field-id': 1002, name: 'TS_DAY', transform: 'identity' },
        { 'source-id': 1, 'field-id': 1003, name: 'odd', transform: 'mystery[3]' },
        { 'source-id': 4, 'field-id': 1004, name: 'nano', transform: 'identity' },
      ],
    },
  ],
  'current-snapshot-id': 2,
  snapshots: [
    { 'snapshot-id': 1, 'timestamp-ms': 1_000, 'manifest-list': 'l', summary: {} },
    { 'snapshot-id': 2, 'timestamp-ms': 2_000, 'manifest-list': 'l', summary: {} },
  ],
})
const schema = metadata.schemas.find(({ schemaId }) => schemaId === metadata.currentSchemaId)!

const uuid = Uint8Array.from({ length: 16 }, (_byte, index) => index)
const entry = (
  file: Partial<DataFile>,
  snapshotId = 1n,
  status: ManifestEntry['status'] = 'added',
): ManifestEntry => ({
  status,
  snapshotId,
  sequenceNumber: 1n,
  file: dataFile('s3://b/f', { recordCount: 5, fileSizeBytes: 50, ...file }),
})

describe('the partition column', () => {
  const struct = partitionStruct(metadata, schema)

  it('has the fields of all specs by id, with the newest names and the types that still compute them', () => {
    expect(struct.fields.map(({ id, name, type }) => [id, name, type.kind])).toEqual([
      [1000, 'ts_day', 'date'],
      [1001, 'gone', 'uuid'],
      [1002, 'TS_DAY_1002', 'string'],
      [1003, 'odd', 'string'],
      [1004, 'nano', 'timestamptz_ns'],
    ])
  })

  it('has null where the spec of a file lacks a field, and text where nothing says its type', () => {
    expect(
      struct.toRecord(
        new Map<number, bigint | Uint8Array>([
          [1000, 19_000n],
          [1001, uuid],
        ]),
      ),
    ).toEqual({
      ts_day: 19_000n,
      gone: uuid,
      TS_DAY_1002: null,
      odd: null,
      nano: null,
    })
    expect(
      struct.toRecord(
        new Map<number, bigint | string>([
          [1002, 'x'],
          [1003, 7n],
          [1004, 1n],
        ]),
      ),
    ).toEqual({
      ts_day: null,
      gone: null,
      TS_DAY_1002: 'x',
      odd: '7',
      nano: 1n,
    })
    // What the engine casts back.
    expect(struct.toTexts(new Map([[1004, 1n]])).at(-1)).toBe('1970-01-01 00:00:00.000000001+00')
  })

  it('is absent where the table was never partitioned', () => {
    const plain = { ...metadata, partitionSpecs: [{ specId: 0, fields: [] }] }
    for (const name of ['files', 'partitions'] as const) {
      const names = metadataTableSchema(name, plain, schema).fields.map((column) => column.name)
      expect(names).not.toContain('partition')
      expect(names).toContain('record_count')
    }
  })
})

describe('rows', () => {
  it('of files have readable metrics of leaves outside of lists only', () => {
    const bound = new Uint8Array(new BigInt64Array([42n]).buffer)
    const { fileRow, entryRow } = createFileRows(metadata, schema)
    const file = entry({
      lowerBounds: new Map([
        [1, bound],
        [8, bound],
        [6, Uint8Array.of(1)],
      ]),
      nullValueCounts: new Map([[1, 3]]),
    })
    const metrics = fileRow(file)('readable_metrics') as Record<string, Record<string, unknown>>
    expect(Object.keys(metrics)).toEqual(['Day', 'id', 'n', 's.x', 'ts'])
    expect(metrics['id']).toMatchObject({ lower_bound: 42n, upper_bound: null, null_value_count: 3 })
    // A bound that is no value of the type is no bound.
    expect(metrics['s.x']).toMatchObject({ lower_bound: null })
    expect(entryRow(entry({}, 2n, 'deleted'))('status')).toBe(2)
    expect(entryRow(file)('data_file')).toMatchObject({ file_format: 'PARQUET', content: 0 })
  })

  it('of partitions sum data and deletes apart, by value and not by spec', () => {
    const sums = createPartitionSums(metadata, schema)
    const day = new Map([[1000, 19_000n]])
    sums.add(entry({ partition: day }))
    sums.add(
      entry(
        {
          partition: new Map([
            [1000, 19_000n],
            [1002, null],
          ]),
          specId: 1,
        },
        2n,
      ),
    )
    sums.add(entry({ partition: day, content: 'position-deletes', recordCount: 2 }, 9n))
    sums.add(entry({ partition: day, content: 'equality-deletes', recordCount: 1 }))
    sums.add(entry({ partition: new Map([[1002, 'null']]), specId: 1 }))
    const columns = [
      'record_count',
      'file_count',
      'total_data_file_size_in_bytes',
      'position_delete_record_count',
      'position_delete_file_count',
      'equality_delete_record_count',
      'spec_id',
      'last_updated_at',
      'last_updated_snapshot_id',
    ]
    expect(sums.rows().map((row) => columns.map((column) => row(column)))).toEqual([
      [10n, 2, 100n, 2n, 1, 1n, 1, 2_000_000n, 2n],
      [5n, 1, 50n, 0n, 0, 0n, 1, 1_000_000n, 1n],
    ])
  })

  it('of manifests count files of their own content, and show bounds for people', () => {
    const bytes = new Uint8Array(new Int32Array([19_000]).buffer)
    const summary = {
      containsNull: false,
      containsNan: undefined,
      lowerBound: bytes,
      upperBound: Uint8Array.of(1),
    }
    const manifest: ManifestFile = {
      path: 'm',
      lengthBytes: 1,
      partitionSpecId: 0,
      content: 'deletes',
      sequenceNumber: 1n,
      minSequenceNumber: 1n,
      addedSnapshotId: undefined,
      addedFilesCount: 3,
      existingFilesCount: undefined,
      deletedFilesCount: 0,
      addedRowsCount: undefined,
      existingRowsCount: undefined,
      partitions: [summary],
      hasKeyMetadata: false,
      firstRowId: undefined,
    }
    const [row] = manifestRows([manifest], metadata, schema)
    expect(
      ['content', 'added_data_files_count', 'added_delete_files_count', 'existing_delete_files_count'].map(
        (column) => row!(column),
      ),
    ).toEqual([1, 0, 3, undefined])
    expect(row!('partition_summaries')).toEqual([
      { contains_null: false, contains_nan: undefined, lower_bound: '2022-01-08', upper_bound: undefined },
    ])
    const [unknown] = manifestRows([{ ...manifest, partitionSpecId: 7 }], metadata, schema)
    expect(unknown!('partition_summaries')).toMatchObject([{ lower_bound: undefined }])
  })
})
