// How fast a whole result becomes a file of each format, and how much memory that costs the server, which must not depend on
// how many rows there are.
import { readFileSync } from 'node:fs'
import { readExport } from '../apps/server/test/support/export-client.ts'
import { createTestClient } from '../apps/server/test/support/test-client.ts'
import { lakeEnvironment, startProgram, type LakeReady } from '../scripts/programs.ts'

export interface ExportMeasurement {
  readonly format: string
  readonly rowCount: number
  readonly byteCount: number
  readonly totalMs: number
  readonly idleRssBytes: number
  /** Highest while a quarter of the file was taken, and while the rest was. */
  readonly firstQuarterRssBytes: number
  readonly restRssBytes: number
}

const FORMATS = ['csv', 'jsonl', 'parquet', 'arrow', 'xlsx']
/** Rows of the statement: as many as an XLSX sheet may have, nearly. */
const ROWS = 1_000_000
const SQL = `SELECT range AS id, 'robot ' || (range % 500) AS name, (range * 37 % 100000)::DECIMAL(18,2) AS amount,
  TIMESTAMP '2026-01-01' + to_seconds(range) AS at, CASE WHEN range % 10 = 0 THEN NULL ELSE range / 7.0 END AS score
FROM range(${ROWS})`

/** One server for each format, so that none pays for another. */
export async function measureExports(lake: LakeReady): Promise<ExportMeasurement[]> {
  const measured: ExportMeasurement[] = []
  for (const format of FORMATS) {
    measured.push(await measureExport(lake, format))
    process.stderr.write(`export ${format}\n`)
  }
  return measured
}

async function measureExport(lake: LakeReady, format: string): Promise<ExportMeasurement> {
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], {
    env: { ...lakeEnvironment(lake), LAKE_HTTP_ADDR: '127.0.0.1:0', LAKE_LOG_LEVEL: 'warn' },
  })
  const rss = (): number => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024
  }
  const client = createTestClient(server.ready.url)
  const info = await client.flightInfo(SQL)
  if ('status' in info) throw new Error(info.message)
  const idleRssBytes = rss()
  const startMs = performance.now()
  const response = await client.request('POST', '/export', { ticket: info.ticket, format })
  if (!response.body) throw new Error(`the server answered ${response.status}`)
  const samples: number[] = []
  async function* sampled(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      samples.push(rss())
      yield bytes
    }
  }
  const { file, failure } = await readExport(sampled(response.body))
  if (!file) throw new Error(failure?.code ?? 'the stream has no file')
  const quarter = Math.ceil(samples.length / 4)
  return {
    format,
    rowCount: file.document.rowCount,
    byteCount: file.bytes.length,
    totalMs: performance.now() - startMs,
    idleRssBytes,
    firstQuarterRssBytes: Math.max(...samples.slice(0, quarter)),
    restRssBytes: Math.max(...samples.slice(quarter)),
  }
}
