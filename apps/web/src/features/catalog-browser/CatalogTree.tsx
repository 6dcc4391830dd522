// The tree itself: one tab stop, arrow keys and letters by the ARIA pattern. A click or Space opens a table's page; a double
// click, Enter or dragging puts its name into the statement; its menu has all of that.
import { useLayoutEffect, useRef, useState, type DragEvent, type KeyboardEvent, type MouseEvent } from 'react'
import type { TableName } from '../../api/table-name.ts'
import type { MenuPlace } from '../../ui/menu-place.ts'
import { MenuList } from '../../ui/MenuButton.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import { Chevron, isOpenable, QueryButton, RowContent } from './TreeRowContent.tsx'
import { sqlOfRow, treeMenuItems, type TreeActions } from './tree-menu.ts'
import { tableId, moveInTree, type TreeRow } from './tree-rows.ts'
import { useTypeAhead } from './use-type-ahead.ts'

interface CatalogTreeProps extends TreeActions {
  rows: readonly TreeRow[]
  selected: TableName | null
  toggle: (id: string) => void
  retry: (id: string) => void
  /** Draws more tables of a namespace. */
  showMore: (id: string) => void
}

interface RowProps extends CatalogTreeProps {
  row: TreeRow
  isSelected: boolean
  isTabStop: boolean
  onFocus: () => void
  onOpen: (row: TreeRow) => void
  onKeyDown: (event: KeyboardEvent) => void
  onMenu: (at: MenuPlace) => void
}

function startDrag(event: DragEvent, sql: string): void {
  event.dataTransfer.setData('text/plain', sql)
  event.dataTransfer.effectAllowed = 'copy'
}

function Row({ row, isSelected, isTabStop, onFocus, onOpen, onKeyDown, onMenu, ...props }: RowProps) {
  const sql = sqlOfRow(row)
  const open = () => onOpen(row)
  return (
    <li
      role="treeitem"
      className="tree-row"
      data-kind={row.kind}
      aria-level={row.depth}
      aria-expanded={isOpenable(row) ? row.isOpen : undefined}
      aria-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      style={{ paddingInlineStart: (row.depth - 1) * 16 + 4 }}
      draggable={sql !== null}
      onDragStart={(event) => sql !== null && startDrag(event, sql)}
      onFocus={onFocus}
      onClick={(event) => event.detail < 2 && open()}
      onDoubleClick={() => sql !== null && props.onInsert(sql)}
      onContextMenu={(event: MouseEvent) => {
        event.preventDefault()
        onMenu({ left: event.clientX, top: event.clientY, bottom: event.clientY })
      }}
      onKeyDown={onKeyDown}
    >
      <Chevron row={row} toggle={props.toggle} />
      <RowContent row={row} retry={props.retry} />
      <QueryButton row={row} onQueryTable={props.onQueryTable} />
    </li>
  )
}

type OpenProps = Pick<CatalogTreeProps, 'toggle' | 'retry' | 'showMore' | 'onOpenTable'>

function openRow(row: TreeRow, { toggle, retry, showMore, onOpenTable }: OpenProps): void {
  if (row.kind === 'namespace') toggle(row.id)
  if (row.kind === 'table') onOpenTable(row.name)
  if (row.kind === 'failure') retry(row.retryId)
  if (row.kind === 'rest' && row.parentId !== null) showMore(row.parentId)
}

const placeOf = (target: EventTarget): MenuPlace => {
  const { left, top, bottom } = (target as HTMLElement).getBoundingClientRect()
  return { left: left + 24, top, bottom }
}

/** Which row has the focus, or gets it once it is there. */
function useTreeFocus(rows: readonly TreeRow[]) {
  const [focusedId, setFocusedId] = useState<string | null>(null)
  const tree = useRef<HTMLUListElement>(null)
  const awaitedId = useRef<string | null>(null)
  const focusRow = (id: string) => {
    setFocusedId(id)
    const index = rows.findIndex((row) => row.id === id)
    ;(tree.current?.children[index] as HTMLElement | undefined)?.focus()
  }
  useLayoutEffect(() => {
    const id = awaitedId.current
    if (id === null || !rows.some((row) => row.id === id)) return
    awaitedId.current = null
    focusRow(id)
  })
  const awaitRow = (id: string) => {
    awaitedId.current = id
  }
  return { tree, focusedId, setFocusedId, focusRow, awaitRow }
}

export function CatalogTree(props: CatalogTreeProps) {
  const { rows, selected, toggle, onInsert } = props
  const { tree, focusedId, setFocusedId, focusRow, awaitRow } = useTreeFocus(rows)
  const [menu, setMenu] = useState<{ row: TreeRow; at: MenuPlace } | null>(null)
  const typeAhead = useTypeAhead()
  const selectedId = selected === null ? null : tableId(selected)
  const tabStopId = rows.some((row) => row.id === focusedId) ? focusedId : rows[0]?.id

  const open = (row: TreeRow) => {
    // The first of the tables that are asked for takes the focus of the row that stood for them.
    if (row.kind === 'rest') awaitRow(row.nextId)
    openRow(row, props)
  }
  const openMenu = (row: TreeRow, at: MenuPlace) => {
    if (treeMenuItems(row, props).length > 0) setMenu({ row, at })
  }
  const onKeyDown = (event: KeyboardEvent, row: TreeRow) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const sql = sqlOfRow(row)
    const move = moveInTree(rows, row.id, event.key)
    const typed = move === null ? typeAhead(rows, row.id, event.key) : null
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))
      openMenu(row, placeOf(event.currentTarget))
    else if (event.key === 'Enter' && sql !== null) onInsert(sql)
    else if (event.key === 'Enter' || event.key === ' ') open(row)
    else if (move?.kind === 'toggle') toggle(move.id)
    else if (move !== null) focusRow(move.id)
    else if (typed !== null) focusRow(typed)
    else return
    event.preventDefault()
  }

  return (
    <>
      <ul className="tree" role="tree" aria-label="Catalog" ref={tree}>
        {rows.map((row) => (
          <Row
            {...props}
            key={row.id}
            row={row}
            isSelected={row.id === selectedId}
            isTabStop={row.id === tabStopId}
            onFocus={() => setFocusedId(row.id)}
            onOpen={open}
            onKeyDown={(event) => onKeyDown(event, row)}
            onMenu={(at) => openMenu(row, at)}
          />
        ))}
      </ul>
      {menu !== null && (
        <MenuList
          label={'label' in menu.row ? visibleName(menu.row.label) : 'Catalog'}
          items={treeMenuItems(menu.row, props)}
          at={menu.at}
          onClose={() => {
            setMenu(null)
            focusRow(menu.row.id)
          }}
        />
      )}
    </>
  )
}
