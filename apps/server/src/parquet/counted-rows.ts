// A Parquet file of so many rows and nothing else, for statements that count the rows which manifests prove: the engine's
// optimizer takes `count(*)` from its footer and makes none of them, and whatever else a statement does with so many rows is
// done with so many rows. One text without letters in every row: a few bytes for each row group.
import { LIMITS } from '../limits.ts'
import { writeExcerptFile } from './excerpt-file.ts'
import { repeatedChunk } from './made-page.ts'
import type { ProjectedNode } from './projection.ts'

const ONE: ProjectedNode = {
  name: 'one',
  repetition: 'required',
  annotation: { kind: 'none' },
  leaf: { index: 0, physicalType: 'BYTE_ARRAY', lengthBytes: undefined },
  children: [],
}

/** False where there is no row, and for more than a footer tells in short. */
export function canBeCounted(rowCount: number): boolean {
  return rowCount > 0 && rowCount <= LIMITS.countedRowGroupsMax * LIMITS.countedRowGroupRows
}

/**
 * Returns the absolute path of the file.
 * @throws AppError BUSY when the disk is full
 */
export async function writeCountedRows(
  rowCount: number,
  target: { readonly directory: string; readonly name: string },
  signal: AbortSignal,
): Promise<string> {
  const groups = []
  for (let firstRow = 0; firstRow < rowCount; firstRow += LIMITS.countedRowGroupRows) {
    const rows = Math.min(LIMITS.countedRowGroupRows, rowCount - firstRow)
    const group = { firstRow, rowCount: rows, chunks: [repeatedChunk(new Uint8Array(), rows)] }
    groups.push({ group, deletedCount: 0, deletedPage: new Uint8Array() })
  }
  // Every chunk is made, so nothing is read.
  const reader = { readRanges: async () => await Promise.resolve() }
  return await writeExcerptFile(target, { nodes: [ONE], groups, hasDeletedRows: false }, reader, signal)
}
