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
import { FAULTS, startFaultProxy, type FaultProxy } from './support/fault-proxy.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let catalog: FaultProxy
let storage: FaultProxy
let stack: TestStack
let cacheDirectory: string
/** Everything that the server sent or wrote. */
const seen: string[] = []

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.01'])
  catalog = await startFaultProxy(lake.ready.restEndpoint)
  storage = await startFaultProxy(lake.ready.s3Endpoint)
  cacheDirectory = await mkdtemp(join(tmpdir(), 'lake-cache-'))
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_REST_ENDPOINT: catalog.url,
    LAKE_ICEBERG_S3_ENDPOINT: storage.url,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
    LAKE_CACHE_DIR: cacheDirectory,
    LAKE_METRICS_ADDR: '127.0.0.1:0',
  })
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await catalog?.[Symbol.asyncDispose]()
  await storage?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await rm(cacheDirectory, { recursive: true, force: true })
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

async function runAll(): Promise<void> {
  for (const sql of STATEMENTS) {
    const planned = await stack.client.request('POST', '/flight-info', { sql })
    const text = await planned.text()
    seen.push(text, JSON.stringify([...planned.headers]))
    if (!planned.ok) continue
    const { ticket } = JSON.parse(text) as { ticket: string }
    seen.push(Buffer.from(ticket, 'base64url').toString('latin1'))
    const answer = await stack.client.doGet(ticket)
    seen.push(Buffer.from(await answer.arrayBuffer()).toString('latin1'), JSON.stringify([...answer.headers]))
  }
  for (const path of [
    '/session',
    '/namespaces',
    '/namespaces/analytics/tables',
    '/namespaces/analytics/tables/robots',
    '/namespaces/x/tables/y',
  ]) {
    seen.push(await (await stack.client.request('GET', path)).text())
  }
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
    storage.reset(0, 'garbage')
    await exportAll()
    storage.reset()
    for (const fault of FAULTS.filter((name) => name !== 'hang')) {
      for (const proxy of [catalog, storage]) {
        proxy.reset(0, fault)
        await runAll()
        proxy.reset()
      }
    }
    for (const name of await readdir(cacheDirectory, { recursive: true, withFileTypes: true })) {
      seen.push(name.name)
      if (name.isFile()) seen.push((await readFile(join(name.parentPath, name.name))).toString('latin1'))
    }
    seen.push(
      ...stack.log.map((line) => JSON.stringify(line)),
      await (await fetch(`${stack.metricsUrl}/metrics`)).text(),
    )
    const secrets = [lake.ready.token, ...catalog.secretsSeen, ...storage.secretsSeen]
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
