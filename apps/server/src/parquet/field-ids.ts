// Which field of the table a column of a Parquet file is. By the field ids in the file; for a file without any, by the
// table's name mapping; without one, top-level columns count from 1 by position, as Iceberg's Java reader has it.
// One id anywhere means that the file has ids: its columns without one then belong to no field of the table.
import { findMappedFieldId } from '@lake/core/iceberg/name-mapping.ts'
import type { NameMapping } from '@lake/core/iceberg/name-mapping.ts'
import { listShape, mapShape } from './containers.ts'
import type { ParquetMetadata, SchemaNode } from './parquet-metadata.ts'
import { parquetUnsupported } from './thrift.ts'

export interface FieldIds {
  idOf(node: SchemaNode): number | undefined
  /** True where ids are positions of top-level columns: nothing is known of fields inside of structs. */
  readonly isPositional: boolean
  /** True where ids come from names of the schema, so that a missing name may be one that was never written down. */
  readonly isByName: boolean
}

export function resolveFieldIds(
  metadata: Pick<ParquetMetadata, 'columns' | 'hasFieldIds'>,
  nameMapping: NameMapping | undefined,
): FieldIds {
  if (metadata.hasFieldIds) return { idOf: (node) => node.fieldId, isPositional: false, isByName: false }
  const origin = nameMapping?.origin
  if (origin === 'ambiguous') throw parquetUnsupported('a name mapping with other field ids than the schema')
  const ids = new Map<SchemaNode, number>()
  if (nameMapping === undefined) {
    for (const [index, column] of metadata.columns.entries()) ids.set(column, index + 1)
  } else {
    for (const column of metadata.columns) assignMapped(column, [column.name], nameMapping, ids)
  }
  return {
    idOf: (node) => ids.get(node),
    isPositional: nameMapping === undefined,
    isByName: origin === 'schemas',
  }
}

/** Paths name what the table has, `element`, `key` and `value`, whatever the writer called the levels between. */
function assignMapped(
  node: SchemaNode,
  path: readonly string[],
  mapping: NameMapping,
  ids: Map<SchemaNode, number>,
): void {
  const id = findMappedFieldId(mapping, path)
  if (id !== undefined) ids.set(node, id)
  const list = listShape(node)
  const map = mapShape(node)
  if (list !== undefined && list.element !== node) {
    assignMapped(list.element, [...path, 'element'], mapping, ids)
  } else if (map !== undefined) {
    assignMapped(map.key, [...path, 'key'], mapping, ids)
    assignMapped(map.value, [...path, 'value'], mapping, ids)
  } else {
    for (const child of node.children) assignMapped(child, [...path, child.name], mapping, ids)
  }
}
