// Every route with generated bodies, good and bad: an answer of the contract each time, never a 500, a stack or a hang.
import { createHash } from 'node:crypto'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX, errorBody, type RouteName } from '@lake/core/api/contract.ts'
import { ERROR_CODES } from '@lake/core/errors.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { createRandom } from './support/random-queries.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'
import { requestTo, ROUTE_NAMES } from './support/route-requests.ts'

const REQUESTS = 3_000
/** A hang: what runs here has deadlines of five seconds, and the machine may be very busy. */
const ANSWER_MS_MAX = 60_000
const TOKEN = 'token-ada'

let engine: TestEngine
let app: RecordingApp
let pool: Pool
const random = createRandom(20_261_201)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const chance = (share: number): boolean => random() < share

beforeAll(async () => {
  engine = await startTestEngine({ threads: 1 })
  const sha256 = createHash('sha256').update(TOKEN).digest('hex')
  app = await startRecordingApp({
    engine: engine.engine,
    deployment: [['a']],
    principals: JSON.stringify({ principals: [{ name: 'ada', namespaces: ['*'], tokens: [{ sha256 }] }] }),
  })
  pool = new Pool(app.url, { connections: 8 })
}, 60_000)

afterAll(async () => {
  await pool?.destroy()
  await app?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'x'.repeat(10_000),
  '__proto__',
  'constructor',
  [],
  {},
  [[[[]]]],
  [null],
  { toString: 1 },
  { length: 1e9 },
  'SELECT',
  'SELECT 1; SELECT 2',
  "SELECT '",
  'SELECT * FROM iceberg.a."t$files"',
  'SELECT * FROM iceberg.a.t AT (VERSION => 1)',
  '-- nothing',
  '9999999999999999999',
]

/** A body of the contract with some of its parts replaced, left out or added. */
function mutated(value: unknown): unknown {
  if (chance(0.25)) return pick(ODD_VALUES)
  if (Array.isArray(value)) return value.flatMap((item) => (chance(0.2) ? [] : [mutated(item)]))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, part]) => (chance(0.15) ? [] : [[key, mutated(part)]]))
  if (chance(0.2)) entries.push([pick(['__proto__', 'sql', 'ticket', 'pins', 'x']), pick(ODD_VALUES)])
  return Object.fromEntries(entries) as unknown
}

