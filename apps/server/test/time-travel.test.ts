// Versions of tables in SQL over the real local lake: what AT reads, several versions side by side, and where errors point.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FlightInfoResponse, TableResponse } from '@lake/core/api/contract.ts'
import { createLakeCatalog, type LakeCatalog } from './support/lake-catalog.ts'
import { readFailure, type Failed, type StreamedResult } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const T = 'iceberg.analytics.episodes'

let lake: TestLake
let catalog: LakeCatalog
let stack: TestStack
/** Oldest first. */
let snapshots: TableResponse['snapshots']

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.02'])
  catalog = createLakeCatalog(lake)
  stack = await startTestStack(lake)
  snapshots = (await page()).snapshots.toReversed()
  const refs = [
    ['kept-v1.0', 'tag', 0],
    ['work', 'branch', 1],
  ] as const
  for (const [name, type, index] of refs) {
    const update = `{"action":"set-snapshot-ref","ref-name":"${name}","type":"${type}","snapshot-id":${id(index)}}`
    await catalog.commit('analytics', 'episodes', `[${update}]`)
  }
  stack = await restart()
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

/** A server that has loaded nothing yet. */
async function restart(): Promise<TestStack> {
  await stack[Symbol.asyncDispose]()
  return await startTestStack(lake)
}

async function page(): Promise<TableResponse> {
  const answer = await stack.client.request('GET', '/namespaces/analytics/tables/episodes')
  return (await answer.json()) as TableResponse
}

const id = (index: number): string => snapshots.at(index)!.snapshotId
const rows = (index: number): bigint => BigInt(snapshots.at(index)!.summary['total-records'] ?? -1)

async function values(sql: string, pins?: Parameters<TestStack['client']['query']>[1]): Promise<unknown[]> {
  const { batches, failure } = await stack.client.query(sql, pins)
  expect(failure).toBeUndefined()
  const [batch] = batches
  return batch ? batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(0) as unknown) : []
}

const failureOf = async (sql: string): Promise<Failed> => {
  const outcome = await stack.client.flightInfo(sql)
  if ('status' in outcome) return outcome
  throw new Error(`planned: ${sql}`)
}

const marked = (sql: string, { details }: Pick<Failed, 'details'>): string =>
  sql.slice(Number(details['startOffset']), Number(details['endOffset']))

const utc = (timestampMs: number): string =>
  `TIMESTAMP '${new Date(timestampMs).toISOString().slice(0, 23).replace('T', ' ')}'`

