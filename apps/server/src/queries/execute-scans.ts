// Two ways to run a planned statement over its files.
//
// At once: every file is read first, then the statement runs. Sorts, joins and aggregates must see all rows.
// In waves: where each row is filtered and projected by itself, a few files are read and executed at a time. First rows
// leave while later files are unread, a LIMIT ends the reading, and scratch space holds two waves at most.
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '@lake/core/api/wire.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { encodeMessageBatch } from '../engine/arrow-messages.ts'
import type { BoundStatement, EncodedBatch, EngineSession, ScanExcerpt, ScanView } from '../engine/engine.ts'
import { LIMITS } from '../limits.ts'
import type { RowWise } from '../sql/pushdown.ts'
import { canBeCounted, writeCountedRows } from '../parquet/counted-rows.ts'
import type { WantedRows } from '../parquet/wanted-rows.ts'
import { excerptScan, fetchExcerpts } from './fetch-excerpts.ts'
import { isMetadataTable } from './metadata-tables/plan-metadata-scan.ts'
import { writeMetadataRows } from './metadata-tables/write-metadata-rows.ts'
import type { QueryServices } from './query-services.ts'
import type { RunProgress } from './run-progress.ts'
import type { PlannedTable } from './plan-tables.ts'
import type { TableDeletes } from './statement-deletes.ts'
import { waveSizes } from './wave-sizes.ts'

export interface Execution {
  readonly claims: TicketClaims
  readonly tables: readonly PlannedTable[]
  readonly session: EngineSession
  readonly services: QueryServices
  readonly progress: RunProgress
  /** By table. */
  readonly deletes: readonly TableDeletes[]
  readonly schemaMessage: Uint8Array
  /** By result column. */
  readonly instants: BoundStatement['instants']
  /** Indexes of the tables whose rows are counted rather than gone through, where manifests prove how many there are. */
  readonly counted: ReadonlySet<number>
  /** Aborts the signal of all that the statement still reads or runs, when it ends early. */
  readonly ended: AbortController
}

/** Row and progress messages. Throws what reading and executing throw. */
export async function* executeAtOnce(execution: Execution, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { tables, session } = execution
  const scans = yield* withProgress(
    mapConcurrently(
      tables,
      4,
      async (table, itemSignal, index) => await readTable(table, index, execution, itemSignal),
      signal,
    ),
    'reading',
    execution,
  )
  await session.defineScans(scans, signal, execution.claims.sql)
  yield* executeOnce(execution, Number.POSITIVE_INFINITY, signal)
}

/** A row-wise statement, and whether only a part of its answer is wanted: the rows of one row group. */
export interface WaveStatement extends RowWise {
  readonly isPreview: boolean
}

/** As `executeAtOnce`, for a row-wise statement over one table. */
export async function* executeInWaves(
  execution: Execution,
  rowWise: WaveStatement,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const [table] = execution.tables
  if (!table || table.metadataScan || table.plan.rowsOnly !== undefined || hasManyDeletes(table, rowWise)) {
    yield* executeAtOnce(execution, signal)
    return
  }
  const { tasks } = table.plan
  const rowsMax = rowWise.limit ?? Number.POSITIVE_INFINITY
  const waves = rowWise.isPreview ? previewWaves(tasks) : splitWaves(tasks, rowWise.limit)
  const isReadAhead = rowWise.limit === undefined && !rowWise.isPreview
  const fetchWave = (index: number): Promise<ScanExcerpt[]> | undefined => {
    const wave = waves[index]
    if (!wave) return undefined
    const wanted = wantedRows(rowWise, rowsMax - execution.progress.rowCount)
    const context = { ...execution, directory: execution.session.directory, wanted }
    const fetched = fetchExcerpts(table, 0, wave, context, signal)
    fetched.catch(() => undefined)
    return fetched
  }
  let next = fetchWave(0)
  try {
    for (let index = 0; next !== undefined && execution.progress.rowCount < rowsMax; index += 1) {
      const excerpts = yield* withProgress(next, 'reading', execution)
      // With a LIMIT the next files may never be needed; without one they will be.
      next = isReadAhead ? fetchWave(index + 1) : undefined
      const reading = execution.deletes[0]?.equalityDeletes() ?? Promise.resolve([])
      const deletes = yield* withProgress(reading, 'reading', execution)
      const scan = excerptScan(table, excerpts, deletes)
      await execution.session.defineScans([scan], signal, execution.claims.sql)
      yield* executeOnce(execution, rowsMax - execution.progress.rowCount, signal)
      await Promise.all(
        excerpts.map(async ({ path }) => path === undefined || (await rm(path, { force: true }))),
      )
      if (rowWise.isPreview && excerpts.some(({ rowCount }) => rowCount > 0)) return
      if (execution.progress.rowCount < rowsMax) next ??= fetchWave(index + 1)
    }
  } finally {
    // What was fetched ahead must not go on in a folder that is another statement's by then.
    execution.ended.abort()
    await next?.catch(() => undefined)
  }
}

