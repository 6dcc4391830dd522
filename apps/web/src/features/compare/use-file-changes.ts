// Runs the statement that compares the files of two snapshots. Snapshots do not change, so neither does the answer.
import { useQuery } from '@tanstack/react-query'
import type { TableName } from '../../api/table-name.ts'
import { QueryRun, type RunSnapshot } from '../../query-run/query-run.ts'
import {
  fileChangesSql,
  readFileChanges,
  type ComparedSnapshots,
  type PartitionChange,
} from './file-changes.ts'

export interface FileChanges {
  changes: PartitionChange[]
  /** How the statement went: what the receipt's line is made from. */
  run: RunSnapshot
}

async function loadFileChanges(sql: string, signal: AbortSignal): Promise<FileChanges> {
  const run = new QueryRun({ tabId: '', sql, startOffset: 0, startLine: 1, pins: [] })
  signal.addEventListener('abort', () => void run.stop(), { once: true })
  await run.start()
  const { state } = run.snapshot
  if (state.kind === 'failed') throw state.error
  if (state.kind !== 'finished') throw new DOMException('The comparison was left.', 'AbortError')
  const changes = readFileChanges(run.buffer)
  run.close()
  return { changes, run: run.snapshot }
}

export function useFileChanges(name: TableName, snapshots: ComparedSnapshots, isPartitioned: boolean | null) {
  return useQuery({
    queryKey: ['file-changes', name.namespace, name.table, snapshots.older, snapshots.newer],
    queryFn: ({ signal }) => loadFileChanges(fileChangesSql(name, snapshots, isPartitioned === true), signal),
    enabled: isPartitioned !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
