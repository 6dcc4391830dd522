// The summary of a snapshot: what it added and removed, and the totals since. For people and for engines that show it;
// never a source of truth. Source: table spec, "Optional Snapshot Summary Fields".
import type { DataFile } from './manifest-files.ts'

type Counts = Record<string, bigint>

export function snapshotSummary(
  operation: string,
  change: { readonly added: readonly DataFile[]; readonly removed: readonly DataFile[] },
  previous: Readonly<Record<string, string>>,
): Record<string, string> {
  const added = countFiles(change.added)
  const removed = countFiles(change.removed)
  const summary: Record<string, string> = { operation }
  const put = (key: string, count: bigint): void => {
    if (count > 0n) summary[key] = String(count)
  }
  put('added-data-files', added['data-files'] ?? 0n)
  put('added-records', added['records'] ?? 0n)
  put('added-delete-files', added['delete-files'] ?? 0n)
  put('added-position-deletes', added['position-deletes'] ?? 0n)
  put('added-files-size', added['files-size'] ?? 0n)
  put('deleted-data-files', removed['data-files'] ?? 0n)
  put('deleted-records', removed['records'] ?? 0n)
  put('removed-delete-files', removed['delete-files'] ?? 0n)
  put('removed-position-deletes', removed['position-deletes'] ?? 0n)
  put('removed-files-size', removed['files-size'] ?? 0n)
  for (const key of ['data-files', 'records', 'delete-files', 'position-deletes', 'files-size']) {
    const before = BigInt(previous[`total-${key}`] ?? '0')
    summary[`total-${key}`] = String(before + (added[key] ?? 0n) - (removed[key] ?? 0n))
  }
  summary['total-equality-deletes'] = previous['total-equality-deletes'] ?? '0'
  return summary
}

function countFiles(files: readonly DataFile[]): Counts {
  const data = files.filter((file) => file.content === 0)
  const deletes = files.filter((file) => file.content !== 0)
  const sum = (some: readonly DataFile[], of: (file: DataFile) => bigint): bigint =>
    some.reduce((total, file) => total + of(file), 0n)
  return {
    'data-files': BigInt(data.length),
    records: sum(data, (file) => file.record_count),
    'delete-files': BigInt(deletes.length),
    'position-deletes': sum(deletes, (file) => file.record_count),
    'files-size': sum(files, (file) => file.file_size_in_bytes),
  }
}
