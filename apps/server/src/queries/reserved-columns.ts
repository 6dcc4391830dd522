// The reserved columns that a statement names of a table, as fields behind its own. A column of the table that has one of
// the names wins, and a table that was never partitioned has no `_partition`. Pure.
import { findReservedColumn, type ReservedColumn } from '@lake/core/iceberg/reserved-columns.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { NestedField, Schema } from '@lake/core/iceberg/types.ts'
import { sqlColumnNames } from '../sql/duckdb-type.ts'
import { partitionStruct } from './metadata-tables/partition-struct.ts'

export interface ReservedField {
  readonly column: ReservedColumn
  readonly field: NestedField
}

/**
 * Those of `names` that the table has, in the order of `names`.
 * @param schema of the table's own columns
 */
export function reservedFields(
  names: readonly string[],
  metadata: TableMetadata,
  schema: Schema,
): readonly ReservedField[] {
  if (names.length === 0) return []
  const own = new Set(sqlColumnNames(schema).map((name) => name.toLowerCase()))
  return names.flatMap((name): ReservedField[] => {
    const column = findReservedColumn(name)
    if (column === undefined || own.has(column.name)) return []
    const type = column.type ?? { kind: 'struct', fields: partitionStruct(metadata, schema).fields }
    if (type.kind === 'struct' && type.fields.length === 0) return []
    const { fieldId: id, doc } = column
    const field = { id, name: column.name, isRequired: false, type, doc, initialDefault: undefined }
    return [{ column, field }]
  })
}