describe('AT', () => {
  it('[TT1] reads a snapshot by id, branch, tag and time', async () => {
    const atMs = snapshots.at(1)!.committedAtMs
    for (const [clause, index] of [
      [`(VERSION => ${id(0)})`, 0],
      [`(VERSION => ${id(-1)})`, -1],
      [`(VERSION => 'kept-v1.0')`, 0],
      [`(VERSION => 'work')`, 1],
      [`(VERSION => 'main')`, -1],
      [`(TIMESTAMP => ${utc(atMs)})`, 1],
      [`(TIMESTAMP => ${utc(atMs - 1)})`, 0],
      [`(TIMESTAMP => ${utc(atMs + 1)})`, 1],
      [`(TIMESTAMP => '2100-01-01')`, -1],
    ] as const) {
      expect(await values(`SELECT count(*) FROM ${T} AT ${clause}`), clause).toEqual([rows(index)])
    }
  })

  it('[TT1] is NO_SUCH_SNAPSHOT for what the table never had, at the place of the clause', async () => {
    for (const clause of [
      'AT (VERSION => 5)',
      "AT (VERSION => 'nothing')",
      `AT (VERSION => '${id(0)}')`,
      "AT (TIMESTAMP => DATE '1999-01-01')",
    ]) {
      const sql = `SELECT 'é😀'\r\n FROM ${T} AS x ${clause} WHERE true`
      const failed = await failureOf(sql)
      expect(failed).toMatchObject({ status: 404, code: 'NO_SUCH_SNAPSHOT' })
      expect(failed.message).toContain('analytics.episodes')
      expect(marked(sql, failed)).toBe(clause)
    }
  })

  it('[TT3] reads several versions of one table, each pinned and in the receipt', async () => {
    const sql = `WITH old AS (SELECT episode_id FROM ${T} AT (VERSION => ${id(0)}))
      SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM ${T}), count(*), min(e.episode_id) = min(episodes.episode_id)
      FROM ${T} AS e AT (VERSION => 'work') JOIN ${T} AT (VERSION => ${id(0)}) USING (episode_id)`
    const result = await stack.client.query(sql)
    expect(result.batches[0]?.get(0)?.toArray()).toEqual([rows(0), rows(-1), rows(0), true])
    const { receipt } = result
    expect(
      receipt?.tables.map(({ snapshotId, requested, ref, isCurrent }) => [
        snapshotId,
        requested,
        ref,
        isCurrent,
      ]),
    ).toEqual([
      [id(0), { kind: 'snapshot', value: id(0) }, 'kept-v1.0', false],
      [id(-1), undefined, 'main', true],
      [id(1), { kind: 'ref', value: 'work' }, 'work', false],
    ])
    expect(
      receipt?.tables.every(({ scan }) => (scan?.filesRead ?? 0) + Number(scan?.isMetadataOnly) > 0),
    ).toBe(true)
  })

  it.each([
    'SELECT count(episodes.reward) FROM T AT (VERSION => OLD)',
    'SELECT count(analytics.episodes.reward) FROM T AT (VERSION => OLD)',
    'SELECT count(iceberg.analytics.episodes.reward) FROM T AT (VERSION => OLD)',
    "SELECT count(analytics.episodes.reward) FROM (SELECT max(x.day) FROM T x AT (VERSION => 'main')) AS m, T AT (VERSION => OLD)",
    'SELECT count(x.reward) FROM T x AT (VERSION => OLD)',
    "SELECT count(*) FROM (PIVOT T AT (VERSION => OLD) ON success IN (true, false) USING count(*) GROUP BY episode_id), (SELECT max(day) FROM T AT (VERSION => 'main'))",
    'SELECT count(x.a) FROM T AS x(a) AT (VERSION => OLD)',
    'SELECT count(x.reward) FROM x: T AT (VERSION => OLD)',
    'SELECT count(episodes.reward) FROM T AT (VERSION => OLD) WHERE EXISTS (FROM T AS now WHERE now.episode_id = episodes.episode_id)',
    'SELECT count(episodes.reward) FROM (FROM T AT (VERSION => OLD)) AS episodes, (SELECT max(day) FROM T)',
    'SELECT n FROM (SELECT count(*) AS n FROM T AT (VERSION => OLD)) WHERE n > (SELECT 0 FROM T LIMIT 1)',
  ])('[TT3] leaves names as they are: %s', async (sql) => {
    const [count] = await values(
      sql
        .replaceAll('T AT', `${T} AT`)
        .replaceAll(/\bT\b(?! AT)/g, T)
        .replaceAll('OLD', id(0)),
    )
    expect(Number(count)).toBeGreaterThan(0)
    expect(Number(count)).toBeLessThanOrEqual(Number(rows(0)))
  })

  it('[TT3] finds what changed between two versions', async () => {
    const added = `SELECT count(*) FROM (SELECT episode_id FROM ${T} AT (VERSION => ${id(1)}) EXCEPT SELECT episode_id FROM ${T} AT (VERSION => ${id(0)}))`
    expect(await values(added)).toEqual([rows(1) - rows(0)])
  })

  it('[TT4] [H5] [H7] [B22] [B25] uses the schema of the snapshot by id, tag and time, and the current one for a branch and without AT', async () => {
    const { schemas, currentSchemaId } = await page()
    expect(snapshots.at(0)!.schemaId).not.toBe(currentSchemaId)
    const columnsOf = async (clause: string): Promise<string[]> => {
      const info = (await stack.client.flightInfo(`SELECT * FROM ${T} ${clause}`)) as FlightInfoResponse
      return info.schema.map(({ name }) => name)
    }
    const named = (schemaId: number): string[] =>
      schemas.find((schema) => schema.schemaId === schemaId)!.columns.map(({ name }) => name)
    const own = named(snapshots.at(0)!.schemaId ?? -1)
    expect(await columnsOf(`AT (VERSION => ${id(0)})`)).toEqual(own)
    expect(await columnsOf(`AT (VERSION => 'kept-v1.0')`)).toEqual(own)
    expect(await columnsOf(`AT (TIMESTAMP => ${utc(snapshots.at(0)!.committedAtMs)})`)).toEqual(own)
    expect(await columnsOf(`AT (VERSION => 'work')`)).toEqual(named(currentSchemaId))
    expect(await columnsOf('')).toEqual(named(currentSchemaId))
  })

  it('[TT5] pins of a request apply to mentions without AT only', async () => {
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId: id(0) }]
    const sql = `SELECT (SELECT count(*) FROM ${T}), (SELECT count(*) FROM ${T} AT (VERSION => 'main'))`
    expect(await values(sql, pins)).toEqual([rows(0), rows(-1)])
  })

  it('sends rows in waves, and stops at a LIMIT', async () => {
    const { rowCount, receipt } = await stack.client.query(
      `SELECT * FROM ${T} x AT (VERSION => ${id(0)}) LIMIT 7`,
    )
    expect(rowCount).toBe(7)
    expect(receipt?.tables[0]?.scan?.filesRead).toBe(1)
  })
})

