// Whole tables for tests of what no public table has: metadata, manifest list, manifest and data files in a folder that
// the local lake serves like the corpus. Manifests hold no metrics, so that nothing but the data decides.
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import avsc from 'avsc'
import { container, longType } from '../../src/metadata/test/avro-file.ts'

export interface GeneratedFile {
  /** Within the table's folder. */
  readonly name: string
  readonly format: 'parquet' | 'avro'
  readonly rowCount: number
  /** Where the manifest says it of the file; inherited otherwise. */
  readonly firstRowId?: bigint
}

export interface GeneratedTable {
  readonly name: string
  /** Fields of the schema as in the metadata's JSON. */
  readonly fields: readonly unknown[]
  readonly properties?: Readonly<Record<string, string>>
  /** Of the manifest; without it, rows have no lineage. */
  readonly firstRowId?: bigint
  /** Writes the data files into the folder. */
  readonly write: (folder: string) => Promise<readonly GeneratedFile[]>
}

const ENTRY = {
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
          { name: 'partition', type: { type: 'record', name: 'r102', fields: [] }, 'field-id': 102 },
          { name: 'record_count', type: 'long', 'field-id': 103 },
          { name: 'file_size_in_bytes', type: 'long', 'field-id': 104 },
          { name: 'first_row_id', type: ['null', 'long'], 'field-id': 142 },
        ],
      },
    },
  ],
}
const MANIFEST_FILE = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    { name: 'manifest_path', type: 'string', 'field-id': 500 },
    { name: 'manifest_length', type: 'long', 'field-id': 501 },
    { name: 'partition_spec_id', type: 'int', 'field-id': 502 },
    { name: 'content', type: 'int', 'field-id': 517 },
    { name: 'sequence_number', type: 'long', 'field-id': 515 },
    { name: 'min_sequence_number', type: 'long', 'field-id': 516 },
    { name: 'added_snapshot_id', type: 'long', 'field-id': 503 },
    { name: 'first_row_id', type: ['null', 'long'], 'field-id': 520 },
  ],
}

function encode(schema: unknown, records: readonly unknown[]): Buffer {
  const type = avsc.Type.forSchema(structuredClone(schema) as avsc.Schema, {
    registry: { long: longType },
    wrapUnions: false,
  })
  const data = Buffer.concat(records.map((record) => type.toBuffer(record)))
  return container(schema, { codec: 'deflate', blocks: [{ count: records.length, data }] })
}

/** Returns a folder to serve with `--corpus`; the tables are in namespace `generated`. The caller removes it. */
export async function generateTables(tables: readonly GeneratedTable[]): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'generated-'))
  mkdirSync(join(root, '_computed'))
  writeFileSync(join(root, '_computed/counts.json'), '{}')
  for (const table of tables) {
    const folder = join(root, 'generated', table.name)
    mkdirSync(join(folder, 'metadata'), { recursive: true })
    const location = `/generated/${table.name}`
    const files = await table.write(folder)
    const entries = files.map(({ name, format, rowCount, firstRowId }) => ({
      status: 1,
      snapshot_id: null,
      sequence_number: null,
      data_file: {
        content: 0,
        file_path: `${location}/${name}`,
        file_format: format.toUpperCase(),
        partition: {},
        record_count: BigInt(rowCount),
        file_size_in_bytes: BigInt(statSync(join(folder, name)).size),
        first_row_id: firstRowId ?? null,
      },
    }))
    const manifest = encode(ENTRY, entries)
    writeFileSync(join(folder, 'metadata/m0.avro'), manifest)
    const line = {
      manifest_path: `${location}/metadata/m0.avro`,
      manifest_length: BigInt(manifest.length),
      partition_spec_id: 0,
      content: 0,
      sequence_number: 1n,
      min_sequence_number: 1n,
      added_snapshot_id: 1n,
      first_row_id: table.firstRowId ?? null,
    }
    writeFileSync(join(folder, 'metadata/snap-1.avro'), encode(MANIFEST_FILE, [line]))
    writeFileSync(join(folder, 'metadata/v1.metadata.json'), JSON.stringify(metadataOf(table, location)))
  }
  return root
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
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
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
        summary: { operation: 'append' },
      },
    ],
  }
}
