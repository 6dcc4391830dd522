// Kept results of background statements: they answer the same statement again, for those who wait too; they are read whole
// and exported from their parts; and grants that were taken away are in force when a statement runs and when it is read.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { LIMITS } from '../src/limits.ts'
import { canonicalRows, createBackgroundClient, type BackgroundClient } from './support/background-client.ts'
import { exportedFile, runExport } from './support/export-client.ts'
import { createLakeCatalog } from './support/lake-catalog.ts'
import { bearer, createTestPrincipals, type TestPrincipals } from './support/principals.ts'
import { createTestClient, readResult, type TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const T = 'iceberg.analytics.episodes'
/** Three parts. */
const SQL = `SELECT * FROM ${T} WHERE steps > 100 ORDER BY ALL LIMIT 1300`
/** Takes minutes, and an interrupt at any time. */
const LONG = `SELECT sum(hash(a.range, b.range)) FROM range(300000) a, range(100000) b`
const ALL = { ada: ['*'], bob: ['*'] }

let principals: TestPrincipals<'ada' | 'bob'>
let lake: TestLake
let state: string
let stack: TestStack
let client: TestClient
let ada: BackgroundClient
let bobs: TestClient
const limits = LIMITS as unknown as Record<string, number>
const saved = { ...limits }

beforeAll(async () => {
  Object.assign(limits, { batchRowsMax: 500, resultPartRows: 500, principalsLookedAtEveryMs: 20 })
  Object.assign(limits, { claimEveryMs: 50, pollEveryMs: 20, heartbeatEveryMs: 50 })
  // However slow the disk is.
  limits['attemptRemovalMs'] = 60_000
  principals = await createTestPrincipals(ALL)
  lake = await startTestLake(['--demo-scale', '0.01'])
  state = join(lake.directory, 'state')
  await start()
}, 120_000)

async function start(env: Record<string, string> = {}): Promise<void> {
  stack = await startTestStack(lake, {
    LAKE_STATE_URL: `file://${state}`,
    LAKE_ENGINES_MAX: '2',
    LAKE_PRINCIPALS: principals.path,
    ...env,
  })
  client = createTestClient(stack.url, bearer(principals.tokens.ada))
  bobs = createTestClient(stack.url, bearer(principals.tokens.bob))
  ada = createBackgroundClient(client)
}

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await principals?.[Symbol.asyncDispose]()
  Object.assign(limits, saved)
})

const run = async (sql: string, pins?: PollInfo['tables']): Promise<PollInfo> => {
  const chosen = pins?.map(({ namespace, table, snapshotId }) => ({
    namespace,
    table,
    snapshotId: snapshotId!,
  }))
  const request = { sql, isReuseAllowed: false, ...(chosen ? { pins: chosen } : {}) }
  return await ada.ended((await ada.submit(request)).statementId)
}
const planned = async (who: TestClient, sql: string) => {
  const info = await who.flightInfo(sql)
  if ('status' in info) throw new Error(info.code)
  return info
}
/** Writes the grants and waits until they are in force for ada. */
const grant = async (grants: { ada?: string[]; bob?: string[] }): Promise<void> => {
  await principals.write(grants)
  const expected = grants.ada === undefined ? 401 : grants.ada.includes('*') ? 2 : grants.ada.length
  const found = async () => {
    const answer = await client.request('GET', '/namespaces')
    return answer.ok ? ((await answer.json()) as { namespaces: unknown[] }).namespaces.length : answer.status
  }
  await expect.poll(found, { interval: 50 }).toBe(expected)
}
/** The line of its end in the log. */
const attemptEnded = async (statementId: string) => {
  const found = () => stack.log.find((line) => line['statementId'] === statementId && line['outcome'])
  await expect.poll(found).toBeDefined()
  return found() as { removedCount: number }
}
const partPath = ({ statementId }: PollInfo, index: number): string =>
  join(state, 'results', statementId, '1', `part-0000${index}.arrow`)

