// The program as it is started: one line on stdout, a clean end, no end with stdin.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'

let dataFolder: string
beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'local-lake-main-'))
})
afterAll(async () => {
  await rm(dataFolder, { recursive: true })
})

function start(...args: string[]): ChildProcess {
  const main = join(import.meta.dirname, '../src/main.ts')
  return spawn(process.execPath, ['--no-warnings', main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
}

const exitCode = async (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', resolve))

it('prints one JSON line, outlives its stdin, and ends cleanly on SIGTERM', async () => {
  const child = start('--data', dataFolder, '--no-demo')
  child.stdin?.end()
  const line = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (data) => resolve(String(data))),
  )
  const rest = text(child.stdout!)
  const { restEndpoint, token, ...others } = JSON.parse(line) as Record<string, string>
  expect(others).toMatchObject({ warehouse: 'demo', namespaces: [] })
  const config = await fetch(`${restEndpoint}v1/config`, { headers: { authorization: `Bearer ${token}` } })
  expect(config.status).toBe(200)
  child.kill('SIGTERM')
  expect(await exitCode(child)).toBe(0)
  expect(await rest).toBe('')
})

it.each([
  [[], '--data'],
  [['--data', '/tmp/x', '--rest-port', 'many'], '--rest-port'],
  [['--data', '/tmp/x', '--s3-access-key', 'a'], '--s3-secret-key'],
  [['--data', '/tmp/x', '--what'], '--what'],
])('refuses the flags %j', async (args, message) => {
  const child = start(...args)
  const stderr = text(child.stderr!)
  expect(await exitCode(child)).toBe(1)
  expect(await stderr).toContain(message)
})
