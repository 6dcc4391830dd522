// Measures the server under load: requests answered in a second and their latency, by number of clients that each ask again
// as soon as they are answered; what is left of that when there are four times as many as saturate it; connections that do
// nothing; and memory over time. Only loopback is asked, for a bounded time.
//
//   npm run bench:load [-- --seconds 5] [--clients 1,8,64,256] [--only planning] [--idle 10000] [--soak 300]
//
// A figure of 0 leaves its part out: `--clients 0`, `--idle 0`, `--soak 0`. Ten thousand connections need `ulimit -n 20000`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { API_PREFIX, flightInfoResponse } from '../packages/core/src/api/contract.ts'
import { lakeEnvironment, startProgram, type LakeReady } from '../scripts/programs.ts'
import { openIdle } from './idle-connections.ts'
import { runClients, type LoadCounts, type LoadRequest, type Manner } from './load-clients.ts'
import { machineFacts } from './report.ts'
import { formatFigures, readFigures, type LoadedServer, type ServerFigures } from './server-figures.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '1,8,64,256' },
    idle: { type: 'string', default: '10000' },
    soak: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
  },
})
const seconds = Number(options.seconds)
const SOAK_CLIENTS = 16
const SOAK_SLICES = 10
/** The first two slices fill caches and pools. */
const SOAK_WARM_SLICES = 2
/** As many are refused, whatever number of clients saturates it. */
const REFUSED_CLIENTS = 256
const OVERLOAD_ROUNDS = 3
/** Longer than what is asked of the last load takes to end, and the queues of the next to fill. */
const RAMP_SECONDS = 5
const MANNERS: readonly Manner[] = ['patient', 'impatient', 'reconnecting']

const directory = await mkdtemp(join(tmpdir(), 'lake-load-'))
try {
  await main()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const args = ['--data', join(directory, 'lake'), '--demo-scale', '0.05']
  await using lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', args, { env: {} })
  await using server = await startProgram<LoadedServer['ready']>('apps/server/src/main.ts', [], {
    env: {
      LAKE_HTTP_ADDR: '127.0.0.1:0',
      LAKE_METRICS_ADDR: '127.0.0.1:0',
      LAKE_LOG_LEVEL: 'error',
      LAKE_CACHE_DIR: join(directory, 'cache'),
      ...lakeEnvironment(lake.ready),
    },
  })
  say(JSON.stringify(machineFacts()))
  const requests = await makeRequests(server.ready.url)
  const chosen = Object.entries(requests).filter(([name]) => name.includes(options.only))
  const counts = options.clients.split(',').map(Number)
  // Processes have started and caches are filled before anything is measured.
  for (const request of Object.values(requests))
    await runClients(server.ready.url, request, { clients: 8, seconds: 1, manner: 'patient' })
  for (const [what, request] of chosen) if (counts[0] !== 0) await measureLoad(server, what, request, counts)
  if (Number(options.idle) > 0) await measureIdle(server, requests['planning'], Number(options.idle))
  if (Number(options.soak) > 0) await soak(server, Object.values(requests), Number(options.soak))
}

