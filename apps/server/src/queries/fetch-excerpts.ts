// Turns file scan tasks into excerpts on local disk, a bounded number at a time, and into the views over them.
import { randomUUID } from 'node:crypto'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { writeAvroExcerpt } from '../avro/avro-excerpt.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import type { EqualityDeletes, ScanExcerpt, ScanView } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { writeExcerpt } from '../parquet/excerpt-writer.ts'
import type { PinnedTable } from './pinned-table.ts'
import type { QueryServices } from './query-services.ts'
import type { RunProgress } from './run-progress.ts'
import type { PlannedTable } from './plan-tables.ts'
import type { TableDeletes } from './statement-deletes.ts'

export interface FetchContext {
  readonly services: Pick<QueryServices, 'chunkCache' | 'footerGuesses' | 'pruning'>
  readonly directory: string
  readonly progress: RunProgress
  /** By table. */
  readonly deletes: readonly TableDeletes[]
}

/** Excerpts in the order of `tasks`. Each is counted in the progress as soon as it is there. */
export async function fetchExcerpts(
  table: PlannedTable,
  tableIndex: number,
  tasks: readonly FileScanTask[],
  context: FetchContext,
  signal: AbortSignal,
): Promise<ScanExcerpt[]> {
  const { pinned, requirement, plan } = table
  const withKeys = new Set([...requirement.columnIndexes, ...(plan.equality?.keyIndexes ?? [])])
  const footerGuess = context.services.footerGuesses.of(pinned.loaded.metadata.location)
  // Requests of few files are all in flight at once; of many they queue, and fewer of them cost less than bytes do.
  const hasFewFiles = plan.tasks.length <= LIMITS.filesFetchedAtOnceMax
  const gapShareMax = hasFewFiles ? LIMITS.rangeGapShareMax : LIMITS.rangeGapShareOfManyFilesMax
  return await mapConcurrently(
    tasks,
    LIMITS.filesFetchedAtOnceMax,
    async (task, itemSignal) => {
      const deleted = await context.deletes[tableIndex]?.positionsOf(task)
      const place = plan.equality?.placeOf(task)
      // Without a column to read, the number of rows is all there is to know of a file.
      if (requirement.columnIndexes.size === 0 && place === undefined) {
        const { recordCount } = task.file
        const rowCount = recordCount - (deleted?.select(0, recordCount).deletedCount ?? 0)
        return { path: undefined, rowCount, columns: new Map() }
      }
      const write = task.file.format === 'avro' ? writeAvroExcerpt : writeExcerpt
      const outcome = await write(
        {
          task,
          deleted,
          schema: plan.equality?.schema ?? pinned.schema,
          nameMapping: plan.nameMapping,
          columnIndexes: place ? withKeys : requirement.columnIndexes,
          predicate: context.services.pruning?.rowGroups === false ? ALWAYS_TRUE : requirement.predicate,
          store: plan.storage.store,
          uri: plan.storage.paths.canonicalUri(task.file.path),
          partitionSpec: plan.specOf(task.file.specId),
          directory: context.directory,
          name: `${tableIndex}-${randomUUID()}`,
          cache: context.services.chunkCache,
          footerGuess,
          gapShareMax,
        },
        itemSignal,
      )
      context.progress.addFile(tableIndex, outcome)
      return { ...outcome.excerpt, place }
    },
    signal,
  )
}

export function excerptScan(
  { pinned, requirement }: PlannedTable,
  excerpts: readonly ScanExcerpt[],
  equalityDeletes: readonly EqualityDeletes[],
): ScanView {
  return {
    table: pinned.engineTable,
    columnIndexes: requirement.columnIndexes,
    source: { kind: 'excerpts', excerpts, equalityDeletes },
  }
}

/** A view of no rows in which every column may be read, for finding the schema of a result. */
export function emptyScan(pinned: PinnedTable): ScanView {
  const columnIndexes = new Set(pinned.engineTable.columns.keys())
  return { table: pinned.engineTable, columnIndexes, source: { kind: 'excerpts', excerpts: [] } }
}
