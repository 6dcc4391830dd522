// Background statements through HTTP, over the real lake, SQLite and a folder of results.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PollRequest } from '@lake/core/api/contract.ts'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { LIMITS } from '../src/limits.ts'
import { canonicalRows, createBackgroundClient, type BackgroundClient } from './support/background-client.ts'
import { createLakeCatalog } from './support/lake-catalog.ts'
import { bearer, createTestPrincipals, type TestPrincipals } from './support/principals.ts'
import { createTestClient, readResult, type TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const T = 'iceberg.analytics.episodes'
const SQL = `SELECT * FROM ${T}`
/** Takes minutes, and an interrupt at any time. */
const LONG = `SELECT sum(hash(a.range, b.range)) FROM range(300000) a, range(100000) b, (SELECT count(*) FROM ${T})`

type Name = 'ada' | 'bob'
let principals: TestPrincipals<Name>
let lake: TestLake
let state: string
let stack: TestStack
let client: TestClient
let ada: BackgroundClient
let bob: BackgroundClient
const limits = LIMITS as unknown as Record<string, number>
const saved = { ...limits }

async function start(env: Record<string, string> = {}): Promise<void> {
  stack = await startTestStack(lake, {
    LAKE_STATE_URL: `file://${state}`,
    LAKE_ENGINES_MAX: '2',
    LAKE_METRICS_ADDR: '127.0.0.1:0',
    LAKE_PRINCIPALS: principals.path,
    ...env,
  })
  const clientOf = (name: Name) => createTestClient(stack.url, bearer(principals.tokens[name]))
  client = clientOf('ada')
  ada = createBackgroundClient(client)
  bob = createBackgroundClient(clientOf('bob'))
}

async function restart(env: Record<string, string> = {}): Promise<void> {
  await stack[Symbol.asyncDispose]()
  await start(env)
}

beforeAll(async () => {
  // Many parts of few rows.
  Object.assign(limits, { resultPartRows: 2_000, claimEveryMs: 100, pollEveryMs: 25, heartbeatEveryMs: 50 })
  Object.assign(limits, { attemptDelayMs: 100 })
  principals = await createTestPrincipals({ ada: ['*'], bob: ['*'] })
  lake = await startTestLake(['--demo-scale', '0.01'])
  state = join(lake.directory, 'state')
  await start()
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await principals?.[Symbol.asyncDispose]()
  Object.assign(limits, saved)
})

const run = async (request: PollRequest): Promise<PollInfo> =>
  await ada.ended((await ada.submit({ isReuseAllowed: false, ...request })).statementId)
/** Writes the grants and waits until they are in force. */
const grant = async (grants: Record<Name, string[]>, namespaceCount: number): Promise<void> => {
  await principals.write(grants)
  let count = -1
  while (count !== namespaceCount) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const answer = await client.request('GET', '/namespaces')
    count = ((await answer.json()) as { namespaces: unknown[] }).namespaces.length
  }
}
const untilRunning = async (statementId: string): Promise<void> => {
  let info = await ada.submit({ descriptor: { statementId } })
  while (info.state === 'queued') info = await ada.submit({ descriptor: { statementId }, waitMs: 50 })
  expect(info.state).toBe('running')
}

