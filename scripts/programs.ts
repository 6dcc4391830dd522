// Starts the project's programs as processes of their own, the way a deployment would: by their environment and
// arguments, told ready by the one JSON line that each prints.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

export const ROOT = resolve(import.meta.dirname, '..')

export interface Program<Ready> extends AsyncDisposable {
  readonly process: ChildProcess
  /** What the program printed when it was ready. */
  readonly ready: Ready
}

/** What the local lake prints when it is ready. */
export interface LakeReady {
  readonly restEndpoint: string
  readonly s3Endpoint: string
  readonly warehouse: string
  readonly namespaces: readonly string[]
  readonly token: string
}

/** Node's, of compiled code: a program that was started before starts in half the time. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/node-compile')

/** Starts a program and waits for its line. Throws when it ends first or is not ready in `readyWithinMs`. */
export async function startProgram<Ready>(
  script: string,
  args: readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly readyWithinMs?: number },
): Promise<Program<Ready>> {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), options.readyWithinMs ?? 120_000)
  try {
    const lines = createInterface({ input: child.stdout })
    const exit = once(child, 'exit').then(() => undefined)
    const first = await Promise.race([once(lines, 'line'), exit])
    if (!first) throw new Error(`${script} ended before it was ready`)
    const ready = JSON.parse(String(first[0])) as Ready
    return { process: child, ready, [Symbol.asyncDispose]: async () => await stop(child) }
  } finally {
    clearTimeout(timer)
  }
}

/** The environment by which a server meets the local lake: the variables that any catalog uses. */
export function lakeEnvironment(lake: LakeReady): Record<string, string> {
  return {
    LAKE_ICEBERG_REST_ENDPOINT: lake.restEndpoint,
    LAKE_ICEBERG_WAREHOUSE: lake.warehouse,
    LAKE_ICEBERG_NAMESPACES: lake.namespaces.map((name) => JSON.stringify(name.split('.'))).join(','),
    LAKE_ICEBERG_REST_TOKEN: lake.token,
    LAKE_ICEBERG_DISCOVERY: 'list',
  }
}

/** Builds the web app where the build is missing or older than its sources. */
export async function buildWeb(): Promise<void> {
  const built = join(ROOT, 'apps/web/dist/index.html')
  const sources = globSync(
    [
      'apps/web/{src,index.html}',
      'apps/web/src/**/*',
      'packages/core/src/**/*',
      'package-lock.json',
      'vite.config.ts',
    ],
    { cwd: ROOT },
  )
  const newestMs = Math.max(...sources.map((path) => statSync(join(ROOT, path)).mtimeMs))
  if (existsSync(built) && statSync(built).mtimeMs >= newestMs) return
  process.stderr.write('Building the web app…\n')
  const vite = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'],
    {
      cwd: ROOT,
      stdio: ['ignore', 2, 2],
    },
  )
  const [code] = (await once(vite, 'exit')) as [number | null]
  if (code !== 0) throw new Error('The web app could not be built')
}

/** Ends a program by its id, gently first. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exit
  clearTimeout(timer)
}
