// What pruning did, in the words of the table's columns: the account that estimates and receipts show. Pure.
import { formatPredicate, type NamedFields } from '@lake/core/expr/predicate-text.ts'
import type { PositivePredicate } from '@lake/core/expr/rewrite-not.ts'
import type { PruningReport } from '@lake/core/flight/receipt.ts'
import { indexFields, primitiveTypeOf } from '@lake/core/iceberg/schema.ts'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { ScanPruning } from '@lake/core/scan/table-scan.ts'
import type { UnusedFilter } from '../sql/unused-filter.ts'

/** Filters of one statement that are told apart; the rest is counted in the levels alone. */
const FILTERS_MAX = 32

export function describePruning(
  { manifests, partitions, metrics, withoutMetrics }: ScanPruning,
  conjuncts: readonly PositivePredicate[],
  unused: readonly UnusedFilter[],
  schema: Schema,
): PruningReport {
  const fields = indexFields(schema)
  const named: NamedFields = {
    nameOf: (fieldId) => fields.get(fieldId)?.path.join('.'),
    typeOf: (fieldId) => primitiveTypeOf(fields, fieldId),
  }
  return {
    manifests: manifests.count,
    partitions: partitions.count,
    metrics: metrics.count,
    filters: conjuncts.slice(0, FILTERS_MAX).map((conjunct, index) => ({
      text: formatPredicate(conjunct, named),
      manifests: manifests.byConjunct[index] ?? 0,
      partitions: partitions.byConjunct[index] ?? 0,
      metrics: metrics.byConjunct[index] ?? 0,
      withoutMetrics: withoutMetrics[index] ?? 0,
    })),
    unused: unused.slice(0, FILTERS_MAX),
  }
}