describe('[ST13] a statement that somebody waits for', () => {
  it('is answered by the kept result of the same text at the same pins, of its principal, and no other', async () => {
    const sql = `SELECT count(*) AS n FROM ${T}`
    expect((await planned(client, sql)).kept).toBeUndefined()
    const info = await run(sql)
    const again = await planned(client, sql)
    expect(again.kept).toEqual({
      statementId: info.statementId,
      rowCount: 1,
      endedAtMs: info.endedAtMs,
      expiresAtMs: info.expiresAtMs,
    })
    expect(again.tables.map(({ snapshotId }) => snapshotId)).toEqual(
      info.receipt?.tables.map(({ snapshotId }) => snapshotId),
    )
    // Whoever does not want it has the ticket.
    const rows = await readResult(await client.doGet(again.ticket))
    expect(canonicalRows(rows.batches)).toBe(canonicalRows(await ada.rows(info)))
    expect((await planned(bobs, sql)).kept).toBeUndefined()
    expect((await planned(client, `${sql} `)).kept).toBeUndefined()
    const other = await client.flightInfo(sql, [
      { namespace: ['analytics'], table: 'episodes', snapshotId: (await snapshots()).at(-1)! },
    ])
    expect(other).not.toHaveProperty('kept')
  })

  it('is not, where chance or the time has a part in it', async () => {
    for (const sql of [`SELECT random() AS r FROM ${T}`, `SELECT now() AS t FROM ${T} LIMIT 1`]) {
      await run(sql)
      expect((await planned(client, sql)).kept, sql).toBeUndefined()
    }
  })

  it('is not, once the tables may not be read', async () => {
    const sql = `SELECT max(steps) AS s FROM ${T}`
    await run(sql)
    expect((await planned(client, sql)).kept).toBeDefined()
    await grant({ ada: ['models'], bob: ['*'] })
    expect(await client.flightInfo(sql)).toMatchObject({ code: 'NO_SUCH_TABLE' })
    await grant(ALL)
    expect((await planned(client, sql)).kept).toBeDefined()
  })
})

const snapshots = async (): Promise<string[]> => {
  const page = (await (await client.request('GET', '/namespaces/analytics/tables/episodes')).json()) as {
    snapshots: { snapshotId: string }[]
  }
  return page.snapshots.map(({ snapshotId }) => snapshotId)
}

describe('[RP6] the whole of a kept result', () => {
  it('is one stream, and a file of every format, from its parts: its snapshot may be gone', async () => {
    const oldest = (await snapshots()).at(-1)!
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId: oldest }]
    const again = await client.flightInfo(SQL, pins)
    if ('status' in again) throw new Error(again.code)
    const ran = await exportedFile(client, again.ticket, { format: 'csv' })
    const expected = canonicalRows((await readResult(await client.doGet(again.ticket))).batches)
    const info = await run(SQL, again.tables)
    expect(info.endpoints.length).toBeGreaterThan(2)

    const removal = `[{"action":"remove-snapshots","snapshot-ids":[${oldest}]}]`
    await createLakeCatalog(lake).commit('analytics', 'episodes', removal)
    const { ticket } = info.ticket!
    const stream = await readResult(await client.doGet(ticket))
    expect(stream.receipt).toEqual(info.receipt)
    expect(canonicalRows(stream.batches)).toBe(expected)
    for (const format of ['csv', 'jsonl', 'parquet', 'arrow', 'xlsx']) {
      const { bytes, document } = await exportedFile(client, ticket, { format })
      expect(document, format).toMatchObject({ ...info.receipt, sql: SQL, file: { format } })
      if (format === 'csv') expect(bytes.equals(ran.bytes)).toBe(true)
      // The receipt is inside, where the format has a place for it.
      if (format === 'parquet' || format === 'arrow') expect(bytes.includes(info.statementId)).toBe(true)
    }
    expect(await runExport(bobs, ticket, { format: 'csv' })).toMatchObject({ code: 'TICKET_INVALID' })
    expect(await ada.poll({ ticket })).toMatchObject({ code: 'TICKET_INVALID' })
    const cancelled = await client.request('POST', '/cancel-flight-info', { ticket, verb: 'export' })
    expect(await cancelled.json()).toEqual({ status: 'notCancellable' })
  })

  it('fails, and makes no file, where a part is not what was written', async () => {
    const info = await run(SQL)
    const { ticket } = info.ticket!
    const bytes = await readFile(partPath(info, 1))
    bytes[bytes.length >> 1]! ^= 1
    await writeFile(partPath(info, 1), bytes)
    const stream = await readResult(await client.doGet(ticket))
    expect([stream.failure?.code, stream.receipt]).toEqual(['RESULT_CORRUPT', undefined])
    // Nothing of the file was sent yet, so it is an answer of its own.
    const refused = await runExport(client, ticket, { format: 'csv' })
    expect(refused).toMatchObject({ status: 502, code: 'RESULT_CORRUPT' })
    await rm(partPath(info, 0))
    expect((await client.doGet(ticket)).status).toBe(502)
  })
})