describe('positions', () => {
  const text = (end: string): string =>
    `SELECT 'é😀', -- AT (VERSION => 1)\r\n  a.day\r\nFROM ${T} AS "ä" AT (VERSION => 'kept-v1.0' /* ß😀 */),\r\n ${T} AT\r\n (TIMESTAMP => '2100-01-01'), ${T} a\r\nWHERE ${end}`

  it('[TT2] of binding errors behind several versions are those of the text', async () => {
    const sql = text('a.rewrad > 1')
    const failed = await failureOf(sql)
    expect(failed.code).toBe('SQL_BINDING')
    expect(marked(sql, failed)).toBe('a')
    expect(failed.details['startOffset']).toBe(sql.indexOf('a.rewrad'))
  })

  it('[TT2] of failures while running are those of the text', async () => {
    const sql = `SELECT 'é😀', CAST(x.robot_id || 'ß' AS INTEGER) FROM ${T} AT (VERSION => 'work') JOIN ${T} AS x AT (VERSION => ${id(0)}) USING (episode_id)`
    const { failure } = (await stack.client.run(sql)) as StreamedResult
    expect(failure?.code).toBe('SQL_EXECUTION')
    expect(failure?.details?.['startOffset']).toBe(sql.indexOf('CAST'))
    expect(failure?.message).not.toContain('v0000')
  })

  it('[TT2] of the tables of a statement cover the names', async () => {
    const sql = text('true')
    const answer = await stack.client.request('POST', '/analyze', { sql })
    const { tables } = (await answer.json()) as {
      tables: { startOffset: number; endOffset: number; requested?: unknown }[]
    }
    expect(tables.map(({ startOffset, endOffset }) => sql.slice(startOffset, endOffset))).toEqual([T, T, T])
    expect(tables.map(({ requested }) => requested)).toEqual([
      { kind: 'ref', value: 'kept-v1.0' },
      { kind: 'time', value: '2100-01-01T00:00:00.000Z' },
      undefined,
    ])
  })
})

describe('removed snapshots', () => {
  it('[TT6] are SNAPSHOT_EXPIRED for a ticket and for a time, and never another snapshot', async () => {
    const [gone, atMs] = [id(2), snapshots.at(2)!.committedAtMs]
    const sql = `SELECT count(*) FROM ${T} AT (TIMESTAMP => ${utc(atMs)})`
    const info = (await stack.client.flightInfo(sql)) as FlightInfoResponse
    await catalog.commit('analytics', 'episodes', `[{"action":"remove-snapshots","snapshot-ids":[${gone}]}]`)
    expect(await readFailure(await stack.client.doGet(info.ticket))).toMatchObject({
      status: 410,
      code: 'SNAPSHOT_EXPIRED',
      details: { snapshotId: gone },
    })
    stack = await restart()
    expect(await stack.client.outcome(sql)).toBe('NO_SUCH_SNAPSHOT')
    expect(await stack.client.outcome(`SELECT count(*) FROM ${T} AT (VERSION => ${gone})`)).toBe(
      'NO_SUCH_SNAPSHOT',
    )
    expect(await values(`SELECT count(*) FROM ${T} AT (VERSION => 'kept-v1.0')`)).toEqual([rows(0)])
  })
})
