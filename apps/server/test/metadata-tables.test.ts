// Metadata tables in SQL over the real local lake: what they are named, what they say, and that they say it exactly.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FlightInfoResponse, TableResponse } from '@lake/core/api/contract.ts'
import { createLakeCatalog, type LakeCatalog } from './support/lake-catalog.ts'
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts'
import type { Failed } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const T = 'iceberg.analytics.episodes'

let lake: TestLake
let catalog: LakeCatalog
let proxy: TcpProxy
let stack: TestStack
let page: TableResponse

beforeAll(async () => {
  lake = await startTestLake(['--demo-scale', '0.02'])
  catalog = createLakeCatalog(lake)
  const { hostname, port } = new URL(lake.ready.s3Endpoint)
  proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  stack = await startTestStack(lake, {
    LAKE_ICEBERG_S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
    LAKE_ICEBERG_S3_REGION: 'us-east-1',
  })
  const answer = await stack.client.request('GET', '/namespaces/analytics/tables/episodes')
  page = (await answer.json()) as TableResponse
}, 120_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
})

/** Rows as texts in the engine's spelling. */
async function rows(sql: string): Promise<(string | null)[][]> {
  const { batches, failure } = await stack.client.query(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`)
  expect(failure).toBeUndefined()
  return batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_row, row) =>
      batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(row) as string | null),
    ),
  )
}

const columns = async (name: string): Promise<string[]> => {
  const info = (await stack.client.flightInfo(`FROM ${T}$${name}`)) as FlightInfoResponse
  return info.schema.map(({ name, type }) => `${name} ${type}`)
}

const oldestId = (): string => page.snapshots.at(-1)!.snapshotId

const METRICS = [
  'column_sizes MAP(INTEGER, BIGINT)',
  'value_counts MAP(INTEGER, BIGINT)',
  'null_value_counts MAP(INTEGER, BIGINT)',
  'nan_value_counts MAP(INTEGER, BIGINT)',
  'lower_bounds MAP(INTEGER, BLOB)',
  'upper_bounds MAP(INTEGER, BLOB)',
]

describe('columns', () => {
  it.each([
    [
      'snapshots',
      [
        'committed_at TIMESTAMP WITH TIME ZONE',
        'snapshot_id BIGINT',
        'parent_id BIGINT',
        'operation VARCHAR',
        'manifest_list VARCHAR',
        'summary MAP(VARCHAR, VARCHAR)',
      ],
    ],
    [
      'history',
      [
        'made_current_at TIMESTAMP WITH TIME ZONE',
        'snapshot_id BIGINT',
        'parent_id BIGINT',
        'is_current_ancestor BOOLEAN',
      ],
    ],
    [
      'refs',
      [
        'name VARCHAR',
        'type VARCHAR',
        'snapshot_id BIGINT',
        'max_reference_age_in_ms BIGINT',
        'min_snapshots_to_keep INTEGER',
        'max_snapshot_age_in_ms BIGINT',
      ],
    ],
    [
      'manifests',
      expect.arrayContaining([
        'content INTEGER',
        'path VARCHAR',
        'length BIGINT',
        'added_data_files_count INTEGER',
      ]),
    ],
    [
      'files',
      expect.arrayContaining(['content INTEGER', 'file_path VARCHAR', 'record_count BIGINT', ...METRICS]),
    ],
    ['entries', expect.arrayContaining(['status INTEGER', 'snapshot_id BIGINT', 'sequence_number BIGINT'])],
    [
      'partitions',
      expect.arrayContaining(['partition STRUCT("day" DATE)', 'record_count BIGINT', 'file_count INTEGER']),
    ],
  ])('[MT1] of $%s are those of other engines', async (name, expected) => {
    expect(await columns(name)).toEqual(expected)
  })
})

describe('rows', () => {
  it('[MT2] of $snapshots are all snapshots, exactly', async () => {
    const found = await rows(
      `SELECT snapshot_id, parent_id, epoch_ms(committed_at), operation, summary['total-records'] FROM ${T}$snapshots ORDER BY committed_at DESC`,
    )
    expect(found).toEqual(
      page.snapshots.map((snapshot) => [
        snapshot.snapshotId,
        snapshot.parentSnapshotId,
        String(snapshot.committedAtMs),
        snapshot.operation,
        snapshot.summary['total-records'],
      ]),
    )
    expect(found.some(([snapshotId]) => !Number.isSafeInteger(Number(snapshotId)))).toBe(true)
  })

  it('[MT2] of $history tell what is no ancestor any more, and of $refs how long a ref is kept', async () => {
    const [current, previous] = page.snapshots.map(({ snapshotId }) => snapshotId)
    const update = (name: string, type: string, snapshotId: string, more = ''): string =>
      `{"action":"set-snapshot-ref","ref-name":"${name}","type":"${type}","snapshot-id":${snapshotId}${more}}`
    const kept = ',"max-ref-age-ms":9007199254740993,"min-snapshots-to-keep":3,"max-snapshot-age-ms":5'
    const moves = [update('main', 'branch', previous!), update('b', 'branch', current!, kept)]
    await catalog.commit('analytics', 'episodes', `[${moves.join(',')}]`)
    await using fresh = await startTestStack(lake)
    const ask = async (sql: string): Promise<unknown[]> => {
      const { batches } = await fresh.client.query(sql)
      return batches.flatMap((batch) =>
        batch.toArray().map((row) => (row as { toArray(): unknown[] }).toArray()),
      )
    }
    expect(
      await ask(
        `SELECT snapshot_id, is_current_ancestor FROM ${T}$history ORDER BY made_current_at DESC LIMIT 3`,
      ),
    ).toEqual([
      [BigInt(previous!), true],
      [BigInt(current!), false],
      [BigInt(previous!), true],
    ])
    expect(await ask(`FROM ${T}$refs ORDER BY name`)).toEqual([
      ['b', 'BRANCH', BigInt(current!), 9_007_199_254_740_993n, 3, 5n],
      ['main', 'BRANCH', BigInt(previous!), null, null, null],
    ])
    await catalog.commit('analytics', 'episodes', `[${update('main', 'branch', current!)}]`)
  })

  it('[MT3] of the files of a version are those of its snapshot', async () => {
    for (const { snapshotId, summary } of page.snapshots) {
      const at = `AT (VERSION => ${snapshotId})`
      expect(
        await rows(
          `SELECT (SELECT count(*) FROM ${T}$data_files ${at}), (SELECT sum(record_count) FROM ${T}$data_files ${at}),
             (SELECT count(*) FROM ${T}$delete_files ${at}), (SELECT count(*) FROM ${T}$files ${at}),
             (SELECT sum(record_count) FROM ${T}$partitions ${at}), (SELECT sum(file_count) FROM ${T}$partitions ${at})`,
        ),
      ).toEqual([
        [
          summary['total-data-files'],
          summary['total-records'],
          summary['total-delete-files'],
          String(Number(summary['total-data-files']) + Number(summary['total-delete-files'])),
          summary['total-records'],
          summary['total-data-files'],
        ],
      ])
    }
  })

  it('[MT3] of $files have partitions, and bounds as bytes and as values', async () => {
    const sql = `SELECT bool_and(f.partition.day = f.readable_metrics.day.lower_bound), min(f.readable_metrics.episode_id.lower_bound),
        bool_and(f.file_size_in_bytes > 0 AND f.spec_id = 0 AND f.file_format = 'PARQUET'),
        bool_and(f.lower_bounds[3] = f.upper_bounds[3]), sum(f.null_value_counts[7]), sum(f.readable_metrics.reward.null_value_count)
      FROM ${T}$data_files f`
    const [[sameDay, lowest, isWhole, sameBounds, nulls, readableNulls] = []] = await rows(sql)
    expect([sameDay, isWhole, sameBounds, nulls]).toEqual(['true', 'true', 'true', readableNulls])
    const data = await rows(`SELECT min(episode_id), count(*) - count(reward) FROM ${T}`)
    expect(data).toEqual([[lowest, nulls]])
  })

  it('[MT3] of $entries have the status of each file, and of $manifests the summaries', async () => {
    const [[live, files] = []] = await rows(
      `SELECT (SELECT count(*) FROM ${T}$entries WHERE status < 2), (SELECT count(*) FROM ${T}$files)`,
    )
    expect(live).toBe(files)
    const [[counted, bounds] = []] = await rows(
      `SELECT sum(added_data_files_count + existing_data_files_count), bool_and(partition_summaries[1].lower_bound <= partition_summaries[1].upper_bound) FROM ${T}$manifests WHERE content = 0`,
    )
    expect([counted, bounds]).toEqual([page.snapshots[0]!.summary['total-data-files'], 'true'])
    const all = await rows(`SELECT count(DISTINCT file_path) FROM ${T}$all_data_files`)
    expect(Number(all[0]?.[0])).toBeGreaterThan(Number(counted))
  })

  it('[MT3] can be joined with the table, at versions of both', async () => {
    const at = `AT (VERSION => ${oldestId()})`
    expect(
      await rows(
        `SELECT count(*) FROM ${T}$partitions p ${at} JOIN (SELECT day, count(*) AS n FROM ${T} ${at} GROUP BY 1) d ON d.day = p.partition.day AND d.n = p.record_count`,
      ),
    ).toEqual(await rows(`SELECT count(*) FROM ${T}$partitions ${at}`))
  })

  it('[MT4] come from metadata alone, and the receipt says so', async () => {
    const before = proxy.bytesToClient
    const { receipt } = await stack.client.query(`SELECT sum(record_count) FROM ${T}$files`)
    expect(receipt?.tables[0]).toMatchObject({
      table: 'episodes',
      metadataTable: 'files',
      isCurrent: true,
      scan: { isMetadataOnly: true, filesRead: 0, bytesRead: 0, requests: 0 },
    })
    expect(receipt?.tables[0]?.scan?.manifestsRead).toBe(receipt?.tables[0]?.scan?.manifestsTotal)
    expect(proxy.bytesToClient - before).toBeLessThan(500_000)
    const quiet = proxy.bytesToClient
    await stack.client.query(`FROM ${T}$snapshots`)
    expect(proxy.bytesToClient).toBe(quiet)
  })

  it('pins apply to those of a snapshot', async () => {
    const pins = [{ namespace: ['analytics'], table: 'episodes', snapshotId: oldestId() }]
    const count = async (name: string): Promise<number> => {
      const { batches } = await stack.client.query(`SELECT count(*) FROM ${T}$${name}`, pins)
      return Number(batches[0]?.getChildAt(0)?.get(0))
    }
    expect(await count('files')).toBe(Number(page.snapshots.at(-1)!.summary['total-data-files']))
    expect(await count('snapshots')).toBe(page.snapshots.length)
  })
})

describe('names', () => {
  it('[MT5] of tables that do not exist, or may not be read, are NO_SUCH_TABLE at their place', async () => {
    for (const name of [
      'iceberg.analytics.nothing$files',
      'iceberg.secret.t$snapshots',
      `${T}$nothing`,
      `${T}$FILES`,
    ]) {
      const sql = `SELECT 'é' FROM ${name} f`
      const failed = (await stack.client.flightInfo(sql)) as Failed
      expect(failed).toMatchObject({ status: 404, code: 'NO_SUCH_TABLE' })
      expect(sql.slice(Number(failed.details['startOffset']), Number(failed.details['endOffset']))).toBe(name)
    }
  })

  it('[MT5] are a table of that very name where there is no table to tell of', async () => {
    const schema = { type: 'struct', fields: [{ id: 1, name: 'mine', required: false, type: 'long' }] }
    for (const name of ['lone$files', 'episodes$files']) {
      await catalog.call('POST', '/namespaces/analytics/tables', { name, schema })
    }
    const lone = await stack.client.query('FROM iceberg.analytics.lone$files')
    expect(lone.batches[0]?.schema.fields.map(({ name }) => name) ?? ['mine']).toEqual(['mine'])
    expect(lone.receipt?.tables[0]).toMatchObject({ table: 'lone$files', snapshotId: null })
    expect(lone.receipt?.tables[0]?.metadataTable).toBeUndefined()
    const told = await stack.client.query(`SELECT count(*) FROM ${T}$files`)
    expect(told.receipt?.tables[0]).toMatchObject({ table: 'episodes', metadataTable: 'files' })
  })

  it('[MT6] of what tells of the whole table take no version', async () => {
    for (const name of ['snapshots', 'history', 'refs', 'all_files']) {
      const sql = `FROM ${T}$${name} AT (VERSION => 'main')`
      const failed = (await stack.client.flightInfo(sql)) as Failed
      expect(failed.code).toBe('SQL_UNSUPPORTED')
      expect(sql.slice(Number(failed.details['startOffset']))).toBe("AT (VERSION => 'main')")
    }
  })

  it('are offered to the statement like any table', async () => {
    const answer = await stack.client.request('POST', '/analyze', { sql: `FROM ${T}$files` })
    expect(await answer.json()).toEqual({
      tables: [
        {
          namespace: ['analytics'],
          table: 'episodes',
          metadataTable: 'files',
          startOffset: 5,
          endOffset: 5 + T.length + 6,
        },
      ],
    })
  })

  it('of a table without snapshots have no files', async () => {
    const schema = { type: 'struct', fields: [{ id: 1, name: 'x', required: false, type: 'long' }] }
    await catalog.call('POST', '/namespaces/analytics/tables', { name: 'blank', schema })
    for (const name of [
      'files',
      'entries',
      'manifests',
      'partitions',
      'snapshots',
      'history',
      'refs',
      'all_entries',
    ]) {
      expect((await stack.client.query(`FROM iceberg.analytics.blank$${name}`)).rowCount, name).toBe(0)
    }
  })
})
