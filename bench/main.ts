// Measures the workbench on the local lake's demo tables, over HTTP as a browser uses it, beside DuckDB that runs the same
// text over the same data files on local disk. Everything is a process of its own, as in a deployment.
//
//   npm run bench [-- --runs 5] [--scale 1] [--out FILE]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDuck } from '../apps/server/test/storage/duck.ts'
import { lakeEnvironment, ROOT, startProgram, type LakeReady, type Program } from '../scripts/programs.ts'
import { measureExports } from './exports.ts'
import { measureFetchedBytes } from './fetched-bytes.ts'
import { findDataFiles } from './lake-files.ts'
import { measurePlanning } from './planning-delay.ts'
import { formatReport, machineFacts, writeReport, type Measurement, type Times } from './report.ts'
import { runInDuckDb, runInWorkbench, type Duck, type Run, type WorkbenchRun } from './run-statement.ts'
import { measureDecoding, measureSlowReader } from './server-health.ts'
import { STATEMENTS, TABLES, type Statement } from './statements.ts'

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string', default: join(ROOT, 'bench/results/latest.json') },
  },
})
const runs = Number(options.runs)

const directory = await mkdtemp(join(tmpdir(), 'lake-bench-'))
try {
  await main()
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const data = join(directory, 'lake')
  const args = ['--data', data, '--demo-scale', options.scale]
  await using lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', args, { env: {} })
  const bytes = await measureFetchedBytes(lake.ready, data, STATEMENTS)

  const duck = await openLocalTables(lake.ready, data)
  await using cold = await startServer(lake.ready, {})
  await using warm = await startServer(lake.ready, { LAKE_CACHE_DIR: join(directory, 'cache') })
  const statements: Measurement[] = []
  for (const statement of STATEMENTS) {
    const timed = await timeStatement(statement, { cold: cold.ready.url, warm: warm.ready.url, duck })
    statements.push({ ...timed, bytes: bytes.get(statement.name) })
    process.stderr.write(`${statement.name}\n`)
  }
  duck.closeSync()

  const everything = STATEMENTS.at(-1)
  const last = statements.at(-1)
  const slowReader =
    everything && last ? await measureSlowReader(lake.ready, everything.sql, last.rowCount) : undefined
  const decoding = await measureDecoding()
  const planning = await measurePlanning()
  const exports = await measureExports(lake.ready)
  const command = `npm run bench -- --runs ${runs} --scale ${options.scale}`
  const report = { command, machine: machineFacts(), statements, decoding, planning, slowReader, exports }
  await writeReport(options.out, report)
  process.stdout.write(`${command}\n${JSON.stringify(report.machine)}\n\n${formatReport(report)}\n`)
}

async function startServer(
  lake: LakeReady,
  env: Readonly<Record<string, string>>,
): Promise<Program<{ url: string }>> {
  const common = { ...lakeEnvironment(lake), LAKE_HTTP_ADDR: '127.0.0.1:0', LAKE_LOG_LEVEL: 'warn' }
  return await startProgram('apps/server/src/main.ts', [], { env: { ...common, ...env } })
}

/** DuckDB with views of the tables' names over the files that the manifests name. */
async function openLocalTables(lake: LakeReady, data: string): Promise<Duck> {
  const duck = await openDuck()
  await duck.run(`SET TimeZone = 'UTC'; ATTACH ':memory:' AS iceberg; CREATE SCHEMA iceberg.analytics`)
  for (const table of TABLES) {
    const files = await findDataFiles(lake, data, table)
    const list = files.map((path) => `'${path.replaceAll("'", "''")}'`).join(', ')
    const reader = `read_parquet([${list}], hive_partitioning = false, union_by_name = true)`
    await duck.run(`CREATE VIEW iceberg.analytics.${table} AS SELECT * FROM ${reader}`)
  }
  return duck
}

/** Runs alternate, so that what else the machine does falls on all alike. One run of each goes before. */
async function timeStatement(
  { name, sql }: Statement,
  engines: { readonly cold: string; readonly warm: string; readonly duck: Duck },
): Promise<Omit<Measurement, 'bytes'>> {
  const cold: WorkbenchRun[] = []
  const warm: WorkbenchRun[] = []
  const duckDb: Run[] = []
  for (let round = -1; round < runs; round += 1) {
    const coldRun = await runInWorkbench(engines.cold, sql)
    const warmRun = await runInWorkbench(engines.warm, sql)
    const duckRun = await runInDuckDb(engines.duck, sql)
    if (round < 0) continue
    cold.push(coldRun)
    warm.push(warmRun)
    duckDb.push(duckRun)
  }
  const counts = [cold, warm, duckDb].map((each) => each[0]?.rowCount ?? -1)
  if (new Set(counts).size > 1) throw new Error(`${name}: row counts differ: ${counts.join(', ')}`)
  return {
    name,
    sql,
    rowCount: counts[0] ?? 0,
    planBestMs: Math.min(...cold.map(({ planMs }) => planMs)),
    cold: timesOf(cold),
    warm: timesOf(warm),
    duckDb: timesOf(duckDb),
  }
}

function timesOf(each: readonly Run[]): Times {
  const sorted = each.map(({ totalMs }) => totalMs).sort((a, b) => a - b)
  return {
    bestMs: sorted[0] ?? 0,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    firstRowBestMs: Math.min(...each.map(({ firstRowMs }) => firstRowMs)),
  }
}
