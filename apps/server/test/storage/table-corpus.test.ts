// Every table of the corpus: the data files of its current snapshot, excerpted under its current schema and cast to its
// types, give as many rows as the manifests say, and the rows that the tables' own repositories state. Row-level deletes
// are another part's business and are left out here.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isAppError } from '@lake/core/errors.ts'
import { ALWAYS_TRUE } from '@lake/core/expr/predicate.ts'
import { parseLosslessJson } from '@lake/core/iceberg/lossless-json.ts'
import { nameMappingOf } from '@lake/core/iceberg/table-name-mapping.ts'
import { parseTableMetadata } from '@lake/core/iceberg/parse-table-metadata.ts'
import { UNPARTITIONED } from '@lake/core/iceberg/partition-spec.ts'
import { findSnapshot, schemaForSnapshot } from '@lake/core/iceberg/snapshot.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planSnapshotScan } from '../../src/metadata/scan-planner.ts'
import { writeExcerpt } from '../../src/parquet/excerpt-writer.ts'
import { duckdbType } from '../../src/sql/duckdb-type.ts'
import type { ObjectStore } from '../../src/storage/object-store.ts'
import { createTablePaths } from '../../src/storage/table-paths.ts'
import { excerptSql, openDuck, rowsOf } from './duck.ts'
import { createLocalFiles, uriOf } from './local-files.ts'

interface ComputedTable {
  readonly metadata: string
  readonly prefixes: Readonly<Record<string, number>>
  readonly snapshots: readonly { readonly id: string; readonly missing: string | null }[]
}
const corpus = resolve(
  process.env['LAKE_CORPUS_DIR'] ?? join(import.meta.dirname, '../../../../../shared/corpus'),
)
const countsPath = join(corpus, '_computed/counts.json')
const tables = existsSync(countsPath)
  ? (JSON.parse(readFileSync(countsPath, 'utf8')) as Record<string, ComputedTable>)
  : {}
const signal = new AbortController().signal

