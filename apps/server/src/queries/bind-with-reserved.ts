// Binds a statement over its pinned tables. Where it names what no column of them is, but a reserved column may be, the
// tables get those, out of reach of stars (sql/reserved-names.ts), and it is bound again. So a statement that has a
// meaning without reserved columns keeps it.
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { TextSubstitution } from '@lake/core/flight/ticket.ts'
import type { Analyst, BoundStatement } from '../engine/engine.ts'
import { hideReserved, reservedNamesIn } from '../sql/reserved-names.ts'
import { applySubstitutions, atSubmittedPlace } from '../sql/text-substitution.ts'
import { withReserved, type PinnedTable } from './pinned-table.ts'

export interface StatementWithReserved {
  readonly bound: BoundStatement
  readonly pinned: readonly PinnedTable[]
  /** What the engine must read besides. */
  readonly insertions: readonly TextSubstitution[]
}

/** @throws AppError SQL_BINDING, SQL_UNSUPPORTED, and those of the analyst */
export async function bindWithReserved(
  sql: string,
  pinned: readonly PinnedTable[],
  analyst: Analyst,
  signal: AbortSignal,
): Promise<StatementWithReserved> {
  const bind = async (text: string, tables: readonly PinnedTable[]): Promise<BoundStatement> =>
    await analyst.bind(
      text,
      tables.map(({ engineTable }) => engineTable),
      signal,
    )
  try {
    return { bound: await bind(sql, pinned), pinned, insertions: [] }
  } catch (error) {
    if (!isAppError(error, 'SQL_BINDING')) throw error
    const tree = await analyst.parse(sql, signal)
    const names = reservedNamesIn(tree)
    const tables = pinned.map((table) => withReserved(table, names))
    if (tables.every(({ reserved }) => reserved.size === 0)) throw error
    const insertions = await hideFromStars(sql, tree, tables, analyst, signal)
    try {
      return { bound: await bind(applySubstitutions(sql, insertions), tables), pinned: tables, insertions }
    } catch (failure) {
      throw atSubmittedPlace(failure, insertions)
    }
  }
}

async function hideFromStars(
  sql: string,
  tree: unknown,
  tables: readonly PinnedTable[],
  analyst: Analyst,
  signal: AbortSignal,
): Promise<readonly TextSubstitution[]> {
  const named = tables.map(({ engineTable, reserved }) => ({
    schemaName: engineTable.schemaName,
    tableName: engineTable.tableName,
    viewName: engineTable.viewName,
    columnNames: engineTable.columns.map(({ name }) => name),
    reservedNames: [...reserved.values()].map(({ name }) => name),
  }))
  const { insertions, isMeant } = hideReserved(sql, tree, named)
  if (insertions.length === 0) return []
  const changed = await analyst.parse(applySubstitutions(sql, insertions), signal).catch((error: unknown) => {
    if (isAppError(error, 'SQL_SYNTAX')) return undefined
    throw error
  })
  if (isMeant(changed)) return insertions
  throw new AppError(
    'SQL_UNSUPPORTED',
    'Reserved columns such as _file do not go with a star of this form; name the columns instead.',
  )
}
