// A server under load and abuse: each ends in bounded time and memory, and somebody else is answered meanwhile.
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX, REQUEST_HEADER, ROUTES, SQL_LENGTH_MAX } from '@lake/core/api/contract.ts'
import { LIMITS } from '../src/limits.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { bearer, createTestPrincipals, type TestPrincipals } from './support/principals.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'
import { createTestClient, type TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

// Nothing here is measured by the clock: what would never end is cut off by the server, or the test's own time ends it.
const MIB = 1_048_576

let principals: TestPrincipals<'ada' | 'bob'>
let lake: TestLake
let stack: TestStack
let ada: TestClient
let bob: TestClient

beforeAll(async () => {
  principals = await createTestPrincipals({ ada: ['*'], bob: ['*'] })
  lake = await startTestLake(['--demo-scale', '0.01'])
  stack = await startTestStack(lake, {
    LAKE_PRINCIPALS: principals.path,
    LAKE_PRINCIPAL_STATEMENTS_MAX: '2',
    LAKE_ENGINES_MAX: '3',
    LAKE_ENGINE_THREADS: '1',
    LAKE_ENGINE_MEMORY_BYTES_MAX: String(128 * MIB),
    LAKE_ENGINE_SPILL_BYTES_MAX: String(16 * MIB),
  })
  ada = createTestClient(stack.url, bearer(principals.tokens.ada))
  bob = createTestClient(stack.url, bearer(principals.tokens.bob))
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await principals?.[Symbol.asyncDispose]()
})

/** Somebody else's small statement. The test's own time bounds it. */
async function expectBobServed(): Promise<void> {
  expect(await bob.outcome('SELECT count(*) FROM iceberg.analytics.robots')).toBe('ok')
}

/** Whether it has ended already. */
async function hasEnded(work: Promise<unknown>): Promise<boolean> {
  const later = new Promise((resolve) => setImmediate(resolve, 'later'))
  return (await Promise.race([work, later])) !== 'later'
}

const ticketOf = async (client: TestClient, sql: string): Promise<string> => {
  const info = await client.flightInfo(sql)
  if ('status' in info) throw new Error(`${info.code}: ${info.message}`)
  return info.ticket
}

describe('[OV1] a statement without end', () => {
  it('takes its principal’s places only, and ends when it is stopped', async () => {
    const sql = 'SELECT max(a.range * b.range) FROM range(1000000000000) a, range(1000000) b'
    const tickets = [await ticketOf(ada, sql), await ticketOf(ada, sql)]
    const running = tickets.map(async (ticket) => (await ada.doGet(ticket)).status)
    const third = await ticketOf(ada, 'SELECT 1')
    const refused = async (): Promise<unknown> => {
      const { status, headers } = await ada.doGet(third)
      return [status, headers.get('retry-after')]
    }
    await expect.poll(refused).toEqual([429, '2'])
    await expectBobServed()
    expect(await Promise.all(running.map(hasEnded))).toEqual([false, false])
    for (const ticket of tickets) {
      const answer = await ada.request('POST', '/cancel-flight-info', { ticket })
      expect(await answer.json()).toEqual({ status: 'cancelled' })
    }
    expect(await Promise.all(running)).toEqual([499, 499])
    await expect.poll(async () => await ada.outcome('SELECT 1')).toBe('ok')
  })
})

describe('[OV1] a statement that', () => {
  it.each([
    ['hogs memory', 'SELECT list(range) FROM range(1000000000)'],
    ['hogs memory and disk', 'SELECT DISTINCT range, hash(range) FROM range(1000000000) ORDER BY 2'],
    ['makes one giant value', "SELECT repeat('x', 2000000000)"],
  ])('%s fails by a code', async (_what, sql) => {
    const [outcome] = await Promise.all([ada.outcome(sql), expectBobServed()])
    // The last is folded while it is planned, which has a deadline of its own.
    expect(['SQL_EXECUTION', 'ENGINE_FAILED', 'RESULT_TOO_LARGE', 'DEADLINE_EXCEEDED']).toContain(outcome)
    await expectBobServed()
  })

  it.each([
    ['is as long as allowed', `SELECT ${'1+'.repeat(SQL_LENGTH_MAX / 2 - 10)}1`],
    ['is nested by parentheses', `SELECT ${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
    ['is nested by subqueries', `${'SELECT * FROM ('.repeat(10_000)}SELECT 1${')'.repeat(10_000)}`],
    ['is nested by functions', `SELECT ${'abs('.repeat(20_000)}1${')'.repeat(20_000)}`],
    [
      'doubles itself in each of forty CTEs',
      `WITH c0 AS (SELECT 1 AS x)${Array.from({ length: 40 }, (_, index) => `, c${index + 1} AS (SELECT a.x FROM c${index} a, c${index} b)`).join('')} SELECT count(*) FROM c40`,
    ],
    ['is one long name', `SELECT 1 AS "${'x'.repeat(SQL_LENGTH_MAX - 20)}"`],
  ])('%s is planned or refused, and holds up nobody', async (_what, sql) => {
    const [info] = await Promise.all([ada.flightInfo(sql), expectBobServed()])
    if ('status' in info) expect(info.code).toMatch(/^SQL_|^DEADLINE_EXCEEDED$/)
  })

  // Where a regular expression is tried in all ways, neither of these ends before the sun does.
  it('has an evil regular expression ends as any other', async () => {
    const sql =
      "SELECT regexp_matches(repeat('a', 100000), '^(a+)+$') AS m, repeat('a', 100000) ~ '(a|aa)+b' AS n"
    expect(await ada.outcome(sql)).toBe('ok')
  })
})

describe('[OV1] a reader that takes nothing', () => {
  it('stops the engine from computing ahead, and holds up nobody', async () => {
    const before = process.memoryUsage().rss
    const gone = new AbortController()
    const sql = "SELECT range, repeat('x', 1000) AS x FROM range(100000000)"
    await ada.doGet(await ticketOf(ada, sql), gone.signal)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await expectBobServed()
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB)
    gone.abort()
    await expect.poll(async () => await ada.outcome('SELECT 1')).toBe('ok')
  })
})

describe('[OV3] one principal', () => {
  it('has half of the places for planning, by several tokens too, and another is served', async () => {
    await using engine = await startTestEngine({ threads: 1 })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { analyst } = engine.engine
    const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex')
    const principal = (name: string, ...tokens: string[]) => ({
      name,
      namespaces: ['*'],
      tokens: tokens.map((token) => ({ sha256: sha256(token) })),
    })
    await using app = await startRecordingApp({
      // A statement of ada's is analysed until it is let go.
      engine: {
        ...engine.engine,
        analyst: {
          ...analyst,
          parse: async (sql, signal) => {
            if (sql.includes('slow')) await released
            return await analyst.parse(sql, signal)
          },
        },
      },
      deployment: [['a']],
      principals: JSON.stringify({ principals: [principal('ada', 'one', 'two'), principal('bob', 'three')] }),
    })
    const half = LIMITS.planningAtOnceMax / 2
    const plan = async (token: string, sql: string): Promise<number> =>
      (await createTestClient(app.url, bearer(token)).request('POST', ROUTES.analyze.path, { sql })).status
    const refused: number[] = []
    const slow = Array.from({ length: half + 8 }, async (_, index) => {
      const status = await plan(index % 2 === 0 ? 'one' : 'two', 'SELECT 1 -- slow')
      if (status === 429) refused.push(status)
      return status
    })
    await expect.poll(() => refused.length).toBe(8)
    expect(await plan('three', 'SELECT 1')).toBe(200)
    release()
    expect((await Promise.all(slow)).filter((status) => status === 200)).toHaveLength(half)
  }, 60_000)
})

describe('[OV2] connections', () => {
  const IDLE = 1_000
  const connections = { headersTimeoutMs: 300, requestTimeoutMs: 600, connectionsCheckedEveryMs: 50 }
  let engine: TestEngine
  let app: RecordingApp

  beforeAll(async () => {
    engine = await startTestEngine({ threads: 1 })
    app = await startRecordingApp({
      engine: engine.engine,
      deployment: [['a']],
      principals: '{"principals":[]}',
      connections,
    })
  }, 60_000)
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]()
    await engine?.[Symbol.asyncDispose]()
  })

  const open = async ({ url }: RecordingApp = app): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return socket
  }
  const closed = async (socket: Socket): Promise<string> => {
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await new Promise<void>((resolve) => socket.once('close', resolve))
    return text
  }

  it(`that are idle, ${IDLE} of them, cost little, and too many are closed as they come`, async () => {
    // Here none is cut off for having said nothing.
    await using patient = await startRecordingApp({
      engine: engine.engine,
      deployment: [['a']],
      principals: '{"principals":[]}',
      connections: { connectionsMax: IDLE + 1 },
    })
    const before = process.memoryUsage().rss
    const sockets: Socket[] = []
    while (sockets.length < IDLE)
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, async () => await open(patient)))))
    expect((await fetch(`${patient.url}/livez`, { headers: { connection: 'close' } })).status).toBe(200)
    // Both ends are in this process.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB)
    // One may have the last place.
    const said: string[] = []
    for (let count = 0; count < 20; count += 1) {
      const socket = await open(patient)
      sockets.push(socket)
      void closed(socket).then((text) => said.push(text))
    }
    await expect.poll(() => said.length).toBeGreaterThanOrEqual(19)
    expect(said.join('')).toBe('')
    for (const socket of sockets) socket.destroy()
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(32 * MIB, ' '))],
    ['br', brotliCompressSync(Buffer.alloc(32 * MIB, ' '))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(32 * MIB, ' ')))],
  ])('that send a body which inflates beyond the bound are refused: %s', async (encoding, body) => {
    const before = process.memoryUsage().rss
    const own = { origin: app.url, [REQUEST_HEADER.name]: REQUEST_HEADER.value }
    const headers = { ...own, 'content-type': 'application/json', 'content-encoding': encoding }
    const answers = Array.from({ length: 8 }, async () => {
      const answer = await fetch(`${app.url}${API_PREFIX}/session`, { method: 'POST', headers, body })
      return answer.status
    })
    expect(new Set(await Promise.all(answers))).toEqual(new Set([400]))
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB)
  })

  it('that send headers or a body slowly are cut off', async () => {
    const slowHeaders = await open()
    slowHeaders.write('POST /api/v1/analyze HTTP/1.1\r\nhost: x\r\n')
    const slowBody = await open()
    const host = new URL(app.url).host
    slowBody.write(
      `POST ${API_PREFIX}/session HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`,
    )
    slowBody.write(`origin: ${app.url}\r\nx-requested-with: lake-workbench\r\ncontent-length: 1000\r\n\r\n{`)
    const timer = setInterval(() => {
      slowHeaders.write('x: y\r\n')
      slowBody.write(' ')
    }, 50)
    const [headers, body] = await Promise.all([closed(slowHeaders), closed(slowBody)])
    clearInterval(timer)
    expect(headers).toContain('408')
    expect(body).toContain('408')
  })

  it.each([
    ['known', 'authorization: Bearer '],
    ['unknown', 'x-nothing: '],
  ])(
    'that send without end are cut off, the sender %s, and what they sent is not kept',
    async (_who, header) => {
      const before = process.memoryUsage().rss
      const { host, port } = new URL(stack.url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => undefined)
      const answer = closed(socket)
      const credentials = `${header}${principals.tokens.ada}`
      socket.write(`POST ${API_PREFIX}/analyze HTTP/1.1\r\nhost: ${host}\r\n${credentials}\r\n`)
      socket.write('content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
      // At the pace of the server, so that what waits here is not taken for what it keeps; until it is cut off.
      while (!socket.destroyed) {
        const next = Promise.withResolvers<void>()
        if (socket.write(chunk)) setImmediate(next.resolve)
        else socket.once('drain', next.resolve)
        await Promise.race([answer, next.promise])
      }
      // The answer may be lost where the connection is cut while there is more to come.
      expect(await answer).toMatch(/^(HTTP\/1\.1 40[01]|$)/)
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB)
    },
  )
})