describe('a background statement', () => {
  it('[ST1] answers what the interactive one answers, in parts that are read in any order', async () => {
    const submitted = await ada.submit({ sql: SQL })
    expect(submitted).toMatchObject({ sql: SQL, endpoints: [], receipt: null, isReused: false })
    const info = await ada.ended(submitted.statementId)
    expect(info).toMatchObject({ state: 'finished', progress: 1, attemptCount: 1, failure: null })
    expect(info.endpoints.length).toBeGreaterThan(2)
    const interactive = await client.query(SQL)
    const pinsOf = (tables: readonly { snapshotId: string | null }[] = []) =>
      tables.map(({ snapshotId }) => snapshotId)
    expect(pinsOf(info.receipt?.tables)).toEqual(pinsOf(interactive.receipt?.tables))
    expect(pinsOf(submitted.tables)).toEqual(pinsOf(info.receipt?.tables))
    expect(info.rowCount).toBe(interactive.rowCount)
    expect(canonicalRows(await ada.rows(info))).toBe(canonicalRows(interactive.batches))
    const again = await readResult(await client.doGet(info.ticket?.ticket ?? ''))
    expect(canonicalRows(again.batches)).toBe(canonicalRows(interactive.batches))
  })

  it('[ST2] is nobody else’s: polls, cancels, lists and parts of others find nothing', async () => {
    const info = await run({ sql: SQL })
    const { statementId } = info
    const nothing = { status: 404, code: 'NO_SUCH_STATEMENT' }
    expect(await bob.poll({ descriptor: { statementId } })).toMatchObject(nothing)
    expect(await ada.poll({ descriptor: { statementId: 'nothing' } })).toMatchObject(nothing)
    expect(await bob.cancel(statementId)).toBe('NO_SUCH_STATEMENT')
    expect(await bob.list()).toEqual([])
    expect((await ada.list()).map((summary) => summary.statementId)).toContain(statementId)
    expect(await bob.readPart(info.endpoints[0]!)).toMatchObject({ code: 'TICKET_INVALID' })

    // Nor is it the owner's any more once its tables are not.
    await grant({ ada: ['models'], bob: ['*'] }, 1)
    expect(await ada.poll({ descriptor: { statementId } })).toMatchObject(nothing)
    expect(await ada.list()).toEqual([])
    await grant({ ada: ['*'], bob: ['*'] }, 2)
  })

  it('[ST3] is submitted once under an idempotency key', async () => {
    const request = { sql: `SELECT count(*) FROM ${T}`, idempotencyKey: 'k1' }
    const [first, second] = await Promise.all([ada.submit(request), ada.submit(request)])
    expect(second.statementId).toBe(first.statementId)
    expect((await ada.submit(request)).statementId).toBe(first.statementId)
    expect(await ada.poll({ ...request, sql: SQL })).toMatchObject({
      status: 409,
      code: 'STATEMENT_CONFLICT',
    })
    expect((await bob.submit(request)).statementId).not.toBe(first.statementId)
  })

  it('[ST4] keeps the snapshots that it was submitted with, and fails when one is gone', async () => {
    const page = (await (await client.request('GET', '/namespaces/analytics/tables/episodes')).json()) as {
      snapshots: { snapshotId: string; summary: Record<string, string> }[]
    }
    const oldest = page.snapshots.at(-1)!
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId: oldest.snapshotId }]
    const at = await run({ sql: SQL, pins })
    expect(at.rowCount).toBe(Number(oldest.summary['total-records']))
    expect(at.receipt?.tables[0]?.snapshotId).toBe(oldest.snapshotId)

    const blockers = [await ada.submit({ sql: LONG, isReuseAllowed: false })]
    await untilRunning(blockers[0]!.statementId)
    const waiting = await ada.submit({ sql: SQL, pins, isReuseAllowed: false })
    expect(waiting.state).toBe('queued')
    const removal = `[{"action":"remove-snapshots","snapshot-ids":[${oldest.snapshotId}]}]`
    await createLakeCatalog(lake).commit('analytics', 'episodes', removal)
    expect(await ada.cancel(blockers[0]!.statementId)).toBe('cancelled')
    const failed = await ada.ended(waiting.statementId)
    expect(failed).toMatchObject({ state: 'failed', endpoints: [], receipt: null })
    expect(failed.failure).toMatchObject({
      code: 'SNAPSHOT_EXPIRED',
      details: { snapshotId: oldest.snapshotId },
    })
  })

  it('[ST7] is answered by an earlier result of the same statement at the same snapshots, if chance has no part', async () => {
    const sql = `SELECT sum(steps) AS s FROM ${T}`
    const first = await run({ sql })
    const again = await ada.submit({ sql })
    expect(again).toMatchObject({ statementId: first.statementId, isReused: true, state: 'finished' })
    expect(canonicalRows(await ada.rows(again))).toBe(canonicalRows(await ada.rows(first)))
    expect((await ada.submit({ sql, isReuseAllowed: false })).statementId).not.toBe(first.statementId)
    expect((await bob.submit({ sql })).isReused).toBe(false)
    expect((await ada.submit({ sql: `${sql} ` })).isReused).toBe(false)
    for (const volatile of [
      `SELECT random() FROM ${T}`,
      `SELECT now() FROM ${T}`,
      'SELECT count(*) FROM iceberg.analytics."episodes$snapshots"',
    ]) {
      await run({ sql: volatile })
      expect((await ada.submit({ sql: volatile })).isReused).toBe(false)
    }
  })

  it('[ST8] takes over what was planned for an interactive run, its time included', async () => {
    const sql = `SELECT count(*) AS n, now() AS at FROM ${T}`
    const planned = await client.flightInfo(sql)
    if ('status' in planned) throw new Error(planned.message)
    const interactive = await client.query(sql)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const info = await run({ ticket: planned.ticket })
    expect(info.sql).toBe(sql)
    const [row] = (await ada.rows(info)).flatMap((batch) => [...batch].map((found) => found.toJSON()))
    expect(row?.['n']).toEqual(interactive.batches[0]?.getChildAt(0)?.get(0))
    expect(info.schema.map(({ name }) => name)).toEqual(['n', 'at'])
    const againAt = (await ada.rows(await run({ ticket: planned.ticket })))[0]
      ?.getChildAt(1)
      ?.get(0) as unknown
    expect(againAt).toEqual(row?.['at'])
    expect(await bob.poll({ ticket: planned.ticket })).toMatchObject({ code: 'TICKET_INVALID' })
    for (const request of [{}, { sql, ticket: planned.ticket }, { ticket: 'x', pins: [] }] as PollRequest[])
      expect(await ada.poll(request)).toMatchObject({ status: 400 })
  })

  it('[ST9] is cancelled while it waits and while it runs, and not when it has ended', async () => {
    const running = await ada.submit({ sql: LONG, isReuseAllowed: false })
    await untilRunning(running.statementId)
    const waiting = await ada.submit({ sql: LONG, isReuseAllowed: false })
    expect(waiting.state).toBe('queued')
    expect(await ada.cancel(waiting.statementId)).toBe('cancelled')
    expect(await ada.cancel(running.statementId)).toBe('cancelled')
    expect(await ada.cancel(running.statementId)).toBe('notCancellable')
    expect(await ada.ended(running.statementId)).toMatchObject({ state: 'cancelled', endpoints: [] })
  })

  it('[ST15] is waited for up to a bound, by so many at most, and says how far it is', async () => {
    const sql = `SELECT sum(hash(range, steps)) FROM range(3000000), ${T}`
    const { statementId } = await ada.submit({ sql, isReuseAllowed: false })
    let info = await ada.submit({ descriptor: { statementId } })
    while (info.bytesRead === 0 && info.descriptor)
      info = await ada.submit({ descriptor: info.descriptor, waitMs: 1_000 })
    expect(info.progress).toBeGreaterThan(0)
    expect(info.progress).toBeLessThan(1)
    expect(info.progress).toBe(Math.min(0.99, info.bytesRead / info.bytesPlanned))

    // Nothing happens to one that waits behind it.
    const waiting = await ada.submit({ sql: SQL, isReuseAllowed: false })
    const descriptor = waiting.descriptor!
    const waited = async (): Promise<number> => {
      const startMs = performance.now()
      expect((await ada.submit({ descriptor, waitMs: 60_000 })).state).toBe('queued')
      return performance.now() - startMs
    }
    Object.assign(limits, { pollWaitMsMax: 400 })
    const boundedMs = await waited()
    Object.assign(limits, { pollWaitMsMax: 60_000, pollsWaitingMax: 0 })
    const refusedMs = await waited()
    expect(boundedMs).toBeGreaterThanOrEqual(400)
    // At once, or this would take a minute.
    expect(refusedMs).toBeLessThan(30_000)
    Object.assign(limits, { pollsWaitingMax: saved['pollsWaitingMax'] })
    const news = ada.submit({ descriptor, waitMs: 60_000 })
    expect(await ada.cancel(waiting.statementId)).toBe('cancelled')
    expect((await news).state).toBe('cancelled')
    Object.assign(limits, { pollWaitMsMax: saved['pollWaitMsMax'], cancelWaitMs: 0 })
    // Its worker hears of it with its next heartbeat.
    expect(await ada.cancel(statementId)).toBe('cancelling')
    Object.assign(limits, { cancelWaitMs: saved['cancelWaitMs'] })
    expect((await ada.ended(statementId)).state).toBe('cancelled')
  })

  it('[AD1] leaves an engine process to those who wait', async () => {
    const long = [await ada.submit({ sql: LONG, isReuseAllowed: false }), await ada.submit({ sql: LONG })]
    await untilRunning(long[0]!.statementId)
    const { rowCount } = await client.query(`${SQL} LIMIT 3`)
    expect(rowCount).toBe(3)
    // The other one is all but free again.
    const metrics = async () => await (await fetch(`${stack.metricsUrl}/metrics`)).text()
    await expect.poll(metrics).toMatch(/^lake_engines_held 1$/m)
    for (const { statementId } of long) await ada.cancel(statementId)
  })

  it('[AD2] is refused with a time to come back where too many wait', async () => {
    Object.assign(limits, { statementsOpenOfPrincipalMax: 1 })
    const long = await ada.submit({ sql: LONG, isReuseAllowed: false })
    const response = await client.request('POST', '/poll-flight-info', { sql: LONG, isReuseAllowed: false })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    Object.assign(limits, { statementsOpenOfPrincipalMax: saved['statementsOpenOfPrincipalMax'] })
    await ada.cancel(long.statementId)
  })

  it('fails as the statement would', async () => {
    expect(await ada.poll({ sql: 'SELECT * FROM iceberg.analytics.nothing' })).toMatchObject({
      code: 'NO_SUCH_TABLE',
    })
    const failed = await run({
      sql: `SELECT CAST(e.* AS INTEGER) FROM (SELECT 'x' || steps AS s FROM ${T}) e`,
    }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(Error)
    const cast = await run({ sql: `SELECT CAST('x' || steps AS INTEGER) FROM ${T}` })
    expect(cast).toMatchObject({ state: 'failed', attemptCount: 1, failure: { code: 'SQL_EXECUTION' } })
  })
})

