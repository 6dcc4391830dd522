// A PostgreSQL of its own for tests: Debian's binaries, a temporary folder, a free loopback port. It refuses to run as
// root, so then it runs as the machine's `postgres` user.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'

export interface TestPostgres extends AsyncDisposable {
  /** Of an empty database. */
  readonly url: string
}

const BINARIES = globSync('/usr/lib/postgresql/*/bin/postgres').concat('/usr/local/bin/postgres')
const binary = BINARIES.find((path) => existsSync(path) && existsSync(join(dirname(path), 'initdb')))

/** Why there is no PostgreSQL to test with; undefined where there is one. */
export const POSTGRES_MISSING: string | undefined =
  binary === undefined
    ? 'no PostgreSQL on this machine'
    : userIds() === undefined
      ? 'PostgreSQL does not run as root, and there is no user "postgres"'
      : undefined

/** Of the user to run as; none where that is this one. undefined: there is none. */
function userIds(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {}
  try {
    const idOf = (flag: string): number =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
    return { uid: idOf('-u'), gid: idOf('-g') }
  } catch {
    return undefined
  }
}

export async function startPostgres(): Promise<TestPostgres> {
  const user = userIds()
  if (binary === undefined || user === undefined) throw new Error(POSTGRES_MISSING)
  const directory = await mkdtemp(join(tmpdir(), 'lake-postgres-'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  execFileSync(
    join(dirname(binary), 'initdb'),
    ['-D', data, '-U', 'lake', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...user, stdio: 'pipe' },
  )
  const port = await freePort()
  const child = spawn(binary, ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory, '-F'], {
    ...user,
    stdio: 'ignore',
  })
  const url = `postgres://lake@127.0.0.1:${port}/postgres`
  await untilReady(url, child)
  return {
    url,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      // At once, without waiting for sessions.
      child.kill('SIGQUIT')
      await exit
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`)
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  child.kill('SIGKILL')
  throw new Error('PostgreSQL did not become ready')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
