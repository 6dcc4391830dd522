// The metrics of a file by column name and with bounds as values, where the raw maps have field ids and bytes.
// Leaf columns with one value a row only, as in Iceberg's Java reference, by their dotted names in order.
import { decodeBound } from '@lake/core/iceberg/literal.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import { indexFields, isPrimitive } from '@lake/core/iceberg/schema.ts'
import type { NestedField, PrimitiveType, Schema } from '@lake/core/iceberg/types.ts'
import { field, isShownExactly, LONG } from './schema-fields.ts'

interface Leaf {
  readonly id: number
  readonly name: string
  readonly type: PrimitiveType
}

const READABLE_METRICS_ID = 1_000_000

/** The column; none where no column of the table has metrics to show. */
export function readableMetricsField(schema: Schema): readonly NestedField[] {
  const fields = leavesOf(schema).map(({ id, name, type }) =>
    field(id, name, {
      kind: 'struct',
      fields: [
        field(1, 'column_size', LONG),
        field(2, 'value_count', LONG),
        field(3, 'null_value_count', LONG),
        field(4, 'nan_value_count', LONG),
        field(5, 'lower_bound', type),
        field(6, 'upper_bound', type),
      ],
    }),
  )
  return fields.length === 0
    ? []
    : [field(READABLE_METRICS_ID, 'readable_metrics', { kind: 'struct', fields })]
}

/** Prepares reading the column's value off a file. */
export function createMetricsReader(schema: Schema): (file: DataFile) => Record<string, unknown> {
  const leaves = leavesOf(schema)
  return (file) => {
    const bound = (bytes: Uint8Array | undefined, type: PrimitiveType) =>
      bytes === undefined ? null : (decodeBound(type, bytes) ?? null)
    return Object.fromEntries(
      leaves.map(({ id, name, type }) => [
        name,
        {
          column_size: file.columnSizes?.get(id),
          value_count: file.valueCounts?.get(id),
          null_value_count: file.nullValueCounts?.get(id),
          nan_value_count: file.nanValueCounts?.get(id),
          lower_bound: bound(file.lowerBounds?.get(id), type),
          upper_bound: bound(file.upperBounds?.get(id), type),
        },
      ]),
    )
  }
}

/** Of names that differ in case alone the first is kept: the engine cannot tell them apart. */
function leavesOf(schema: Schema): readonly Leaf[] {
  const leaves = new Map<string, Leaf>()
  for (const [id, { type, path, isRepeated }] of indexFields(schema)) {
    const name = path.join('.')
    if (isRepeated || !isPrimitive(type) || !isShownExactly(type)) continue
    if (!leaves.has(name.toLowerCase())) leaves.set(name.toLowerCase(), { id, name, type })
  }
  return [...leaves.values()].sort((left, right) => (left.name < right.name ? -1 : 1))
}
