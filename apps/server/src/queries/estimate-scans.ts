// What running a bound statement would read, from metadata alone: the first steps of running it, up to the planned files.
// It opens no data file and seals nothing.
import type { EstimateResponse, TableEstimate } from '@lake/core/api/contract.ts'
import { fieldIdsOf } from '@lake/core/expr/predicate-fields.ts'
import { parseTransform } from '@lake/core/iceberg/transform.ts'
import { findField } from '@lake/core/iceberg/schema.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { findRowWise } from '../sql/pushdown.ts'
import type { StatementBinding } from './plan-query.ts'
import { neededBytesOf, nestedIds } from './plan-scan.ts'
import { plannedBytes, planTables, type PlannedTable } from './plan-tables.ts'
import type { QueryServices } from './query-services.ts'

/**
 * @throws what planning scans throws; not SCAN_TOO_LARGE, which the answer tells by its figures
 */
export async function estimateScans(
  { bound, pinned, requirements }: StatementBinding,
  services: QueryServices,
  signal: AbortSignal,
): Promise<EstimateResponse> {
  const tables = await planTables(pinned, requirements, services, signal)
  const rowWise = tables.length === 1 ? findRowWise(bound.plan) : undefined
  return {
    tables: tables.map(estimateTable),
    bytesNeeded: plannedBytes(tables, rowWise),
    bytesMax: services.scanBytesMax,
    rowsLimit: rowWise?.limit ?? null,
  }
}

function estimateTable(table: PlannedTable): TableEstimate {
  const { pinned, plan, requirement } = table
  return {
    ...pinned.receipt,
    scan: plan.report,
    rowsMax: plan.rowsMax,
    bytesNeeded: plan.neededBytes,
    isUpperBound: plan.tasks.some(({ file }) => file.columnSizes === undefined),
    columnsTotal: pinned.schema.fields.length,
    columns: columnBytes(table),
    unfilteredPartitionColumns:
      pinned.metadataTable === undefined ? unfilteredPartitionColumns(pinned, requirement) : [],
  }
}

/** Needed top-level columns with their bytes in the planned files, largest first. */
function columnBytes({ pinned, plan, requirement }: PlannedTable): TableEstimate['columns'] {
  const bytesIn = (tasks: readonly FileScanTask[], ids: readonly number[]): number | null =>
    tasks.some(({ file }) => file.columnSizes === undefined)
      ? null
      : tasks.reduce((sum, task) => sum + neededBytesOf(task, ids), 0)
  const columns = pinned.schema.fields
    .filter((_field, index) => requirement.columnIndexes.has(index))
    .map(({ id, name, type }) => ({ name, bytes: bytesIn(plan.tasks, [id, ...nestedIds(type)]) }))
  return columns.sort((left, right) => (right.bytes ?? 0) - (left.bytes ?? 0))
}

/** Source columns of the table's present partitioning that no filter looks at. */
function unfilteredPartitionColumns(
  { loaded: { metadata }, schema }: PlannedTable['pinned'],
  { predicate }: PlannedTable['requirement'],
): string[] {
  const spec = metadata.partitionSpecs.find(({ specId }) => specId === metadata.defaultSpecId)
  const filtered = new Set(fieldIdsOf(predicate))
  const sources = (spec?.fields ?? [])
    .filter(({ transform }) => !['void', 'unknown'].includes(parseTransform(transform).kind))
    .flatMap(({ sourceIds }) => sourceIds)
    .filter((id) => !filtered.has(id))
  const names = sources.flatMap((id) => findField(schema, id)?.path.join('.') ?? [])
  return [...new Set(names)]
}