/** What a wave need not go beyond in any of its files. */
function wantedRows({ isFiltered, isPreview }: WaveStatement, rowsMax: number): WantedRows {
  return {
    rowGroupsMax: isPreview ? 1 : Number.POSITIVE_INFINITY,
    // How many rows a filter lets through is known when it has run.
    rowsMax: isFiltered ? Number.POSITIVE_INFINITY : rowsMax,
  }
}

/** Each wave compares its rows with all equality deletes anew, so without a LIMIT many of them are compared with once. */
function hasManyDeletes({ plan }: PlannedTable, { limit, isPreview }: WaveStatement): boolean {
  return limit === undefined && !isPreview && (plan.equality?.rowCount ?? 0) > LIMITS.waveEqualityDeletesMax
}

async function readTable(
  table: PlannedTable,
  index: number,
  execution: Execution,
  signal: AbortSignal,
): Promise<ScanView> {
  const { plan, pinned, requirement, metadataScan } = table
  if (metadataScan && isMetadataTable(pinned)) {
    const { columnIndexes } = requirement
    const { directory } = execution.session
    const options = {
      scan: metadataScan,
      columnIndexes,
      source: plan.storage,
      directory,
      fileName: `metadata-${index}.json`,
    }
    return await writeMetadataRows(pinned, options, signal)
  }
  if (plan.rowsOnly !== undefined) return await rowsScan(table, plan.rowsOnly, index, execution, signal)
  const context = { ...execution, directory: execution.session.directory }
  const deletes = (await execution.deletes[index]?.equalityDeletes()) ?? []
  const excerpts = await fetchExcerpts(table, index, plan.tasks, context, signal)
  // Nothing was read of any file but how many of its rows are left.
  const isCount = deletes.length === 0 && excerpts.every(({ path }) => path === undefined)
  if (!isCount || requirement.columnIndexes.size > 0) return excerptScan(table, excerpts, deletes)
  const rowCount = excerpts.reduce((total, excerpt) => total + excerpt.rowCount, 0)
  return await rowsScan(table, rowCount, index, execution, signal)
}

/** A table of which only the number of rows counts. */
async function rowsScan(
  { pinned, requirement }: PlannedTable,
  rowCount: number,
  index: number,
  { counted, session }: Execution,
  signal: AbortSignal,
): Promise<ScanView> {
  const target = { directory: session.directory, name: `rows-${index}` }
  const path =
    counted.has(index) && canBeCounted(rowCount)
      ? await writeCountedRows(rowCount, target, signal)
      : undefined
  const source = { kind: 'rows', rowCount, path } as const
  return { table: pinned.engineTable, columnIndexes: requirement.columnIndexes, source }
}

async function* executeOnce(
  execution: Execution,
  rowsMax: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { session, claims, progress, instants } = execution
  const { sql, issuedAtMs: statementAtMs } = claims
  const { batches } = yield* withProgress(
    session.execute(sql, { rowsMax, statementAtMs, instants }, signal),
    'executing',
    execution,
  )
  const iterator = batches[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next: IteratorResult<EncodedBatch> = yield* withProgress(iterator.next(), 'executing', execution)
      if (next.done === true) return
      progress.addRows(next.value.rowCount)
      yield next.value.bytes
    }
  } finally {
    await iterator.return?.()
  }
}

/**
 * Waits for `work` and says meanwhile, every `progressEveryMs`, how far the statement has come. Left early, it ends the
 * statement's work and waits until it has ended, so that nothing of it outlives the session.
 */
async function* withProgress<T>(
  work: Promise<T>,
  phase: Progress['phase'],
  execution: Execution,
): AsyncGenerator<Uint8Array, T> {
  const settling = new AbortController()
  const settled = work.finally(() => {
    settling.abort()
  })
  settled.catch(() => undefined)
  try {
    for (;;) {
      await sleep(LIMITS.progressEveryMs, undefined, { signal: settling.signal }).catch(() => undefined)
      if (settling.signal.aborted) return await settled
      yield encodeMessageBatch(execution.schemaMessage, execution.progress.message(phase))
    }
  } finally {
    if (!settling.signal.aborted) {
      execution.ended.abort()
      await settled.catch(() => undefined)
    }
  }
}

/** One file after another until one has a row that is not deleted by position. */
function previewWaves<Task>(tasks: readonly Task[]): Task[][] {
  return tasks.length === 0 ? [[]] : tasks.slice(0, LIMITS.previewFilesMax).map((task) => [task])
}

function splitWaves<Task>(tasks: readonly Task[], limit: number | undefined): Task[][] {
  const sizes = waveSizes(tasks.length, limit === undefined ? LIMITS.waveFilesFirst : 1)
  let start = 0
  return sizes.map((size) => {
    const wave = tasks.slice(start, start + size)
    start += size
    return wave
  })
}
