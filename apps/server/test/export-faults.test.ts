// An export that does not come to its end has no file: cut anywhere, with its engine killed, stopped, or refused. And one
// that does is what the screen showed, whatever was committed since.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import { cellText, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import { LIMITS } from '../src/limits.ts'
import { catalogCall } from './support/catalog-call.ts'
import { countEngineWork, engineProcesses, untilEngineRests } from './support/engine-processes.ts'
import { exportedFile, postExport, readExport, runExport } from './support/export-client.ts'
import { readResult } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

let lake: TestLake
let stack: TestStack

beforeAll(async () => {
  // What was committed is seen at once.
  limits['snapshotFreshMs'] = 0
  lake = await startTestLake(['--demo-scale', '0.01'])
  stack = await startTestStack(lake, { LAKE_ENGINES_MAX: '2', LAKE_METRICS_ADDR: '127.0.0.1:0' })
}, 120_000)

afterAll(async () => {
  limits['snapshotFreshMs'] = snapshotFreshMs
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

const ROBOTS = 'iceberg.analytics.robots'
const ENDLESS = 'SELECT r, repeat(md5(r::VARCHAR), 8) AS t FROM range(500000000) t(r)'

const EPISODES = 'iceberg.analytics.episodes'
const SLOW = `SELECT count(*) AS n FROM ${EPISODES} a, ${EPISODES} b, ${EPISODES} c WHERE a.reward + b.reward + c.reward > 5`
const limits = LIMITS as unknown as Record<string, number>
const { snapshotFreshMs } = LIMITS

async function plan(sql: string): Promise<FlightInfoResponse> {
  const info = await stack.client.flightInfo(sql)
  if ('status' in info) throw new Error(info.message)
  return info
}

async function streamOf(sql: string, format: string): Promise<Buffer> {
  const response = await postExport(stack.client, (await plan(sql)).ticket, { format })
  return Buffer.from(await response.arrayBuffer())
}

/** What the log says of a statement when it has ended. */
async function endOf(statementId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = stack.log.find((entry) => entry['statementId'] === statementId)
    if (line) return line
    await sleep(10)
  }
}

describe('[XP3] a transfer that was cut never looks complete', () => {
  it.each(['csv', 'jsonl', 'parquet', 'arrow', 'xlsx'])('at any byte: %s', async (format) => {
    const whole = await streamOf(`SELECT * FROM ${ROBOTS}`, format)
    expect((await readExport(whole)).file).toBeDefined()
    // The end of an Arrow stream (8 bytes) says nothing that the closing message has not said.
    const last = whole.length - 9
    const step = Math.ceil(last / 150)
    const lengths = Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step)
    for (let length = last - 64; length <= last; length += 1) lengths.push(length)
    for (const length of lengths)
      expect((await readExport(whole.subarray(0, length))).file, `${length} bytes`).toBeUndefined()
  })

  it('nor one that lost, gained or changed a byte on its way', async () => {
    const whole = await streamOf(`SELECT * FROM ${ROBOTS}`, 'csv')
    const place = whole.indexOf('robot_id') + 200
    const changed = Buffer.from(whole)
    changed[place] = (changed[place] ?? 0) ^ 1
    expect((await readExport(changed)).file).toBeUndefined()
    const { messages } = await readExport(changed)
    expect(messages.at(-1)?.kind).toBe('exported')
  })

  it('nor one whose engine was killed, and the next export works', async () => {
    const { ticket } = await plan(ENDLESS)
    const response = await postExport(stack.client, ticket, { format: 'csv' })
    const reader = response.body!.getReader()
    const parts = [(await reader.read()).value!]
    for (const pid of engineProcesses()) process.kill(pid, 'SIGKILL')
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
    }
    const { file, failure } = await readExport(Buffer.concat(parts))
    expect([file, failure?.code]).toEqual([undefined, 'ENGINE_FAILED'])
    const { ticket: next } = await plan(`SELECT count(*) AS n FROM ${ROBOTS}`)
    expect((await exportedFile(stack.client, next, { format: 'csv' })).bytes.toString()).toMatch(
      /^n\r\n\d+\r\n$/,
    )
  })

  it('nor one whose statement fails on its data', async () => {
    const { ticket } = await plan(
      "SELECT CAST(CASE WHEN range = 90000 THEN 'x' ELSE '1' END AS INTEGER) FROM range(100000)",
    )
    const result = await runExport(stack.client, ticket, { format: 'csv' })
    const failure = 'status' in result ? result : result.failure
    expect(failure?.code).toBe('SQL_EXECUTION')
    expect('status' in result ? undefined : result.file).toBeUndefined()
  })
})

