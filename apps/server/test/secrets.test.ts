// No secret leaves the server's memory: canaries are sent through every path, in success and in failure, and looked for
// in logs, metrics, answers, tickets and files.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '@lake/core/errors.ts'
import { createLogger } from '../src/observability/logger.ts'
import { Secret } from '../src/observability/redaction.ts'
import { LIMITS } from '../src/limits.ts'
import { createBackgroundClient } from './support/background-client.ts'
import { FAULTS, startFaultProxy, type FaultProxy } from './support/fault-proxy.ts'
import { requestTo, ROUTE_NAMES } from './support/route-requests.ts'
import { startStub, type StubServer } from './support/stub-http.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let catalog: FaultProxy
let storage: FaultProxy
let stack: TestStack
let identity: StubServer
let tokens: FaultProxy
/** The chunk cache, and the background statements with their results. */
let directory: string
const limits = LIMITS as unknown as Record<string, number>
const saved = { ...limits }
const CLIENT_SECRET = 'canary-client-secret'
/** Everything that the server sent or wrote. */
const seen: string[] = []

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  catalog = await startFaultProxy(lake.ready.restEndpoint)
  storage = await startFaultProxy(lake.ready.s3Endpoint)
  identity = await startStub(() => ({ body: { access_token: lake.ready.token, token_type: 'bearer' } }))
  tokens = await startFaultProxy(identity.url.href)
  // No cached load answers, and a client is made anew for each call, so every request meets the three others.
  Object.assign(limits, { catalogClientLifetimeMs: 0, snapshotFreshMs: 0, snapshotStaleIfErrorMs: -1 })
  directory = await mkdtemp(join(tmpdir(), 'lake-canary-'))
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_REST_ENDPOINT: catalog.url,
    LAKE_ICEBERG_S3_ENDPOINT: storage.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
    LAKE_ICEBERG_REST_TOKEN: '',
    LAKE_ICEBERG_REST_CREDENTIAL: `canary-client:${CLIENT_SECRET}`,
    LAKE_ICEBERG_REST_OAUTH2_SERVER_URI: tokens.url,
    LAKE_CACHE_DIR: join(directory, 'cache'),
    LAKE_STATE_URL: `file://${directory}/state`,
    LAKE_METRICS_ADDR: '127.0.0.1:0',
  })
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await catalog?.[Symbol.asyncDispose]()
  await storage?.[Symbol.asyncDispose]()
  await tokens?.[Symbol.asyncDispose]()
  await identity?.[Symbol.asyncDispose]()
  Object.assign(limits, saved)
  await lake?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const TABLE = 'iceberg.analytics.robots'
const STATEMENTS = [
  `SELECT robot_id, 'canary-literal' FROM ${TABLE}`,
  `SELECT canary_column FROM ${TABLE}`,
  'SELEC canary-syntax',
  "SELECT * FROM read_csv('canary-file')",
  'SELECT * FROM iceberg.canary_namespace.t',
  'SELECT * FROM iceberg.analytics.canary_table',
  `SELECT CAST('canary-cast' AS INTEGER) FROM ${TABLE}`,
]

const PLACES = [
  ['analytics', 'robots'],
  ['analytics', 'canary_table'],
  ['canary_namespace', 'canary_table'],
] as const
const nothing = (): void => undefined

async function runAll(): Promise<void> {
  for (const sql of STATEMENTS) await runStatement(sql)
  for (const place of PLACES) await walkRoutes(place)
}

/** @param arm is called before each request, to make its first call fail */
async function runStatement(sql: string, arm = nothing): Promise<void> {
  arm()
  const planned = await stack.client.request('POST', '/flight-info', { sql })
  const text = await planned.text()
  seen.push(text, JSON.stringify([...planned.headers]))
  if (!planned.ok) return
  const { ticket } = JSON.parse(text) as { ticket: string }
  seen.push(Buffer.from(ticket, 'base64url').toString('latin1'))
  arm()
  const answer = await stack.client.doGet(ticket)
  seen.push(Buffer.from(await answer.arrayBuffer()).toString('latin1'), JSON.stringify([...answer.headers]))
}

/** Every route of the contract. */
async function walkRoutes(
  [namespaceSegment, tableSegment]: readonly [string, string],
  arm = nothing,
): Promise<void> {
  const sql = `SELECT 'canary-route' FROM ${TABLE}`
  for (const name of ROUTE_NAMES) {
    const { method, path, body } = requestTo(name, { namespaceSegment, tableSegment, sql, ticket: 'canary' })
    arm()
    const answer = await stack.client.request(method, path, body)
    seen.push(await answer.text(), JSON.stringify([...answer.headers]))
  }
}