describe.skipIf(Object.keys(tables).length === 0)('corpus of real tables', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tables-'))
  let duck: Awaited<ReturnType<typeof openDuck>>
  beforeAll(async () => {
    duck = await openDuck()
  })
  afterAll(() => {
    duck.closeSync()
    rmSync(directory, { recursive: true })
  })
  let next = 0

  /** Rows of the current snapshot before deletes, as JSON texts; columns without a DuckDB type are left out. */
  async function readTable(name: string): Promise<{ rows: string[]; recordCount: number }> {
    const table = tables[name]!
    const bytes = readFileSync(join(corpus, name, table.metadata))
    const metadata = parseTableMetadata(
      parseLosslessJson((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8')),
    )
    const id = metadata.currentSnapshotId
    if (id === undefined) return { rows: [], recordCount: 0 }
    const root = uriOf(`${corpus}/${name}/`)
    const paths = createTablePaths(new Map(Object.keys(table.prefixes).map((prefix) => [prefix, root])))
    const files = createLocalFiles()
    const store: ObjectStore = {
      ...files,
      readObject: async (uri) => await readFile(uri.slice('s3://local'.length)),
    }
    const snapshot = findSnapshot(metadata, id)
    const schema = schemaForSnapshot(metadata, snapshot, { isPinned: false })
    const scan = { metadata, snapshot, schema, predicate: ALWAYS_TRUE }
    const plan = await planSnapshotScan({ store, paths }, scan, signal)
    const types = new Map(
      schema.fields.flatMap(({ type }, index) => {
        const sqlType = duckdbType(type)
        return sqlType === undefined ? [] : [[index, sqlType] as const]
      }),
    )
    const rows: string[] = []
    let recordCount = 0
    for (const task of plan.tasks) {
      if (task.file.format !== 'parquet') continue
      next += 1
      const outcome = await writeExcerpt(
        {
          task,
          partitionSpec:
            metadata.partitionSpecs.find(({ specId }) => specId === task.file.specId) ?? UNPARTITIONED,
          schema,
          nameMapping: nameMappingOf(metadata),
          columnIndexes: new Set(types.keys()),
          predicate: ALWAYS_TRUE,
          store,
          uri: paths.canonicalUri(task.file.path),
          directory,
          name: String(next),
        },
        signal,
      )
      expect(outcome.excerpt.rowCount, task.file.path).toBe(task.file.recordCount)
      rows.push(...(await rowsOf(duck, excerptSql(outcome.excerpt, types))))
      if (outcome.excerpt.path !== undefined) rmSync(outcome.excerpt.path)
      recordCount += task.file.recordCount
    }
    return { rows, recordCount }
  }

  test.each<[string, string[]]>([
    [
      'duckdb-iceberg/hive_partitioned_table',
      [
        '["2024-01-01","12345","click"]',
        '["2024-01-02","67890","purchase"]',
        '["2024-01-03","13579","view"]',
        '["2024-01-03","24680","click"]',
        '["2024-01-04","86420","view"]',
        '["2024-01-04","97531","purchase"]',
      ],
    ],
    ['impala/test_default_part', ['[1,-1]', '[2,-1]', '[3,5]', '[4,10]', '[5,null]']],
    ['impala/iceberg_v3_default_value', ['[1,-1]', '[2,2]']],
    [
      'duckdb-iceberg/add_columns_with_defaults_in_struct',
      [
        String.raw`[{"col1":"test","col_boolean":false,"col_integer":453243,"col_long":"328725092345834","col_float":23.343420028686523,"col_double":23.343424523423433,"col_decimal":"3423434.23","col_date":"0011-03-05","col_time":"12:06:45","col_timestamp":"0011-03-05 12:06:45","col_timestamptz":null,"col_string":"World","col_uuid":null,"col_fixed":null,"col_binary":"\\x80\\x00\\x80"}]`,
        String.raw`[{"col1":"test","col_boolean":true,"col_integer":342342,"col_long":"-9223372036854775808","col_float":0.34233999252319336,"col_double":0.342343242342342,"col_decimal":"12345.00","col_date":"2003-10-20","col_time":"00:00:00.012345","col_timestamp":"1970-01-01 00:00:00.012345","col_timestamptz":"1970-01-01 00:00:00.012345+00","col_string":"HELLO","col_uuid":"f79c3e09-677c-4bbd-a479-3f349cb785e7","col_fixed":"\\x01\\x02\\x03\\xFF\\x03","col_binary":"\\x01\\x02"}]`,
      ],
    ],
    [
      'lithium-iceberg-cxx/types__all_trino_types',
      [
        String.raw`["1",true,42,"9223372036854775807",3.140000104904175,2.718281828459045,"123456.78901","2025-04-05","12:34:56.123456","2025-04-05 12:34:56.123456","2025-04-05 12:34:56.123456+00","Hello Iceberg","550e8400-e29b-41d4-a716-446655440000","\\xDE\\xAD\\xBE\\xEF",[1.1,2.2,3.3]]`,
      ],
    ],
    ['duckdb-iceberg/case_sensitive_names', ['["1","user_1"]', '["2","user_2"]', '["3","user_3"]']],
  ])('%s has the rows that its repository states', async (name, stated) => {
    expect((await readTable(name)).rows.sort()).toEqual(stated)
  })

  test('every readable table gives the rows that its manifests count; the others are refused in words', async () => {
    const refused = new Map<string, string>()
    let read = 0
    for (const [name, table] of Object.entries(tables)) {
      const isComplete =
        table.snapshots.every(({ missing }) => missing === null) &&
        !Object.keys(table.prefixes).some((prefix) => prefix.includes('(outside'))
      if (!isComplete || name.includes('meta_perf') || name.includes('generated_bounds')) continue
      try {
        const { rows, recordCount } = await readTable(name)
        expect(rows.length, name).toBe(recordCount)
        read += 1
      } catch (error) {
        if (!isAppError(error)) throw new Error(name, { cause: error })
        refused.set(name, error.code)
      }
    }
    expect(Object.fromEntries(refused)).toEqual({
      // Its data file lies outside of the folder that is mapped.
      'duckdb-iceberg/column_mapping__my_table': 'TABLE_UNSUPPORTED',
    })
    expect(read).toBeGreaterThan(110)
  }, 120_000)
})
