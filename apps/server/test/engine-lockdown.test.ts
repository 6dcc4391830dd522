// What an engine process cannot do, tried from inside with statements that the analysis would not let through.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { planEngineLaunch } from '../src/engine/engine-launch.ts'
import { startEngineClient, type EngineClient } from '../src/engine/engine-client.ts'
import { collect, never, query, startTestEngine } from './engine-support.ts'

const test = await startTestEngine()
const other = join(test.directory, 'other')
let client: EngineClient

beforeAll(async () => {
  await mkdir(other)
  await writeFile(join(other, 'secret.csv'), 'a,b\n1,2\n')
  client = await startEngineClient(
    {
      launch: await planEngineLaunch(undefined),
      role: 'session',
      scratchDirectory: test.directory,
      memoryBytesMax: 256 * 1_048_576,
      spillBytesMax: 1_048_576,
      threads: 1,
      batchRowsMax: 1_024,
      batchBytesMax: 1_048_576,
    },
    never,
  )
})
afterAll(async () => {
  client.kill()
  await test[Symbol.asyncDispose]()
})

/** Runs any statement, as only the server's own DDL may. */
const define = (sql: string): Promise<unknown> => client.request({ kind: 'define', statements: [sql] }, never)

describe('files', () => {
  it('of its own folder are readable', async () => {
    await writeFile(join(client.directory, 'own.csv'), 'a,b\n1,2\n')
    await define(`FROM read_csv('${client.directory}/own.csv')`)
  })

  it.each([
    () => `FROM read_csv('${other}/secret.csv')`,
    () => `FROM '${other}/secret.csv'`,
    () => `FROM read_text('/etc/passwd')`,
    () => `FROM read_blob('/proc/self/environ')`,
    () => `FROM read_csv('${client.directory}/../other/secret.csv')`,
    () => `FROM glob('${other}/*')`,
    () => `COPY (SELECT 1) TO '${other}/out.csv'`,
    () => `ATTACH '${other}/x.db' AS x`,
    () => `ATTACH '${client.directory}x.db' AS x`,
  ])('elsewhere are not: %#', async (sql) => {
    await expect(define(sql())).rejects.toThrow(/file system operations are disabled|No files found/u)
    expect(await readdir(other)).toEqual(['secret.csv'])
  })
})

describe('settings', () => {
  it.each([
    'SET enable_external_access = true',
    'SET lock_configuration = false',
    'RESET lock_configuration',
    "SET allowed_directories = ['/']",
    "SET memory_limit = '100GB'",
    "SET temp_directory = '/tmp'",
    "SET TimeZone = 'America/New_York'",
    'SET threads = 64',
    'SET autoload_known_extensions = true',
    'SET GLOBAL enable_external_access = true',
    'PRAGMA threads = 64',
  ])('%s fails', async (sql) => {
    await expect(define(sql)).rejects.toThrow()
  })
})

describe('network and extensions', () => {
  it.each([
    'INSTALL httpfs',
    'LOAD httpfs',
    'LOAD iceberg',
    "CREATE SECRET s (TYPE s3, KEY_ID 'k', SECRET 's')",
  ])('%s fails', async (sql) => {
    await expect(define(sql)).rejects.toThrow()
  })

  it('no statement reaches a listening socket', async () => {
    let connectionCount = 0
    const server = createServer((socket) => {
      connectionCount += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    for (const sql of [
      `FROM read_csv('http://127.0.0.1:${port}/x.csv')`,
      `FROM 'http://127.0.0.1:${port}/x.parquet'`,
      `ATTACH 'http://127.0.0.1:${port}/x.db' AS y`,
    ]) {
      await expect(define(sql)).rejects.toThrow()
    }
    server.close()
    expect(connectionCount).toBe(0)
  })
})

it('[EN1] the process has an empty environment', async () => {
  process.env['LAKE_TEST_SECRET'] = 'hunter2'
  await using fresh = await startTestEngine()
  await using session = await fresh.engine.acquire(never)
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))
  const own: string[] = []
  for (const id of processes) {
    const commandLine = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')
    const folder = await import('node:fs/promises')
      .then((fs) => fs.readlink(`/proc/${id}/cwd`))
      .catch(() => '')
    if (commandLine.includes('engine-process') && folder === session.directory) own.push(id)
  }
  expect(own).toHaveLength(1)
  const environment = await readFile(`/proc/${own[0]!}/environ`, 'utf8')
  const names = environment
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split('=')[0])
  expect(names.filter((name) => !name!.startsWith('NODE_CHANNEL_'))).toEqual([])
  delete process.env['LAKE_TEST_SECRET']
})

it('a session runs queries only, whatever it is asked', async () => {
  await using session = await test.engine.acquire(never)
  for (const sql of [
    'CREATE TABLE x (a INT)',
    'SELECT 1; SELECT 2',
    'SET threads = 1',
    "COPY (SELECT 1) TO 'x.csv'",
  ]) {
    await expect(collect(session, sql)).rejects.toThrow()
  }
})

it('errors name no folder of the server', async () => {
  const error: unknown = await query(test.engine, `FROM read_csv('${other}/secret.csv')`).catch(
    (error: unknown) => error,
  )
  expect(isAppError(error)).toBe(true)
  expect((error as Error).message).not.toContain(test.directory)
})
