// Reads statements in the analysis process: syntax trees, bound plans over empty tables, filters of plans.
// One at a time; each within a deadline, after which the process is killed and replaced.
import { randomBytes } from 'node:crypto'
import { AppError } from '@lake/core/errors.ts'
import type { Semaphore } from '../concurrency/semaphore.ts'
import { startDeadline } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'
import { instantsIn, nameInstants } from './instant-types.ts'
import type { Analyst, BoundStatement, EngineTable, ResultColumn } from './engine.ts'
import type { EngineClient } from './engine-client.ts'
import { engineError } from './engine-errors.ts'
import { addLimit, constantLimit } from './plan-limit.ts'
import type { BindAnswer } from './protocol.ts'
import { refuseStatement } from './refused-statement.ts'
import { stubStatements } from './scan-view.ts'
import { statementTimeMacros } from './statement-time.ts'

interface SerializedTree {
  readonly error: boolean
  readonly error_type?: string
  readonly error_message?: string
  readonly position?: string
}

/** How the engine writes a double that JSON cannot; inside a string its quotes would be escaped. */
const NOT_FINITE = /"value":(-?(?:Infinity|NaN|inf|nan))\b/gu

/** Parses the engine's JSON. Numbers that a number of ours cannot hold become strings: long integers, infinities, NaN. */
function parseTreeJson(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    const source = context?.source ?? ''
    return /^-?\d+$/u.test(source) ? source : value
  }
  return JSON.parse(text.replaceAll(NOT_FINITE, '"value":"$1"'), revive as Parameters<typeof JSON.parse>[1])
}

function readTree(text: string, sql: string): unknown {
  const tree = parseTreeJson(text) as SerializedTree
  if (!tree.error) return tree
  if (tree.error_type !== 'parser') throw refuseStatement(sql)
  const position = tree.position === undefined ? undefined : Number(tree.position)
  throw engineError({ type: 'Parser', message: tree.error_message ?? '', position }, sql)
}

export interface AnalystOptions {
  /** As many permits as there are processes for analysis. */
  readonly semaphore: Semaphore
  /** A process that nobody else has, for whoever holds a permit. */
  take(): AnalysisProcess
}

export interface AnalysisProcess {
  /** The running process; a fresh one where the last has ended. */
  client(signal: AbortSignal): Promise<EngineClient>
  giveBack(): void
}

async function waitForPermit(semaphore: Semaphore, signal: AbortSignal): Promise<() => void> {
  using deadline = startDeadline(signal, LIMITS.analysisQueueWaitMs, 'Waiting to be analysed')
  return await semaphore.acquire(deadline.signal)
}

export function createAnalyst(options: AnalystOptions): Analyst {
  const withClient = async <T>(
    work: (client: EngineClient, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ) => {
    const release = await waitForPermit(options.semaphore, signal)
    const process = options.take()
    // Begins when its turn comes: a statement is not cut short for the ones before it.
    using deadline = startDeadline(signal, LIMITS.analysisDeadlineMs, 'Analysing the statement')
    try {
      const client = await process.client(deadline.signal)
      try {
        return await work(client, deadline.signal)
      } catch (error) {
        // Reading a statement changes nothing, so one that met a process which had just ended is read again, once.
        if (!client.lost.aborted || deadline.signal.aborted) throw error
        return await work(await process.client(deadline.signal), deadline.signal)
      }
    } finally {
      process.giveBack()
      release()
    }
  }
  return {
    parse: (sql, signal) =>
      withClient(async (client, signal) => {
        if (sql.includes('\0')) throw new AppError('SQL_SYNTAX', 'The statement contains a NUL character')
        return readTree((await client.request({ kind: 'parse', sql }, signal, sql)) as string, sql)
      }, signal),
    bind: (sql, tables, signal, bindOptions) =>
      withClient(async (client, signal): Promise<BoundStatement> => {
        const macros = statementTimeMacros(sql, bindOptions?.statementAtMs)
        const bindOver = async (stubs: readonly EngineTable[]): Promise<BindAnswer> => {
          const ddl = stubStatements(stubs, randomBytes(8).toString('hex'))
          return (await client.request({ kind: 'bind', sql, macros, ddl }, signal, sql)) as BindAnswer
        }
        const answer = await bindOver(tables)
        const plan: unknown = JSON.parse(answer.planText)
        const tree = parseTreeJson(answer.treeText)
        addLimit(plan, constantLimit(tree))
        const instants = await findInstants(answer.columns, tables, bindOver)
        const columns = answer.columns.map(({ name, type }, index) => ({
          name,
          type: nameInstants(type, instants[index] ?? []),
        }))
        return { columns, instants, plan, tree }
      }, signal),
    parseExpressions: (texts, signal) =>
      withClient(async (client, signal) => {
        const answers = (await client.request({ kind: 'expressions', texts }, signal)) as readonly string[]
        return answers.map(readExpression)
      }, signal),
  }
}

/**
 * Which nanoseconds of a result are instants: those that would be instants if the columns that they come from were such in
 * the engine too, in microseconds. So its own rules of types decide. Where it cannot say, they are times without a zone.
 */
async function findInstants(
  columns: readonly ResultColumn[],
  tables: readonly EngineTable[],
  bindOver: (tables: readonly EngineTable[]) => Promise<BindAnswer>,
): Promise<BoundStatement['instants']> {
  const hasInstants = tables.some((table) => table.columns.some(({ zonedSqlType }) => zonedSqlType))
  if (!hasInstants || columns.every(({ type }) => !type.includes('TIMESTAMP_NS')))
    return columns.map(() => [])
  const zoned = tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => ({ ...column, sqlType: column.zonedSqlType ?? column.sqlType })),
  }))
  const answer = await bindOver(zoned).catch((error: unknown) => {
    if (error instanceof AppError && error.code.startsWith('SQL_')) return undefined
    throw error
  })
  return columns.map(({ type }, index) => instantsIn(type, answer?.columns[index]?.type))
}

/** The one expression of `SELECT <text>`, and nothing more than that; null for anything else. */
function readExpression(text: string): unknown {
  const tree = parseTreeJson(text) as {
    error: boolean
    statements?: readonly {
      node?: { type?: string; select_list?: readonly unknown[]; from_table?: { type?: string } }
    }[]
  }
  const node = tree.statements?.[0]?.node
  if (tree.error || tree.statements?.length !== 1 || node?.type !== 'SELECT_NODE') return null
  if (node.select_list?.length !== 1 || node.from_table?.type !== 'EMPTY') return null
  return node.select_list[0] ?? null
}
