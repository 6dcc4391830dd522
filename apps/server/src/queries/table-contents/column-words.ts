// Statistics of columns in words, for a table's page. Pure.
import type { ColumnStatistics } from '@lake/core/api/table-contents.ts'
import { formatLiteral } from '@lake/core/iceberg/literal-display.ts'
import { formatType } from '@lake/core/iceberg/schema.ts'
import type { Snapshot, TableMetadata } from '@lake/core/iceberg/table-metadata.ts'
import { mayBeCut, type BoundOverFiles, type LeafStatistics } from '@lake/core/scan/column-statistics.ts'
import { LIMITS } from '../../limits.ts'

/** @param snapshot whose files the statistics are of */
export function describeColumns(
  leaves: readonly LeafStatistics[],
  metadata: TableMetadata,
  snapshot: Snapshot | undefined,
): ColumnStatistics[] {
  const distinct = distinctCounts(metadata, snapshot)
  return leaves.map((leaf) => ({
    fieldId: leaf.fieldId,
    name: leaf.path.join('.'),
    type: formatType(leaf.type),
    bytes: leaf.bytes,
    values: leaf.values,
    nulls: leaf.nulls,
    nans: leaf.type.kind === 'float' || leaf.type.kind === 'double' ? leaf.nans : null,
    lower: boundWords(leaf, leaf.lower, metadata),
    upper: boundWords(leaf, leaf.upper, metadata),
    distinct: distinct.get(leaf.fieldId) ?? null,
  }))
}

function boundWords(
  leaf: LeafStatistics,
  bound: BoundOverFiles | undefined,
  { properties }: TableMetadata,
): ColumnStatistics['lower'] {
  if (bound === undefined) return null
  const { value, fileCount } = bound
  const text = formatLiteral(leaf.type, value)
  const isLong = text.length > LIMITS.boundCharsMax
  // Not in the middle of a letter.
  const shown = isLong ? text.slice(0, LIMITS.boundCharsMax).replace(/[\uD800-\uDBFF]$/, '') : text
  return { text: shown, mayBeCut: isLong || mayBeCut(leaf, value, properties), fileCount }
}

/** By field id: those of the snapshot, or of the newest before it, along parents. */
function distinctCounts(
  { distinctCounts: counts = [], snapshots }: TableMetadata,
  snapshot: Snapshot | undefined,
): ReadonlyMap<number, ColumnStatistics['distinct']> {
  const found = new Map<number, ColumnStatistics['distinct']>()
  if (counts.length === 0) return found
  const bySnapshot = Map.groupBy(counts, ({ snapshotId }) => snapshotId)
  const byId = new Map(snapshots.map((each) => [each.snapshotId, each]))
  let at = snapshot
  // Parents of a broken table may form a ring.
  for (let step = 0; at !== undefined && step <= snapshots.length; step += 1) {
    for (const { fieldId, count, snapshotId } of bySnapshot.get(at.snapshotId) ?? []) {
      if (!found.has(fieldId)) found.set(fieldId, { count: String(count), snapshotId: String(snapshotId) })
    }
    at = at.parentSnapshotId === undefined ? undefined : byId.get(at.parentSnapshotId)
  }
  return found
}
