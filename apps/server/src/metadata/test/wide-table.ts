// A table of many manifests, in memory, for bench/planning-delay.ts: what planning reads of it, and nothing else. Every
// file has bounds, a partition and a path of its own.
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { encodeRecords, MANIFEST_FILE_FIELDS, mapByFieldId, optionalField } from './avro-file.ts'
import type { ObjectStore } from '../../storage/object-store.ts'
import { createTablePaths } from '../../storage/table-paths.ts'
import type { TableStorage } from '../../storage/table-storage.ts'

const LOCATION = 's3://bench/wide'
const ENTRY = {
  type: 'record',
  name: 'manifest_entry',
  fields: [
    { name: 'status', type: 'int', 'field-id': 0 },
    optionalField('snapshot_id', 1, 'long'),
    optionalField('sequence_number', 3, 'long'),
    {
      name: 'data_file',
      'field-id': 2,
      type: {
        type: 'record',
        name: 'r2',
        fields: [
          { name: 'content', type: 'int', 'field-id': 134 },
          { name: 'file_path', type: 'string', 'field-id': 100 },
          { name: 'file_format', type: 'string', 'field-id': 101 },
          {
            name: 'partition',
            'field-id': 102,
            type: { type: 'record', name: 'r102', fields: [optionalField('day', 1_000, 'int')] },
          },
          { name: 'record_count', type: 'long', 'field-id': 103 },
          { name: 'file_size_in_bytes', type: 'long', 'field-id': 104 },
          optionalField('equality_ids', 135, { type: 'array', items: 'int', 'element-id': 136 }),
          mapByFieldId('lower_bounds', 125, 'bytes'),
          mapByFieldId('upper_bounds', 128, 'bytes'),
        ],
      },
    },
  ],
}
const LINE = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    ...MANIFEST_FILE_FIELDS,
    { name: 'added_files_count', type: 'int', 'field-id': 504 },
    { name: 'existing_files_count', type: 'int', 'field-id': 505 },
  ],
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

export interface WideTable {
  readonly metadata: TableMetadata
  readonly storage: TableStorage
}

/**
 * @param manifestCount manifests of `filesPerManifest` data files each, every one with its sequence number
 * @param deleteCount equality delete files, newer than all data files, that apply in every partition
 */
export function wideTable(manifestCount: number, filesPerManifest: number, deleteCount = 0): WideTable {
  const objects = new Map<string, Buffer>()
  const lines: unknown[] = []
  const add = (name: string, entries: readonly unknown[], line: object): void => {
    const path = `${LOCATION}/metadata/${name}.avro`
    const bytes = encodeRecords(ENTRY, entries)
    objects.set(path, bytes)
    lines.push({
      manifest_path: path,
      manifest_length: BigInt(bytes.length),
      partition_spec_id: 0,
      content: 0,
      min_sequence_number: 1n,
      added_snapshot_id: 1n,
      added_files_count: entries.length,
      existing_files_count: 0,
      ...line,
    })
  }
  for (let manifest = 0; manifest < manifestCount; manifest += 1) {
    const entries = Array.from({ length: filesPerManifest }, (_, index) =>
      dataEntry(manifest * filesPerManifest + index),
    )
    add(String(manifest), entries, { sequence_number: BigInt(manifest + 1) })
  }
  if (deleteCount > 0) {
    const entries = Array.from({ length: deleteCount }, (_, index) => deleteEntry(index))
    const place = { content: 1, partition_spec_id: 1, sequence_number: BigInt(manifestCount + 1) }
    add('deletes', entries, place)
  }
  objects.set(`${LOCATION}/metadata/list.avro`, encodeRecords(LINE, lines))
  return { metadata: metadataOf(), storage: storageOf(objects) }
}

function entryOf(file: object): object {
  return { status: 1, snapshot_id: null, sequence_number: null, data_file: file }
}

function dataEntry(number: number): object {
  return entryOf({
    content: 0,
    file_path: `${LOCATION}/data/day=${number % 365}/part-${String(number).padStart(9, '0')}.parquet`,
    file_format: 'PARQUET',
    partition: { day: number % 365 },
    record_count: 1_000n,
    file_size_in_bytes: 100_000n,
    equality_ids: null,
    lower_bounds: [{ key: 1, value: int32(number) }],
    upper_bounds: [{ key: 1, value: int32(number + 1_000) }],
  })
}

function deleteEntry(number: number): object {
  return entryOf({
    content: 2,
    file_path: `${LOCATION}/data/deletes-${String(number).padStart(9, '0')}.parquet`,
    file_format: 'PARQUET',
    partition: { day: null },
    record_count: 1n,
    file_size_in_bytes: 500n,
    equality_ids: [1],
    lower_bounds: null,
    upper_bounds: null,
  })
}

/** Each read takes a turn of the event loop, as one from object storage does. */
function storageOf(objects: ReadonlyMap<string, Buffer>): TableStorage {
  const store: Pick<ObjectStore, 'readObject'> = {
    async readObject(uri) {
      await nextTurn()
      const bytes = objects.get(uri)
      if (!bytes) throw new Error(`there is no ${uri}`)
      return bytes
    },
  }
  return { store, paths: createTablePaths(new Map()) } as unknown as TableStorage
}

function metadataOf(): TableMetadata {
  const fields = [
    { id: 1, name: 'id', required: false, type: 'int' },
    { id: 2, name: 'day', required: false, type: 'int' },
  ]
  return parseTableMetadata({
    'format-version': 2,
    'table-uuid': '00000000-0000-4000-8000-000000000001',
    location: LOCATION,
    'current-schema-id': 0,
    schemas: [{ type: 'struct', 'schema-id': 0, fields }],
    'default-spec-id': 0,
    'partition-specs': [
      { 'spec-id': 0, fields: [{ 'source-id': 2, 'field-id': 1_000, name: 'day', transform: 'identity' }] },
      { 'spec-id': 1, fields: [] },
    ],
    'current-snapshot-id': 1,
    snapshots: [
      {
        'snapshot-id': 1,
        'sequence-number': 1,
        'timestamp-ms': 1,
        'manifest-list': `${LOCATION}/metadata/list.avro`,
        summary: { operation: 'append' },
      },
    ],
  })
}
