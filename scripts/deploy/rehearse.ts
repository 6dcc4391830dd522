// Runs a built image's command as a container engine would be told to by deploy/compose.yaml: its root file system read-only,
// its user, no capability, no new privileges, and a network and processes of its own. To be started by `unshare`, which makes
// those; everything that is mounted here ends with it.
//
//   unshare --mount --net --pid --fork --kill-child node scripts/deploy/rehearse.ts <root folder> <image configuration> <data folder>
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createApiToken, digestToken } from '../../apps/server/src/access/api-token.ts'
import { createTestClient } from '../../apps/server/test/support/test-client.ts'
import { run, say } from '../interop/commands.ts'
import { lakeEnvironment, startProgram, type LakeReady } from '../programs.ts'
import type { ImageConfig } from './build-image.ts'

const [rootFolder = '', configText = '', dataFolder = ''] = process.argv.slice(2)
const config = JSON.parse(configText) as ImageConfig
const UID = '1000'
const WRITABLE = ['/tmp', '/var/lib/lake', '/run']

await run('ip', ['link', 'set', 'lo', 'up'])
await mountRoot()
await using lake = await startProgram<LakeReady>(
  'apps/local-lake/src/main.ts',
  ['--data', dataFolder, '--demo-scale', '0.01'],
  { env: {} },
)
const token = createApiToken()
const principals = [
  { name: 'ada', namespaces: ['*'], tokens: [{ sha256: digestToken(token).toString('hex') }] },
]
await writeFile(join(rootFolder, 'run/principals.json'), JSON.stringify({ principals }))
const environment = {
  ...lakeEnvironment(lake.ready),
  LAKE_PUBLIC_URL: 'https://lake.example.com',
  LAKE_PRINCIPALS: '/run/principals.json',
  LAKE_METRICS_ADDR: '0.0.0.0:9321',
}

expect(
  'a server without authentication does not listen beyond loopback',
  (await inside(config.Cmd, lakeEnvironment(lake.ready))) === 1,
)
const server = start(config.Cmd, environment)
const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string]
say(`listens: ${line}`)
const health = config.Healthcheck.Test.slice(1)
expect('the health check says yes', (await inside(health)) === 0)
const client = createTestClient('http://127.0.0.1:8321', { authorization: `Bearer ${token}` })
const outcome = await client.outcome('SELECT count(model), max(robot_id) FROM iceberg.analytics.robots')
expect(`a statement runs (${outcome})`, outcome === 'ok')
const page = await fetch('http://127.0.0.1:8321/')
expect('the app is served', page.status === 200 && (await page.text()).includes('<script'))
expect('metrics are served', (await fetch('http://127.0.0.1:9321/metrics')).status === 200)
for (const { name, status } of processesOf(server.pid ?? 0)) {
  const isConfined = /^Uid:\s+1000\s+1000\s+1000/m.test(status) && /^CapEff:\s+0+$/m.test(status)
  expect(
    `${name} is of user 1000, without capabilities and without a way to any`,
    isConfined && /^NoNewPrivs:\s+1$/m.test(status),
  )
}
expect(
  'the program cannot be written',
  (await inside(['node', '-e', "require('fs').writeFileSync('/app/x','')"])) !== 0,
)
const stoppedMs = Date.now()
server.kill('SIGTERM')
const [code] = (await once(server, 'exit')) as [number | null]
expect(`it ends by SIGTERM with ${code} within 15 s`, code === 0 && Date.now() - stoppedMs < 15_000)
expect('the health check says no then', (await inside(health)) === 1)

async function mountRoot(): Promise<void> {
  await run('mount', ['--make-rprivate', '/'])
  await run('mount', ['--bind', rootFolder, rootFolder])
  await run('mount', ['-t', 'proc', 'proc', join(rootFolder, 'proc')])
  await run('mount', ['--bind', '/dev', join(rootFolder, 'dev')])
  for (const path of WRITABLE) {
    await mkdir(join(rootFolder, path), { recursive: true })
    await run('mount', [
      '-t',
      'tmpfs',
      '-o',
      `uid=${UID},gid=${UID},mode=0755`,
      'tmpfs',
      join(rootFolder, path),
    ])
  }
  await run('mount', ['-o', 'remount,bind,ro', rootFolder])
}

function start(command: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const user = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', '--no-new-privs']
  const nothing = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']
  const words = [
    'env',
    '-i',
    `--chdir=${config.WorkingDir}`,
    ...variables,
    'setpriv',
    ...user,
    ...nothing,
    '--',
    ...command,
  ]
  return spawn('chroot', [rootFolder, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function inside(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const [ended] = (await once(start(command, env), 'exit')) as [number | null]
  return ended
}

/** The server and its children. */
function processesOf(pid: number): { readonly name: string; readonly status: string }[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const name = children.length > 0 ? 'the server' : 'an engine process'
  return [{ name, status }, ...children.flatMap(processesOf)]
}

function expect(what: string, isSo: boolean): void {
  say(`${isSo ? 'yes' : 'NO '}  ${what}`)
  if (!isSo) process.exitCode = 1
}
