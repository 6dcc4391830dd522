// Whole tables for tests of what no public table has: metadata, manifest list, manifests and files in a folder that the
// local lake serves like the corpus. Manifests hold the metrics that a test gives and no others, so that by default
// nothing but the data decides.
import { existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  encodeRecords,
  MANIFEST_FILE_FIELDS,
  mapByFieldId,
  optionalField,
} from '../../src/metadata/test/avro-file.ts'
import { openDuck } from '../storage/duck.ts'

type BoundsById = Readonly<Record<number, Uint8Array>>
type CountsById = Readonly<Record<number, number>>

export interface GeneratedFile {
  /** Within the table's folder. */
  readonly name: string
  /** What the manifest says where it is, where that is somewhere else. */
  readonly path?: string
  readonly format: 'parquet' | 'avro' | 'puffin' | 'orc'
  readonly rowCount: number
  /** Data where absent. */
  readonly content?: 'position-deletes' | 'equality-deletes'
  /** 1 where absent. */
  readonly sequenceNumber?: number
  /** 0 where absent. */
  readonly specId?: number
  /** By name of the partition field, as Avro values. */
  readonly partition?: Readonly<Record<string, unknown>>
  readonly equalityIds?: readonly number[]
  /** The path of the data file that a delete file is for; its name in the table's folder. */
  readonly referencedFile?: string
  readonly contentOffset?: number
  readonly contentSizeBytes?: number
  readonly valueCounts?: CountsById
  readonly nullValueCounts?: CountsById
  readonly nanValueCounts?: CountsById
  readonly lowerBounds?: BoundsById
  readonly upperBounds?: BoundsById
  /** Where the manifest says it of the file; inherited otherwise. */
  readonly firstRowId?: bigint
}

export interface GeneratedSpec {
  readonly specId: number
  readonly fields: readonly {
    readonly sourceIds: readonly number[]
    readonly fieldId: number
    readonly name: string
    readonly transform: string
    /** Type of the values in manifests. */
    readonly avroType: unknown
  }[]
}

export interface GeneratedTable {
  readonly name: string
  /** Fields of the schema as in the metadata's JSON. */
  readonly fields: readonly unknown[]
  readonly properties?: Readonly<Record<string, string>>
  /** One spec without fields where absent. */
  readonly specs?: readonly GeneratedSpec[]
  /** Changes to the metadata's JSON. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Changes to the snapshot's summary. */
  readonly summary?: Readonly<Record<string, string>>
  /** Of each manifest of data; without it, rows have no lineage. */
  readonly firstRowId?: bigint
  /** Writes the data files into the folder. */
  readonly write: (folder: string, duck: DuckDBConnection) => Promise<readonly GeneratedFile[]>
  /** Changes what was written, metadata too. */
  readonly damage?: (folder: string) => void
}

const entrySchema = ({ fields }: GeneratedSpec) => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    { name: 'status', type: 'int', 'field-id': 0 },
    { name: 'snapshot_id', type: ['null', 'long'], 'field-id': 1 },
    { name: 'sequence_number', type: ['null', 'long'], 'field-id': 3 },
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
            type: {
              type: 'record',
              name: 'r102',
              fields: fields.map(({ name, fieldId, avroType }) => optionalField(name, fieldId, avroType)),
            },
            'field-id': 102,
          },
          { name: 'record_count', type: 'long', 'field-id': 103 },
          { name: 'file_size_in_bytes', type: 'long', 'field-id': 104 },
          mapByFieldId('value_counts', 109, 'long'),
          mapByFieldId('null_value_counts', 110, 'long'),
          mapByFieldId('nan_value_counts', 137, 'long'),
          mapByFieldId('lower_bounds', 125, 'bytes'),
          mapByFieldId('upper_bounds', 128, 'bytes'),
          optionalField('equality_ids', 135, { type: 'array', items: 'int' }),
          optionalField('referenced_data_file', 143, 'string'),
          optionalField('content_offset', 144, 'long'),
          optionalField('content_size_in_bytes', 145, 'long'),
          optionalField('first_row_id', 142, 'long'),
        ],
      },
    },
  ],
})
const MANIFEST_FILE = {
  type: 'record',
  name: 'manifest_file',
  fields: [...MANIFEST_FILE_FIELDS, optionalField('first_row_id', 520, 'long')],
}

/** Returns a folder to serve with `--corpus`; the tables are in namespace `generated`. The caller removes it. */
export async function generateTables(tables: readonly GeneratedTable[]): Promise<string> {
  const duck = await openDuck()
  const root = mkdtempSync(join(tmpdir(), 'generated-'))
  mkdirSync(join(root, '_computed'))
  writeFileSync(join(root, '_computed/counts.json'), '{}')
  for (const table of tables) {
    const folder = join(root, 'generated', table.name)
    mkdirSync(join(folder, 'metadata'), { recursive: true })
    const location = `/generated/${table.name}`
    const files = await table.write(folder, duck)
    const lines = writeManifests(table, files, { folder, location })
    writeFileSync(join(folder, 'metadata/snap-1.avro'), encodeRecords(MANIFEST_FILE, lines))
    writeFileSync(join(folder, 'metadata/v1.metadata.json'), JSON.stringify(metadataOf(table, location)))
    table.damage?.(folder)
  }
  duck.closeSync()
  return root
}

