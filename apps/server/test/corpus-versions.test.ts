// Every version of every table that other engines wrote, all versions of a table in one statement: by snapshot id, by
// time and by ref, with the rows that the corpus' own account gives for each.
import { describe, expect, it } from 'vitest'
import type { TableResponse } from '@lake/core/api/contract.ts'
import { CORPUS_MISSING, readCorpusCounts } from './support/corpus.ts'
import { withCorpusStack } from './support/corpus-stack.ts'

const tables = CORPUS_MISSING === undefined ? Object.entries(readCorpusCounts()) : []
/** Its deletion vector lies in the file without the frame of a puffin file. */
const CORRUPT = 'duckdb-iceberg/legacy_bare_deletion_vector'
const tally = { versions: 0, refused: 0 }

const corpus = withCorpusStack(() => {
  return `versions: ${tally.versions} counted right, ${tally.refused} tables refused`
})

interface Version {
  readonly clause: string
  readonly snapshotId: string
}

/** Every snapshot, what was current at each commit, and every ref. */
async function versionsOf(
  namespace: string,
  table: string,
  snapshotIds: readonly string[],
): Promise<Version[]> {
  const path = `/namespaces/${encodeURIComponent(namespace)}/tables/${encodeURIComponent(table)}`
  const page = (await (await corpus.stack.client.request('GET', path)).json()) as TableResponse
  const history = await corpus.stack.client.run(
    `SELECT made_current_at::VARCHAR, snapshot_id::VARCHAR FROM iceberg."${namespace}"."${table}$history"`,
  )
  const log = 'batches' in history ? history.batches.flatMap((batch) => batch.toArray().map(String)) : []
  const times = log.map((row) => JSON.parse(row) as Record<string, string>).map((row) => Object.values(row))
  // Entries of the same time: the last one counts.
  const byTime = new Map(times.map(([time, id]) => [time ?? '', id ?? '']))
  return [
    ...snapshotIds.map((snapshotId) => ({ clause: `VERSION => ${snapshotId}`, snapshotId })),
    ...[...byTime].map(([time, snapshotId]) => ({
      clause: `TIMESTAMP => TIMESTAMPTZ '${time}'`,
      snapshotId,
    })),
    ...page.refs.map(({ name, snapshotId }) => ({
      clause: `VERSION => '${name.replaceAll("'", "''")}'`,
      snapshotId,
    })),
  ]
}

describe.skipIf(CORPUS_MISSING !== undefined)(
  `versions of the corpus${CORPUS_MISSING ? ` (${CORPUS_MISSING})` : ''}`,
  () => {
    it.each(tables)('[TT3] %s', async (key, { snapshots }) => {
      const [repository = '', name = ''] = key.split('/')
      const rowsOf = new Map((snapshots ?? []).map(({ id, rowsMappedPaths }) => [id, rowsMappedPaths]))
      const versions = (await versionsOf(repository, name, [...rowsOf.keys()]))
        .filter(({ snapshotId }) => rowsOf.has(snapshotId))
        .slice(0, 60)
      if (versions.length === 0) return
      const counts = versions.map(
        ({ clause }, index) =>
          `SELECT ${index} AS i, count(*) AS n FROM iceberg."${repository}"."${name}" AT (${clause})`,
      )
      const result = await corpus.stack.client.run(`${counts.join(' UNION ALL ')} ORDER BY i`)
      const failure = 'status' in result ? result : result.failure
      if (failure || 'status' in result) {
        const codes = ['TABLE_UNSUPPORTED', 'OBJECT_MISSING', 'STORAGE_ACCESS_DENIED']
        expect(key === CORRUPT ? ['TABLE_CORRUPT'] : codes, failure?.message).toContain(failure?.code)
        tally.refused += 1
        return
      }
      const counted = result.batches.flatMap((batch) => [...(batch.getChild('n') ?? [])].map(Number))
      expect(counted).toEqual(versions.map(({ snapshotId }) => rowsOf.get(snapshotId)))
      const pinned = new Set(result.receipt?.tables.map(({ snapshotId }) => snapshotId))
      expect(pinned).toEqual(new Set(versions.map(({ snapshotId }) => snapshotId)))
      tally.versions += versions.length
    })
  },
)
