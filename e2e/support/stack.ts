// Starts the real stack once for all specs: local lake with demo tables, server, built app. It prints its address as
// one JSON line and ends on SIGTERM. LAKE_E2E_URL points the specs at a stack that already runs.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createInterface } from 'node:readline'

const START_MS_MAX = 180_000
const STOP_MS_MAX = 10_000
const root = join(import.meta.dirname, '../..')

export default async function startStack(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['LAKE_E2E_URL'] !== undefined) return undefined
  const data = await mkdtemp(join(tmpdir(), 'lake-e2e-'))
  const child = spawn(
    process.execPath,
    [join(root, 'scripts/start.ts'), '--json', '--port', '0', '--data', data, '--demo-scale', '0.05'],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LAKE_STATE_URL: pathToFileURL(join(data, 'state')).href },
    },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
    await exited
    clearTimeout(killer)
    await rm(data, { recursive: true, force: true })
  }
  const url = await Promise.race([
    addressOf(child.stdout),
    exited.then(() => Promise.reject(new Error('The stack ended before it was ready.'))),
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('The stack was not ready in time.')), START_MS_MAX).unref()
    }),
  ]).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  process.env['LAKE_E2E_URL'] = url
  return stop
}

/** The first line that is a JSON object with a url; later output is drained and ignored. */
export function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: output }).on('line', (line) => {
      if (!line.startsWith('{')) return
      const { url } = JSON.parse(line) as { url?: unknown }
      if (typeof url === 'string') resolve(url)
    })
  })
}
