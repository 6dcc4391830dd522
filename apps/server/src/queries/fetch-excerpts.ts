// Turns file scan tasks into excerpts on local disk, a bounded number at a time, and into the views over them.
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import type { ScanView } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import type { Excerpt } from '../parquet/excerpt.ts'
import { writeExcerpt } from '../parquet/excerpt-writer.ts'
import type { PinnedTable } from './pinned-table.ts'
import type { QueryServices } from './query-services.ts'
import type { RunProgress } from './run-progress.ts'
import type { PlannedTable } from './run-query.ts'

export interface FetchContext {
  readonly services: Pick<QueryServices, 'chunkCache' | 'footerGuesses'>
  readonly directory: string
  readonly progress: RunProgress
}

/** Excerpts in the order of `tasks`. Each is counted in the progress as soon as it is there. */
export async function fetchExcerpts(
  table: PlannedTable,
  tableIndex: number,
  tasks: readonly FileScanTask[],
  context: FetchContext,
  signal: AbortSignal,
): Promise<Excerpt[]> {
  const { pinned, requirement, plan } = table
  const footerGuess = context.services.footerGuesses.of(pinned.loaded.metadata.location)
  return await mapConcurrently(
    tasks,
    LIMITS.filesFetchedAtOnceMax,
    async (task, itemSignal) => {
      const outcome = await writeExcerpt(
        {
          task,
          schema: pinned.schema,
          nameMapping: plan.nameMapping,
          columnIndexes: requirement.columnIndexes,
          predicate: requirement.predicate,
          store: plan.storage.store,
          uri: plan.storage.paths.canonicalUri(task.file.path),
          partitionSpec: plan.specOf(task.file.specId),
          directory: context.directory,
          name: `${tableIndex}-${plan.tasks.indexOf(task)}`,
          cache: context.services.chunkCache,
          footerGuess,
        },
        itemSignal,
      )
      context.progress.addFile(tableIndex, outcome)
      return outcome.excerpt
    },
    signal,
  )
}

export function excerptScan({ pinned, requirement }: PlannedTable, excerpts: readonly Excerpt[]): ScanView {
  return {
    table: pinned.engineTable,
    columnIndexes: requirement.columnIndexes,
    source: { kind: 'excerpts', excerpts },
  }
}

/** A view of no rows in which every column may be read, for finding the schema of a result. */
export function emptyScan(pinned: PinnedTable): ScanView {
  const columnIndexes = new Set(pinned.engineTable.columns.keys())
  return { table: pinned.engineTable, columnIndexes, source: { kind: 'excerpts', excerpts: [] } }
}
