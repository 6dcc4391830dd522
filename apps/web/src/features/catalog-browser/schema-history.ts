// The schemas of a table in the order in which they were made: what each changed, by field id, and since which snapshot rows are
// committed with it. Metadata has no time of a change of schema, so the first commit after it stands for one.
import type { ColumnNode, SnapshotInfo, TableResponse } from '@lake/core/api/contract.ts'
import { SCHEMAS_TOLD_MAX } from '../../limits.ts'
import { changeText, schemaChanges, type SchemaChange } from '../../schema/schema-changes.ts'
import { instantText } from '../../ui/format-quantity.ts'

export interface SchemaVersion {
  schemaId: number
  columnCount: number
  isCurrent: boolean
  /** Against the one before; null where there is none, or none that is told. */
  changes: readonly SchemaChange[] | null
  /** The earliest snapshot with this schema that the table still has. */
  firstSnapshot: SnapshotInfo | null
}

const countOf = (columns: readonly ColumnNode[]): number =>
  columns.reduce((sum, { children }) => sum + 1 + countOf(children), 0)

/** Oldest first; of very many the newest. */
export function schemaHistory({
  schemas,
  snapshots,
  currentSchemaId,
}: Pick<TableResponse, 'schemas' | 'snapshots' | 'currentSchemaId'>): readonly SchemaVersion[] {
  const first = new Map(snapshots.map((snapshot) => [snapshot.schemaId, snapshot]))
  const told = schemas.toSorted((left, right) => left.schemaId - right.schemaId).slice(-SCHEMAS_TOLD_MAX)
  return told.map(({ schemaId, columns }, index) => {
    const before = told[index - 1]
    return {
      schemaId,
      columnCount: countOf(columns),
      isCurrent: schemaId === currentSchemaId,
      changes: before === undefined ? null : schemaChanges(before.columns, columns),
      firstSnapshot: first.get(schemaId) ?? null,
    }
  })
}

/** `2026-09-08 05:00:11 UTC`, or that nothing was committed with it. */
const sinceText = ({ firstSnapshot }: SchemaVersion): string =>
  firstSnapshot === null
    ? 'no snapshot of it'
    : `since the commit of ${instantText(firstSnapshot.committedAtMs)}`

/** What became of one column, oldest first: `schema 1: renamed, was technician, since the commit of …`. */
export function columnHistory(history: readonly SchemaVersion[], fieldId: number): readonly string[] {
  return history.flatMap((version) => {
    const changes = (version.changes ?? []).filter((change) => change.fieldId === fieldId)
    if (changes.length === 0) return []
    return [`schema ${version.schemaId}: ${changes.map(changeText).join('; ')}, ${sinceText(version)}`]
  })
}
