// Appends a few rows to analytics.episodes again and again, so that new snapshots can be seen to arrive. A failed append
// is logged and the next one tried in its time: somebody may have dropped or changed the table.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../catalog/catalog.ts'
import { asObject, asString, parseJson } from '../catalog/json.ts'
import { commitSnapshot } from '../iceberg/commit-snapshot.ts'
import type { Lake } from '../iceberg/commit-snapshot.ts'
import { ParquetWriter } from '../iceberg/parquet-writer.ts'
import type { ObjectFiles } from '../s3/object-files.ts'
import { dayText } from './demo-table.ts'
import { EPISODE_FIELDS, EPISODES } from './episodes.ts'
import { episodesSql } from './episodes-sql.ts'

const ROWS_PER_COMMIT = 25
const DAY_MS = 86_400_000
const SPAN_MS = 600_000

export interface RegularCommits {
  /** Resolves when no append runs any more. */
  stop(): Promise<void>
}

/** @param everySeconds time between the end of one append and the start of the next */
export function startCommitting(
  catalog: Catalog,
  objects: ObjectFiles,
  everySeconds: number,
  log: (message: string) => void,
): RegularCommits {
  const controller = new AbortController()
  const running = run({ catalog, objects }, everySeconds * 1_000, log, controller.signal)
  return {
    stop: async () => {
      controller.abort()
      await running
    },
  }
}

async function run(
  lake: Lake,
  everyMs: number,
  log: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const writer = await ParquetWriter.open(lake.objects)
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (signal.aborted) break
    try {
      await appendEpisodes(lake, writer, Date.now())
    } catch (error) {
      log(`demo: an append failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  writer.close()
}

/** Appends rows of the day of `nowMs` in one commit of that time. */
export async function appendEpisodes(lake: Lake, writer: ParquetWriter, nowMs: number): Promise<void> {
  const { metadataText } = await lake.catalog.loadTable(EPISODES.namespace, EPISODES.name)
  const tableLocation = asString(asObject(parseJson(metadataText), 'metadata')['location'], 'location')
  const day = Math.floor(nowMs / DAY_MS)
  // Episodes of the last minutes, but none of yesterday, since the file is in today's partition.
  const spanMs = Math.min(SPAN_MS, nowMs % DAY_MS)
  const range = { day, startMicros: (nowMs - spanMs) * 1_000, spanMicros: spanMs * 1_000 }
  // Ids follow the time, far above those of the first two million.
  const firstId = nowMs
  const file = await writer.write({
    sql: episodesSql({ ...range, rows: ROWS_PER_COMMIT, firstId, hasOperator: true }),
    fields: EPISODE_FIELDS,
    location: `${tableLocation}/data/day=${dayText(day)}/${nowMs}-0-episodes.parquet`,
    partition: { day },
    rowGroupRows: 2_048,
  })
  await commitSnapshot(lake, EPISODES, { operation: 'append', added: [file], timestampMs: nowMs })
}
