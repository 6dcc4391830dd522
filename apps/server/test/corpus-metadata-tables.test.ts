// Metadata tables of every table that other engines wrote: all columns of all rows, against what the corpus' own account
// says of each snapshot.
import { describe, expect, it } from 'vitest'
import { tableFilesResponse, tableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { readFailure } from './support/test-client.ts'
import { CORPUS_MISSING, readCorpusCounts } from './support/corpus.ts'
import { withCorpusStack } from './support/corpus-stack.ts'

const tables = CORPUS_MISSING === undefined ? Object.entries(readCorpusCounts()) : []
const NAMES = ['snapshots', 'history', 'refs', 'manifests', 'files', 'entries', 'partitions', 'all_files']
const UNSIGNED_IDS = [
  'duckdb-iceberg/equality_delete_cross_partition__t',
  'duckdb-iceberg/equality_delete_extra_column__t',
]
const tally = { read: 0, incomplete: 0 }

const corpus = withCorpusStack(() => {
  return `metadata tables: ${tally.read} read, ${tally.incomplete} with files that the corpus lacks`
})

async function rows(sql: string): Promise<unknown[][] | string> {
  const result = await corpus.stack.client.run(sql)
  const failure = 'status' in result ? result : result.failure
  if (failure || 'status' in result) return `${failure?.code}: ${failure?.message}`
  return result.batches.flatMap((batch) =>
    batch.toArray().map((row) => (row as { toArray(): unknown[] }).toArray()),
  )
}

describe.skipIf(CORPUS_MISSING !== undefined)(
  `metadata tables of the corpus${CORPUS_MISSING ? ` (${CORPUS_MISSING})` : ''}`,
  () => {
    it.each(tables)('[TC1] [TC2] the page of %s', async (key, { currentSnapshot, snapshots }) => {
      const [repository = '', name = ''] = key.split('/')
      const ask = async (what: string): Promise<Response> =>
        await corpus.stack.client.request('GET', `/namespaces/${repository}/tables/${name}/${what}`)
      const expected = snapshots?.find(({ id }) => id === currentSnapshot)
      const [files, statistics] = await Promise.all([ask('files?content=all'), ask('statistics')])
      if (!files.ok) {
        expect((await readFailure(files)).code).toMatch(/^(OBJECT_MISSING|STORAGE_ACCESS_DENIED)$/)
        return
      }
      const listed = tableFilesResponse.parse(await files.json())
      const { dataFileCount, deletes } = tableStatisticsResponse.parse(await statistics.json())
      expect([listed.dataFileCount, listed.deleteFileCount]).toEqual([
        expected?.dataFiles ?? 0,
        expected ? expected.positionDeleteFiles + expected.equalityDeleteFiles + expected.deletionVectors : 0,
      ])
      expect([dataFileCount, deletes.vectorCount, deletes.equalityFileCount]).toEqual([
        listed.dataFileCount,
        expected?.deletionVectors ?? 0,
        expected?.equalityDeleteFiles ?? 0,
      ])
    })

    it('[TC2] distinct values are those of the statistics file', async () => {
      const path = '/namespaces/impala/tables/iceberg_with_puffin_stats/statistics'
      const { columns } = tableStatisticsResponse.parse(
        await (await corpus.stack.client.request('GET', path)).json(),
      )
      const distinct = { count: '2', snapshotId: '8614787612208071008' }
      expect(columns.map((column) => column.distinct)).toEqual([distinct, distinct])
    })

    it.each(tables)('[MT3] %s', async (key, { snapshots }) => {
      const [repository = '', name = ''] = key.split('/')
      const from = (metadataTable: string): string => `iceberg."${repository}"."${name}$${metadataTable}"`
      // The hash of a row needs all of its columns.
      const reading = NAMES.map(
        (metadataTable) =>
          `SELECT '${metadataTable}', count(*), bit_xor(hash(t)) FROM ${from(metadataTable)} t`,
      )
      for (const read of await rowsOfEach(reading)) {
        if (isIncomplete(read)) continue
        // Their snapshot ids are above the greatest that a column of 64 bits holds.
        if (UNSIGNED_IDS.includes(key) && typeof read === 'string') {
          expect(read).toMatch(/^TABLE_UNSUPPORTED: The metadata holds \d{19}, which is no 64-bit integer/)
          continue
        }
        expect(read, key).toBeInstanceOf(Array)
        tally.read += 1
        if (read[0] === 'snapshots') expect(Number(read[1])).toBe(snapshots?.length ?? 0)
      }
      const counting = (snapshots ?? []).map(
        ({ id }) =>
          `SELECT '${id}', count(*) FILTER (WHERE content = 0), count(*) FILTER (WHERE content = 1),
             count(*) FILTER (WHERE content = 2), coalesce(sum(record_count) FILTER (WHERE content = 0), 0)::BIGINT
           FROM ${from('files')} AT (VERSION => ${id})`,
      )
      const counted = await rowsOfEach(counting)
      snapshots?.forEach((snapshot, index) => {
        if (isIncomplete(counted[index])) return
        expect(counted[index], `${key} @ ${snapshot.id}`).toEqual([
          snapshot.id,
          BigInt(snapshot.dataFiles),
          BigInt(snapshot.positionDeleteFiles + snapshot.deletionVectors),
          BigInt(snapshot.equalityDeleteFiles),
          BigInt(snapshot.dataFiles === 0 ? 0 : (snapshot.records ?? -1)),
        ])
      })
    })
  },
)

/** The one row of each statement, or how it failed; all in one statement where none does. */
async function rowsOfEach(statements: readonly string[]): Promise<(unknown[] | string)[]> {
  if (statements.length === 0) return []
  const all = await rows(statements.join(' UNION ALL '))
  if (typeof all !== 'string') return all
  const each: (unknown[] | string)[] = []
  for (const statement of statements) {
    const read = await rows(statement)
    each.push(typeof read === 'string' ? read : (read[0] ?? []))
  }
  return each
}

function isIncomplete(read: unknown): boolean {
  const isMissing = typeof read === 'string' && /^(OBJECT_MISSING|STORAGE_ACCESS_DENIED)/.test(read)
  if (isMissing) tally.incomplete += 1
  return isMissing
}
