// The schema, with what the manifests of the snapshot say of each column. No row is read.
import type { TableResponse } from '@lake/core/api/contract.ts'
import type { TableReceipt } from '@lake/core/flight/receipt.ts'
import { useMemo, type ReactNode } from 'react'
import type { TableName } from '../../api/table-name.ts'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { deletesText } from './column-facts.ts'
import { ContentsWait } from './ContentsWait.tsx'
import { schemaHistory } from './schema-history.ts'
import { SchemaTable } from './SchemaTable.tsx'
import { useTableStatistics } from './use-table-contents.ts'

interface ColumnsViewProps {
  name: TableName
  table: TableResponse
  /** null: nothing was ever committed. */
  snapshot: string | null
  renderReceipt: (table: TableReceipt, facts: readonly string[]) => ReactNode
}

export function ColumnsView({ name, table, snapshot, renderReceipt }: ColumnsViewProps) {
  const statistics = useTableStatistics(name, snapshot)
  const ofSnapshot = table.snapshots.find(({ snapshotId }) => snapshotId === snapshot)
  // As statements read it: what is current has the table's schema, an older snapshot its own.
  const isCurrent = snapshot === table.currentSnapshotId
  const schemaId = isCurrent ? table.currentSchemaId : (ofSnapshot?.schemaId ?? table.currentSchemaId)
  const schema = table.schemas.find((each) => each.schemaId === schemaId)
  const history = useMemo(() => schemaHistory(table), [table])
  const { data } = statistics
  const deletes = data === undefined ? null : deletesText(data)
  return (
    <section aria-labelledby="schema-title">
      <h2 id="schema-title" className="visually-hidden">
        Columns
      </h2>
      {snapshot !== null && (
        <div className="view-facts">
          {statistics.isPending && <ContentsWait name={name} snapshot={snapshot} />}
          {data !== undefined &&
            renderReceipt(data.table, [
              `schema ${schemaId}`,
              `${countedText(data.recordCount, 'row')} in ${countedText(data.dataFileCount, 'data file')}`,
            ])}
        </div>
      )}
      {statistics.isError && (
        <ErrorNotice error={statistics.error} onRetry={() => void statistics.refetch()} />
      )}
      {deletes !== null && <p className="page-note warn">{deletes}</p>}
      {data?.isTruncated === true && (
        <p className="page-note">Figures of the first {countText(data.columns.length)} columns.</p>
      )}
      <SchemaTable
        columns={schema?.columns ?? []}
        identifierFieldIds={schema?.identifierFieldIds ?? []}
        history={history}
        hasDistinct={table.hasDistinctCounts}
        statistics={data}
        isWaiting={snapshot !== null && statistics.isPending}
      />
    </section>
  )
}