describe('what is stored', () => {
  it('[ST5] shows no statement, name or principal, and no credential', async () => {
    await run({ sql: `SELECT 'canary-text' AS c FROM ${T} LIMIT 1` })
    const files = (await readdir(state, { withFileTypes: true })).filter((entry) => entry.isFile())
    const texts = await Promise.all(
      files.map(async ({ name }) => (await readFile(join(state, name))).toString('latin1')),
    )
    const stored = texts.join('\n')
    expect(stored).toContain('finished')
    for (const word of ['canary-text', 'episodes', 'analytics', 'SELECT', lake.ready.token, '"ada"'])
      expect(stored).not.toContain(word)
  })

  it('[RP1] has one part with the schema where it has no rows', async () => {
    const info = await run({ sql: `${SQL} WHERE steps < 0` })
    expect(info.endpoints).toHaveLength(1)
    expect(info.rowCount).toBe(0)
    expect(await ada.rows(info)).toEqual([expect.objectContaining({ numRows: 0 })])
    expect(info.schema.length).toBeGreaterThan(3)
  })

  it('[RP2] fails, rather than being shorter, where a part was changed or is missing', async () => {
    const info = await run({ sql: SQL })
    const directory = join(state, 'results', info.statementId, '1')
    const path = join(directory, 'part-00000.arrow')
    const bytes = await readFile(path)
    const readAt = async (index: number) => await ada.readPart(info.endpoints[index]!)
    await writeFile(path, bytes.subarray(0, bytes.length - 8))
    expect(await readAt(0)).toMatchObject({ code: 'RESULT_CORRUPT', status: 502 })
    const altered = Buffer.from(bytes)
    altered[altered.length >> 1]! ^= 1
    await writeFile(path, altered)
    expect(await readAt(0)).toMatchObject({ code: 'RESULT_CORRUPT' })
    await rm(path)
    expect(await readAt(0)).toMatchObject({ code: 'RESULT_CORRUPT' })
    expect(await readAt(1)).toBeInstanceOf(Uint8Array)
    await rm(join(directory, 'manifest.json'))
    const { statementId } = info
    expect(await ada.poll({ descriptor: { statementId } })).toMatchObject({ code: 'RESULT_CORRUPT' })
  })
})

