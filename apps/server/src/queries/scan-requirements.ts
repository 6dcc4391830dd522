// What each pinned table's scan must deliver, as the engine's optimizer says, checked against what can be read.
import { AppError } from '@lake/core/errors.ts'
import type { Analyst, BoundStatement } from '../engine/engine.ts'
import { duckdbType } from '../sql/duckdb-type.ts'
import { pushdown, type ScanRequirement } from '../sql/pushdown.ts'
import { tableName, type PinnedTable } from './pinned-table.ts'

/**
 * Requirements in the order of `pinned`.
 * @throws AppError TABLE_UNSUPPORTED when a needed column has a type that cannot be read exactly
 */
export async function planRequirements(
  bound: BoundStatement,
  pinned: readonly PinnedTable[],
  analyst: Analyst,
  signal: AbortSignal,
): Promise<ScanRequirement[]> {
  const tables = pinned.map(({ engineTable, schema }) => ({
    table: engineTable,
    columns: schema.fields.map(({ id, type }) => ({ fieldId: id, type })),
  }))
  const requirements = await pushdown(bound, tables, analyst, signal)
  pinned.forEach((table, index) => {
    for (const columnIndex of requirements[index]?.columnIndexes ?? []) refuseUnreadable(table, columnIndex)
  })
  return requirements
}

function refuseUnreadable(pinned: PinnedTable, columnIndex: number): void {
  const field = pinned.schema.fields[columnIndex]
  if (field === undefined || duckdbType(field.type) !== undefined) return
  const name = tableName(pinned.loaded)
  throw new AppError(
    'TABLE_UNSUPPORTED',
    `Column "${field.name}" of ${name} has a type that is not read yet: ${field.type.kind}`,
    {
      details: { table: name, feature: `type ${field.type.kind}` },
    },
  )
}