const UNPARTITIONED: GeneratedSpec = { specId: 0, fields: [] }
const CONTENTS = { data: 0, 'position-deletes': 1, 'equality-deletes': 2 } as const

/** One manifest for the files of one spec and sequence number, data and deletes apart; gives the lines of the list. */
function writeManifests(
  { specs = [UNPARTITIONED], firstRowId }: GeneratedTable,
  files: readonly GeneratedFile[],
  { folder, location }: { readonly folder: string; readonly location: string },
): unknown[] {
  const groups = Map.groupBy(files, ({ content, specId = 0, sequenceNumber = 1 }) =>
    [content === undefined ? 0 : 1, specId, sequenceNumber].join(),
  )
  return [...groups].map(([key, members], index) => {
    const [content = 0, specId = 0, sequenceNumber = 1] = key.split(',').map(Number)
    const spec = specs.find((candidate) => candidate.specId === specId) ?? UNPARTITIONED
    const name = `metadata/m${index}.avro`
    const manifest = encodeRecords(
      entrySchema(spec),
      members.map((file) => entryOf(file, spec, { folder, location })),
    )
    writeFileSync(join(folder, name), manifest)
    return {
      manifest_path: `${location}/${name}`,
      manifest_length: BigInt(manifest.length),
      partition_spec_id: specId,
      content,
      sequence_number: BigInt(sequenceNumber),
      min_sequence_number: BigInt(sequenceNumber),
      added_snapshot_id: 1n,
      first_row_id: content === 0 ? (firstRowId ?? null) : null,
    }
  })
}

function entryOf(
  file: GeneratedFile,
  spec: GeneratedSpec,
  { folder, location }: { readonly folder: string; readonly location: string },
): unknown {
  const path = join(folder, file.name)
  const pairs = <T>(map: Readonly<Record<number, T>> | undefined, convert: (value: T) => unknown) =>
    map === undefined
      ? null
      : Object.entries(map).map(([id, value]) => ({ key: Number(id), value: convert(value) }))
  const bytes = (map: BoundsById | undefined) => pairs(map, (value) => Buffer.from(value))
  const counts = (map: CountsById | undefined) => pairs(map, BigInt)
  const long = (value: number | undefined) => (value === undefined ? null : BigInt(value))
  return {
    status: 1,
    snapshot_id: null,
    sequence_number: null,
    data_file: {
      content: CONTENTS[file.content ?? 'data'],
      file_path: file.path ?? `${location}/${file.name}`,
      file_format: file.format.toUpperCase(),
      partition: Object.fromEntries(spec.fields.map(({ name }) => [name, file.partition?.[name] ?? null])),
      record_count: BigInt(file.rowCount),
      file_size_in_bytes: BigInt(existsSync(path) ? statSync(path).size : 1),
      value_counts: counts(file.valueCounts),
      null_value_counts: counts(file.nullValueCounts),
      nan_value_counts: counts(file.nanValueCounts),
      lower_bounds: bytes(file.lowerBounds),
      upper_bounds: bytes(file.upperBounds),
      equality_ids: file.equalityIds ?? null,
      referenced_data_file: file.referencedFile === undefined ? null : `${location}/${file.referencedFile}`,
      content_offset: long(file.contentOffset),
      content_size_in_bytes: long(file.contentSizeBytes),
      first_row_id: file.firstRowId ?? null,
    },
  }
}

function metadataOf(table: GeneratedTable, location: string): unknown {
  return {
    'format-version': 3,
    'table-uuid': '00000000-0000-4000-8000-000000000001',
    location,
    'last-sequence-number': 1,
    'last-updated-ms': 1,
    'last-column-id': 1_000,
    'current-schema-id': 0,
    schemas: [{ type: 'struct', 'schema-id': 0, fields: table.fields }],
    'default-spec-id': 0,
    'partition-specs': (table.specs ?? [UNPARTITIONED]).map(({ specId, fields }) => ({
      'spec-id': specId,
      fields: fields.map(({ sourceIds, fieldId, name, transform }) => ({
        'source-ids': sourceIds,
        'field-id': fieldId,
        name,
        transform,
      })),
    })),
    'last-partition-id': 999,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: table.properties ?? {},
    'current-snapshot-id': 1,
    'next-row-id': 0,
    snapshots: [
      {
        'snapshot-id': 1,
        'sequence-number': 1,
        'timestamp-ms': 1,
        'schema-id': 0,
        'manifest-list': `${location}/metadata/snap-1.avro`,
        summary: { operation: 'append', ...table.summary },
      },
    ],
    ...table.metadata,
  }
}
