// A rail for each table that the statement under the cursor reads, where there is a past to go to.
import { useQueries } from '@tanstack/react-query'
import type { RequestedPin, TableEstimate } from '@lake/core/api/contract.ts'
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import { tableQuery } from '../../api/query-client.ts'
import { tableLabel } from '../../api/table-name.ts'
import { RAIL_TABLES_MAX } from '../../limits.ts'
import { railOf } from './rail-commits.ts'
import { TimeTravelRail } from './TimeTravelRail.tsx'

interface TimeTravelProps {
  tables: readonly TableEstimate[]
  pins: readonly RequestedPin[]
  /** A commit of null: the table's current one again. */
  onPin: (
    table: Pick<RequestedPin, 'namespace' | 'table'>,
    commit: { snapshotId: string; committedAtMs: number } | null,
  ) => void
}

const keyOf = ({ namespace, table }: Pick<RequestedPin, 'namespace' | 'table'>): string =>
  tableKey(namespace, table)

export function TimeTravel({ tables, pins, onPin }: TimeTravelProps) {
  // A version in the statement is the statement's to say.
  const named = [
    ...new Map(
      tables.filter(({ requested }) => requested === undefined).map((table) => [keyOf(table), table]),
    ).values(),
  ]
  const shown = named.slice(0, RAIL_TABLES_MAX)
  const loaded = useQueries({ queries: shown.map(tableQuery) })
  const rails = shown.flatMap((table, index) => {
    const { data } = loaded[index] ?? {}
    if (data === undefined) return []
    const rail = railOf(data)
    return rail.commits.length < 2 ? [] : [{ table, rail }]
  })
  if (rails.length === 0) return null
  return (
    <section className="rails" aria-label="Time travel">
      {rails.map(({ table, rail }) => (
        <TimeTravelRail
          key={keyOf(table)}
          label={tableLabel(table)}
          rail={rail}
          snapshotId={pins.find((pin) => keyOf(pin) === keyOf(table))?.snapshotId ?? null}
          onChoose={(commit) => onPin({ namespace: table.namespace, table: table.table }, commit)}
        />
      ))}
    </section>
  )
}
