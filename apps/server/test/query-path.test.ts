// The whole path of a query over the real local lake: what it reads, what it proves, how it fails and how it stops.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import { catalogCall } from './support/catalog-call.ts'
import {
  countEngineWork,
  engineProcesses,
  untilEngineRests,
  untilEngineWorks,
} from './support/engine-processes.ts'
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts'
import { readFailure, readResult, type Failed } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let proxy: TcpProxy
let stack: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.05'])
  const { hostname, port } = new URL(lake.ready.s3Endpoint)
  proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
    LAKE_SCAN_BYTES_MAX: '3000000',
  })
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

const EPISODES = 'iceberg.analytics.episodes'
const HEAVY = `SELECT count(*) FROM ${EPISODES} a, ${EPISODES} b WHERE a.reward + b.reward > 3.5`

async function plan(sql: string): Promise<FlightInfoResponse> {
  const info = await stack.client.flightInfo(sql)
  if ('status' in info) throw new Error(info.message)
  return info
}

describe('answers', () => {
  it('[QR3] streams rows and closes with a receipt that says what was read', async () => {
    const result = await stack.client.query(
      `SELECT robot_id, avg(reward) FROM ${EPISODES} WHERE day >= DATE '2026-09-20' GROUP BY 1`,
    )
    const table = result.receipt?.tables[0]
    expect(table).toMatchObject({ namespace: ['analytics'], table: 'episodes', isCurrent: true, ref: 'main' })
    expect(table?.snapshotId).toMatch(/^\d+$/)
    expect(table?.scan?.filesRead).toBeGreaterThan(0)
    expect(table?.scan?.filesRead).toBeLessThan(table?.scan?.filesTotal ?? 0)
    expect(result.receipt?.rowCount).toBe(result.rowCount)
  })

  it('[QR5] counts rows without opening a data file', async () => {
    const { receipt, batches } = await stack.client.query(`SELECT count(*) FROM ${EPISODES}`)
    expect(Number(batches[0]?.getChildAt(0)?.get(0))).toBe(100_000)
    expect(receipt?.tables[0]?.scan).toMatchObject({
      filesRead: 0,
      bytesRead: 0,
      requests: 0,
      isMetadataOnly: true,
    })
  })

  it('reads every file of a statement that wants every row', async () => {
    const { rowCount, receipt } = await stack.client.query(`SELECT * FROM ${EPISODES}`)
    const scan = receipt?.tables[0]?.scan
    expect([rowCount, receipt?.rowCount, scan?.filesRead]).toEqual([100_000, 100_000, scan?.filesTotal])
  })

  it('[QR4] stops reading files when the LIMIT is reached', async () => {
    const { receipt, rowCount } = await stack.client.query(`SELECT * FROM ${EPISODES} LIMIT 10`)
    expect(rowCount).toBe(10)
    expect(receipt?.tables[0]?.scan?.filesRead).toBe(1)
  })

  it.each([
    [`SELECT * FROM (SELECT * FROM ${EPISODES} LIMIT 500) WHERE steps >= 0`, 500],
    [
      `SELECT 1 FROM (SELECT count(*) AS n FROM (SELECT * FROM (SELECT * FROM ${EPISODES} LIMIT 500) WHERE steps % 2 = 0)) WHERE n < 400`,
      1,
    ],
    [`SELECT * FROM ${EPISODES} LIMIT 500 OFFSET 99800`, 200],
    [`SELECT * FROM ${EPISODES} WHERE day = DATE '1999-01-01'`, 0],
    [`SELECT DISTINCT day FROM ${EPISODES} ORDER BY day LIMIT 3`, 3],
    [`SELECT * FROM ${EPISODES} LIMIT 0`, 0],
    [`SELECT * FROM (SELECT episode_id FROM ${EPISODES} LIMIT 300) LIMIT 200`, 200],
    [`SELECT row_number() OVER () FROM ${EPISODES} LIMIT 5`, 5],
  ])('answers %s with %i rows', async (sql, expected) => {
    expect((await stack.client.query(sql)).rowCount).toBe(expected)
  })

  it('[QR2] reads an older snapshot when it is pinned', async () => {
    const page = (await (
      await stack.client.request('GET', '/namespaces/analytics/tables/episodes')
    ).json()) as {
      snapshots: { snapshotId: string }[]
    }
    const oldest = page.snapshots.at(-1)!
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId: oldest.snapshotId }]
    const { receipt, batches } = await stack.client.query(`SELECT count(*) FROM ${EPISODES}`, pins)
    expect(receipt?.tables[0]).toMatchObject({ snapshotId: oldest.snapshotId, isCurrent: false })
    expect(Number(batches[0]?.getChildAt(0)?.get(0))).toBeLessThan(100_000)
  })
})

