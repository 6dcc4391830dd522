// In a tab without a text: what was asked and read last, one click from being asked again.
import type { RefObject } from 'react'
import { tableKey } from '@lake/core/iceberg/identifiers.ts'
import { firstRowsSql, tableLabel } from './api/table-name.ts'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { useRecords } from './history/browser-store.ts'
import { recentQueries, recentTables } from './history/history.ts'
import { ageText } from './ui/format-quantity.ts'
import { useNow } from './ui/use-now.ts'

const SHOWN = 3
const firstLine = (sql: string): string => sql.trim().replaceAll(/\s+/g, ' ').slice(0, 160)

export function StartHere({ editor }: { editor: RefObject<EditorHandle | null> }) {
  const { history } = useRecords()
  const now = useNow(30_000)
  const tables = recentTables(history, SHOWN)
  const queries = recentQueries(history, SHOWN)
  const insert = (sql: string) => editor.current?.insert(sql)
  if (queries.length === 0) return null
  return (
    <div className="start-here">
      {tables.length > 0 && (
        <section aria-label="Tables read last">
          <h2>Tables read last</h2>
          {tables.map((table) => (
            <button
              key={tableKey(table.namespace, table.table)}
              type="button"
              className="link-button"
              onClick={() => insert(firstRowsSql(table))}
            >
              {tableLabel(table)}
            </button>
          ))}
        </section>
      )}
      <section aria-label="Asked last">
        <h2>Asked last</h2>
        {queries.map(({ id, sql, startedAtMs }) => (
          <button key={id} type="button" className="link-button start-query" onClick={() => insert(sql)}>
            <code>{firstLine(sql)}</code>{' '}
            <span className="faint">{ageText(Math.max(0, now - startedAtMs))}</span>
          </button>
        ))}
      </section>
    </div>
  )
}
