// How the server itself fares: how long decoding manifests holds its event loop, and how much memory a reader that takes its time
// costs it.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { liveEntries, metadataOf, sourceOf, tables } from '../apps/server/src/metadata/test/corpus.ts'
import { watchTurns } from '../apps/server/test/support/loop-turns.ts'
import { lakeEnvironment, startProgram, type LakeReady } from '../scripts/programs.ts'
import { runInWorkbench } from './run-statement.ts'

export interface DecodingDelay {
  readonly table: string
  readonly files: number
  readonly decodeMs: number
  /** Longest time in which the event loop did nothing else, by the clock and by the thread's own processor time. */
  readonly blockedMs: number
  readonly blockedCpuMs: number
}

const SCALE_TABLES = /meta_perf|generated_bounds/

/**
 * Decodes all manifests of the corpus' tables of many manifests and entries, from local files. Only decoding: planning
 * refuses them, since their entries repeat files. None where there is no corpus.
 */
export async function measureDecoding(): Promise<DecodingDelay[]> {
  const delays: DecodingDelay[] = []
  for (const [name, table] of tables.filter(([name]) => SCALE_TABLES.test(name))) {
    const metadata = metadataOf(name, table)
    if (metadata.currentSnapshotId === undefined) continue
    const histogram = monitorEventLoopDelay({ resolution: 1 })
    await sleep(50)
    histogram.enable()
    const endTurns = watchTurns()
    const startMs = performance.now()
    const entries = await liveEntries(
      asFromStorage(sourceOf(name, table)),
      metadata,
      metadata.currentSnapshotId,
    )
    const decodeMs = performance.now() - startMs
    await sleep(5)
    histogram.disable()
    const blockedMs = histogram.max / 1e6
    delays.push({ table: name, files: entries.length, decodeMs, blockedMs, blockedCpuMs: endTurns() })
  }
  return delays
}

/** Each read takes a turn of the event loop, as one from object storage does. */
function asFromStorage(source: ReturnType<typeof sourceOf>): ReturnType<typeof sourceOf> {
  const readObject: typeof source.store.readObject = async (...args) => {
    await nextTurn()
    return await source.store.readObject(...args)
  }
  return { ...source, store: { ...source.store, readObject } }
}

export interface SlowReader {
  readonly rowCount: number
  readonly idleRssBytes: number
  /** Highest while a quarter of the rows was taken, and while the rest was. */
  readonly firstQuarterRssBytes: number
  readonly restRssBytes: number
}

/** Reads `sql` with a pause every so often. */
export async function measureSlowReader(
  lake: LakeReady,
  sql: string,
  rowsExpected: number,
): Promise<SlowReader> {
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], {
    env: { ...lakeEnvironment(lake), LAKE_HTTP_ADDR: '127.0.0.1:0', LAKE_LOG_LEVEL: 'warn' },
  })
  const rss = (): number => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024
  }
  const idleRssBytes = rss()
  let firstQuarterRssBytes = 0
  let restRssBytes = 0
  let batches = 0
  const { rowCount } = await runInWorkbench(server.ready.url, sql, async (taken) => {
    batches += 1
    if (batches % 4 === 0) await sleep(50)
    if (taken < rowsExpected / 4) firstQuarterRssBytes = Math.max(firstQuarterRssBytes, rss())
    else restRssBytes = Math.max(restRssBytes, rss())
  })
  return { rowCount, idleRssBytes, firstQuarterRssBytes, restRssBytes }
}