describe('refusals', () => {
  it('[QR1] authorizes before anything is loaded', async () => {
    const failed = (await stack.client.flightInfo(
      'SELECT * FROM iceberg.secret.t JOIN iceberg.analytics.nothing n ON true',
    )) as Failed
    expect(failed).toMatchObject({
      status: 404,
      code: 'NO_SUCH_TABLE',
      details: { startOffset: 14, endOffset: 30 },
    })
    expect(failed.message).toContain('secret.t')
  })

  it('[QR6] refuses a scan above the limit before any data file is read', async () => {
    const before = proxy.bytesToClient
    const info = await plan(`SELECT * FROM iceberg.analytics.telemetry ORDER BY ts`)
    const failed = await readFailure(await stack.client.doGet(info.ticket))
    expect(failed).toMatchObject({ status: 413, code: 'SCAN_TOO_LARGE', details: { bytesMax: 3_000_000 } })
    expect(Number(failed.details['bytes'])).toBeGreaterThan(3_000_000)
    // Manifests were read, data files were not.
    expect(proxy.bytesToClient - before).toBeLessThan(1_000_000)
  })

  it('answers a filter above a LIMIT by the first rows of all files', async () => {
    const { rowCount } = await stack.client.query(
      `SELECT * FROM (SELECT * FROM ${EPISODES} LIMIT 500) WHERE steps % 2 = 0`,
    )
    expect(rowCount).toBeGreaterThan(100)
    expect(rowCount).toBeLessThan(400)
  })

  it('reads a snapshot without the rows that its position deletes name', async () => {
    const page = (await (
      await stack.client.request('GET', '/namespaces/analytics/tables/episodes')
    ).json()) as {
      snapshots: { snapshotId: string; summary: Record<string, string> }[]
    }
    const { snapshotId, summary } = page.snapshots.find(
      ({ summary }) => Number(summary['total-delete-files']) > 0,
    )!
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId }]
    const live = Number(summary['total-records']) - Number(summary['total-position-deletes'])
    expect(live).toBeLessThan(Number(summary['total-records']))
    expect((await stack.client.query(`SELECT * FROM ${EPISODES}`, pins)).rowCount).toBe(live)
    const { batches } = await stack.client.query(`SELECT count(*) FROM ${EPISODES}`, pins)
    expect(batches[0]?.getChildAt(0)?.get(0)).toBe(BigInt(live))
  })

  it('marks the place of an error in the text', async () => {
    const sql = `SELECT rewrad\nFROM ${EPISODES}`
    const failed = (await stack.client.flightInfo(sql)) as Failed
    expect(failed.code).toBe('SQL_BINDING')
    expect(sql.slice(Number(failed.details['startOffset']), Number(failed.details['endOffset']))).toBe(
      'rewrad',
    )
  })
})

describe('failures and stopping', () => {
  it('[QR3] ends in STORAGE_UNAVAILABLE when the object store is cut while it is read', async () => {
    const info = await plan(`SELECT * FROM ${EPISODES}`)
    const response = await stack.client.doGet(info.ticket)
    const cut = setTimeout(() => {
      proxy.cutAfter(0)
    }, 20)
    const result = response.ok ? await readResult(response) : undefined
    clearTimeout(cut)
    proxy.restore()
    expect(result?.receipt).toBeUndefined()
    expect(result?.failure?.code).toBe('STORAGE_UNAVAILABLE')
    expect(await stack.client.outcome(`SELECT count(reward) FROM ${EPISODES}`)).toBe('ok')
  })

  it('fails one statement when its engine process is killed, and runs the next', async () => {
    const info = await plan(HEAVY)
    const response = await stack.client.doGet(info.ticket)
    const reading = readResult(response)
    await untilEngineWorks()
    for (const pid of engineProcesses()) process.kill(pid, 'SIGKILL')
    const failed = await reading
    expect(failed.failure?.code).toBe('ENGINE_FAILED')
    expect(await stack.client.outcome(`SELECT max(reward) FROM ${EPISODES}`)).toBe('ok')
  })

  // A second of the engine's own time; how long people wait is in the bench.
  it('[QR7] stops the work within a second, confirms it, and says so in the stream', async () => {
    const info = await plan(HEAVY)
    const reading = stack.client.doGet(info.ticket).then(readResult)
    await untilEngineWorks()
    const workedMs = countEngineWork()
    const answer = await stack.client.request('POST', '/cancel-flight-info', { ticket: info.ticket })
    expect(await answer.json()).toEqual({ status: 'cancelled' })
    expect((await reading).failure?.code).toBe('CANCELLED')
    await untilEngineRests()
    expect(workedMs()).toBeLessThan(1_000)
    const again = await stack.client.request('POST', '/cancel-flight-info', { ticket: info.ticket })
    expect(await again.json()).toEqual({ status: 'notCancellable' })
  })

  it('[QR7] stops the work when the client goes away', async () => {
    const info = await plan(HEAVY)
    const client = new AbortController()
    const response = await stack.client.doGet(info.ticket, client.signal)
    await response.body!.getReader().read()
    await untilEngineWorks()
    const workedMs = countEngineWork()
    client.abort()
    await expect
      .poll(() => stack.log.find((line) => line['statementId'] === info.statementId)?.['outcome'])
      .toBe('CANCELLED')
    await untilEngineRests()
    expect(workedMs()).toBeLessThan(1_000)
  })

  it('[QR8] does not compute ahead of a reader that takes nothing', async () => {
    const info = await plan('SELECT r, repeat(md5(r::VARCHAR), 8) FROM range(50000000) t(r)')
    const client = new AbortController()
    const response = await stack.client.doGet(info.ticket, client.signal)
    const reader = response.body!.getReader()
    await reader.read()
    const memory = (): number => process.memoryUsage().rss
    const before = memory()
    // All of it would keep the engine busy for minutes.
    await untilEngineRests()
    expect(memory() - before).toBeLessThan(100 * 1_048_576)
    client.abort()
    const line = async (): Promise<Record<string, unknown>> => {
      for (;;) {
        const found = stack.log.find((entry) => entry['statementId'] === info.statementId)
        if (found) return found
        await sleep(20)
      }
    }
    expect(Number((await line())['rowCount'])).toBeLessThan(1_000_000)
  })
})

