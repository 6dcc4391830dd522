// The excerpt of a data file of which nothing is read: all columns are reserved ones that its manifest tells.
import type { ExcerptOutcome, ExcerptRequest } from './excerpt-writer.ts'
import { resolveColumns, writeRowGroups } from './excerpt-writer.ts'
import { createFileReader } from './file-reader.ts'
import type { RowGroup } from './parquet-metadata.ts'
import { LIMITS } from '../limits.ts'

/** False for a file with more rows than are taken on a manifest's word; its footer says how many there are. */
export function canBeMade({ task }: Pick<ExcerptRequest, 'task'>): boolean {
  return task.file.recordCount <= LIMITS.madeRowsMax
}

/** @throws AppError BUSY when the disk is full */
export async function writeMadeExcerpt(
  request: ExcerptRequest,
  signal: AbortSignal,
): Promise<ExcerptOutcome> {
  const { recordCount, fileSizeBytes } = request.task.file
  const kept: RowGroup[] = []
  for (let firstRow = 0; firstRow < recordCount; firstRow += LIMITS.madeRowGroupRows) {
    kept.push({ firstRow, rowCount: Math.min(LIMITS.madeRowGroupRows, recordCount - firstRow), chunks: [] })
  }
  const resolved = resolveColumns(request, { columns: [], leafCount: 0, hasFieldIds: true })
  const reader = createFileReader({ store: request.store, uri: request.uri, fileSizeBytes })
  return await writeRowGroups(request, resolved, { reader, kept, rowGroupsTotal: 0 }, signal)
}
