// Pruning and caching never change an answer: seeded random statements over tables of other engines and the demo give the
// same rows with every level of pruning off and no cache, with all of it on, and with single levels off.
//
// Replay one statement with EQUIVALENCE_SEED=<seed printed by the failure>.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FlightInfoResponse } from '@lake/core/api/contract.ts'
import { ALL_PRUNING, NO_PRUNING } from '@lake/core/scan/table-scan.ts'
import { CORPUS_DIRECTORY, CORPUS_MISSING } from './support/corpus.ts'
import { createRandom, randomStatement, type SampledTable } from './support/random-queries.ts'
import { readFailure, readResult, type Failed, type TestClient } from './support/test-client.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const STATEMENTS = Number(process.env['EQUIVALENCE_STATEMENTS'] ?? 2_000)
const FIRST_SEED = Number(process.env['EQUIVALENCE_SEED'] ?? 1)
const CHUNKS = 20

let lake: TestLake
let cacheDirectory: string
let plain: TestStack
let pruned: TestStack
const singles: { name: string; stack: TestStack }[] = []
let tables: SampledTable[]
const tally = { answered: 0, failed: 0 }

beforeAll(async () => {
  const corpus = CORPUS_MISSING === undefined ? ['--corpus', CORPUS_DIRECTORY] : []
  lake = await startTestLake(['--demo-scale', '0.01', ...corpus])
  cacheDirectory = await mkdtemp(join(tmpdir(), 'lake-equivalence-'))
  const shared = { LAKE_TICKET_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}`, LAKE_ENGINES_MAX: '2' }
  plain = await startTestStack(lake, shared, NO_PRUNING)
  pruned = await startTestStack(lake, { ...shared, LAKE_CACHE_DIR: cacheDirectory }, ALL_PRUNING)
  for (const name of Object.keys(ALL_PRUNING)) {
    singles.push({
      name,
      stack: await startTestStack(
        lake,
        { ...shared, LAKE_ENGINES_MAX: '1' },
        { ...ALL_PRUNING, [name]: false },
      ),
    })
  }
  tables = await sampleTables(plain.client, CORPUS_MISSING === undefined ? CORPUS_TABLES : [])
}, 240_000)

afterAll(async () => {
  for (const stack of [plain, pruned, ...singles.map((single) => single.stack)])
    await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  await rm(cacheDirectory, { recursive: true, force: true })
})

/** Partitioned, nested, evolved, with nulls, NaN, many files or many row groups; of each writer some. */
const CORPUS_TABLES = [
  'duckdb-iceberg/hive_partitioned_table',
  'duckdb-iceberg/lineitem_iceberg',
  'duckdb-iceberg/is_null_is_not_null',
  'duckdb-iceberg/test_nulls',
  'duckdb-iceberg/partition_decimal_hugeint',
  'duckdb-iceberg/partition_timestamptz',
  'duckdb-iceberg/partition_time',
  'duckdb-iceberg/partition_float',
  'duckdb-iceberg/uuid',
  'duckdb-iceberg/add_columns_with_defaults',
  'impala/hadoop_catalog_test',
  'impala/airports_parquet',
  'impala/iceberg_alltypes_part',
  'impala/iceberg_timestamp_part',
  'impala/iceberg_timestamptz_part',
  'impala/iceberg_multiple_storage_locations',
  'impala/test_default_part',
  'impala/iceberg_v3_row_lineage',
  'impala/iceberg_v3_deletion_vectors',
  'impala/iceberg_v3_default_value_avro',
  'impala/iceberg_lineitem_multiblock',
  'impala/iceberg_v2_partitioned_position_deletes',
  'dremio/products_with_eq_deletes',
  'dremio/nation',
  'glaredb/tables-v2__lineitem_partitioned',
  'lithium-iceberg-cxx/partition_evolution',
  'lithium-iceberg-cxx/partitioning_with_null_value',
  'lithium-iceberg-cxx/bucket_partitioning',
  'lithium-iceberg-cxx/identity_partitioning',
  'lithium-iceberg-cxx/year_timestamptz_partitioning',
  'lithium-iceberg-cxx/types__all_trino_types',
  'pg_lake/spark_generated_iceberg_ddl_test',
  'pg_lake/spark_generated_iceberg_test',
  'trino/conflict_truncate',
]
/** Not the largest: each statement reads all of a table at least once. */
const DEMO_TABLES = ['analytics/maintenance', 'analytics/robots', 'analytics/telemetry', 'models/runs']
const COLUMNS_MAX = 14
/** Every table has them; asked for in these, with many row groups, deletes, partitions, Avro files or lineage. */
const RESERVED_IN: ReadonlySet<string> = new Set([
  'analytics/telemetry',
  'duckdb-iceberg/hive_partitioned_table',
  'impala/iceberg_v3_row_lineage',
  'impala/iceberg_v3_deletion_vectors',
  'impala/iceberg_v3_default_value_avro',
  'impala/iceberg_lineitem_multiblock',
  'impala/iceberg_v2_partitioned_position_deletes',
  'dremio/products_with_eq_deletes',
  'lithium-iceberg-cxx/partition_evolution',
])
const RESERVED = [
  { name: '_file', type: 'VARCHAR' },
  { name: '_pos', type: 'BIGINT' },
  { name: '_spec_id', type: 'INTEGER' },
  { name: '_row_id', type: 'BIGINT' },
  { name: '_last_updated_sequence_number', type: 'BIGINT' },
]

async function sampleTables(client: TestClient, corpusTables: readonly string[]): Promise<SampledTable[]> {
  const sampled: SampledTable[] = []
  for (const key of [...DEMO_TABLES, ...corpusTables]) {
    const from = `iceberg.${key
      .split('/')
      .map((part) => `"${part}"`)
      .join('.')}`
    const info = await client.flightInfo(`SELECT * FROM ${from}`)
    if ('status' in info) continue
    const schema = [...info.schema.slice(0, COLUMNS_MAX), ...(RESERVED_IN.has(key) ? RESERVED : [])]
    const texts = schema.map(({ name }) => `CAST("${name.replaceAll('"', '""')}" AS VARCHAR)`).join(', ')
    const { batches } = await client.query(`SELECT ${texts} FROM ${from} LIMIT 200`)
    const columns = schema.map(({ name, type }, index) => {
      const values = batches.flatMap((batch) =>
        Array.from({ length: batch.numRows }, (_, row) => batch.getChildAt(index)?.get(row) as string | null),
      )
      const distinct = [...new Set(values.filter((value) => value !== null))].sort()
      const step = Math.max(1, Math.floor(distinct.length / 12))
      return { name, type, samples: distinct.filter((_value, at) => at % step === 0) }
    })
    sampled.push({ from, columns })
  }
  return sampled
}

/** What the plain server says of a statement before it runs; every server runs its ticket, of the same snapshots and time. */
async function plan(sql: string): Promise<FlightInfoResponse | Failed> {
  return await plain.client.flightInfo(`SELECT COLUMNS(*)::VARCHAR FROM (${sql})`)
}

/** Rows in no order, as texts; or the code of the failure. */
async function rowsOf(client: TestClient, ticket: string): Promise<string[]> {
  const response = await client.doGet(ticket)
  const result = response.ok ? await readResult(response) : await readFailure(response)
  const failure = 'status' in result ? result : result.failure
  if (failure || 'status' in result) return [`failed: ${failure?.code} ${failure?.message}`]
  return result.batches
    .flatMap((batch) => {
      const columns = batch.schema.fields.map((_field, index) => batch.getChildAt(index))
      return Array.from({ length: batch.numRows }, (_, row) =>
        JSON.stringify(columns.map((column) => column?.get(row) as unknown)),
      )
    })
    .sort()
}

describe('[QR12] answers do not depend on pruning or caching', () => {
  const size = Math.ceil(STATEMENTS / CHUNKS)
  const chunks =
    process.env['EQUIVALENCE_SEED'] === undefined
      ? Array.from({ length: CHUNKS }, (_, index) => FIRST_SEED + index * size)
      : [FIRST_SEED]

  it.each(chunks)('statements from seed %i', { timeout: 300_000 }, async (firstSeed) => {
    const seeds = Array.from({ length: chunks.length === 1 ? 1 : size }, (_, index) => firstSeed + index)
    const check = async (seed: number): Promise<void> => {
      const random = createRandom(seed)
      const table = tables[Math.floor(random() * tables.length)]!
      const sql = randomStatement(table, random)
      const planned = await plan(sql)
      if ('status' in planned) {
        tally.failed += 1
        return
      }
      const expected = await rowsOf(plain.client, planned.ticket)
      if (expected[0]?.startsWith('failed:')) tally.failed += 1
      else tally.answered += 1
      const others = [{ name: 'all', stack: pruned }, ...(seed % 10 === 0 ? singles : [])]
      for (const { name, stack } of others) {
        expect(await rowsOf(stack.client, planned.ticket), `seed ${seed}, pruning ${name}: ${sql}`).toEqual(
          expected,
        )
      }
      if (seed % 10 === 5)
        expect(await rowsOf(pruned.client, planned.ticket), `seed ${seed}, warm: ${sql}`).toEqual(expected)
    }
    const queue = [...seeds]
    const worker = async (): Promise<void> => {
      for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) await check(seed)
    }
    await Promise.all([worker(), worker()])
  })

  it('hardly any of the statements fail, in the same words on both sides', () => {
    process.stdout.write(
      `equivalence: ${tally.answered} statements answered, ${tally.failed} failed alike, over ${tables.length} tables\n`,
    )
    expect(tally.failed).toBeLessThan(tally.answered / 10)
  })
})
