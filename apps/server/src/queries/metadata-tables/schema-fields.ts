// Short forms for the fields of metadata tables, which are Iceberg schemas like any table's.
import type { IcebergType, ListType, MapType, NestedField, PrimitiveType } from '@lake/core/iceberg/types.ts'

export const INT: PrimitiveType = { kind: 'int' }
export const LONG: PrimitiveType = { kind: 'long' }
export const STRING: PrimitiveType = { kind: 'string' }
export const BOOLEAN: PrimitiveType = { kind: 'boolean' }
export const BINARY: PrimitiveType = { kind: 'binary' }
export const TIMESTAMPTZ: PrimitiveType = { kind: 'timestamptz' }

export function field(id: number, name: string, type: IcebergType): NestedField {
  return { id, name, type, isRequired: false, doc: undefined, initialDefault: undefined }
}

export function listOf(elementId: number, element: IcebergType): ListType {
  return { kind: 'list', elementId, element, isElementRequired: true }
}

export function mapOf(keyId: number, key: IcebergType, valueId: number, value: IcebergType): MapType {
  return { kind: 'map', keyId, key, valueId, value, isValueRequired: true }
}

/** A primitive whose values have a literal, and a type in the engine that holds each of them exactly. */
export function isShownExactly({ kind }: PrimitiveType): boolean {
  return !['unknown', 'variant', 'geometry', 'geography'].includes(kind)
}
