// The partition column of metadata tables: one struct over the fields of every spec of the table, so that files of all
// specs fit. As in Iceberg's Java reference: fields by id, the newest name, and the type of the newest spec that still
// computes the field.
import { typePartitionFields, type TypedPartitionField } from '@lake/core/expr/partition-types.ts'
import { formatLiteral } from '@lake/core/iceberg/literal-display.ts'
import { indexFields, primitiveTypeOf } from '@lake/core/iceberg/schema.ts'
import type { TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import type { LiteralValue, NestedField, PrimitiveType, Schema } from '@lake/core/iceberg/types.ts'
import { field, isShownExactly, STRING } from './schema-fields.ts'

export interface PartitionStruct {
  /** By field id; empty for a table that was never partitioned. */
  readonly fields: readonly NestedField[]
  toRecord(partition: ReadonlyMap<number, LiteralValue | null>): Record<string, unknown>
  /** By field, what the engine casts to the field's type. */
  readonly toTexts: (partition: ReadonlyMap<number, LiteralValue | null>) => readonly (string | null)[]
}

/** The schema with the columns that earlier schemas had besides, so that old partition values have types. */
export function withDroppedColumns(metadata: TableMetadata, schema: Schema): Schema {
  const columns = new Map(schema.fields.map((column) => [column.id, column]))
  for (const { fields } of metadata.schemas.toReversed()) {
    for (const column of fields) if (!columns.has(column.id)) columns.set(column.id, column)
  }
  return { ...schema, fields: [...columns.values()] }
}

export function partitionStruct(metadata: TableMetadata, schema: Schema): PartitionStruct {
  const index = indexFields(withDroppedColumns(metadata, schema))
  const chosen = new Map<number, TypedPartitionField>()
  for (const spec of metadata.partitionSpecs.toSorted((left, right) => right.specId - left.specId)) {
    for (const typed of typePartitionFields(spec, (id) => primitiveTypeOf(index, id))) {
      const newer = chosen.get(typed.fieldId)
      if (newer === undefined) chosen.set(typed.fieldId, typed)
      else if (newer.transform.kind === 'void') chosen.set(typed.fieldId, { ...typed, name: newer.name })
    }
  }
  const taken = new Set<string>()
  const columns = [...chosen.values()]
    .sort((left, right) => left.fieldId - right.fieldId)
    .map(({ fieldId, name, resultType }) => {
      const isTaken = taken.has(name.toLowerCase())
      taken.add(name.toLowerCase())
      const isShown = resultType !== undefined && isShownExactly(resultType)
      return { fieldId, name: isTaken ? `${name}_${fieldId}` : name, resultType, isShown }
    })
  return {
    fields: columns.map(({ fieldId, name, resultType, isShown }) =>
      field(fieldId, name, isShown && resultType ? resultType : STRING),
    ),
    toRecord: (partition) =>
      Object.fromEntries(
        columns.map(({ fieldId, name, resultType, isShown }) => {
          const value = partition.get(fieldId) ?? null
          return [name, isShown || value === null ? value : textOf(resultType, value)]
        }),
      ),
    toTexts: (partition) =>
      columns.map(({ fieldId, resultType }) => {
        const value = partition.get(fieldId) ?? null
        return value === null ? null : textOf(resultType, value)
      }),
  }
}

/** A value whose type has no place in the engine. */
function textOf(type: PrimitiveType | undefined, value: LiteralValue): string {
  if (type !== undefined) return formatLiteral(type, value)
  return value instanceof Uint8Array ? formatLiteral({ kind: 'binary' }, value) : String(value)
}
