// Plans the scans of all tables of a statement, for running it and for saying what running it would read.
import { assertDefined } from '@lake/core/assert.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import type { RowWise, ScanRequirement } from '../sql/pushdown.ts'
import {
  isMetadataTable,
  metadataScanPlan,
  planMetadataScan,
  type MetadataScan,
} from './metadata-tables/plan-metadata-scan.ts'
import type { PinnedTable } from './pinned-table.ts'
import { planScan, type ScanPlan } from './plan-scan.ts'
import type { QueryServices } from './query-services.ts'

/** One table of the statement with all that its scan needs. */
export interface PlannedTable {
  readonly pinned: PinnedTable
  readonly requirement: ScanRequirement
  readonly plan: ScanPlan
  /** Set for a metadata table. */
  readonly metadataScan?: MetadataScan
}

/**
 * Plans in the order of `pinned`.
 * @throws what `planScan` throws
 */
export async function planTables(
  pinned: readonly PinnedTable[],
  requirements: readonly ScanRequirement[],
  services: Pick<QueryServices, 'openStorage' | 'pruning'>,
  signal: AbortSignal,
): Promise<PlannedTable[]> {
  return await mapConcurrently(
    pinned,
    LIMITS.filesFetchedAtOnceMax,
    async (table, itemSignal, index) => {
      const requirement = assertDefined(requirements[index], 'every pinned table has a requirement')
      const storage = services.openStorage(table.loaded)
      if (isMetadataTable(table)) {
        const metadataScan = await planMetadataScan(table, storage, itemSignal)
        return { pinned: table, requirement, plan: metadataScanPlan(metadataScan, storage), metadataScan }
      }
      const plan = await planScan(table, requirement, { storage, pruning: services.pruning }, itemSignal)
      return { pinned: table, requirement, plan }
    },
    signal,
  )
}

/**
 * Bytes of the needed columns that a statement reads at most, as manifests have them: of all planned files, or of the
 * first ones that hold as many rows as a LIMIT without a filter takes.
 */
export function plannedBytes(tables: readonly PlannedTable[], rowWise: RowWise | undefined): number {
  const [first] = tables
  const limited = first && rowWise && bytesWithin(first.plan, rowWise)
  return limited ?? tables.reduce((sum, { plan }) => sum + plan.neededBytes, 0)
}

/** undefined where a LIMIT does not say which files are enough. */
function bytesWithin({ tasks, neededBytesOf }: ScanPlan, { limit, isFiltered }: RowWise): number | undefined {
  if (limit === undefined || isFiltered) return undefined
  let [rowCount, bytes] = [0, 0]
  for (const task of tasks) {
    if (rowCount >= limit) break
    // How many rows deletes leave is not known yet.
    if (task.deletes.length > 0) return undefined
    rowCount += task.file.recordCount
    bytes += neededBytesOf(task)
  }
  return bytes
}
