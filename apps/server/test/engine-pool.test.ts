// The life of engine processes: cancel, crash, backpressure, reset, queue.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isAppError } from '@lake/core/errors.ts'
import { collect, never, query, startTestEngine, table } from './engine-support.ts'
import { countEngineWork, untilEngineRests, untilEngineWorks } from './support/engine-processes.ts'

const test = await startTestEngine()
const { engine } = test
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

const HEAVY = 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3'

/** The process id behind a session, found by its folder. */
async function processOf(directory: string): Promise<number> {
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))) {
    if ((await readlink(`/proc/${id}/cwd`).catch(() => '')) === directory) return Number(id)
  }
  throw new Error('no such process')
}

async function residentBytes(id: number): Promise<number> {
  const status = await readFile(`/proc/${id}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/u.exec(status)?.[1]) * 1_024
}

const settle = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

it('names the engine and its version', () => {
  expect(engine.name).toMatch(/^DuckDB v\d+\.\d+\.\d+/u)
})

describe('cancelling', () => {
  it('ends a heavy statement within a second, and the next one runs', async () => {
    const controller = new AbortController()
    await using session = await engine.acquire(never)
    const running = settle(collect(session, HEAVY, { signal: controller.signal }))
    await untilEngineWorks()
    const workedMs = countEngineWork()
    controller.abort()
    const error = await running
    await untilEngineRests()
    expect(workedMs()).toBeLessThan(1_000)
    expect(isAppError(error, 'CANCELLED')).toBe(true)
    await session[Symbol.asyncDispose]()
    expect((await query(engine, 'SELECT 42 AS x')).get(0)?.['x']).toBe(42)
  })

  it('ends a stream in the middle, and the next statement of the session runs', async () => {
    await using session = await engine.acquire(never)
    const controller = new AbortController()
    const result = await session.execute(
      'SELECT range FROM range(50000000)',
      { rowsMax: Infinity },
      controller.signal,
    )
    const error = await settle(
      (async () => {
        for await (const { rowCount } of result.batches) {
          expect(rowCount).toBeGreaterThan(0)
          controller.abort()
        }
      })(),
    )
    expect(isAppError(error, 'CANCELLED')).toBe(true)
    expect((await collect(session, 'SELECT 1')).numRows).toBe(1)
  })

  it('a run that was given up before its first rows leaves nothing to the next session', async () => {
    // At once, while the statements before the run are on their way, and while it runs.
    for (const waitMs of [undefined, 0, 0, 1, 3, 20, 60]) {
      const session = await engine.acquire(never)
      const given = settle(
        session.execute('SELECT sum(hash(i)) FROM range(40000000) t(i)', { rowsMax: Infinity }, never),
      )
      if (waitMs !== undefined) await new Promise((resolve) => setTimeout(resolve, waitMs))
      await session[Symbol.asyncDispose]()
      await given
      await using next = await engine.acquire(never)
      for (const rowsMax of [0, 50, 50]) {
        expect((await collect(next, 'SELECT range FROM range(1000)', { rowsMax })).numRows).toBe(rowsMax)
      }
    }
  })

  it('before it starts throws at once', async () => {
    await using session = await engine.acquire(never)
    expect(
      isAppError(await settle(collect(session, 'SELECT 1', { signal: AbortSignal.abort() })), 'CANCELLED'),
    ).toBe(true)
  })

  it('a reader that stops early leaves the session usable', async () => {
    await using session = await engine.acquire(never)
    const result = await session.execute('SELECT range FROM range(50000000)', { rowsMax: Infinity }, never)
    await result.batches[Symbol.asyncIterator]().return?.(undefined)
    expect((await collect(session, 'SELECT 1')).numRows).toBe(1)
  })
})

describe('crashes', () => {
  it('reject the one statement that ran', async () => {
    await using session = await engine.acquire(never)
    const running = settle(collect(session, HEAVY))
    await untilEngineWorks()
    process.kill(await processOf(session.directory), 'SIGKILL')
    expect(isAppError(await running, 'ENGINE_FAILED')).toBe(true)
    await session[Symbol.asyncDispose]()
    expect((await query(engine, 'SELECT 1')).numRows).toBe(1)
  })

  it('of an idle process are not noticed by the next statement', async () => {
    const directory = await (async () => {
      await using session = await engine.acquire(never)
      return session.directory
    })()
    process.kill(await processOf(directory), 'SIGKILL')
    // Its folder goes when the pool has noticed.
    await expect.poll(() => existsSync(directory)).toBe(false)
    expect((await query(engine, 'SELECT 1')).numRows).toBe(1)
  })

  it('in the middle of a stream fail the stream', async () => {
    await using session = await engine.acquire(never)
    const result = await session.execute('SELECT range FROM range(50000000)', { rowsMax: Infinity }, never)
    const iterator = result.batches[Symbol.asyncIterator]()
    await iterator.next()
    process.kill(await processOf(session.directory), 'SIGKILL')
    const error = await settle(
      (async () => {
        while ((await iterator.next()).done !== true);
      })(),
    )
    expect(isAppError(error, 'ENGINE_FAILED')).toBe(true)
  })

  it('of the analysis process fail one analysis at most', async () => {
    await engine.analyst.parse('SELECT 1', never)
    const scratch = join(test.directory, 'scratch')
    const folders = (await readdir(scratch)).map((name) => join(scratch, name))
    // One that is about to be started has a folder and no process yet.
    const killed: string[] = []
    for (const folder of folders) {
      const id = await processOf(folder).catch(() => undefined)
      if (id === undefined) continue
      process.kill(id, 'SIGKILL')
      killed.push(folder)
    }
    expect(killed).not.toEqual([])
    await expect.poll(() => killed.filter(existsSync)).toEqual([])
    await settle(engine.analyst.parse('SELECT 1', never))
    expect(await engine.analyst.parse('SELECT 1', never)).toMatchObject({ error: false })
    expect((await query(engine, 'SELECT 1')).numRows).toBe(1)
  })
})

it('a pool that ends while a process is made as new leaves none behind', async () => {
  const other = await startTestEngine()
  const session = await other.engine.acquire(never)
  await collect(session, 'SELECT 1')
  // The process is being reset when the pool ends: it must not be replaced then.
  const released = session[Symbol.asyncDispose]()
  await new Promise(setImmediate)
  await other.engine[Symbol.asyncDispose]()
  await released
  const left = async (): Promise<string[]> => {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))
    const folders = await Promise.all(
      ids.map(async (id) => await readlink(`/proc/${id}/cwd`).catch(() => '')),
    )
    return folders.filter((folder) => folder.startsWith(other.directory))
  }
  await expect.poll(left).toEqual([])
  await other[Symbol.asyncDispose]()
})

it('processes end when the server is killed', async () => {
  const scratchDirectory = join(test.directory, 'orphans')
  const pool = new URL('../src/engine/engine-pool.ts', import.meta.url).href
  const options = JSON.stringify({ scratchDirectory, enginesMax: 1, memoryBytesMax: 1e8 })
  const server = spawn(
    process.execPath,
    [
      '-e',
      `import(${JSON.stringify(pool)}).then((m) => m.createEnginePool(${options})).then(() => console.log('up'))`,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  await once(server.stdout, 'data')
  const [name] = await readdir(scratchDirectory)
  const id = await processOf(join(scratchDirectory, name!))
  server.kill('SIGKILL')
  await once(server, 'exit')
  await expect.poll(async () => await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).toBe('')
})

describe('backpressure', () => {
  it('a reader that waits stops the engine', async () => {
    await using session = await engine.acquire(never)
    const id = await processOf(session.directory)
    const result = await session.execute(
      'SELECT range AS a, range::VARCHAR AS b FROM range(50000000)',
      { rowsMax: Infinity },
      never,
    )
    const iterator = result.batches[Symbol.asyncIterator]()
    await iterator.next()
    const before = await residentBytes(id)
    // All of it would keep the engine busy for many seconds.
    await untilEngineRests()
    expect((await residentBytes(id)) - before).toBeLessThan(16 * 1_048_576)
    await iterator.return?.(undefined)
  })

  it('rowsMax ends the result exactly', async () => {
    await using session = await engine.acquire(never)
    expect((await collect(session, 'SELECT range FROM range(50000000)', { rowsMax: 20_001 })).numRows).toBe(
      20_001,
    )
    expect((await collect(session, 'SELECT range FROM range(10)', { rowsMax: 0 })).numRows).toBe(0)
  })

  it('the same statement gives its rows in the same order', async () => {
    const sql = 'SELECT range AS a FROM range(300000) WHERE range % 3 = 0'
    const column = (await query(engine, sql)).getChildAt(0)!
    expect(column.length).toBe(100_000)
    for (let row = 0; row < column.length; row += 9_999) expect(column.get(row)).toBe(BigInt(row * 3))
  })
})

describe('between statements', () => {
  it('views, files and settings of the process are gone', async () => {
    const t = table('a', 't', { x: 'INTEGER' })
    const directory = await (async () => {
      await using session = await engine.acquire(never)
      await session.defineScans(
        [{ table: t, columnIndexes: new Set(), source: { kind: 'rows', rowCount: 3 } }],
        never,
      )
      await writeFile(join(session.directory, 'left.parquet'), 'x')
      expect((await collect(session, 'SELECT count(*) AS n FROM iceberg.a.t')).get(0)?.['n']).toBe(3n)
      return session.directory
    })()
    await using next = await engine.acquire(never)
    expect(next.directory).toBe(directory)
    expect(await readdir(next.directory)).toEqual([])
    expect(isAppError(await settle(collect(next, 'FROM iceberg.a.t')), 'SQL_BINDING')).toBe(true)
  })

  it('the time of a session stands still, and is the given one', async () => {
    await using session = await engine.acquire(never)
    const sql =
      "SELECT now()::VARCHAR AS a, current_timestamp::VARCHAR AS b, today()::VARCHAR AS c, localtimestamp::VARCHAR AS d, age(TIMESTAMP '2020-09-12 00:00:00')::VARCHAR AS e, ago(INTERVAL 1 DAY)::VARCHAR AS f, age(TIMESTAMPTZ '2020-09-12 00:00:00+00')::VARCHAR AS g, current_time::VARCHAR AS h, get_current_time()::VARCHAR AS i, localtime::VARCHAR AS j, current_localtimestamp()::VARCHAR AS k, transaction_timestamp()::VARCHAR AS l, extract(year FROM now())::VARCHAR AS m, date_diff('day', DATE '2020-09-12', today())::VARCHAR AS n"
    const read = async () =>
      (await collect(session, sql, { statementAtMs: 1_600_000_000_123 })).get(0)!.toArray() as unknown
    const expected = [
      '2020-09-13 12:26:40.123+00',
      '2020-09-13 12:26:40.123+00',
      '2020-09-13',
      '2020-09-13 12:26:40.123',
      '1 day',
      '2020-09-12 12:26:40.123+00',
      '1 day',
      '12:26:40.123+00',
      '12:26:40.123+00',
      '12:26:40.123',
      '2020-09-13 12:26:40.123',
      '2020-09-13 12:26:40.123+00',
      '2020',
      '1',
    ]
    expect(await read()).toEqual(expected)
    expect(await read()).toEqual(expected)
  })
})

describe('the queue', () => {
  it('serves in order, and an aborted wait leaves it', async () => {
    const first = await engine.acquire(never)
    const order: string[] = []
    const controller = new AbortController()
    const aborted = settle(engine.acquire(controller.signal))
    const waiting = engine.acquire(never).then((session) => {
      order.push('second')
      return session
    })
    controller.abort()
    expect(isAppError(await aborted, 'CANCELLED')).toBe(true)
    order.push('first done')
    await first[Symbol.asyncDispose]()
    await (await waiting)[Symbol.asyncDispose]()
    expect(order).toEqual(['first done', 'second'])
  })
})

describe('errors', () => {
  it('of a run point into the statement', async () => {
    const sql = "SELECT 'é😀',\r\n  nope FROM range(3)"
    const error = await settle(query(engine, sql))
    expect(isAppError(error, 'SQL_BINDING')).toBe(true)
    const details = isAppError(error) ? error.details : undefined
    expect(sql.slice(details?.startOffset, details?.endOffset)).toBe('nope')
  })

  it('inside a view do not point into the statement', async () => {
    await using session = await engine.acquire(never)
    const t = table('a', 't', { x: 'INTEGER' })
    const columns = new Map([[0, { source: 'constant' as const, sql: 'chr(65 + (random() * 0)::INTEGER)' }]])
    const excerpts = [{ path: undefined, rowCount: 3, columns }]
    const scans = [{ table: t, columnIndexes: new Set([0]), source: { kind: 'excerpts' as const, excerpts } }]
    for (const sql of ['SELECT x FROM iceberg.a.t', `SELECT x FROM iceberg.a.t -- ${'löng '.repeat(100)}`])
      for (const told of [sql, undefined]) {
        await session.defineScans(scans, never, told)
        const error = await settle(collect(session, sql))
        expect(isAppError(error, 'SQL_EXECUTION')).toBe(true)
        expect(isAppError(error) ? error.details : null).toBeUndefined()
      }
    const own = await settle(collect(session, 'SELECT range::TINYINT FROM range(200)'))
    expect(isAppError(own) ? own.details : null).toEqual({ startOffset: 12, endOffset: 14 })
  })

  it('of the data come as SQL_EXECUTION, also in the middle of a stream', async () => {
    const error = await settle(
      query(engine, "SELECT CASE WHEN range = 1000000 THEN error('boo') ELSE range END FROM range(2000000)"),
    )
    expect(String(error)).toBe('AppError: boo')
    expect(isAppError(error, 'SQL_EXECUTION')).toBe(true)
    const late =
      "SELECT (range::VARCHAR || CASE WHEN range = 900000 THEN 'x' ELSE '' END)::INTEGER AS a, 1 AS a FROM range(2000000);"
    const second = await settle(query(engine, late))
    expect(isAppError(second, 'SQL_EXECUTION')).toBe(true)
    expect(late.slice(isAppError(second) ? second.details?.startOffset : 0)).toMatch(/^::INTEGER/u)
  })

  it('of memory say so, and the process lives on or is replaced', async () => {
    const error = await settle(query(engine, "SELECT list(repeat('x', 1000) || range) FROM range(10000000)"))
    expect(isAppError(error)).toBe(true)
    expect((error as Error).message).toMatch(/memory|process/u)
    expect((await query(engine, 'SELECT 1')).numRows).toBe(1)
  })

  it('of one value that is too large are refused', async () => {
    const error = await settle(query(engine, "SELECT repeat('x', 20000000)"))
    expect(isAppError(error, 'RESULT_TOO_LARGE')).toBe(true)
  })
})
