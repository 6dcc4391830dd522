// Columns of the metadata tables, named and typed as in Iceberg's Java reference, so that statements written for other
// engines run. Field ids are the manifests' own where a column comes from a manifest.
import { assertNever } from '@lake/core/assert.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { NestedField, Schema } from '@lake/core/iceberg/types.ts'
import type { MetadataTableName } from './metadata-table-name.ts'
import { partitionStruct } from './partition-struct.ts'
import { readableMetricsField } from './readable-metrics.ts'
import { BINARY, BOOLEAN, field, INT, listOf, LONG, mapOf, STRING, TIMESTAMPTZ } from './schema-fields.ts'

/** @param tableSchema the schema of the table that it tells of */
export function metadataTableSchema(
  name: MetadataTableName,
  metadata: TableMetadata,
  tableSchema: Schema,
): Schema {
  return {
    schemaId: tableSchema.schemaId,
    identifierFieldIds: [],
    fields: fieldsOf(name, metadata, tableSchema),
  }
}

function fieldsOf(
  name: MetadataTableName,
  metadata: TableMetadata,
  tableSchema: Schema,
): readonly NestedField[] {
  switch (name) {
    case 'snapshots':
      return SNAPSHOTS
    case 'history':
      return HISTORY
    case 'refs':
      return REFS
    case 'manifests':
      return MANIFESTS
    case 'partitions':
      return partitionsFields(metadata, tableSchema)
    case 'entries':
    case 'all_entries':
      return [
        ...ENTRY,
        field(2, 'data_file', { kind: 'struct', fields: fileFields(metadata, tableSchema) }),
        ...readableMetricsField(tableSchema),
      ]
    case 'files':
    case 'data_files':
    case 'delete_files':
    case 'all_files':
    case 'all_data_files':
    case 'all_delete_files':
      return [...fileFields(metadata, tableSchema), ...readableMetricsField(tableSchema)]
    default:
      return assertNever(name)
  }
}

const SNAPSHOTS = [
  field(1, 'committed_at', TIMESTAMPTZ),
  field(2, 'snapshot_id', LONG),
  field(3, 'parent_id', LONG),
  field(4, 'operation', STRING),
  field(5, 'manifest_list', STRING),
  field(6, 'summary', mapOf(7, STRING, 8, STRING)),
]

const HISTORY = [
  field(1, 'made_current_at', TIMESTAMPTZ),
  field(2, 'snapshot_id', LONG),
  field(3, 'parent_id', LONG),
  field(4, 'is_current_ancestor', BOOLEAN),
]

const REFS = [
  field(1, 'name', STRING),
  field(2, 'type', STRING),
  field(3, 'snapshot_id', LONG),
  field(4, 'max_reference_age_in_ms', LONG),
  field(5, 'min_snapshots_to_keep', INT),
  field(6, 'max_snapshot_age_in_ms', LONG),
]

const MANIFESTS = [
  field(14, 'content', INT),
  field(1, 'path', STRING),
  field(2, 'length', LONG),
  field(3, 'partition_spec_id', INT),
  field(4, 'added_snapshot_id', LONG),
  field(5, 'added_data_files_count', INT),
  field(6, 'existing_data_files_count', INT),
  field(7, 'deleted_data_files_count', INT),
  field(15, 'added_delete_files_count', INT),
  field(16, 'existing_delete_files_count', INT),
  field(17, 'deleted_delete_files_count', INT),
  field(
    8,
    'partition_summaries',
    listOf(9, {
      kind: 'struct',
      fields: [
        field(10, 'contains_null', BOOLEAN),
        field(11, 'contains_nan', BOOLEAN),
        field(12, 'lower_bound', STRING),
        field(13, 'upper_bound', STRING),
      ],
    }),
  ),
]

const ENTRY = [
  field(0, 'status', INT),
  field(1, 'snapshot_id', LONG),
  field(3, 'sequence_number', LONG),
  field(4, 'file_sequence_number', LONG),
]

function fileFields(metadata: TableMetadata, tableSchema: Schema): readonly NestedField[] {
  const { fields } = partitionStruct(metadata, tableSchema)
  return [
    field(134, 'content', INT),
    field(100, 'file_path', STRING),
    field(101, 'file_format', STRING),
    field(141, 'spec_id', INT),
    ...(fields.length === 0 ? [] : [field(102, 'partition', { kind: 'struct', fields })]),
    field(103, 'record_count', LONG),
    field(104, 'file_size_in_bytes', LONG),
    field(108, 'column_sizes', mapOf(117, INT, 118, LONG)),
    field(109, 'value_counts', mapOf(119, INT, 120, LONG)),
    field(110, 'null_value_counts', mapOf(121, INT, 122, LONG)),
    field(137, 'nan_value_counts', mapOf(138, INT, 139, LONG)),
    field(125, 'lower_bounds', mapOf(126, INT, 127, BINARY)),
    field(128, 'upper_bounds', mapOf(129, INT, 130, BINARY)),
    field(131, 'key_metadata', BINARY),
    field(132, 'split_offsets', listOf(133, LONG)),
    field(135, 'equality_ids', listOf(136, INT)),
    field(140, 'sort_order_id', INT),
    field(142, 'first_row_id', LONG),
    field(143, 'referenced_data_file', STRING),
    field(144, 'content_offset', LONG),
    field(145, 'content_size_in_bytes', LONG),
  ]
}

function partitionsFields(metadata: TableMetadata, tableSchema: Schema): readonly NestedField[] {
  const { fields } = partitionStruct(metadata, tableSchema)
  return [
    ...(fields.length === 0
      ? []
      : [field(1, 'partition', { kind: 'struct', fields }), field(4, 'spec_id', INT)]),
    field(2, 'record_count', LONG),
    field(3, 'file_count', INT),
    field(11, 'total_data_file_size_in_bytes', LONG),
    field(5, 'position_delete_record_count', LONG),
    field(6, 'position_delete_file_count', INT),
    field(7, 'equality_delete_record_count', LONG),
    field(8, 'equality_delete_file_count', INT),
    field(9, 'last_updated_at', TIMESTAMPTZ),
    field(10, 'last_updated_snapshot_id', LONG),
  ]
}
