// Previews of tables, kept to come back to: a snapshot does not change, and neither do its first rows.
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import { sqlTableName, type TableName } from '../api/table-name.ts'
import { PREVIEW_ROWS_MAX, PREVIEWS_KEPT_MAX } from '../limits.ts'
import { QueryRun } from './query-run.ts'

/** In order of use: the first is the one used longest ago. */
const kept = new Map<string, QueryRun>()

/** The run of a table's first rows as of a snapshot: the one that is kept, where it has not failed, or a new one. */
export function previewRun(name: TableName, { snapshotId }: SnapshotInfo): QueryRun {
  const key = JSON.stringify([name.namespace, name.table, snapshotId])
  const known = kept.get(key)
  const isUsable = known !== undefined && !['failed', 'stopped'].includes(known.snapshot.state.kind)
  const run = isUsable ? known : startPreview(name, snapshotId)
  if (!isUsable) known?.close()
  kept.delete(key)
  kept.set(key, run)
  for (const [oldest, old] of kept) {
    if (kept.size <= PREVIEWS_KEPT_MAX) break
    old.leave()
    old.close()
    kept.delete(oldest)
  }
  return run
}

function startPreview(name: TableName, snapshotId: string): QueryRun {
  const run = new QueryRun({
    tabId: 'preview',
    sql: `SELECT *\nFROM ${sqlTableName(name)}\nLIMIT ${PREVIEW_ROWS_MAX}`,
    startOffset: 0,
    startLine: 1,
    pins: [{ namespace: [...name.namespace], table: name.table, snapshotId }],
    isPreview: true,
  })
  void run.start()
  return run
}
