// The deletes of one table in one statement: each delete file is read once, when the first task needs it, and serves every
// task that it applies to. What applies to what was decided at planning. One that cannot be read fails the statement.
import type { EqualityDeletes } from '../engine/engine.ts'
import { once, type DeletesContext } from './delete-file-access.ts'
import { readEqualityDeletes } from './read-equality-deletes.ts'
import { createPositionReader, type PositionsOf } from './read-position-deletes.ts'
import type { PlannedTable } from './plan-tables.ts'

/** Both throw AppError TABLE_CORRUPT, TABLE_UNSUPPORTED, SCAN_TOO_LARGE, and those of the store. */
export interface TableDeletes {
  /** Positions of deleted rows in the data file of a task; undefined where none of its deletes goes by position. */
  readonly positionsOf: PositionsOf
  /** All of the table, for its view. */
  equalityDeletes(): Promise<readonly EqualityDeletes[]>
}

/** @param signal ends all reading, whichever task waits for it */
export function createTableDeletes(
  table: PlannedTable,
  tableIndex: number,
  context: DeletesContext,
  signal: AbortSignal,
): TableDeletes {
  const access = { ...context, table, tableIndex }
  const { equality } = table.plan
  const readOnce = once(async (plan: typeof equality) =>
    plan ? await readEqualityDeletes(plan, access, signal) : [],
  )
  return {
    positionsOf: createPositionReader(access, signal),
    equalityDeletes: async () => await readOnce(equality),
  }
}
