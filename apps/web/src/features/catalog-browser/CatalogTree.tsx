// The tree itself: one tab stop, arrow keys by the ARIA pattern, Enter opens a table's page.
import { ChevronRight, Folder, Play, Table2 } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { toApiError } from '../../api/api-error.ts'
import type { TableName } from '../../api/table-name.ts'
import { errorTitle } from '../../ui/error-help.ts'
import { tableId, moveInTree, type TreeRow } from './tree-rows.ts'

export interface TreeActions {
  onOpenTable: (name: TableName) => void
  onQueryTable: (name: TableName) => void
}

interface CatalogTreeProps extends TreeActions {
  rows: readonly TreeRow[]
  selected: TableName | null
  toggle: (id: string) => void
  retry: (id: string) => void
}

function RowContent({ row, retry }: { row: TreeRow; retry: (id: string) => void }) {
  switch (row.kind) {
    case 'namespace':
      return (
        <>
          <Folder size={14} aria-hidden className="tree-icon" />
          <span className="tree-label">{row.label}</span>
          {row.tableCount !== null && <span className="tree-meta">{row.tableCount}</span>}
        </>
      )
    case 'table':
      return (
        <>
          <Table2 size={14} aria-hidden className="tree-icon" />
          <span className="tree-label">{row.label}</span>
        </>
      )
    case 'column':
      return (
        <>
          <span className="tree-label" title={row.doc ?? undefined}>
            {row.label}
          </span>
          <span className="tree-meta tree-type">
            {row.type}
            {row.isRequired ? ' · required' : ''}
          </span>
        </>
      )
    case 'note':
      return <span className="tree-note">{row.label}</span>
    case 'failure': {
      const error = toApiError(row.error)
      return (
        <>
          <span className="tree-failure" title={`${error.code}: ${error.message}`}>
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

const isOpenable = (row: TreeRow): row is TreeRow & { isOpen: boolean } =>
  row.kind === 'namespace' || row.kind === 'table'

function Chevron({ row, toggle }: { row: TreeRow; toggle: (id: string) => void }) {
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

function QueryButton({ row, onQueryTable }: { row: TreeRow; onQueryTable: (name: TableName) => void }) {
  if (row.kind !== 'table') return null
  return (
    <button
      type="button"
      tabIndex={-1}
      className="tree-action"
      aria-label={`Query ${row.label}`}
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

export function CatalogTree(props: CatalogTreeProps) {
  const { rows, selected, toggle, retry, onOpenTable, onQueryTable } = props
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const tree = useRef<HTMLUListElement>(null)
  const selectedId = selected === null ? null : tableId(selected)
  const tabStopId = rows.some((row) => row.id === focusedId) ? focusedId : rows[0]?.id

  const focusRow = (id: string) => {
    setFocusedId(id)
    const index = rows.findIndex((row) => row.id === id)
    ;(tree.current?.children[index] as HTMLElement | undefined)?.focus()
  }
  const activate = (row: TreeRow) => {
    if (row.kind === 'namespace') toggle(row.id)
    if (row.kind === 'table') onOpenTable(row.name)
    if (row.kind === 'failure') retry(row.retryId)
  }
  const onKeyDown = (event: KeyboardEvent, row: TreeRow) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const move = moveInTree(rows, row.id, event.key)
    if (event.key === 'Enter' || event.key === ' ') activate(row)
    else if (move?.kind === 'focus') focusRow(move.id)
    else if (move?.kind === 'toggle') toggle(move.id)
    else return
    event.preventDefault()
  }

  return (
    <ul className="tree" role="tree" aria-label="Catalog" ref={tree}>
      {rows.map((row) => (
        <li
          key={row.id}
          role="treeitem"
          className="tree-row"
          data-kind={row.kind}
          aria-level={row.depth}
          aria-expanded={isOpenable(row) ? row.isOpen : undefined}
          aria-selected={row.id === selectedId}
          tabIndex={row.id === tabStopId ? 0 : -1}
          style={{ paddingInlineStart: (row.depth - 1) * 16 + 4 }}
          onFocus={() => setFocusedId(row.id)}
          onClick={() => activate(row)}
          onKeyDown={(event) => onKeyDown(event, row)}
        >
          <Chevron row={row} toggle={toggle} />
          <RowContent row={row} retry={retry} />
          <QueryButton row={row} onQueryTable={onQueryTable} />
        </li>
      ))}
    </ul>
  )
}
