// A stack of one spec's own, which it may end and start again on the same data at the same address.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '../..')

export interface OwnStack extends AsyncDisposable {
  readonly url: string
  restart(): Promise<void>
}

export async function startOwnStack(): Promise<OwnStack> {
  const data = await mkdtemp(join(tmpdir(), 'lake-e2e-'))
  const port = await freePort()
  let child = await start(data, port)
  return {
    url: `http://127.0.0.1:${port}`,
    async restart() {
      await stop(child)
      child = await start(data, port)
    },
    async [Symbol.asyncDispose]() {
      await stop(child)
      await rm(data, { recursive: true, force: true })
    },
  }
}

async function start(data: string, port: number): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      'scripts/start.ts',
      '--json',
      '--port',
      String(port),
      '--data',
      join(data, 'lake'),
      '--demo-scale',
      '0.01',
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LAKE_STATE_URL: pathToFileURL(join(data, 'state')).href },
    },
  )
  const lines = createInterface({ input: child.stdout })
  const exited = once(child, 'exit').then(() => undefined)
  if (!(await Promise.race([once(lines, 'line'), exited])))
    throw new Error('The stack ended before it was ready.')
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
