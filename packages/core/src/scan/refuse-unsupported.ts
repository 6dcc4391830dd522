// Refuses a scan that holds anything which is not read, before any data file is opened: half an answer is none.
import { AppError } from '../errors.ts'
import type { DataFile } from '../iceberg/manifest.ts'
import { isDeletionVector } from './delete-file-index.ts'
import type { FileScanTask } from './file-scan-task.ts'

/**
 * @param checked lists of deletes that were looked at: tasks share them
 * @param table its full name, for the error's details
 * @throws AppError TABLE_UNSUPPORTED naming the table and the first feature found, in the order of tasks
 */
export function refuseUnsupported(
  tasks: readonly FileScanTask[],
  table: string,
  checked = new Set<FileScanTask['deletes']>(),
): void {
  for (const { file, deletes } of tasks) {
    const feature = unsupportedFeature({ file, deletes: checked.has(deletes) ? [] : deletes })
    checked.add(deletes)
    if (feature === undefined) continue
    throw new AppError('TABLE_UNSUPPORTED', `The table ${table} uses ${feature}, which is not read`, {
      details: { table, feature },
    })
  }
}

function unsupportedFeature({ file, deletes }: Pick<FileScanTask, 'file' | 'deletes'>): string | undefined {
  // A data file's own bytes say whether it is encrypted; some writers set key metadata on plain ones.
  if (deletes.some((deletion) => deletion.file.hasKeyMetadata)) return 'encryption'
  if (!isReadable(file)) return `${file.format} data files`
  const foreign = deletes.find((deletion) => !isReadable(deletion.file) && !isDeletionVector(deletion.file))
  return foreign && `${foreign.file.format} ${foreign.file.content.replace('-', ' ')}`
}

function isReadable({ format }: DataFile): boolean {
  return format === 'parquet' || format === 'avro'
}
