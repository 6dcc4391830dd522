// Positions of deleted rows by task: from a deletion vector, or from all position delete files that apply. A file that
// applies to many tasks is read when the first of them needs it, and sorted into one set for each.
import { AppError } from '@lake/core/errors.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import { isDeletionVector, type SequencedFile } from '@lake/core/scan/delete-file-index.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { createPositionSet, type PositionSet } from '@lake/core/scan/position-set.ts'
import { createStoresByName, deletesElsewhere } from '@lake/core/scan/stores-by-name.ts'
import { readAvroPositionDeletes } from '../avro/avro-position-deletes.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import { readPositionDeletes } from '../parquet/position-delete-file.ts'
import type { TablePaths } from '../storage/table-paths.ts'
import { namingFile, once, openDeleteFile, type DeleteFileAccess } from './delete-file-access.ts'
import { readDeletionVectors } from './read-deletion-vectors.ts'

export type PositionsOf = (task: FileScanTask) => Promise<PositionSet | undefined>

const isByPosition = ({ file }: SequencedFile): boolean => file.content === 'position-deletes'

/** @param signal ends all reading, whichever task waits for it */
export function createPositionReader(access: DeleteFileAccess, signal: AbortSignal): PositionsOf {
  const { tasks } = access.table.plan
  const tasksByDelete = indexTasks(tasks)
  const takePositions = createBudget()
  const sets = new Map<FileScanTask, PositionSet>()
  const setOf = (task: FileScanTask): PositionSet => {
    const set = sets.get(task) ?? createPositionSet()
    sets.set(task, set)
    return set
  }
  const readFile = once(async (deletion: SequencedFile): Promise<void> => {
    const applicable = tasksByDelete.get(deletion) ?? []
    const targets = new Map(applicable.map((task) => [task.file.path, setOf(task)]))
    await readFileInto(targets, deletion.file, { access, takePositions }, signal)
  })
  const vectorsByPath = Map.groupBy(
    [...tasksByDelete.keys()].map(({ file }) => file).filter(isDeletionVector),
    ({ path }) => path,
  )
  const readVectors = once(async (path: string): Promise<ReadonlyMap<DataFile, PositionSet>> => {
    const [first, ...others] = vectorsByPath.get(path) ?? []
    if (!first) return new Map()
    const vectors = [first, ...others]
    takePositions(vectors.reduce((sum, { recordCount }) => sum + recordCount, 0))
    const reader = openDeleteFile(access, first)
    const positions = await readDeletionVectors(reader, vectors, signal)
    access.progress.addDeleteFiles(access.tableIndex, vectors.length, reader)
    return positions
  })

  return async (task) => {
    const byPosition = task.deletes.filter(isByPosition)
    const vector = byPosition.find(({ file }) => isDeletionVector(file))?.file
    if (vector) return (await readVectors(vector.path)).get(vector)
    if (byPosition.length === 0) return undefined
    await mapConcurrently(byPosition, LIMITS.deleteFilesReadAtOnceMax, readFile, signal)
    return setOf(task)
  }
}

/** @param targets by path of the data file as the manifest has it */
async function readFileInto(
  targets: ReadonlyMap<string, PositionSet>,
  file: DataFile,
  {
    access,
    takePositions,
  }: { readonly access: DeleteFileAccess; readonly takePositions: (count: number) => void },
  signal: AbortSignal,
): Promise<void> {
  const { paths } = access.table.plan.storage
  const byUri = new Map([...targets].map(([path, target]) => [paths.canonicalUri(path), target]))
  const targetOf = createPathLookup(paths, byUri)
  const take = (path: string, position: number): void => {
    const target = targetOf(path)
    if (!target) return
    takePositions(1)
    try {
      target.add(position)
    } catch (cause) {
      throw new AppError('TABLE_CORRUPT', 'It holds a position that no row has', { cause })
    }
  }
  const reader = openDeleteFile(access, file)
  const reading =
    file.format === 'avro'
      ? readAvroPositionDeletes(reader, file, take, signal)
      : readPositionDeletes(reader, file.fileSizeBytes, take, signal)
  await namingFile('Delete file', file, reading)
  access.progress.addDeleteFiles(access.tableIndex, 1, reader)
}

function createBudget(): (count: number) => void {
  let left: number = LIMITS.deletedPositionsMax
  return (count) => {
    left -= count
    if (left >= 0) return
    throw new AppError(
      'SCAN_TOO_LARGE',
      `The statement needs the positions of more than ${LIMITS.deletedPositionsMax} deleted rows`,
    )
  }
}

/** By delete file, those by equality left out. */
function indexTasks(tasks: readonly FileScanTask[]): ReadonlyMap<SequencedFile, readonly FileScanTask[]> {
  const index = new Map<SequencedFile, FileScanTask[]>()
  // Tasks share lists of very many equality deletes.
  const byList = new Map<FileScanTask['deletes'], readonly SequencedFile[]>()
  for (const task of tasks) {
    const positions = byList.get(task.deletes) ?? task.deletes.filter(isByPosition)
    byList.set(task.deletes, positions)
    for (const deletion of positions) {
      const known = index.get(deletion)
      if (known) known.push(task)
      else index.set(deletion, [task])
    }
  }
  return index
}

/**
 * Paths come in long runs. One that is no path of a store, or is one of another kind of store, names no file of the table,
 * unless its last segment is that of a data file: the file may be known there by another path, as in a table that was moved,
 * and passing over it could show a deleted row.
 */
function createPathLookup<Target>(
  paths: TablePaths,
  targets: ReadonlyMap<string, Target>,
): (path: string) => Target | undefined {
  const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  const fileNames = new Set([...targets.keys()].map(lastSegment))
  const stores = createStoresByName()
  for (const uri of targets.keys()) stores.add(uri)
  const uriOf = (path: string): string | undefined => {
    try {
      return paths.canonicalUri(path)
    } catch (error) {
      if (error instanceof AppError && !fileNames.has(lastSegment(path))) return undefined
      throw error
    }
  }
  const find = (path: string): Target | undefined => {
    const uri = uriOf(path)
    if (uri !== undefined && stores.isElsewhere(uri)) throw deletesElsewhere(path)
    return uri === undefined ? undefined : targets.get(uri)
  }
  let last: { readonly path: string; readonly target: Target | undefined } | undefined
  return (path) => {
    if (last?.path !== path) last = { path, target: find(path) }
    return last.target
  }
}
