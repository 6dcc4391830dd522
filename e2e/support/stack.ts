// Starts a real stack for each worker, so that what runs at once shares nothing: local lake with demo tables, server, built
// app. It prints its address as one JSON line and ends on SIGTERM. LAKE_E2E_URL points the specs at one that already runs.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createInterface } from 'node:readline'
import type { FullConfig } from '@playwright/test'
import { buildWeb } from '../../scripts/programs.ts'

const START_MS_MAX = 180_000
const STOP_MS_MAX = 10_000
const root = join(import.meta.dirname, '../..')

/** Space-separated, one for each worker. */
const URLS = 'LAKE_E2E_URLS'

/** What the worker's specs open. @param parallelIndex of the worker, from 0 */
export function stackUrl(parallelIndex: number): string {
  return process.env['LAKE_E2E_URL'] ?? process.env[URLS]?.split(' ')[parallelIndex] ?? ''
}

export default async function startStacks({
  workers,
}: FullConfig): Promise<(() => Promise<void>) | undefined> {
  if (process.env['LAKE_E2E_URL'] !== undefined) return undefined
  // Before each stack would.
  await buildWeb()
  const started = await Promise.allSettled(Array.from({ length: workers }, startStack))
  const stacks = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const stop = async (): Promise<void> => {
    await Promise.all(stacks.map((stack) => stack.stop()))
  }
  const failed = started.find((outcome) => outcome.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  process.env[URLS] = stacks.map(({ url }) => url).join(' ')
  return stop
}

async function startStack(): Promise<{ url: string; stop: () => Promise<void> }> {
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
  return { url, stop }
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
