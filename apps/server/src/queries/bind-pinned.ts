// Binds a statement over its pinned tables, as the tables themselves where that makes sense. Where it names what no column
// of them is, but a reserved column may be, the tables get those, out of reach of stars (sql/reserved-names.ts), and it is
// bound again; so a statement that has a meaning without reserved columns keeps it. In the same way instants in nanoseconds
// are instants in microseconds for a statement that needs instants (instants.ts).
import { AppError, isAppError } from '@lake/core/errors.ts'
import type { TextSubstitution } from '@lake/core/flight/ticket.ts'
import type { Analyst, BoundStatement } from '../engine/engine.ts'
import { callsTimeZone } from '../sql/calls-time-zone.ts'
import { hideReserved, reservedNamesIn } from '../sql/reserved-names.ts'
import { applySubstitutions, atSubmittedPlace } from '../sql/text-substitution.ts'
import { hasInstants } from './instants.ts'
import { withInstantsInMicros, withReserved, type PinnedTable } from './pinned-table.ts'

export interface PinnedStatement {
  readonly bound: BoundStatement
  readonly pinned: readonly PinnedTable[]
  /** What the engine must read besides. */
  readonly insertions: readonly TextSubstitution[]
}

/** @throws AppError SQL_BINDING, SQL_UNSUPPORTED, and those of the analyst */
export async function bindPinned(
  sql: string,
  pinned: readonly PinnedTable[],
  analyst: Analyst,
  signal: AbortSignal,
): Promise<PinnedStatement> {
  const tree = pinned.some(({ schema }) => hasInstants(schema)) ? await analyst.parse(sql, signal) : undefined
  const bindTables = async (text: string, tables: readonly PinnedTable[]) =>
    await bindInstants(text, tables, { analyst, needsInstants: callsTimeZone(tree) }, signal)
  try {
    return { ...(await bindTables(sql, pinned)), insertions: [] }
  } catch (error) {
    if (!isAppError(error, 'SQL_BINDING')) throw error
    const parsed = tree ?? (await analyst.parse(sql, signal))
    const names = reservedNamesIn(parsed)
    const tables = pinned.map((table) => withReserved(table, names))
    if (tables.every(({ reserved }) => reserved.size === 0)) throw error
    const insertions = await hideFromStars(sql, parsed, tables, analyst, signal)
    try {
      return { ...(await bindTables(applySubstitutions(sql, insertions), tables)), insertions }
    } catch (failure) {
      throw atSubmittedPlace(failure, insertions)
    }
  }
}

/** Over instants as times in UTC where that binds, else over instants in microseconds where that does. */
async function bindInstants(
  sql: string,
  pinned: readonly PinnedTable[],
  { analyst, needsInstants }: { readonly analyst: Analyst; readonly needsInstants: boolean },
  signal: AbortSignal,
): Promise<Omit<PinnedStatement, 'insertions'>> {
  const bind = async (tables: readonly PinnedTable[]) => {
    const engineTables = tables.map(({ engineTable }) => engineTable)
    return { bound: await analyst.bind(sql, engineTables, signal), pinned: tables }
  }
  const inMicros = pinned.map(withInstantsInMicros)
  if (inMicros.every((table, index) => table === pinned[index])) return await bind(pinned)
  if (needsInstants) return await bind(inMicros)
  try {
    return await bind(pinned)
  } catch (error) {
    if (!isAppError(error, 'SQL_BINDING')) throw error
    return await bind(inMicros).catch((failure: unknown) => {
      throw isAppError(failure, 'SQL_BINDING') ? error : failure
    })
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