/** A statement in the background, from its submission to its rows. */
async function runInBackground(): Promise<void> {
  const background = createBackgroundClient(stack.client)
  const sql = `SELECT robot_id, 'canary-background' AS word FROM ${TABLE}`
  const info = await background.ended((await background.submit({ sql })).statementId)
  expect(info.state).toBe('finished')
  seen.push(JSON.stringify(info), JSON.stringify(await background.list()))
}

/** The same in every file that can be had of a table. */
async function exportAll(): Promise<void> {
  for (const format of ['csv', 'jsonl', 'parquet', 'arrow', 'xlsx']) {
    const planned = await stack.client.request('POST', '/flight-info', { sql: STATEMENTS[0] })
    const { ticket } = (await planned.json()) as { ticket: string }
    const answer = await stack.client.request('POST', '/export', { ticket, format })
    seen.push(Buffer.from(await answer.arrayBuffer()).toString('latin1'), JSON.stringify([...answer.headers]))
  }
}

describe('[SX1] canaries', () => {
  it('of credentials appear nowhere, whatever fails', async () => {
    await runAll()
    await exportAll()
    await runInBackground()
    storage.reset(0, 'garbage')
    await exportAll()
    storage.reset()
    for (const fault of FAULTS.filter((name) => name !== 'hang')) {
      for (const proxy of [catalog, storage, tokens]) {
        const arm = (): void => {
          proxy.reset(0, fault)
        }
        await runStatement(STATEMENTS[0] ?? '', arm)
        await walkRoutes(PLACES[0], arm)
        proxy.reset()
      }
    }
    for (const name of await readdir(directory, { recursive: true, withFileTypes: true })) {
      seen.push(name.name)
      if (name.isFile()) seen.push((await readFile(join(name.parentPath, name.name))).toString('latin1'))
    }
    seen.push(
      ...stack.log.map((line) => JSON.stringify(line)),
      await (await fetch(`${stack.metricsUrl}/metrics`)).text(),
    )
    const secrets = [lake.ready.token, CLIENT_SECRET, ...catalog.secretsSeen, ...storage.secretsSeen]
    expect(secrets.length).toBeGreaterThan(4)
    for (const secret of secrets) {
      expect(seen.filter((text) => text.includes(secret)).map((text) => text.slice(0, 200))).toEqual([])
    }
  })

  it('of statements, names and addresses appear in no log and no metric', async () => {
    await runAll()
    await exportAll()
    const lines = [
      ...stack.log.map((line) => JSON.stringify(line)),
      await (await fetch(`${stack.metricsUrl}/metrics`)).text(),
    ]
    const words = [
      'canary',
      'robots',
      'analytics',
      's3://',
      lake.ready.warehouse,
      new URL(catalog.url).port,
      new URL(storage.url).port,
    ]
    // Request and statement ids are random hexadecimal, in which a port could stand by chance.
    const plain = lines.map((line) =>
      line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|"time":"[^"]*"|"elapsedMs":\d+/g, ''),
    )
    for (const word of words) expect(plain.filter((line) => line.includes(word))).toEqual([])
  })
})

describe('[SX2] a secret', () => {
  it('prints as redacted through every channel', () => {
    for (let round = 0; round < 200; round += 1) {
      const plain = randomBytes(1 + (round % 40)).toString('base64url')
      const text = `${plain}-${round}-canary`
      const secret = new Secret(text)
      const lines: string[] = []
      const logger = createLogger('debug', { write: (line) => lines.push(line) })
      logger.error(
        { secret, nested: { list: [secret], map: new Map([['k', secret]]) } },
        `message ${String(secret)}`,
      )
      logger.error(new AppError('INTERNAL', `failed with ${secret.toString()}`, { cause: secret }))
      const printed = [
        ...lines,
        String(secret),
        JSON.stringify({ secret, list: [secret] }),
        inspect({ secret }, { depth: 9, showHidden: true }),
        inspect(new Error('x', { cause: secret })),
        JSON.stringify(Object.entries(secret)),
        Object.values(secret).join(),
      ]
      expect(printed.filter((line) => line.includes(text))).toEqual([])
      expect(secret.reveal()).toBe(text)
    }
  })
})
