// Until when a table's own rules keep a snapshot, and what its owner runs to keep it longer. Only what the table says: where
// it names no age, whoever cleans it decides, and nothing is foretold.
import type { TableResponse } from '@lake/core/api/contract.ts'
import { sqlTableName } from '../api/table-name.ts'

const AGE_PROPERTY = 'history.expire.max-snapshot-age-ms'
const COUNT_PROPERTY = 'history.expire.min-snapshots-to-keep'
const WHOLE_NUMBER = /^\d{1,15}$/

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && WHOLE_NUMBER.test(text) ? Number(text) : null

type RetainedTable = Pick<TableResponse, 'properties' | 'refs' | 'snapshots' | 'currentSnapshotId'>

/** The newest of the current history that are kept whatever their age. */
function keptByCount({ snapshots, currentSnapshotId }: RetainedTable, count: number): Set<string> {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]))
  const kept = new Set<string>()
  for (let at = currentSnapshotId; at !== null && kept.size < count && !kept.has(at);)
    at = kept.add(at) && (byId.get(at)?.parentSnapshotId ?? null)
  return kept
}

/** From when on the snapshot may be removed; null where nothing that the table says will remove it. */
export function removableFromMs(table: RetainedTable, snapshotId: string): number | null {
  const ageMs = numberOf(table.properties[AGE_PROPERTY])
  const snapshot = table.snapshots.find((known) => known.snapshotId === snapshotId)
  if (ageMs === null || snapshot === undefined) return null
  // Branches and tags keep what they point to.
  if (table.refs.some((ref) => ref.snapshotId === snapshotId)) return null
  if (keptByCount(table, numberOf(table.properties[COUNT_PROPERTY]) ?? 1).has(snapshotId)) return null
  return snapshot.committedAtMs + ageMs
}

/** For the engines that write: this workbench changes nothing. */
export function tagStatement(
  name: { namespace: readonly string[]; table: string },
  snapshotId: string,
): string {
  const table = sqlTableName(name)
    .replace(/^iceberg\./, '')
    .replaceAll('"', '`')
  return `ALTER TABLE ${table} CREATE TAG \`keep_${snapshotId}\` AS OF VERSION ${snapshotId}`
}
