// Evaluates a projected predicate on a manifest's field summaries and on the partition tuple of one file.
// Inclusive, like all evaluators here: false is a proof. Rules EX and SP in SPEC.md.
import { decodeBound } from '../iceberg/literal.ts'
import type { DataFile, FieldSummary } from '../iceberg/manifest.ts'
import { isReliablePartitionValue } from '../iceberg/transform.ts'
import type { LiteralValue } from '../iceberg/types.ts'
import { mightMatchMetrics } from './inclusive-metrics-evaluator.ts'
import type { ColumnMetrics } from './inclusive-metrics-evaluator.ts'
import type { TypedPartitionField } from './partition-types.ts'
import type { Predicate } from './predicate.ts'

/**
 * True unless no file of the manifest can hold a matching row.
 *
 * @param projected by `projectInclusive` with the same fields
 * @param summaries of the manifest, positional by its spec; undefined: nothing is known
 */
export function mightMatchManifest(
  projected: Predicate,
  fields: readonly TypedPartitionField[],
  summaries: readonly FieldSummary[] | undefined,
): boolean {
  // A list of another length cannot be matched to the spec's fields.
  if (!summaries || summaries.length !== fields.length) return true
  const metricsOf = (fieldId: number): ColumnMetrics | undefined => {
    const index = fields.findIndex((field) => field.fieldId === fieldId)
    const [field, summary] = [fields[index], summaries[index]]
    return field && summary && metricsOfSummary(field, summary)
  }
  return mightMatchMetrics(projected, metricsOf, typeLookup(fields))
}

/** True unless the file's partition tuple rules out every matching row. */
export function mightMatchPartition(
  projected: Predicate,
  fields: readonly TypedPartitionField[],
  partition: DataFile['partition'],
): boolean {
  const metricsOf = (fieldId: number): ColumnMetrics | undefined => {
    const value = partition.get(fieldId)
    const field = fields.find((candidate) => candidate.fieldId === fieldId)
    return value === undefined || !field ? undefined : metricsOfValue(field, value)
  }
  return mightMatchMetrics(projected, metricsOf, typeLookup(fields))
}

function typeLookup(fields: readonly TypedPartitionField[]) {
  return (fieldId: number) => fields.find((field) => field.fieldId === fieldId)?.resultType
}

function metricsOfSummary(field: TypedPartitionField, summary: FieldSummary): ColumnMetrics | undefined {
  const { resultType } = field
  if (!resultType) return undefined
  const decode = (bytes: Uint8Array | undefined): LiteralValue | undefined =>
    bytes === undefined ? undefined : decodeBound(resultType, bytes)
  const lower = decode(summary.lowerBound)
  const upper = decode(summary.upperBound)
  const isEmpty = summary.lowerBound === undefined && summary.upperBound === undefined
  // Seen in the wild: a summary that says nothing at all, though files have values. It is no evidence of no nulls.
  if (isEmpty && !summary.containsNull && summary.containsNan === undefined) return undefined
  return {
    nullCount: summary.containsNull ? undefined : 0,
    nanCount: summary.containsNan === false ? 0 : undefined,
    ...(areBoundsReliable(field, lower, upper) ? { lower, upper } : {}),
  }
}

function areBoundsReliable(
  field: TypedPartitionField,
  lower: LiteralValue | undefined,
  upper: LiteralValue | undefined,
): boolean {
  const { sourceType, transform } = field
  // Java orders UUIDs as signed numbers in summaries.
  if (!sourceType || sourceType.kind === 'uuid') return transform.kind === 'bucket'
  return [lower, upper].every(
    (bound) => bound === undefined || isReliablePartitionValue(transform, sourceType, bound),
  )
}

function metricsOfValue(field: TypedPartitionField, value: LiteralValue | null): ColumnMetrics | undefined {
  if (value === null) return { valueCount: 1, nullCount: 1, nanCount: 0 }
  if (typeof value === 'number' && Number.isNaN(value)) return { valueCount: 1, nullCount: 0, nanCount: 1 }
  const isReliable = field.sourceType && isReliablePartitionValue(field.transform, field.sourceType, value)
  const bounds = isReliable ? { lower: value, upper: value } : {}
  return { valueCount: 1, nullCount: 0, nanCount: 0, ...bounds }
}
