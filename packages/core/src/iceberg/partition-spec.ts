// Partition specs and sort orders: parsing from metadata JSON, and what follows from a spec.
// Source: Iceberg table spec, "Partitioning", "Sorting" and appendix C. Fields are matched by partition field id, never by
// name: two specs may use one name for different fields.
import { asInteger, asObject, asString, listOf, optional, required } from './json-reader.ts'
import type { PartitionField, PartitionSpec, SortField, SortOrder } from './table-metadata.ts'

const FIRST_PARTITION_FIELD_ID = 1_000

export const UNPARTITIONED: PartitionSpec = { specId: 0, fields: [] }

export function parsePartitionSpec(json: unknown, path: string): PartitionSpec {
  const object = asObject(json, path)
  return {
    specId: required(object, 'spec-id', path, asInteger),
    fields: required(object, 'fields', path, parsePartitionFields),
  }
}

/** Parses the bare list of fields that v1 has; without ids they count from 1000. */
export function parsePartitionFields(json: unknown, path: string): readonly PartitionField[] {
  return listOf(json, path, parsePartitionField).map((field, index) => ({
    ...field,
    fieldId: field.fieldId ?? FIRST_PARTITION_FIELD_ID + index,
  }))
}

function parsePartitionField(
  json: unknown,
  path: string,
): Omit<PartitionField, 'fieldId'> & { readonly fieldId: number | undefined } {
  const object = asObject(json, path)
  const sourceIds = optional(object, 'source-ids', path, (value, at) => listOf(value, at, asInteger))
  return {
    sourceIds: sourceIds?.length ? sourceIds : [required(object, 'source-id', path, asInteger)],
    fieldId: optional(object, 'field-id', path, asInteger),
    name: required(object, 'name', path, asString),
    transform: required(object, 'transform', path, asString),
  }
}

export function parseSortOrder(json: unknown, path: string): SortOrder {
  const object = asObject(json, path)
  return {
    orderId: required(object, 'order-id', path, asInteger),
    fields: required(object, 'fields', path, (value, at) => listOf(value, at, parseSortField)),
  }
}

function parseSortField(json: unknown, path: string): SortField {
  const object = asObject(json, path)
  const sourceIds = optional(object, 'source-ids', path, (value, at) => listOf(value, at, asInteger))
  return {
    sourceId: sourceIds?.[0] ?? required(object, 'source-id', path, asInteger),
    transform: required(object, 'transform', path, asString),
    direction: /^desc/i.test(required(object, 'direction', path, asString)) ? 'desc' : 'asc',
    nullOrder: /last$/i.test(required(object, 'null-order', path, asString)) ? 'nulls-last' : 'nulls-first',
  }
}

/** True where no field says anything of a row: no fields at all, or only `void` ones. */
export function isUnpartitioned(spec: PartitionSpec): boolean {
  return spec.fields.every((field) => field.transform.toLowerCase() === 'void')
}
