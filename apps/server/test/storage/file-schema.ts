// Derives an Iceberg schema from a Parquet file, so that any file can be excerpted in tests and compared with itself.
import { AppError } from '@lake/core/errors.ts'
import type { IcebergType, NestedField, Schema } from '@lake/core/iceberg/types.ts'
import { listShape, mapShape } from '../../src/parquet/containers.ts'
import type { ParquetMetadata, SchemaNode } from '../../src/parquet/parquet-metadata.ts'

/** Field ids are the file's; without any, top-level columns count from 1 and nested ones get ids that name mapping gives. */
export function schemaOfFile(metadata: ParquetMetadata): Schema {
  const fields = metadata.columns.map((node, index) =>
    fieldOf(node, metadata.hasFieldIds ? node.fieldId : index + 1),
  )
  return { schemaId: 0, fields: fields.filter((field) => field !== undefined), identifierFieldIds: [] }
}

let syntheticId = 1_000_000

function fieldOf(node: SchemaNode, id: number | undefined): NestedField | undefined {
  if (id === undefined) return undefined
  return {
    id,
    name: node.name,
    isRequired: false,
    type: typeOf(node),
    doc: undefined,
    initialDefault: undefined,
  }
}

function typeOf(node: SchemaNode): IcebergType {
  const list = listShape(node)
  const map = mapShape(node)
  if (list) {
    const { element } = list
    const elementId = (element === node ? undefined : element.fieldId) ?? syntheticId++
    const type =
      element === node
        ? typeOf({ ...node, repetition: 'required' })
        : typeOf({ ...element, repetition: 'optional' })
    return { kind: 'list', elementId, element: type, isElementRequired: false }
  }
  if (map) {
    return {
      kind: 'map',
      keyId: map.key.fieldId ?? syntheticId++,
      key: typeOf(map.key),
      valueId: map.value.fieldId ?? syntheticId++,
      value: typeOf(map.value),
      isValueRequired: false,
    }
  }
  if (!node.leaf) {
    if (node.annotation.kind !== 'none')
      throw new AppError('TABLE_UNSUPPORTED', `group ${node.annotation.kind}`)
    const fields = node.children.map((child) => fieldOf(child, child.fieldId))
    return { kind: 'struct', fields: fields.filter((field) => field !== undefined) }
  }
  return leafType(node, node.leaf)
}

function leafType(node: SchemaNode, leaf: NonNullable<SchemaNode['leaf']>): IcebergType {
  const { annotation } = node
  if (annotation.kind === 'decimal')
    return { kind: 'decimal', precision: annotation.precision, scale: annotation.scale }
  if (annotation.kind === 'timestamp') {
    const suffix = annotation.unit === 'nanos' ? '_ns' : ''
    return { kind: `timestamp${annotation.isUtc ? 'tz' : ''}${suffix}` as 'timestamp' }
  }
  if (annotation.kind === 'time') return { kind: 'time' }
  if (annotation.kind === 'date') return { kind: 'date' }
  switch (leaf.physicalType) {
    case 'BOOLEAN':
      return { kind: 'boolean' }
    case 'INT32':
      return { kind: annotation.kind === 'integer' && !annotation.isSigned ? 'long' : 'int' }
    case 'INT64':
      return { kind: 'long' }
    case 'INT96':
      return { kind: 'timestamp' }
    case 'FLOAT':
      return { kind: 'float' }
    case 'DOUBLE':
      return { kind: 'double' }
    case 'BYTE_ARRAY':
      return { kind: annotation.kind === 'none' ? 'binary' : 'string' }
    case 'FIXED_LEN_BYTE_ARRAY':
      return annotation.kind === 'uuid'
        ? { kind: 'uuid' }
        : { kind: 'fixed', lengthBytes: leaf.lengthBytes ?? 0 }
  }
}
