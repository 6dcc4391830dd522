// Drops row groups whose statistics prove that no row passes a predicate. Columns are found by field id, only outside
// of lists and maps, and only where their bytes are read as the table's type; for all else nothing is concluded.
import { mightMatchMetrics } from '@lake/core/expr/inclusive-metrics-evaluator.ts'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { isPrimitive } from '@lake/core/iceberg/schema.ts'
import type { NestedField, PrimitiveType, Schema } from '@lake/core/iceberg/types.ts'
import { isAppError } from '@lake/core/errors.ts'
import { positionMetrics } from '@lake/core/scan/reserved-metrics.ts'
import { isNullColumn, readableLeaf } from './column-types.ts'
import type { FieldIds } from './field-ids.ts'
import type { ParquetMetadata, RowGroup, SchemaNode } from './parquet-metadata.ts'
import { chunkMetrics } from './statistics.ts'

export interface FilterableColumn {
  readonly type: PrimitiveType
  readonly node: SchemaNode
}

export interface RowGroupFilter {
  readonly columns: ReadonlyMap<number, FilterableColumn>
  readonly predicate: Predicate
  /** Field id of the column that counts a file's rows, where the statement has one. */
  readonly positionId?: number | undefined
}

/** The row groups that may hold a matching row, in order. */
export function selectRowGroups(
  metadata: ParquetMetadata,
  { columns, predicate, positionId }: RowGroupFilter,
): readonly RowGroup[] {
  return metadata.rowGroups.filter((group) => {
    const position = positionMetrics(group.firstRow, group.rowCount)
    return mightMatchMetrics(
      predicate,
      (fieldId) => {
        if (fieldId === positionId) return position.metrics
        const column = columns.get(fieldId)
        const chunk = column?.node.leaf && group.chunks[column.node.leaf.index]
        return column && chunk && chunkMetrics(column.type, column.node, chunk, metadata.hasColumnOrders)
      },
      (fieldId) => (fieldId === positionId ? position.type : columns.get(fieldId)?.type),
    )
  })
}

/** Columns of the file whose statistics speak of fields of the table, by field id. */
export function filterableColumns(
  metadata: ParquetMetadata,
  schema: Schema,
  ids: FieldIds,
): ReadonlyMap<number, FilterableColumn> {
  const found = new Map<number, FilterableColumn>()
  const visit = (fields: readonly NestedField[], nodes: readonly SchemaNode[]): void => {
    for (const field of fields) {
      const candidates = nodes.filter((node) => ids.idOf(node) === field.id)
      const node = candidates[0]
      if (node === undefined || candidates.length > 1 || node.repetition === 'repeated') continue
      if (field.type.kind === 'struct' && node.leaf === undefined) {
        if (node.annotation.kind === 'none' && !ids.isPositional) visit(field.type.fields, node.children)
      } else if (isPrimitive(field.type) && node.leaf !== undefined && isReadable(field.type, node)) {
        found.set(field.id, { type: field.type, node })
      }
    }
  }
  visit(schema.fields, metadata.columns)
  return found
}

/** A column that is not read may have any type; only one that could be read says something. */
function isReadable(type: PrimitiveType, node: SchemaNode): boolean {
  // Read as nulls whatever its statistics say.
  if (isNullColumn(node)) return false
  try {
    readableLeaf(type, node)
    return true
  } catch (error) {
    if (isAppError(error, 'TABLE_UNSUPPORTED')) return false
    throw error
  }
}
