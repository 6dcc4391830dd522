// How long planning holds the event loop, and what memory it takes: scans of a table of many manifests, and a loaded table
// of many snapshots and refs. In one process, without a network, so that nothing else holds it.
//
//   npm run bench:planning
import { loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { createTableParser } from '../apps/server/src/catalog/table-parser.ts'
import { planScan } from '../apps/server/src/queries/plan-scan.ts'
import { pinTable, type PinnedTable } from '../apps/server/src/queries/pinned-table.ts'
import { readFiles, readStatistics } from '../apps/server/src/queries/table-contents/read-contents.ts'
import { runSteps } from '../apps/server/src/concurrency/turns.ts'
import { watchTurns } from '../apps/server/test/support/loop-turns.ts'
import { manyRefs } from './many-refs.ts'
import { formatPlanning } from './report.ts'
import { wideTable, type WideTable } from '../apps/server/src/metadata/test/wide-table.ts'

export interface PlanningDelay {
  readonly what: string
  /** Files, or refs. */
  readonly count: number
  readonly tookMs: number
  /** Longest time in which the event loop did nothing else, by the clock and by the thread's own processor time. */
  readonly blockedMs: number
  readonly blockedCpuMs: number
  /** Highest heap while it ran, over that before. */
  readonly heapBytes: number
  /** Of the last minute, beside the figure: above one for each core, others had the processor too. */
  readonly load: number
}

const NEVER = new AbortController().signal
const TRUE: Predicate = { op: 'true' }
const DAY: Predicate = { op: 'eq', fieldId: 2, literal: 7n }

export async function measurePlanning(): Promise<PlanningDelay[]> {
  const table = wideTable(10_000, 10)
  const long = wideTable(1, 100_000)
  const deleted = wideTable(100, 10, 50_000)
  const delays = [
    await measure('plan all of 10,000 manifests', async () => await planned(table, TRUE)),
    await measure('plan one day of 10,000 manifests', async () => await planned(table, DAY)),
    await measure('plan 1 manifest of 100,000 files', async () => await planned(long, TRUE)),
    await measure('plan 1,000 files under 50,000 equality deletes', async () => await planned(deleted, TRUE)),
    await measure('list the files of 10,000 manifests', async () => await listed(table)),
    await measure('statistics of the columns of 10,000 manifests', async () => await told(table)),
  ]
  const text = manyRefs(1_000, 500)
  const long100k = manyRefs(100_000, 1)
  await using parser = createTableParser()
  delays.push(
    await measure('load 1,000 snapshots, 500 branches, 500 tags', async () => {
      const { metadata } = await parser.parseAnswer(new TextEncoder().encode(text), NEVER)
      return metadata?.refs.length ?? 0
    }),
  )
  delays.push(
    await measure('load 100,000 snapshots', async () => {
      const { metadata } = await parser.parseAnswer(new TextEncoder().encode(long100k), NEVER)
      return metadata?.snapshots.length ?? 0
    }),
  )
  return delays
}

function pinnedOf({ metadata }: Pick<WideTable, 'metadata'>): PinnedTable {
  const table = { ident: { namespace: ['n'], table: 't' }, metadata, snapshotsLoaded: 'all' } as never
  return pinTable({ table, ageMs: 0, isStale: false }, undefined)
}

/** @returns files planned */
async function planned({ metadata, storage }: WideTable, predicate: Predicate): Promise<number> {
  const pinned = pinnedOf({ metadata })
  const requirement = { columnIndexes: new Set<number>(), predicate, unused: [] }
  const plan = await planScan(pinned, requirement, { storage }, NEVER)
  return plan.report.filesPlanned
}

/** What a table's page takes the first time: reading all manifests, and sorting their files. @returns files */
async function listed(table: WideTable): Promise<number> {
  const { list } = await readFiles(pinnedOf(table), table.storage, NEVER)
  const request = { sort: 'partition', order: 'desc', offset: 0, limit: 100 } as const
  const page = list.page(
    request,
    () => true,
    () => undefined,
  )
  return (await runSteps(page, NEVER)).rowCount
}

/** @returns files */
async function told(table: WideTable): Promise<number> {
  return (await readStatistics(pinnedOf(table), table.storage, NEVER)).dataFileCount
}

async function measure(what: string, run: () => Promise<number>): Promise<PlanningDelay> {
  // Once before, so that compiling counts for none.
  await run()
  globalThis.gc?.()
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  await sleep(50)
  const heapBefore = process.memoryUsage().heapUsed
  let heapBytes = 0
  const sampler = setInterval(() => {
    heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed - heapBefore)
  }, 5)
  const endTurns = watchTurns()
  histogram.enable()
  const startMs = performance.now()
  const count = await run()
  const tookMs = performance.now() - startMs
  await sleep(5)
  histogram.disable()
  clearInterval(sampler)
  const blockedCpuMs = endTurns()
  return {
    what,
    count,
    tookMs,
    blockedMs: histogram.max / 1e6,
    blockedCpuMs,
    heapBytes,
    load: loadavg()[0] ?? 0,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${formatPlanning(await measurePlanning())}\n`)
}
