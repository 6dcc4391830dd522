// An independent check of the whole chain: chdb, which is ClickHouse in a library and reads Iceberg by itself, reads the
// demo tables from the same store, position deletes, schema changes and all, and must give the same rows as the workbench.
// Rows are compared as text, column by column, in the order of their keys. The times of both stand beside each other.
//
//   npm run bench:peers [-- --scale 0.1]      installs chdb (550 MB) into bench/peers the first time
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTestClient, type TestClient } from '../apps/server/test/support/test-client.ts'
import { lakeEnvironment, ROOT, startProgram, type LakeReady } from '../scripts/programs.ts'

const { values: options } = parseArgs({ options: { scale: { type: 'string', default: '0.1' } } })
const PEERS = join(ROOT, 'bench/peers')

/** Columns as each engine writes them exactly alike; nested ones are left to other tests. */
const TABLES = [
  {
    table: 'episodes',
    key: 'episode_id',
    columns: ['episode_id', 'robot_id', 'day', 'task', 'steps', 'notes', 'operator'],
    decimals: { distance_m: 3 },
    moments: ['started_at', 'finished_at'],
    numbers: ['reward'],
  },
  {
    table: 'robots',
    key: 'robot_id',
    columns: ['robot_id', 'model', 'firmware', 'commissioned', 'site'],
    decimals: {},
    moments: [],
    numbers: [],
  },
] as const

const directory = await mkdtemp(join(tmpdir(), 'lake-peers-'))
try {
  await main()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function main(): Promise<void> {
  if (!existsSync(join(PEERS, 'node_modules/chdb'))) {
    execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], {
      cwd: PEERS,
      stdio: 'inherit',
    })
  }
  const lakeArgs = ['--data', join(directory, 'lake'), '--demo-scale', options.scale]
  await using lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', lakeArgs, { env: {} })
  const env = { ...lakeEnvironment(lake.ready), LAKE_HTTP_ADDR: '127.0.0.1:0', LAKE_LOG_LEVEL: 'warn' }
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], { env })
  const client = createTestClient(server.ready.url)
  const chdb = fork(join(PEERS, 'chdb-worker.ts'), { cwd: PEERS })
  try {
    for (const compared of TABLES) await compare(compared, { lake: lake.ready, client, chdb })
  } finally {
    chdb.kill()
  }
}

async function compare(
  { table, key, columns, decimals, moments, numbers }: (typeof TABLES)[number],
  { lake, client, chdb }: { lake: LakeReady; client: TestClient; chdb: ChildProcess },
): Promise<void> {
  const ours = [
    ...[...columns, ...Object.keys(decimals)].map((name) => `CAST(${name} AS VARCHAR)`),
    ...moments.map((name) => `CAST(epoch_us(${name}) AS VARCHAR)`),
    // Shortest texts of floating-point numbers differ between engines; their bits do not.
    ...numbers.map((name) => `CAST(CAST(${name} * 1000000 AS BIGINT) AS VARCHAR)`),
  ]
  const theirs = [
    ...columns.map((name) => `toString(${name})`),
    ...Object.entries(decimals).map(([name, scale]) => `toDecimalString(${name}, ${scale})`),
    ...moments.map((name) => `toString(toUnixTimestamp64Micro(${name}))`),
    ...numbers.map((name) => `toString(toInt64(roundBankers(${name} * 1000000)))`),
  ]
  const start = performance.now()
  const here = await rowsOf(
    client,
    `SELECT ${ours.join(', ')} FROM iceberg.analytics.${table} ORDER BY ${key}`,
  )
  const between = performance.now()
  const source = await icebergSource(lake, table)
  const text = await ask(chdb, `SELECT ${theirs.join(', ')} FROM ${source} ORDER BY ${key}`)
  const end = performance.now()
  const there = text.trimEnd().split('\n').map(unescapeTabSeparated)
  const different = here.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(there[index]))
  if (here.length !== there.length || different !== -1) {
    throw new Error(
      `${table}: ${here.length} rows here, ${there.length} in chdb; row ${different}: ${JSON.stringify(here[different])} and ${JSON.stringify(there[different])}`,
    )
  }
  const [oursMs, theirsMs] = [Math.round(between - start), Math.round(end - between)]
  process.stdout.write(`${table}: ${here.length} rows equal; workbench ${oursMs} ms, chdb ${theirsMs} ms\n`)
}

async function rowsOf(client: TestClient, sql: string): Promise<(string | null)[][]> {
  const { batches } = await client.query(sql)
  return batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) =>
      Array.from({ length: batch.numCols }, (__, column) => {
        const value: unknown = batch.getChildAt(column)?.get(row)
        return typeof value === 'string' ? value : null
      }),
    ),
  )
}

/** The table as chdb names it, with credentials that the catalog vends. */
async function icebergSource(lake: LakeReady, table: string): Promise<string> {
  const base = lake.restEndpoint.replace(/\/$/, '')
  const headers = {
    authorization: `Bearer ${lake.token}`,
    'x-iceberg-access-delegation': 'vended-credentials',
  }
  const url = `${base}/v1/${lake.warehouse}/namespaces/analytics/tables/${table}`
  const loaded = (await (await fetch(url, { headers })).json()) as {
    metadata: { location: string }
    config: Record<string, string>
  }
  const { config, metadata } = loaded
  const place = `${lake.s3Endpoint}/${metadata.location.replace('s3://', '')}/`
  const keys = ['s3.access-key-id', 's3.secret-access-key', 's3.session-token'].map(
    (name) => config[name] ?? '',
  )
  return `icebergS3(${[place, ...keys].map((text) => `'${text}'`).join(', ')})`
}

async function ask(chdb: ChildProcess, sql: string): Promise<string> {
  chdb.send(sql)
  const [answer] = (await once(chdb, 'message')) as [{ text?: string; failure?: string }]
  if (answer.text === undefined)
    throw new Error(answer.failure?.replaceAll(/'[^']{16,}'/g, "'…'") ?? 'no answer')
  return answer.text
}

/** One line of ClickHouse's TabSeparated: `\N` is NULL, and a backslash escapes. */
function unescapeTabSeparated(line: string): (string | null)[] {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f' }
  return line
    .split('\t')
    .map((text) =>
      text === '\\N' ? null : text.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter),
    )
}
