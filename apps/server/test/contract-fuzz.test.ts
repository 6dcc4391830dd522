// Every route with generated bodies, good and bad: an answer of the contract each time, never a 500, a stack or a hang.
import { createHash } from 'node:crypto'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX, errorBody, ROUTES } from '@lake/core/api/contract.ts'
import { ERROR_CODES } from '@lake/core/errors.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { createRandom } from './support/random-queries.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'
import { requestTo, ROUTE_NAMES } from './support/route-requests.ts'

const REQUESTS = 3_000
const ANSWER_MS_MAX = 5_000
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
const pins = [{ namespace: ['a'], table: 't', snapshotId: '1' }]

async function ask(): Promise<{ what: string; status: number; text: string; elapsedMs: number }> {
  const name = pick(ROUTE_NAMES)
  const sql = pick(['SELECT 1', 'SELECT * FROM iceberg.a.t', 'SELECT * FROM iceberg.b.t', 'SELEC 1'])
  const sent = requestTo(name, {
    namespaceSegment: segment(),
    tableSegment: segment(),
    sql,
    ticket: pick(['x', 'AAAA', '']),
  })
  const valid = { ...sent.body, ...(ROUTES[name].requires === 'statement' ? { pins } : {}) }
  const body = sent.method === 'POST' ? anyBody(valid) : null
  const method = chance(0.03) ? pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const) : sent.method
  const headers: Record<string, string> = chance(0.1) ? { 'content-encoding': pick(['gzip', 'br', 'x']) } : {}
  if (!chance(0.05)) headers['authorization'] = `Bearer ${TOKEN}`
  if (body !== null) headers['content-type'] = chance(0.85) ? 'application/json' : pick(TYPES)
  const startedAt = performance.now()
  const answer = await pool.request({ method, path: `${API_PREFIX}${sent.path}`, headers, body })
  const text = await answer.body.text()
  const what = JSON.stringify([
    method,
    sent.path,
    headers,
    body === null ? null : body.toString().slice(0, 300),
  ])
  return { what, status: answer.statusCode, text, elapsedMs: performance.now() - startedAt }
}

describe('[AU8] the contract', () => {
  it(`holds for ${REQUESTS} generated requests`, async () => {
    const statuses = new Map<number, number>()
    const worker = async (): Promise<void> => {
      for (let count = 0; count < REQUESTS / 8; count += 1) {
        const { what, status, text, elapsedMs } = await ask()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const said = `${what} → ${status} ${text.slice(0, 400)}`
        if (status >= 500) expect.fail(said)
        if (elapsedMs > ANSWER_MS_MAX) expect.fail(`${elapsedMs} ms: ${said}`)
        if (/node_modules|\bat .*\.[tj]s:\d+|file:\/\//.test(text)) expect.fail(said)
        if (status >= 400 && text !== '') {
          const { code } = errorBody.parse(JSON.parse(text)).error
          if (!(code in ERROR_CODES)) expect.fail(said)
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    // Good and bad ones were among them.
    for (const status of [200, 400, 404])
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(20)
  }, 120_000)
})