describe('[XP4] stopping an export', () => {
  it('ends the work on the server and is confirmed, and leaves the rows on the screen alone', async () => {
    const { ticket } = await plan(SLOW)
    const screen = readResult(await stack.client.doGet(ticket))
    const response = await postExport(stack.client, ticket, { format: 'parquet' })
    const reading = response.arrayBuffer()
    const workedMs = countEngineWork()
    const stop = async (verb: string): Promise<unknown> =>
      await (await stack.client.request('POST', '/cancel-flight-info', { ticket, verb })).json()
    expect(await stop('export')).toEqual({ status: 'cancelled' })
    const { file, failure } = await readExport(new Uint8Array(await reading))
    expect([file, failure?.code]).toEqual([undefined, 'CANCELLED'])
    expect(await stop('export')).toEqual({ status: 'notCancellable' })
    expect(await stop('do-get')).toEqual({ status: 'cancelled' })
    expect((await screen).failure?.code).toBe('CANCELLED')
    await untilEngineRests()
    expect(workedMs()).toBeLessThan(2_000)
  })

  it('by closing the connection ends it too', async () => {
    const { ticket, statementId } = await plan(ENDLESS)
    const response = await postExport(stack.client, ticket, { format: 'xlsx' })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(await endOf(statementId)).toMatchObject({ outcome: 'CANCELLED' })
    const text = await (await fetch(`${stack.metricsUrl}/metrics`)).text()
    expect(text).toMatch(/lake_exports_total\{format="xlsx",outcome="CANCELLED"\} 1/)
  })

  it('[XP5] a reader that takes nothing holds back the engine, in bounded memory', async () => {
    const { ticket, statementId } = await plan(ENDLESS)
    const response = await postExport(stack.client, ticket, { format: 'csv' })
    const reader = response.body!.getReader()
    await reader.read()
    const before = process.memoryUsage().rss
    await untilEngineRests()
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576)
    await reader.cancel()
    expect(Number((await endOf(statementId))['rowCount'])).toBeLessThan(1_000_000)
  })
})

describe('[XP6] an export equals the screen', () => {
  it('after a new commit, and is refused when the snapshot has gone', async () => {
    const path = '/namespaces/analytics/tables/episodes'
    const { snapshots } = (await (await stack.client.request('GET', path)).json()) as {
      snapshots: { snapshotId: string }[]
    }
    const [current, ...older] = snapshots
    const oldest = older.at(-1)!.snapshotId
    const commit = async (update: string): Promise<void> => {
      await catalogCall(lake, 'POST', path, `{"requirements":[],"updates":[${update}]}`)
    }
    const info = await plan('SELECT episode_id, reward FROM iceberg.analytics.episodes')
    const screen = await readResult(await stack.client.doGet(info.ticket))
    await commit(`{"action":"set-snapshot-ref","ref-name":"main","type":"branch","snapshot-id":${oldest}}`)
    const now = await stack.client.query('SELECT episode_id, reward FROM iceberg.analytics.episodes')
    expect(now.rowCount).not.toBe(screen.rowCount)

    const { bytes, document } = await exportedFile(stack.client, info.ticket, { format: 'csv' })
    const lines = screen.batches.flatMap((batch) =>
      Array.from({ length: batch.numRows }, (_, row) =>
        batch.data.children
          .map(
            (data, column) => cellText(data, row, { sqlType: sqlTypeOf(batch.schema.fields[column]!) }) ?? '',
          )
          .join(','),
      ),
    )
    expect(bytes.toString()).toBe(`episode_id,reward\r\n${lines.join('\r\n')}\r\n`)
    expect(document.rowCount).toBe(screen.receipt?.rowCount)
    expect(document.tables.map(({ snapshotId }) => snapshotId)).toEqual([current!.snapshotId])

    await commit(`{"action":"remove-snapshots","snapshot-ids":[${current!.snapshotId}]}`)
    expect(await runExport(stack.client, info.ticket, { format: 'csv' })).toMatchObject({
      status: 410,
      code: 'SNAPSHOT_EXPIRED',
    })
  })
})

describe('requests', () => {
  it.each([
    [{ format: 'pdf' }, 'format'],
    [{ format: 'csv', options: { delimiter: 'x' } }, 'options.delimiter'],
    [{ format: 'csv', options: { nullText: 'a,b' } }, 'options.nullText'],
    [{ format: 'parquet', options: { header: true } }, 'options'],
  ])('are checked: %j', async (target, place) => {
    const { ticket } = await plan('SELECT 1')
    const result = await runExport(stack.client, ticket, target)
    expect(result).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect('status' in result && result.message).toContain(place)
  })

  it('need a ticket that opens', async () => {
    expect(await runExport(stack.client, 'x'.repeat(40), { format: 'csv' })).toMatchObject({
      status: 400,
      code: 'TICKET_INVALID',
    })
  })
})
