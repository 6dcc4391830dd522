// What the readers of delete files share: where the files are, who counts the reading, and reading once.
import { AppError } from '@lake/core/errors.ts'
import type { DataFile } from '@lake/core/iceberg/manifest.ts'
import { createFileReader, type FileReader } from '../parquet/file-reader.ts'
import type { QueryServices } from './query-services.ts'
import type { RunProgress } from './run-progress.ts'
import type { PlannedTable } from './plan-tables.ts'

export interface DeletesContext {
  readonly services: Pick<QueryServices, 'chunkCache'>
  readonly directory: string
  readonly progress: RunProgress
}

/** One table of a statement, as the readers of its delete files need it. */
export interface DeleteFileAccess extends DeletesContext {
  readonly table: PlannedTable
  readonly tableIndex: number
}

export function openDeleteFile({ table, services }: DeleteFileAccess, file: DataFile): FileReader {
  const { store, paths } = table.plan.storage
  const { path, fileSizeBytes } = file
  return createFileReader({
    store,
    uri: paths.canonicalUri(path),
    fileSizeBytes,
    cache: services.chunkCache,
  })
}

/** Runs `work` once per key; later callers share its outcome. */
export function once<Key, Result>(work: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  const running = new Map<Key, Promise<Result>>()
  return async (key) => {
    let outcome = running.get(key)
    if (!outcome) {
      outcome = work(key)
      outcome.catch(() => undefined)
      running.set(key, outcome)
    }
    return await outcome
  }
}

/** Says which file was found to be wrong. */
export async function namingFile<Result>(
  kind: 'Data file' | 'Delete file',
  { path }: DataFile,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'TABLE_CORRUPT') throw error
    throw new AppError('TABLE_CORRUPT', `${kind} ${path}: ${error.message}`, { cause: error })
  }
}
