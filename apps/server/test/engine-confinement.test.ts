// What the system lets an engine process do, read from the system itself while the process runs.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { planEngineLaunch, type EngineLaunch } from '../src/engine/engine-launch.ts'
import { readConfig } from '../src/config.ts'
import { LIMITS } from '../src/limits.ts'
import { collect, never, readProcess, startTestEngine, type TestEngine } from './engine-support.ts'
import { engineProcesses } from './support/engine-processes.ts'
import { startTestLake, startTestStack } from './support/test-stack.ts'

const MIB = 1_048_576
const MEMORY_BYTES = 128 * MIB
const SPILL_BYTES = 256 * MIB
const NOBODY = { uid: 65_534, gid: 65_534 }

const launch = await planEngineLaunch(undefined)
const lacking = (words: RegExp): string | undefined => launch.missing.find((missing) => words.test(missing))
const platform = lacking(/setpriv|prlimit/)
const network = lacking(/network/)
const asUser = process.getuid?.() === 0 && platform === undefined ? undefined : 'not root, or no setpriv'
const titled = (words: string, skip: string | undefined): string =>
  skip === undefined ? words : `${words} (skipped: ${skip})`

let engine: TestEngine | undefined
afterEach(async () => {
  await engine?.[Symbol.asyncDispose]()
  engine = undefined
})

async function start(chosen: EngineLaunch): Promise<TestEngine> {
  engine = await startTestEngine({
    launch: chosen,
    memoryBytesMax: MEMORY_BYTES,
    spillBytesMax: SPILL_BYTES,
    threads: 2,
  })
  return engine
}

const sum = async (session: Parameters<typeof collect>[0], sql: string): Promise<unknown> =>
  (await collect(session, sql)).get(0)?.toJSON()

describe('[EN1] an engine process', () => {
  it.skipIf(platform)(titled('has no capability and no way to one', platform), async () => {
    await using session = await (await start(launch)).engine.acquire(never)
    await collect(session, 'SELECT 1')
    const processes = engineProcesses()
    expect(processes.length).toBeGreaterThanOrEqual(2)
    for (const { status, environment } of processes.map(readProcess)) {
      expect(status.get('NoNewPrivs')).toBe('1')
      for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
        expect(status.get(name), name).toMatch(/^0+$/)
      // Whoever is root may take it away from others as well.
      if (process.getuid?.() === 0) expect(status.get('CapBnd')).toMatch(/^0+$/)
      expect(environment.filter((entry) => !entry.startsWith('NODE_CHANNEL_'))).toEqual([])
    }
  })

  it.skipIf(platform)(titled('has limits of its own, and is the first to go', platform), async () => {
    await using session = await (await start(launch)).engine.acquire(never)
    await collect(session, 'SELECT 1')
    const dataBytes = 2 * MEMORY_BYTES + LIMITS.engineDataBytes + 2 * LIMITS.engineThreadDataBytes
    const [held] = engineProcesses().filter((pid) => readlinkSync(`/proc/${pid}/cwd`) === session.directory)
    const { limits, oomScore } = readProcess(held ?? 0)
    const both = (value: number): string[] => [String(value), String(value)]
    expect(limits.get('Max core file size')).toEqual(both(0))
    expect(limits.get('Max data size')).toEqual(both(dataBytes))
    expect(limits.get('Max file size')).toEqual(both(SPILL_BYTES))
    expect(Number(limits.get('Max open files')?.[1])).toBeLessThanOrEqual(LIMITS.engineOpenFilesMax)
    expect(oomScore).toBe(500)
  })

  it.skipIf(network)(titled('has no network but an empty one of its own', network), async () => {
    await using session = await (await start(launch)).engine.acquire(never)
    await collect(session, 'SELECT 1')
    const own = readlinkSync('/proc/self/ns/net')
    for (const pid of engineProcesses()) {
      expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(own)
      const interfaces = [...readFileSync(`/proc/${pid}/net/dev`, 'utf8').matchAll(/^\s*(\S+):/gm)]
      expect(interfaces.map(([, name]) => name)).toEqual(['lo'])
      expect(readFileSync(`/proc/${pid}/net/route`, 'utf8').trim().split('\n')).toHaveLength(1)
    }
  })

  it.skipIf(platform)(titled('fails by a code where it maps more than it may', platform), async () => {
    const tight: EngineLaunch = {
      ...launch,
      command: (settings) =>
        launch.command(settings).map((word) => word.replace(/^--data=.*/, `--data=${900 * MIB}`)),
    }
    const { engine: pool } = await start(tight)
    await using session = await pool.acquire(never)
    const sql = `SELECT count(*) FROM (SELECT ${Array.from({ length: 40 }, (_, index) => `hash(range + ${index}) AS c${index}`).join()} FROM range(3000000) ORDER BY ALL)`
    await expect(collect(session, sql)).rejects.toMatchObject({
      code: expect.stringMatching(/^(SQL_EXECUTION|ENGINE_FAILED|RESULT_TOO_LARGE)$/) as string,
    })
  })

  it.skipIf(asUser)(titled('runs as another user where one is named', asUser), async () => {
    const { engine: pool, directory } = await start(await planEngineLaunch(NOBODY))
    {
      await using session = await pool.acquire(never)
      // A sort that outgrows memory goes to disk; what is left is removed.
      await writeFile(join(session.directory, 'left behind'), '')
      const sorted = `SELECT CAST(sum(r) AS VARCHAR) AS s FROM (SELECT range AS r, repeat('x', 100) AS x FROM range(2000000) ORDER BY hash(range))`
      expect(await sum(session, sorted)).toEqual({ s: '1999999000000' })
      const [held = 0] = engineProcesses().filter(
        (pid) => readlinkSync(`/proc/${pid}/cwd`) === session.directory,
      )
      const { status } = readProcess(held)
      expect(status.get('Uid')).toBe([65_534, 65_534, 65_534, 65_534].join('\t'))
      expect(status.get('Gid')).toBe([65_534, 65_534, 65_534, 65_534].join('\t'))
      expect(status.get('Groups')).toBe('')
      expect(status.get('CapEff')).toMatch(/^0+$/)
      expect(statSync(session.directory).mode & 0o7).toBe(0)
      // A server that holds more than this cannot be read by it: its memory, its environment.
      expect(statSync(`/proc/${process.pid}/environ`).mode & 0o077).toBe(0)
    }
    await using again = await pool.acquire(never)
    expect(readdirSync(again.directory)).toEqual(['spill'])
    expect(await sum(again, 'SELECT 1 AS s')).toEqual({ s: 1 })
    expect(statSync(join(directory, 'scratch')).mode & 0o777).toBe(0o711)
  })
})