describe('ending', () => {
  it('lets a running statement finish and takes no other', async () => {
    const server = await startTestStack(lake)
    const info = await server.client.flightInfo(`SELECT * FROM ${EPISODES}`)
    if ('status' in info) throw new Error(info.message)
    const response = await server.client.doGet(info.ticket)
    const ending = server[Symbol.asyncDispose]()
    await expect(server.client.request('GET', '/session')).rejects.toThrow()
    expect((await readResult(response)).receipt?.rowCount).toBe(100_000)
    await ending
  })
})

describe('tickets and pins', () => {
  it('[QR2] [H6] answers SNAPSHOT_EXPIRED when the snapshot was removed after planning', async () => {
    const page = (await (
      await stack.client.request('GET', '/namespaces/analytics/tables/episodes')
    ).json()) as {
      snapshots: { snapshotId: string }[]
    }
    const oldest = page.snapshots.at(-1)!.snapshotId
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId: oldest }]
    const info = (await stack.client.flightInfo(
      `SELECT count(*) FROM ${EPISODES}`,
      pins,
    )) as FlightInfoResponse
    await removeSnapshot('analytics', 'episodes', oldest)
    const response = await stack.client.doGet(info.ticket)
    expect(await readFailure(response)).toMatchObject({
      status: 410,
      code: 'SNAPSHOT_EXPIRED',
      details: { snapshotId: oldest },
    })
  })

  it('[QR2] [H6] answers TABLE_REPLACED when another table has the name', async () => {
    const info = await plan('SELECT count(*) FROM iceberg.analytics.robots')
    await catalogCall(lake, 'POST', '/tables/rename', {
      source: { namespace: ['analytics'], name: 'robots' },
      destination: { namespace: ['analytics'], name: 'robots_kept' },
    })
    await catalogCall(lake, 'POST', '/tables/rename', {
      source: { namespace: ['models'], name: 'runs' },
      destination: { namespace: ['analytics'], name: 'robots' },
    })
    const response = await stack.client.doGet(info.ticket)
    expect(await readFailure(response)).toMatchObject({ status: 409, code: 'TABLE_REPLACED' })
  })

  it('refuses an altered ticket', async () => {
    const { ticket } = await plan('SELECT 1 AS one FROM iceberg.analytics.telemetry LIMIT 1')
    const altered = ticket.slice(0, -2) + (ticket.endsWith('AA') ? 'BB' : 'AA')
    expect(await readFailure(await stack.client.doGet(altered))).toMatchObject({
      status: 400,
      code: 'TICKET_INVALID',
    })
  })
})

async function removeSnapshot(namespace: string, table: string, snapshotId: string): Promise<void> {
  const body = `{"requirements":[],"updates":[{"action":"remove-snapshots","snapshot-ids":[${snapshotId}]}]}`
  await catalogCall(lake, 'POST', `/namespaces/${namespace}/tables/${table}`, body)
}
