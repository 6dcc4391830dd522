// One row of the catalog tree: what it shows, and its buttons, which keys never reach: the row has keys of its own.
import { ChevronRight, Folder, Play, Table2 } from 'lucide-react'
import { toApiError } from '../../api/api-error.ts'
import type { TableName } from '../../api/table-name.ts'
import { errorTitle } from '../../ui/error-help.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'
import type { TreeRow } from './tree-rows.ts'

/** A name, which may be cut: its tip is whole. */
function Label({ text, note = null }: { text: string; note?: string | null }) {
  return (
    <span className="tree-label" title={note === null ? text : `${text}\n${visibleText(note)}`}>
      {text}
    </span>
  )
}

export function RowContent({ row, retry }: { row: TreeRow; retry: (id: string) => void }) {
  switch (row.kind) {
    case 'namespace':
      return (
        <>
          <Folder size={14} aria-hidden className="tree-icon" />
          <Label text={visibleName(row.label)} />
          {row.tableCount !== null && <span className="tree-meta">{row.tableCount}</span>}
        </>
      )
    case 'table':
      return (
        <>
          <Table2 size={14} aria-hidden className="tree-icon" />
          <Label text={visibleName(row.label)} />
        </>
      )
    case 'column':
      return (
        <>
          <Label text={visibleName(row.label)} note={row.doc} />
          <span className="tree-meta tree-type" title={row.type}>
            {row.type}
            {row.isRequired ? ' · required' : ''}
          </span>
        </>
      )
    case 'rest':
      return <span className="tree-rest">{row.label}</span>
    case 'note':
      return <span className="tree-note">{row.label}</span>
    case 'failure': {
      const error = toApiError(row.error)
      return (
        <>
          <span className="tree-failure" title={visibleText(`${error.code}: ${error.message}`)}>
            {errorTitle(error.code)}
          </span>
          <button type="button" tabIndex={-1} className="link-button" onClick={() => retry(row.retryId)}>
            Retry
          </button>
        </>
      )
    }
  }
}

export const isOpenable = (row: TreeRow): row is TreeRow & { isOpen: boolean } =>
  row.kind === 'namespace' || row.kind === 'table'

export function Chevron({ row, toggle }: { row: TreeRow; toggle: (id: string) => void }) {
  if (!isOpenable(row)) return <span className="tree-chevron" aria-hidden />
  return (
    <span
      className="tree-chevron"
      data-open={row.isOpen}
      aria-hidden
      title={row.kind === 'table' ? 'Columns' : undefined}
      onClick={(event) => {
        event.stopPropagation()
        toggle(row.id)
      }}
    >
      <ChevronRight size={14} />
    </span>
  )
}

export function QueryButton({
  row,
  onQueryTable,
}: {
  row: TreeRow
  onQueryTable: (name: TableName) => void
}) {
  if (row.kind !== 'table') return null
  return (
    <button
      type="button"
      tabIndex={-1}
      className="tree-action"
      aria-label={`Query ${visibleName(row.label)}`}
      title="Query this table"
      onClick={(event) => {
        event.stopPropagation()
        onQueryTable(row.name)
      }}
    >
      <Play size={12} aria-hidden />
    </button>
  )
}