function anyBody(valid: unknown): string | Buffer {
  if (chance(0.1))
    return pick(['', '{', '[', 'null', '{"sql":', '\ufeff{}', '{"a":1}}', '{"a":1,}', '[1e999]'])
  if (chance(0.05)) return Buffer.from([0x7b, 0xff, 0xfe, 0x22, 0x00])
  if (chance(0.03)) return `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  return JSON.stringify(mutated(valid)) ?? ''
}

const segment = (): string =>
  pick([
    'a',
    'b',
    '%00',
    '%1F',
    'a%1Fb',
    '%',
    '%zz',
    '%ff',
    '..',
    '%2e%2e',
    '%2F',
    'x'.repeat(3_000),
    '%F0%9F%98%80',
  ])
const TYPES = [
  'application/json',
  'application/json; charset=utf-7',
  'text/plain',
  'application/json;',
  'x',
  '',
]
/** Good bodies of each route, in each of its forms; a new route does not compile without. */
const BODIES: Readonly<Record<RouteName, readonly Readonly<Record<string, unknown>>[]>> = (() => {
  const pins = [{ namespace: ['a'], table: 't', snapshotId: '1' }]
  const statements = [
    'SELECT 1',
    'SELECT * FROM iceberg.a.t',
    'SELECT * FROM iceberg.b.t',
    'SELEC 1',
  ].flatMap((sql) => [{ sql }, { sql, pins }])
  const ticket = 'AAAA'
  return {
    session: [],
    signIn: [{ token: 'x' }],
    signOut: [],
    beginSignIn: [],
    finishSignIn: [],
    namespaces: [],
    tables: [],
    table: [],
    tableFiles: [],
    tableManifests: [],
    tableStatistics: [],
    verifyStorageAccess: [{}],
    analyze: statements,
    estimate: statements,
    flightInfo: statements,
    doGet: [{ ticket }, { ticket, isPreview: true }],
    export: [
      { ticket, format: 'csv' },
      { ticket, format: 'csv', options: { delimiter: ';' } },
    ],
    pollFlightInfo: [
      { ticket },
      { descriptor: { statementId: 'x' }, waitMs: 0 },
      { sql: 'SELECT * FROM iceberg.b.t' },
    ],
    statements: [],
    cancelFlightInfo: [{ ticket }, { ticket, verb: 'export' }, { statementId: 'x' }],
  }
})()
const QUERIES = [
  '',
  '?',
  '?x=1',
  '?window=own',
  '?page=2',
  '?pageSize=-1',
  '?a[b]=c',
  '?a=1&a=2',
  '?%',
  '?state=x&code=y',
]
const HEADERS: readonly Record<string, string>[] = [
  { accept: 'text/html' },
  { range: 'bytes=0-1' },
  { 'if-none-match': '*' },
  { 'if-modified-since': 'never' },
  { cookie: 'lake-session=x; lake-session=y; =; %' },
  { cookie: `lake-session=${'A'.repeat(5_000)}` },
  { 'x-forwarded-for': '1.2.3.4, nonsense' },
  { 'x-http-method-override': 'DELETE' },
  { origin: 'null' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br' },
  { 'content-encoding': 'x' },
]

interface Asked {
  readonly what: string
  readonly status: number
  readonly text: string
  readonly elapsedMs: number
}

/** @param isPlain as the contract has it, by somebody who may: what is wrong with it then is not its form */
async function ask(name: RouteName, isPlain: boolean): Promise<Asked> {
  const sent = requestTo(name, {
    namespaceSegment: isPlain ? 'a' : segment(),
    tableSegment: isPlain ? 't' : segment(),
    sql: '',
    ticket: '',
  })
  const good = pick(BODIES[name].length > 0 ? BODIES[name] : [{}])
  const body = sent.method !== 'POST' ? null : isPlain ? JSON.stringify(good) : anyBody(good)
  const method =
    !isPlain && chance(0.03) ? pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const) : sent.method
  const odd = isPlain || chance(0.7) ? {} : pick(HEADERS)
  const headers: Record<string, string> = { ...odd }
  if (isPlain || !chance(0.05)) headers['authorization'] = `Bearer ${TOKEN}`
  if (body !== null) headers['content-type'] = isPlain || chance(0.85) ? 'application/json' : pick(TYPES)
  const path = `${API_PREFIX}${sent.path}${isPlain ? '' : pick(QUERIES)}`
  const startedAt = performance.now()
  const answer = await pool.request({ method, path, headers, body })
  const text = await answer.body.text()
  const what = JSON.stringify([method, path, headers, body === null ? null : body.toString().slice(0, 300)])
  return { what, status: answer.statusCode, text, elapsedMs: performance.now() - startedAt }
}

/** Whether the answer is one of the contract. */
function check({ what, status, text, elapsedMs }: Asked, isPlain: boolean): void {
  const said = `${what} → ${status} ${text.slice(0, 400)}`
  if (status >= 500) expect.fail(said)
  if (elapsedMs > ANSWER_MS_MAX) expect.fail(`${elapsedMs} ms: ${said}`)
  if (/node_modules|\bat .*\.[tj]s:\d+|file:\/\//.test(text)) expect.fail(said)
  if (status < 400 || text === '') return
  const { code } = errorBody.parse(JSON.parse(text)).error
  if (!(code in ERROR_CODES) || (isPlain && code === 'INVALID_REQUEST')) expect.fail(said)
}

describe('[AU8] the contract', () => {
  it(`holds for ${REQUESTS} generated requests, as many to each route`, async () => {
    const statuses = new Map<number, number>()
    let sentCount = 0
    const worker = async (): Promise<void> => {
      while (sentCount < REQUESTS) {
        const name = ROUTE_NAMES[sentCount % ROUTE_NAMES.length]!
        sentCount += 1
        const isPlain = chance(0.15)
        const asked = await ask(name, isPlain)
        statuses.set(asked.status, (statuses.get(asked.status) ?? 0) + 1)
        check(asked, isPlain)
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    // Good and bad ones were among them.
    for (const status of [200, 400, 404])
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(20)
  }, 120_000)
})
