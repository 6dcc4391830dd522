// The first time from which the tables' rules may remove one of some snapshots, by what the catalog said last.
import { useQueries } from '@tanstack/react-query'
import { tableQuery } from '../api/query-client.ts'
import { DATA_MOVED_TABLES_MAX } from '../limits.ts'
import { removableFromMs } from './retention.ts'

interface Pinned {
  namespace: string[]
  table: string
  snapshotId: string
}

/** Null where none is foretold. Asks of the first DATA_MOVED_TABLES_MAX tables. */
export function useRemovableFromMs(pins: readonly Pinned[]): number | null {
  const asked = pins.slice(0, DATA_MOVED_TABLES_MAX)
  const tables = useQueries({
    queries: asked.map(({ namespace, table }) => tableQuery({ namespace, table })),
  })
  const times = asked.flatMap(({ snapshotId }, place) => {
    const table = tables[place]?.data
    return table === undefined ? [] : (removableFromMs(table, snapshotId) ?? [])
  })
  return times.length === 0 ? null : Math.min(...times)
}