describe('[EN1] a server whose engine processes are of another user', () => {
  it.skipIf(asUser)(
    titled('lets them read what it fetched', asUser),
    async () => {
      const lake = await startTestLake(['--demo-scale', '0.01'])
      try {
        await using stack = await startTestStack(lake, { LAKE_ENGINE_USER: `${NOBODY.uid}:${NOBODY.gid}` })
        for (const sql of [
          'SELECT count(model) > 0 AS ok FROM iceberg.analytics.robots',
          'SELECT count(*) > 0 AS ok FROM iceberg.analytics."robots$files"',
        ]) {
          const { batches } = await stack.client.query(sql)
          expect(
            batches
              .find(({ numRows }) => numRows > 0)
              ?.get(0)
              ?.toJSON(),
          ).toEqual({ ok: true })
        }
        expect(stack.log.filter(({ msg }) => /setpriv|prlimit/.test(String(msg)))).toEqual([])
        for (const { status } of engineProcesses().map(readProcess))
          expect(status.get('Uid')).toMatch(/^65534\b/)
      } finally {
        await lake[Symbol.asyncDispose]()
      }
    },
    60_000,
  )
})

describe('[EN1] where the platform does not allow it', () => {
  it('another user is refused at start, and a faulty one by the configuration', async () => {
    const umask = process.umask()
    if (asUser === undefined && umask !== 0o077) {
      process.umask(0o077)
      try {
        await expect(planEngineLaunch(NOBODY)).rejects.toThrow('umask')
      } finally {
        process.umask(umask)
      }
    } else await expect(planEngineLaunch(NOBODY)).rejects.toThrow('LAKE_ENGINE_USER')
    for (const value of ['lake', '0:0', '1000', '1000:0', '-1:5', '1:2:3'])
      expect(() => readConfig({ LAKE_ENGINE_USER: value })).toThrow('LAKE_ENGINE_USER must be uid:gid')
    expect(readConfig({ LAKE_ENGINE_USER: '990:991' }).engineUser).toEqual({ uid: 990, gid: 991 })
  })

  it('the JavaScript of the process reads the program’s files and writes none', async () => {
    const command = launch.command({ memoryBytesMax: 1, spillBytesMax: 1, threads: 1 })
    expect(command).toContain('--permission')
    expect(command.filter((word) => word.startsWith('--allow-fs-read'))).not.toContain('--allow-fs-read=*')
    expect(command.join(' ')).not.toMatch(/--allow-(fs-write|child|worker|wasi|net)/)
    expect(await readFile(command.at(-1)!, 'utf8')).toContain('The main module of an engine process')
  })
})