describe('[ST14] grants that were taken away', () => {
  const submitBehindALongOne = async () => {
    const bob = createBackgroundClient(bobs)
    const long = await bob.submit({ sql: LONG, isReuseAllowed: false })
    const waiting = await ada.submit({ sql: SQL, isReuseAllowed: false })
    expect(waiting.state).toBe('queued')
    return {
      statementId: waiting.statementId,
      /** The one before it, somebody else's, ends, so that it is claimed. */
      release: async () => expect(await bob.cancel(long.statementId)).toBe('cancelled'),
    }
  }
  it('fail a statement that was submitted before and is claimed after', async () => {
    const { statementId, release } = await submitBehindALongOne()
    await grant({ ada: ['models'], bob: ['*'] })
    await release()
    await attemptEnded(statementId)
    expect(await ada.poll({ descriptor: { statementId } })).toMatchObject({ code: 'NO_SUCH_STATEMENT' })
    await grant(ALL)
    expect(await ada.ended(statementId)).toMatchObject({
      state: 'failed',
      attemptCount: 1,
      failure: { code: 'NO_SUCH_TABLE' },
    })
  })

  it('fail it too where the principal is gone', async () => {
    const { statementId, release } = await submitBehindALongOne()
    await grant({ bob: ['*'] })
    await release()
    await attemptEnded(statementId)
    await grant(ALL)
    expect(await ada.ended(statementId)).toMatchObject({
      state: 'failed',
      attemptCount: 1,
      failure: { code: 'UNAUTHENTICATED' },
    })
  })

  it('are in force when parts and the whole are fetched, with tickets from before', async () => {
    const info = await run(SQL)
    await grant({ ada: ['models'], bob: ['*'] })
    const nothing = { status: 404, code: 'NO_SUCH_STATEMENT' }
    expect(await ada.readPart(info.endpoints[0]!)).toMatchObject(nothing)
    expect(await runExport(client, info.ticket!.ticket, { format: 'csv' })).toMatchObject(nothing)
    expect(await client.doGet(info.ticket!.ticket).then(({ status }) => status)).toBe(404)
    expect(await ada.poll({ descriptor: { statementId: info.statementId } })).toMatchObject(nothing)
    await grant(ALL)
    expect(await ada.readPart(info.endpoints[0]!)).toBeInstanceOf(Uint8Array)
  })
})

describe('[AD4] what is kept for one principal', () => {
  const filesOf = async ({ statementId }: PollInfo): Promise<string[]> => {
    const entries = await readdir(join(state, 'results'), { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && entry.parentPath.includes(statementId))
      .map(({ name }) => name)
  }

  it('is nothing of a statement that fails late', async () => {
    // The engine is a few tens of thousands of rows ahead of what is written.
    const sql = `SELECT CAST(CASE WHEN range < 199999 THEN '1' ELSE 'x' END AS INTEGER) AS n, * FROM range(200000)`
    limits['resultPartRows'] = 20_000
    const failed = await run(sql)
    limits['resultPartRows'] = 500
    expect(failed).toMatchObject({ state: 'failed', failure: { code: 'SQL_EXECUTION' } })
    const { removedCount } = await attemptEnded(failed.statementId)
    expect(removedCount).toBeGreaterThan(1)
    expect(await filesOf(failed)).toEqual([])
  })

  it('is bounded in number: those without a result make room, and then it is said when there is room', async () => {
    await run(`SELECT CAST(range || 'x' AS INTEGER) AS n FROM range(9)`)
    const before = await ada.list()
    const withoutResult = before.filter(({ state }) => state !== 'finished')
    expect(withoutResult.length).toBeGreaterThan(0)
    limits['statementsKeptOfPrincipalMax'] = before.length
    for (const { statementId } of withoutResult) {
      expect(await run(`SELECT '${statementId}' AS s`)).toMatchObject({ state: 'finished' })
    }
    const message = expect.stringMatching(/first goes by itself within 7\d h/) as string
    expect(await ada.poll({ sql: 'SELECT 3 AS n' })).toMatchObject({
      status: 507,
      code: 'RESULTS_FULL',
      message,
    })
    const after = await ada.list()
    expect(after.map(({ state }) => state)).toEqual(before.map(() => 'finished'))
    limits['statementsKeptOfPrincipalMax'] = saved['statementsKeptOfPrincipalMax']!
  })

  it('is bounded in bytes, and nobody else is refused', async () => {
    const small = await run('SELECT 1 AS n')
    const bytes = small.endpoints.reduce((sum, { byteCount }) => sum + byteCount, 0)
    await stack[Symbol.asyncDispose]()
    await start({ LAKE_PRINCIPAL_KEPT_BYTES_MAX: String(bytes) })
    const full = { state: 'failed', failure: { code: 'RESULTS_FULL' } }
    expect(await run('SELECT 1 AS n')).toMatchObject(full)
    const bob = createBackgroundClient(bobs)
    const ended = async (sql: string) => await bob.ended((await bob.submit({ sql })).statementId)
    const tooLarge = await ended(SQL)
    expect(tooLarge).toMatchObject(full)
    await attemptEnded(tooLarge.statementId)
    expect(await filesOf(tooLarge)).toEqual([])
    expect(await ended('SELECT 2 AS n')).toMatchObject({ state: 'finished' })
  })
})
