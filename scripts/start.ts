// Runs the workbench: on the catalog that the environment names, else on the embedded local lake with its demo tables.
//
//   npm start [-- --port 8321] [--data DIR] [--corpus DIR] [--commit-every SECONDS] [--json]
//
// Options other than --port and --json are the local lake's (see its README).
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { buildWeb, lakeEnvironment, ROOT, startProgram, type LakeReady } from './programs.ts'

const PREFERRED_PORT = 8321

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string', default: join(ROOT, '.data/local-lake') },
    corpus: { type: 'string' },
    'commit-every': { type: 'string' },
    'demo-scale': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

const stack = new AsyncDisposableStack()
let isEnding = false
process.once('SIGTERM', () => void end(0))
process.once('SIGINT', () => void end(0))

try {
  await start()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  await end(1)
}

async function start(): Promise<void> {
  await buildWeb()
  const configured = Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].startsWith('LAKE_') && entry[1] !== undefined,
    ),
  )
  const env =
    configured['LAKE_ICEBERG_REST_ENDPOINT'] === undefined
      ? { ...(await startLake()), ...configured }
      : configured
  const port = values.port ?? String(await freePort(PREFERRED_PORT))
  const server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], {
    env: {
      LAKE_HTTP_ADDR: `127.0.0.1:${port}`,
      LAKE_LOG_LEVEL: 'warn',
      LAKE_CACHE_DIR: join(ROOT, '.data/chunk-cache'),
      LAKE_STATE_URL: pathToFileURL(join(ROOT, '.data/state')).href,
      ...env,
    },
  })
  stack.use(server)
  server.process.once('exit', () => void end(1))
  if (values.json) process.stdout.write(`${JSON.stringify(server.ready)}\n`)
  else process.stdout.write(`Lake Workbench is ready: ${server.ready.url}\n`)
}

async function startLake(): Promise<Record<string, string>> {
  const optional = (['corpus', 'commit-every', 'demo-scale'] as const).flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [`--${name}`, value]
  })
  const lake = await startProgram<LakeReady>(
    'apps/local-lake/src/main.ts',
    ['--data', values.data, ...optional],
    { env: {} },
  )
  stack.use(lake)
  lake.process.once('exit', () => void end(1))
  return lakeEnvironment(lake.ready)
}

/** The preferred port where it is free, so that bookmarks work; any free one otherwise. */
async function freePort(preferred: number): Promise<number> {
  for (const port of [preferred, 0]) {
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => {
        resolve(false)
      })
      probe.listen(port, '127.0.0.1', () => {
        resolve(true)
      })
    })
    const { port: bound } = isFree ? (probe.address() as AddressInfo) : { port: 0 }
    await new Promise((resolve) => (isFree ? probe.close(resolve) : resolve(undefined)))
    if (isFree) return bound
  }
  return 0
}

async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  await stack.disposeAsync()
  process.exit(code)
}