async function makeRequests(url: string): Promise<Record<string, LoadRequest>> {
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

/** By numbers of clients; then what is left of the highest rate where there are far more. */
async function measureLoad(
  server: LoadedServer,
  what: string,
  request: LoadRequest,
  clientCounts: readonly number[],
): Promise<void> {
  let peak = { clients: 1, answeredPerSecond: 0 }
  for (const clients of clientCounts) {
    const load = await runClients(server.ready.url, request, {
      clients,
      seconds,
      rampSeconds: RAMP_SECONDS,
      manner: 'patient',
    })
    if (load.answeredPerSecond > peak.answeredPerSecond) peak = { clients, ...load }
    print(`${what}, ${clients} clients`, load, await readFigures(server))
  }
  await measureOverload(server, what, request, peak.clients)
}

/**
 * Four times as many clients as the highest rate took, and of those that take places at least as many as are refused, beside
 * that number. They take turns, so that what else the machine does falls on all alike.
 */
async function measureOverload(
  server: LoadedServer,
  what: string,
  request: LoadRequest,
  peakClients: number,
): Promise<void> {
  const takesPlaces = request.method === 'POST'
  const clients = Math.max(peakClients * 4, takesPlaces ? REFUSED_CLIENTS : 1)
  const peak = { name: `${what}, ${peakClients} clients`, clients: peakClients, manner: 'patient' as Manner }
  // Nothing else is refused, so to connect anew is just dearer there.
  const others = MANNERS.filter((manner) => takesPlaces || manner !== 'reconnecting').map((manner) => ({
    name: `${what}, ${clients} ${manner}`,
    clients,
    manner,
  }))
  const loads = new Map<string, LoadCounts[]>()
  for (let round = 0; round < OVERLOAD_ROUNDS; round += 1) {
    for (const { name, ...how } of [peak, ...others]) {
      const load = await runClients(server.ready.url, request, { ...how, seconds, rampSeconds: RAMP_SECONDS })
      loads.set(name, [...(loads.get(name) ?? []), load])
    }
  }
  const rates = [...loads].map(([name, measured]) => [name, average(measured)] as const)
  const highest = rates[0]?.[1].answeredPerSecond ?? 1
  for (const [name, load] of rates) {
    const share = ((load.answeredPerSecond / highest) * 100).toFixed(0)
    print(`${name}: ${share} %`, load, undefined)
  }
}

/** Of several runs; percentiles are means of theirs. */
function average(loads: readonly LoadCounts[]): LoadCounts {
  const mean = (key: keyof LoadCounts): number =>
    loads.reduce((sum, load) => sum + load[key], 0) / Math.max(1, loads.length)
  return {
    answeredPerSecond: mean('answeredPerSecond'),
    refusedPerSecond: mean('refusedPerSecond'),
    failed: loads.reduce((sum, { failed }) => sum + failed, 0),
    p50Ms: mean('p50Ms'),
    p95Ms: mean('p95Ms'),
    p99Ms: mean('p99Ms'),
  }
}

/** Whether people notice connections that do nothing, and what these cost. */
async function measureIdle(
  server: LoadedServer,
  request: LoadRequest | undefined,
  count: number,
): Promise<void> {
  if (request === undefined) return
  const how = { clients: 8, seconds, manner: 'patient' } as const
  const before = await runClients(server.ready.url, request, how)
  print('planning, 8 clients', before, await readFigures(server))
  using idle = await openIdle(server.ready.url, count)
  const during = await runClients(server.ready.url, request, how)
  print(`… and ${idle.openCount} idle connections`, during, await readFigures(server))
}

/** Everything at once for long, to see whether memory and handles stay. */
async function soak(
  server: LoadedServer,
  requests: readonly LoadRequest[],
  totalSeconds: number,
): Promise<void> {
  const figures: ServerFigures[] = []
  for (let slice = 1; slice <= SOAK_SLICES; slice += 1) {
    const how = { clients: SOAK_CLIENTS, seconds: totalSeconds / SOAK_SLICES, manner: 'patient' } as const
    const loads = await Promise.all(requests.map((request) => runClients(server.ready.url, request, how)))
    figures.push(await readFigures(server))
    const answeredPerSecond = loads.reduce((sum, load) => sum + load.answeredPerSecond, 0)
    const failed = loads.reduce((sum, load) => sum + load.failed, 0)
    const last = loads.at(-1)
    if (last) print(`soak ${slice}/${SOAK_SLICES}`, { ...last, answeredPerSecond, failed }, figures.at(-1))
  }
  const [first, last] = [figures[SOAK_WARM_SLICES - 1], figures.at(-1)]
  if (!first || !last) return
  say('from the second slice to the last:')
  for (const key of Object.keys(first) as (keyof ServerFigures)[])
    say(`  ${key.padEnd(14)}${first[key].toFixed(0).padStart(8)} → ${last[key].toFixed(0).padStart(6)}`)
}

function print(what: string, load: LoadCounts, figures: ServerFigures | undefined): void {
  const cells = [
    what.padEnd(48),
    `${load.answeredPerSecond.toFixed(load.answeredPerSecond < 100 ? 1 : 0)}/s`.padStart(9),
    `refused ${load.refusedPerSecond.toFixed(0)}/s`.padStart(16),
    `failed ${load.failed}`.padStart(11),
    `p50 ${load.p50Ms.toFixed(1)} ms`.padStart(15),
    `p95 ${load.p95Ms.toFixed(1)} ms`.padStart(16),
    `p99 ${load.p99Ms.toFixed(1)} ms`.padStart(16),
    figures ? formatFigures(figures) : '',
  ]
  say(cells.join(''))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
