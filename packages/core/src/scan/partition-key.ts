// Equality of partition tuples for the scope of delete files: text that is equal for equal tuples of one spec only.
// Null equals null; NaN equals NaN whatever its bits; 0.0 and -0.0 differ (Iceberg table spec, "Scan Planning").
import type { DataFile } from '../iceberg/manifest.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import type { LiteralValue } from '../iceberg/types.ts'
import { formatHex } from '../iceberg/utf8.ts'

/** @param spec of the file; a field that the tuple lacks counts as null */
export function partitionKey(spec: PartitionSpec, partition: DataFile['partition']): string {
  return JSON.stringify([
    spec.specId,
    ...spec.fields.map(({ fieldId }) => valueKey(partition.get(fieldId) ?? null)),
  ])
}

function valueKey(value: LiteralValue | null): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) return `x${formatHex(value)}`
  if (typeof value === 'number') return `f${Object.is(value, -0) ? '-0' : String(value)}`
  return `${(typeof value).charAt(0)}${String(value)}`
}
