// A stack of its own with authentication: a real OpenID provider, a principals file, the local lake and the server.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startIdentityProvider } from '../../apps/server/test/support/identity-provider.ts'
import { addressOf } from './stack.ts'

const root = join(import.meta.dirname, '../..')

export const TOKEN = 'lake_token-of-the-robot-for-tests-only-00000000'

export interface GuardedStack extends AsyncDisposable {
  readonly url: string
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** ada is in `analysts` (analytics), bob in `modellers` (models); the file's `robot` may read everything. */
export async function startGuardedStack(): Promise<GuardedStack> {
  const directory = await mkdtemp(join(tmpdir(), 'lake-e2e-guarded-'))
  const principals = join(directory, 'principals.json')
  const sha256 = createHash('sha256').update(TOKEN).digest('hex')
  const robot = { name: 'robot', namespaces: ['*'], tokens: [{ sha256 }] }
  await writeFile(principals, JSON.stringify({ principals: [robot] }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const provider = await startIdentityProvider({
    groups: { ada: ['analysts'], bob: ['modellers'] },
    publicUrl: url,
  })
  const child = spawn(
    process.execPath,
    [
      join(root, 'scripts/start.ts'),
      '--json',
      `--port=${port}`,
      `--data=${join(directory, 'lake')}`,
      '--demo-scale=0.01',
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...provider.environment,
        LAKE_PUBLIC_URL: url,
        LAKE_PRINCIPALS: principals,
        LAKE_OIDC_GRANTS: '{"analysts":["analytics"],"modellers":["models"]}',
      },
    },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await addressOf(child.stdout)
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      await provider[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
