// Emulators of Google Cloud Storage (fake-gcs-server, which checks no tokens) and of Azure Storage (Azurite, which checks
// signatures), from the Go module proxy and npm, in the cache of the interop commands. On loopback, as children of this process.
import { spawn, type ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stop } from '../programs.ts'
import { cacheFolder, freePort, hasCommand, run, until } from './commands.ts'

const FAKE_GCS = 'github.com/fsouza/fake-gcs-server@v1.56.1'
const AZURITE = 'azurite@3.37.0'
/** Of every Azurite: published, and no secret. */
const AZURITE_ACCOUNT = 'devstoreaccount1'
const AZURITE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
const VERSION = '2020-10-02'

export interface Cloud extends AsyncDisposable {
  /** LAKE_TEST_… variables that name it. */
  readonly environment: Readonly<Record<string, string>>
}

export const whyNoGcs = (): string | undefined => (hasCommand('go') ? undefined : 'go not found')

export async function startGcs(): Promise<Cloud> {
  const folder = cacheFolder('gcs')
  const program = join(folder, 'fake-gcs-server')
  if (!existsSync(program)) await run('go', ['install', FAKE_GCS], { GOBIN: folder })
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const child = spawn(
    program,
    [
      '-scheme',
      'http',
      '-host',
      '127.0.0.1',
      '-port',
      String(port),
      '-backend',
      'memory',
      '-public-host',
      `127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  return await whenReady(child, async () => {
    await until('fake-gcs-server', async () => (await fetch(`${endpoint}/storage/v1/b`)).ok)
    const body = JSON.stringify({ name: 'workbench' })
    await checked(fetch(`${endpoint}/storage/v1/b`, { method: 'POST', body }))
    return {
      LAKE_TEST_GCS_ENDPOINT: endpoint,
      LAKE_TEST_GCS_BUCKET: 'workbench',
      LAKE_TEST_GCS_TOKEN: 'any-token',
    }
  })
}

/** Signatures that end in an hour, one that has ended, and one of another blob. */
export async function startAzure(): Promise<Cloud> {
  const folder = cacheFolder('azurite')
  const main = join(folder, 'node_modules/azurite/dist/src/blob/main.js')
  if (!existsSync(main)) {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '-E', AZURITE])
  }
  const location = mkdtempSync(join(tmpdir(), 'azurite-'))
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [
      main,
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      String(port),
      '--inMemoryPersistence',
      '--silent',
      '--disableTelemetry',
    ],
    { stdio: 'ignore', cwd: location },
  )
  child.once('exit', () => {
    rmSync(location, { recursive: true, force: true })
  })
  const endpoint = `http://127.0.0.1:${port}/${AZURITE_ACCOUNT}`
  return await whenReady(child, async () => {
    await until('Azurite', async () => (await fetch(endpoint)).status < 500)
    await checked(
      fetch(`${endpoint}/workbench?restype=container&${accountSas()}`, {
        method: 'PUT',
        headers: { 'x-ms-version': VERSION },
      }),
    )
    const hourMs = 3_600_000
    return {
      LAKE_TEST_ADLS_ENDPOINT: endpoint,
      LAKE_TEST_ADLS_ACCOUNT: AZURITE_ACCOUNT,
      LAKE_TEST_ADLS_CONTAINER: 'workbench',
      LAKE_TEST_ADLS_SAS: serviceSas({ permissions: 'r', endsInMs: hourMs }),
      LAKE_TEST_ADLS_SAS_ENDED: serviceSas({ permissions: 'r', endsInMs: -hourMs }),
      LAKE_TEST_ADLS_SAS_OF_ANOTHER_BLOB: serviceSas({
        permissions: 'r',
        endsInMs: hourMs,
        blob: 'elsewhere',
      }),
      LAKE_TEST_ADLS_WRITE_SAS: serviceSas({ permissions: 'rcw', endsInMs: hourMs }),
    }
  })
}

async function whenReady(
  child: ChildProcess,
  prepare: () => Promise<Readonly<Record<string, string>>>,
): Promise<Cloud> {
  const dispose = async (): Promise<void> => await stop(child)
  try {
    return { environment: await prepare(), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function checked(answer: Promise<Response>): Promise<void> {
  const response = await answer
  if (!response.ok)
    throw new Error(`preparing the emulator failed with ${response.status}: ${await response.text()}`)
}

const sign = (lines: readonly string[]): string =>
  createHmac('sha256', Buffer.from(AZURITE_KEY, 'base64')).update(lines.join('\n'), 'utf8').digest('base64')
const isoSeconds = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`

/** Source: Azure Storage, "Create a service SAS", version 2020-10-02. */
function serviceSas(of: { permissions: string; endsInMs: number; blob?: string }): string {
  const ends = isoSeconds(Date.now() + of.endsInMs)
  const kind = of.blob === undefined ? 'c' : 'b'
  const resource = `/blob/${AZURITE_ACCOUNT}/workbench${of.blob === undefined ? '' : `/${of.blob}`}`
  const lines = [of.permissions, '', ends, resource, '', '', '', VERSION, kind, '', '', '', '', '', '']
  return new URLSearchParams({
    sv: VERSION,
    sr: kind,
    sp: of.permissions,
    se: ends,
    sig: sign(lines),
  }).toString()
}

/** For making the container. Source: "Create an account SAS", version 2020-10-02. */
function accountSas(): string {
  const ends = isoSeconds(Date.now() + 3_600_000)
  const lines = [AZURITE_ACCOUNT, 'rwc', 'b', 'c', '', ends, '', '', VERSION, '']
  return new URLSearchParams({
    sv: VERSION,
    ss: 'b',
    srt: 'c',
    sp: 'rwc',
    se: ends,
    sig: sign(lines),
  }).toString()
}