describe('a server that ends', () => {
  it('[ST10] hands back what runs, and the next one finishes it', async () => {
    const sql = `SELECT sum(hash(range)) AS s FROM range(50000000), (SELECT count(*) FROM ${T})`
    const { statementId } = await ada.submit({ sql, isReuseAllowed: false })
    await untilRunning(statementId)
    // Nobody is let in meanwhile.
    const ended = stack[Symbol.asyncDispose]()
    await expect(fetch(`${stack.url}/livez`)).rejects.toThrow()
    await ended
    await restart()
    const info = await ada.ended(statementId)
    expect(info).toMatchObject({ state: 'finished', attemptCount: 1 })
    expect(stack.log).toContainEqual(expect.objectContaining({ fencingToken: 2, outcome: 'committed' }))
  })

  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
  const submitWaiting = async () => {
    const long = await ada.submit({ sql: LONG, isReuseAllowed: false })
    await untilRunning(long.statementId)
    return { long, waiting: await ada.submit({ sql: SQL, isReuseAllowed: false }) }
  }

  it('[ST6] leaves what it has no key for to those that have it: keys change in one after the other', async () => {
    await restart({ LAKE_TICKET_KEYS: key('old', 1) })
    const { long, waiting } = await submitWaiting()
    await restart({ LAKE_TICKET_KEYS: key('new', 2) })
    const isHandedBack = (): boolean =>
      stack.log.some((line) => line['code'] === 'STATEMENT_UNREADABLE' && line['outcome'] === 'handed-back')
    await expect.poll(isHandedBack).toBe(true)
    await restart({ LAKE_TICKET_KEYS: `${key('new', 2)},${key('old', 1)}` })
    await ada.cancel(long.statementId)
    expect(await ada.ended(waiting.statementId)).toMatchObject({ state: 'finished', attemptCount: 1 })
  })

  it('[ST6] opens statements of a retired key, and says so of those of a removed one', async () => {
    const info = await run({ sql: `SELECT max(steps) FROM ${T}` })
    const poll = { descriptor: { statementId: info.statementId } }
    const { long, waiting } = await submitWaiting()

    Object.assign(limits, { unreadableForMs: 0 })
    await restart({ LAKE_TICKET_KEYS: key('newest', 3) })
    expect(await ada.poll(poll)).toMatchObject({ status: 410, code: 'STATEMENT_UNREADABLE' })
    const listed = async (statementId: string) =>
      (await ada.list()).find((summary) => summary.statementId === statementId)
    expect(await listed(info.statementId)).toMatchObject({
      sql: null,
      failure: { code: 'STATEMENT_UNREADABLE' },
    })
    // Those that still wait do not wait for ever.
    for (const { statementId } of [waiting, long])
      await expect.poll(async () => (await listed(statementId))?.state).toBe('failed')

    await restart({ LAKE_TICKET_KEYS: `${key('newest', 3)},${key('new', 2)}` })
    expect(await ada.rows(await ada.submit(poll))).toHaveLength(1)
    expect(await ada.ended(waiting.statementId)).toMatchObject({
      state: 'failed',
      failure: { code: 'STATEMENT_UNREADABLE' },
    })
  })
})
