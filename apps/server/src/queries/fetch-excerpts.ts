// Turns file scan tasks into excerpts on local disk, a bounded number at a time, and into the views over them.
import { randomUUID } from 'node:crypto'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { writeAvroExcerpt } from '../avro/avro-excerpt.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import type { EqualityDeletes, ScanExcerpt, ScanView } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import { writeExcerpt, type ExcerptRequest } from '../parquet/excerpt-writer.ts'
import { canBeMade, writeMadeExcerpt } from '../parquet/made-excerpt.ts'
import type { WantedRows } from '../parquet/wanted-rows.ts'
import { isOfManifest, type ReservedRequest } from '../parquet/reserved-column.ts'
import { partitionStruct } from './metadata-tables/partition-struct.ts'
import type { PinnedTable } from './pinned-table.ts'
import { namingFile } from './delete-file-access.ts'
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
  /** What need not be gone beyond in any one file; all rows where it is absent. */
  readonly wanted?: WantedRows | undefined
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
  const requestOf = prepareRequests(table, tableIndex, context)
  return await mapConcurrently(
    tasks,
    LIMITS.filesFetchedAtOnceMax,
    async (task, itemSignal) => {
      const deleted = await context.deletes[tableIndex]?.positionsOf(task)
      const place = plan.equality?.placeOf(task)
      // Without a column to read, the number of rows is all there is to know of a file.
      if (requirement.columnIndexes.size === 0 && place === undefined) {
        const { recordCount } = task.file
        const rowCount = recordCount - (deleted?.count(0, recordCount) ?? 0)
        return { path: undefined, rowCount, columns: new Map() }
      }
      const columnIndexes = place ? withKeys : requirement.columnIndexes
      // How many rows equality deletes leave is known when they have been compared.
      const wanted = place && context.wanted ? { ...context.wanted, rowsMax: Infinity } : context.wanted
      const request: ExcerptRequest = { ...requestOf(task), deleted, columnIndexes, wanted }
      if (
        [...columnIndexes].every((index) => isOfManifest(pinned.reserved.get(index))) &&
        canBeMade(request)
      ) {
        return { ...(await writeMadeExcerpt(request, itemSignal)).excerpt, place }
      }
      const write = task.file.format === 'avro' ? writeAvroExcerpt : writeExcerpt
      const outcome = await namingFile('Data file', task.file, write(request, itemSignal))
      context.progress.addFile(tableIndex, outcome)
      return { ...outcome.excerpt, place }
    },
    signal,
  )
}

/** What the requests of all files of a scan have in common. */
function prepareRequests(
  { pinned, requirement, plan }: PlannedTable,
  tableIndex: number,
  { services, directory }: FetchContext,
): (task: FileScanTask) => Omit<ExcerptRequest, 'columnIndexes'> {
  const { metadata } = pinned.loaded
  // Requests of few files are all in flight at once; of many they queue, and fewer of them cost less than bytes do.
  const hasFewFiles = plan.tasks.length <= LIMITS.filesFetchedAtOnceMax
  const common = {
    schema: plan.equality?.schema ?? pinned.schema,
    reserved: pinned.reserved.size > 0 ? reservedRequest(pinned) : undefined,
    nameMapping: plan.nameMapping,
    predicate: services.pruning?.rowGroups === false ? ALWAYS_TRUE : requirement.predicate,
    store: plan.storage.store,
    directory,
    cache: services.chunkCache,
    footerGuess: services.footerGuesses.of(metadata.location),
    gapShareMax: hasFewFiles ? LIMITS.rangeGapShareMax : LIMITS.rangeGapShareOfManyFilesMax,
  }
  return (task) => ({
    ...common,
    task,
    uri: plan.storage.paths.canonicalUri(task.file.path),
    partitionSpec: plan.specOf(task.file.specId),
    name: `${tableIndex}-${randomUUID()}`,
  })
}

function reservedRequest({ reserved, loaded, tableSchema }: PinnedTable): ReservedRequest {
  const { toTexts } = partitionStruct(loaded.metadata, tableSchema)
  return { columns: reserved, partitionTexts: ({ file }) => toTexts(file.partition) }
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
