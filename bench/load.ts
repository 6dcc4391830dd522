// Measures the server under load: requests answered in a second and their latency, by number of clients that each ask again
// as soon as they are answered; what is shed; and memory. Only loopback is asked, for a bounded time.
//
//   npm run bench:load [-- --seconds 5] [--clients 1,8,64,256] [--only planning] [--soak 300] [--impatient]
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { API_PREFIX, flightInfoResponse } from '../packages/core/src/api/contract.ts'
import { lakeEnvironment, startProgram, type LakeReady, type Program } from '../scripts/programs.ts'
import { machineFacts } from './report.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '1,8,64,256' },
    soak: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    impatient: { type: 'boolean', default: false },
  },
})
/** A refused client waits as long as it is told to, or hardly, where it is one of those that do not listen. */
const IMPATIENT_WAIT_MS = 20
const SOAK_CLIENTS = 16

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

interface Load {
  readonly what: string
  readonly clients: number
  readonly answeredPerSecond: number
  readonly refusedPerSecond: number
  readonly failed: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly rssMib: number
}

const directory = await mkdtemp(join(tmpdir(), 'lake-load-'))
try {
  await main()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const args = ['--data', join(directory, 'lake'), '--demo-scale', '0.05']
  await using lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', args, { env: {} })
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], {
    env: {
      LAKE_HTTP_ADDR: '127.0.0.1:0',
      LAKE_LOG_LEVEL: 'error',
      LAKE_CACHE_DIR: join(directory, 'cache'),
      ...lakeEnvironment(lake.ready),
    },
  })
  process.stdout.write(`${JSON.stringify(machineFacts())}\n`)
  const requests = await makeRequests(server.ready.url)
  const loads: Load[] = []
  for (const [what, request] of Object.entries(requests).filter(([name]) => name.includes(options.only))) {
    for (const clients of options.clients.split(',').map(Number)) {
      loads.push(await measure(what, request, { server, clients, seconds: Number(options.seconds) }))
      print(loads.at(-1))
    }
  }
  if (Number(options.soak) > 0) await soak(server, Object.values(requests), Number(options.soak))
}

async function makeRequests(url: string): Promise<Record<string, Request>> {
  const sql = 'SELECT robot_id, model FROM iceberg.analytics.robots LIMIT 100'
  const planned = await fetch(`${url}${API_PREFIX}/flight-info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql }),
  })
  const { ticket } = flightInfoResponse.parse(await planned.json())
  return {
    'catalog page, cached': { method: 'GET', path: `${API_PREFIX}/namespaces/analytics/tables/robots` },
    planning: { method: 'POST', path: `${API_PREFIX}/flight-info`, body: JSON.stringify({ sql }) },
    streaming: { method: 'POST', path: `${API_PREFIX}/do-get`, body: JSON.stringify({ ticket }) },
  }
}

type Server = Program<{ url: string }>

async function measure(
  what: string,
  request: Request,
  { server, clients, seconds }: { server: Server; clients: number; seconds: number },
): Promise<Load> {
  const pool = new Pool(server.ready.url, { connections: clients, pipelining: 1 })
  const latency = createHistogram()
  const counts = { answered: 0, refused: 0, failed: 0 }
  const endMs = performance.now() + seconds * 1_000
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startMs = performance.now()
      const { status, retryAfterS } = await ask(pool, request)
      if (status === 200) {
        counts.answered += 1
        latency.record(Math.max(1, Math.round((performance.now() - startMs) * 1_000)))
      } else if (status === 429 || status === 503) {
        counts.refused += 1
        const waitMs = options.impatient ? IMPATIENT_WAIT_MS : retryAfterS * 1_000
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      } else counts.failed += 1
    }
  }
  const startMs = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  const elapsedS = (performance.now() - startMs) / 1_000
  await pool.destroy()
  const ms = (percentile: number): number => latency.percentile(percentile) / 1_000
  return {
    what,
    clients,
    answeredPerSecond: counts.answered / elapsedS,
    refusedPerSecond: counts.refused / elapsedS,
    failed: counts.failed,
    p50Ms: ms(50),
    p95Ms: ms(95),
    p99Ms: ms(99),
    rssMib: await rssMib(server),
  }
}

/** The answer is read to its end. */
async function ask(
  pool: Pool,
  { method, path, body }: Request,
): Promise<{ status: number; retryAfterS: number }> {
  try {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await pool.request({ method, path, headers, body: body ?? null })
    await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER })
    return { status: answer.statusCode, retryAfterS: Number(answer.headers['retry-after'] ?? 1) }
  } catch {
    return { status: 0, retryAfterS: 1 }
  }
}

/** Everything at once for long, to see whether memory stays. */
async function soak(server: Server, requests: readonly Request[], seconds: number): Promise<void> {
  const slices = 10
  for (let slice = 0; slice < slices; slice += 1) {
    const measured = await Promise.all(
      requests.map((request) =>
        measure('soak', request, { server, clients: SOAK_CLIENTS, seconds: seconds / slices }),
      ),
    )
    print(measured.at(-1))
  }
}

async function rssMib({ process: { pid } }: Server): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024
}

function print(load: Load | undefined): void {
  if (load === undefined) return
  const { what, clients, answeredPerSecond, refusedPerSecond, failed, p50Ms, p95Ms, p99Ms } = load
  const cells = [
    what.padEnd(22),
    `${clients} clients`.padStart(12),
    `${answeredPerSecond.toFixed(0)}/s`.padStart(9),
    `refused ${refusedPerSecond.toFixed(0)}/s`.padStart(15),
    `failed ${failed}`.padStart(10),
    `p50 ${p50Ms.toFixed(1)} ms`.padStart(15),
    `p95 ${p95Ms.toFixed(1)} ms`.padStart(16),
    `p99 ${p99Ms.toFixed(1)} ms`.padStart(16),
    `rss ${load.rssMib.toFixed(0)} MiB`.padStart(14),
  ]
  process.stdout.write(`${cells.join('')}\n`)
}
