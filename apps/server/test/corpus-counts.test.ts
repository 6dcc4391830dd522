// Every table that other engines wrote, served unchanged by the local lake, counted at each of its snapshots: from
// manifests alone and by reading every column. What is not read is refused whole, with the right code.
import { describe, expect, it } from 'vitest'
import type { RequestedPin } from '@lake/core/api/contract.ts'
import { CORPUS_MISSING, readCorpusCounts } from './support/corpus.ts'
import { withCorpusStack } from './support/corpus-stack.ts'

const tables = CORPUS_MISSING === undefined ? Object.entries(readCorpusCounts()) : []
const tally = { counted: 0, refused: 0, incomplete: 0, empty: 0 }

/** Files that the corpus does not hold, so that the right answer is an error that says so. */
const INCOMPLETE = [
  'duckdb-iceberg/equality_deletes__mytable',
  'dremio/dac__metastore_table',
  'lithium-iceberg-cxx/meta_perf__warehouse__performance__manifest_entries_wide',
  'lithium-iceberg-cxx/meta_perf__warehouse__performance__manifest_files',
  'lithium-iceberg-cxx/partitioned_table_with_multiple_spec',
  'lithium-iceberg-cxx/partitioned_table_with_void_transform',
  'trino/materialized_view_expired_snapshots__source_table',
]

/** Tables without deletes that hold something which is not read. */
const UNSUPPORTED: Record<string, string> = {
  'duckdb-iceberg-fork-tishj/unknown_puffin__test_table': 'puffin data files',
  'impala/iceberg_migrated_alter_test_orc': 'orc data files',
  'impala/iceberg_migrated_complex_test_orc': 'orc data files',
  'impala/iceberg_mixed_file_format_test': 'orc data files',
  'impala/iceberg_partitioned_orc': 'orc data files',
  'impala/iceberg_v2_positional_delete_all_rows_orc': 'orc data files',
  'impala/iceberg_v2_positional_not_all_data_files_have_delete_files_orc': 'orc data files',
  'impala/iceberg_v3_row_lineage_orc': 'orc data files',
  'trino/invalid_compression_codec__orc_gzip': 'orc data files',
}
/** What is broken in itself. */
const CORRUPT = ['duckdb-iceberg/legacy_bare_deletion_vector']
const MISSING_CODES = ['OBJECT_MISSING', 'STORAGE_ACCESS_DENIED']

const corpus = withCorpusStack(() => {
  return (
    `corpus: ${tally.counted} snapshots counted right, ${tally.refused} refused as they should be, ` +
    `${tally.incomplete} incomplete in the corpus and reported so, ${tally.empty} tables without a snapshot`
  )
})

describe.skipIf(CORPUS_MISSING !== undefined)(
  `the corpus${CORPUS_MISSING ? ` (${CORPUS_MISSING})` : ''}`,
  () => {
    it.each(tables)('%s', async (key, table) => {
      const [repository = '', name = ''] = key.split('/')
      const from = `iceberg."${repository}"."${name}"`
      const snapshots = table.snapshots ?? []
      if (snapshots.length === 0) {
        const outcome = await corpus.stack.client.outcome(`SELECT * FROM ${from}`)
        expect(outcome).toBe(key in UNSUPPORTED ? 'TABLE_UNSUPPORTED' : 'ok')
        if (outcome === 'ok')
          expect((await corpus.stack.client.query(`SELECT * FROM ${from}`)).rowCount).toBe(0)
        tally.empty += 1
      }
      for (const snapshot of snapshots) {
        const pins = [{ namespace: [repository], table: name, snapshotId: snapshot.id }]
        const result = await corpus.stack.client.run(`SELECT * FROM ${from}`, pins)
        const failure = 'status' in result ? result : result.failure
        if (failure === undefined && 'receipt' in result) {
          expect([result.rowCount, result.receipt?.rowCount], `${key} @ ${snapshot.id}`).toEqual([
            snapshot.rowsMappedPaths,
            snapshot.rowsMappedPaths,
          ])
          expect(await count(from, pins), `count of ${key} @ ${snapshot.id}`).toBe(
            BigInt(snapshot.rowsMappedPaths ?? -1),
          )
          tally.counted += 1
        } else if (INCOMPLETE.includes(key) && MISSING_CODES.includes(failure?.code ?? '')) {
          tally.incomplete += 1
        } else if (CORRUPT.includes(key)) {
          expect(failure, `${key} @ ${snapshot.id}`).toMatchObject({ code: 'TABLE_CORRUPT' })
          tally.refused += 1
        } else {
          expect(failure, `${key} @ ${snapshot.id}`).toMatchObject({ code: 'TABLE_UNSUPPORTED' })
          expect(failure?.details?.['feature'], `${key} @ ${snapshot.id}`).toBe(UNSUPPORTED[key])
          tally.refused += 1
        }
      }
    })
  },
)

async function count(from: string, pins: RequestedPin[]): Promise<bigint> {
  const { batches } = await corpus.stack.client.query(`SELECT count(*) FROM ${from}`, pins)
  return batches[0]?.getChildAt(0)?.get(0) as bigint
}
