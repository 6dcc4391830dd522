// Which files came and went between two snapshots, by partition: a statement over the table's files at both, so that the
// answer is exact and can be looked at as SQL.
import { sqlTableName, type TableName } from '../../api/table-name.ts'
import { COMPARED_PARTITIONS_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'

export interface ComparedSnapshots {
  older: string
  newer: string
}

/** Files and rows of one partition that one of the two snapshots has and the other has not. */
export interface PartitionChange {
  /** As the engine writes the partition's values; null for a table without partitions. */
  partition: string | null
  filesAdded: bigint
  filesRemoved: bigint
  rowsAdded: bigint
  rowsRemoved: bigint
  bytesAdded: bigint
  bytesRemoved: bigint
  deleteFilesAdded: bigint
  deleteFilesRemoved: bigint
}

const MEASURES = [
  ['files', 'count(*)', 'content = 0'],
  ['rows', 'sum(record_count)', 'content = 0'],
  ['bytes', 'sum(file_size_in_bytes)', 'content = 0'],
  ['delete_files', 'count(*)', 'content <> 0'],
] as const

/** Rows by partition, those with the most changed rows first; at most COMPARED_PARTITIONS_MAX and one more. */
export function fileChangesSql(
  name: TableName,
  { older, newer }: ComparedSnapshots,
  isPartitioned: boolean,
): string {
  const files = sqlTableName({ ...name, table: `${name.table}$files` })
  const columns = ['content', 'file_path', 'content_offset', 'record_count', 'file_size_in_bytes']
  const side = (snapshotId: string): string =>
    `SELECT ${[...columns, ...(isPartitioned ? ['partition'] : [])].join(', ')}\n  FROM ${files} AT (VERSION => ${snapshotId})`
  const measure = (label: string, aggregate: string, filter: string, kind: 'added' | 'removed'): string =>
    `coalesce(${aggregate} FILTER (WHERE change = '${kind}' AND ${filter}), 0)::BIGINT AS ${label}_${kind}`
  const measures = MEASURES.flatMap(([label, aggregate, filter]) => [
    measure(label, aggregate, filter, 'added'),
    measure(label, aggregate, filter, 'removed'),
  ])
  return `WITH older AS (
  ${side(older)}
), newer AS (
  ${side(newer)}
), changed AS (
  SELECT 'added' AS change, * FROM newer ANTI JOIN older
    ON newer.file_path = older.file_path AND newer.content_offset IS NOT DISTINCT FROM older.content_offset
  UNION ALL
  SELECT 'removed' AS change, * FROM older ANTI JOIN newer
    ON newer.file_path = older.file_path AND newer.content_offset IS NOT DISTINCT FROM older.content_offset
)
SELECT ${isPartitioned ? 'CAST(partition AS VARCHAR)' : 'CAST(NULL AS VARCHAR)'} AS partition,
  ${measures.join(',\n  ')}
FROM changed
GROUP BY 1
ORDER BY rows_added + rows_removed DESC, 1
LIMIT ${COMPARED_PARTITIONS_MAX + 1}`
}

/** The rows of `fileChangesSql`'s answer. */
export function readFileChanges(buffer: ResultBuffer): PartitionChange[] {
  return Array.from({ length: buffer.rowCount }, (_, row) => {
    const position = buffer.locate(row)
    const value = (column: number): unknown =>
      position === null ? null : position.batch.getChildAt(column)?.get(position.index)
    const count = (column: number): bigint => {
      const read = value(column)
      return typeof read === 'bigint' ? read : 0n
    }
    const partition = value(0)
    return {
      partition: typeof partition === 'string' ? partition : null,
      filesAdded: count(1),
      filesRemoved: count(2),
      rowsAdded: count(3),
      rowsRemoved: count(4),
      bytesAdded: count(5),
      bytesRemoved: count(6),
      deleteFilesAdded: count(7),
      deleteFilesRemoved: count(8),
    }
  })
}

/** The sums over all partitions. */
export function totalChange(changes: readonly PartitionChange[]): PartitionChange {
  const sum = (key: Exclude<keyof PartitionChange, 'partition'>): bigint =>
    changes.reduce((total, change) => total + change[key], 0n)
  return {
    partition: null,
    filesAdded: sum('filesAdded'),
    filesRemoved: sum('filesRemoved'),
    rowsAdded: sum('rowsAdded'),
    rowsRemoved: sum('rowsRemoved'),
    bytesAdded: sum('bytesAdded'),
    bytesRemoved: sum('bytesRemoved'),
    deleteFilesAdded: sum('deleteFilesAdded'),
    deleteFilesRemoved: sum('deleteFilesRemoved'),
  }
}

/** `{'day': 2026-09-01}` as `day = 2026-09-01`; a table without partitions is one of all rows. */
export function partitionText(partition: string | null): string {
  if (partition === null) return 'whole table'
  const isStruct = partition.startsWith('{') && partition.endsWith('}')
  return isStruct ? partition.slice(1, -1).replaceAll(/(^|, )'([^']*)': /g, '$1$2 = ') : partition
}
