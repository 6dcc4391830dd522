// What is known of reserved columns over the rows of a file before it is opened. Nothing of the lineage columns: a file may
// have values of its own for some of its rows.
import type { ColumnMetrics } from '../expr/inclusive-metrics-evaluator.ts'
import type { DataFile } from '../iceberg/manifest.ts'
import { RESERVED_COLUMNS } from '../iceberg/reserved-columns.ts'
import type { PrimitiveType } from '../iceberg/types.ts'

const BY_ID = new Map(RESERVED_COLUMNS.map((column) => [column.fieldId, column]))

export interface KnownColumn {
  readonly type: PrimitiveType
  readonly metrics: ColumnMetrics
}

/** undefined for a field that is not reserved, and where nothing is known. */
export function reservedMetrics(
  fieldId: number,
  { path, specId, recordCount }: Pick<DataFile, 'path' | 'specId' | 'recordCount'>,
): KnownColumn | undefined {
  const column = BY_ID.get(fieldId)
  switch (column?.name) {
    case '_file':
      return { type: { kind: 'string' }, metrics: { nullCount: 0, lower: path, upper: path } }
    case '_spec_id':
      return {
        type: { kind: 'int' },
        metrics: { nullCount: 0, lower: BigInt(specId), upper: BigInt(specId) },
      }
    case '_pos':
      return positionMetrics(0, recordCount)
    default:
      return undefined
  }
}

/** Of the rows at positions `[firstRow, firstRow + rowCount)`. */
export function positionMetrics(firstRow: number, rowCount: number): KnownColumn {
  const metrics = { nullCount: 0, lower: BigInt(firstRow), upper: BigInt(firstRow + rowCount) - 1n }
  return { type: { kind: 'long' }, metrics }
}
