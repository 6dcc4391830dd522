// The rows of a result with everything that can be done to them: arrange, find, copy, look closer. Each tool is a file
// of its own; here they are put around the grid.
import type { DataEditorRef } from '@glideapps/glide-data-grid'
import { useRef, useState } from 'react'
import type { QueryRun } from '../../query-run/query-run.ts'
import { copyText } from '../../ui/copy-text.ts'
import type { MenuPlace } from '../../ui/menu-place.ts'
import { MenuList, type MenuItem } from '../../ui/MenuButton.tsx'
import { visibleName } from '../../ui/visible-text.ts'
import { cellMenuItems } from './cell-menu.ts'
import { Closer, type Looking } from './Closer.tsx'
import { columnMenuItems } from './column-menu.ts'
import { FindBar } from './FindBar.tsx'
import { columnsOf, textAt } from './grid-columns.ts'
import { initialView } from './grid-view.ts'
import { ResultBar } from './ResultBar.tsx'
import { NO_SELECTION, ResultGrid } from './ResultGrid.tsx'
import { useCalmRowCount } from './use-calm-row-count.ts'
import { useCopy, useResultRows, type ResultRowsProps, type ShownRows } from './use-result-rows.ts'
import { arrangementText } from './use-row-order.ts'

const ignore = () => undefined

interface PreviousRowsProps {
  previous: QueryRun
  /** Where there will be no new rows. */
  onShow: (() => void) | undefined
}

/** The last result stays in view, dimmed, until the new one has rows; where that has none, one can go back to it. */
export function PreviousRows({ previous, onShow }: PreviousRowsProps) {
  const { schema, rowCount } = previous.buffer
  const [columns] = useState(() => (schema === null ? [] : columnsOf(schema)))
  const [view] = useState(() => initialView(columns.length))
  return (
    <div className="previous-result">
      {onShow === undefined ? (
        <p>the previous result, until there are new rows</p>
      ) : (
        <p>
          the result before this statement{' '}
          <button type="button" className="button" onClick={onShow}>
            Go back to it
          </button>
        </p>
      )}
      <div className="previous-rows" inert>
        <ResultGrid
          buffer={previous.buffer}
          columns={columns}
          view={view}
          rows={null}
          rowCount={rowCount}
          zone="UTC"
          selection={NO_SELECTION}
          onView={ignore}
          onWidth={ignore}
          onStats={ignore}
          onSelection={ignore}
          onOpenCell={ignore}
          onColumnMenu={ignore}
          onCellMenu={ignore}
          onCopy={ignore}
        />
      </div>
    </div>
  )
}

/** Of a column, or of one of its cells: the shown row. */
interface GridMenu {
  column: number
  row: number | null
  at: MenuPlace
}

function Find({ rows }: { rows: ShownRows }) {
  const { find, order, shownRowCount, lookedAtCount, isWhole } = rows
  if (!find.isOpen) return null
  return (
    <FindBar
      search={find.text}
      isFilter={find.isFilter}
      isAlwaysFilter={find.only !== null}
      matchCount={order.matches?.length ?? null}
      rowCount={shownRowCount}
      lookedAtCount={lookedAtCount}
      isPart={!isWhole}
      onSearch={find.setSearch}
      onFilter={find.setFilter}
      onStep={(by) => find.step(by, order.matches)}
      onGoToRow={find.goToRow}
      onClose={find.close}
    />
  )
}

/** What the menus of columns and cells hold. */
function useMenuItems(props: ResultRowsProps, rows: ShownRows, look: (looking: Looking) => void) {
  const { run, snapshot, columns } = props
  const ofColumn = (column: number): MenuItem[] =>
    columnMenuItems({
      columns,
      column,
      view: rows.view,
      sortRefusal: rows.isArriving ? 'once the rows are here' : undefined,
      onView: rows.onView,
      onStats: (index) => look({ kind: 'stats', column: index }),
      onCopyName: (name) => void copyText(name),
    })
  const ofCell = (column: number, shownRow: number): MenuItem[] => {
    const row = rows.order.rows?.[shownRow] ?? shownRow
    const text = textAt(run.buffer, columns, column, row, { zone: rows.zone })
    const exact = textAt(run.buffer, columns, column, row)
    if (text === undefined || exact === undefined) return []
    return cellMenuItems({
      columns,
      text,
      value: { column, text: exact },
      snapshot,
      onOpen: () => look({ kind: 'cell', column, row }),
      onStats: () => look({ kind: 'stats', column }),
      onOnly: rows.find.setOnly,
    })
  }
  return {
    ofColumn,
    of: ({ column, row }: GridMenu) => (row === null ? ofColumn(column) : ofCell(column, row)),
  }
}

function Tools(
  props: ResultRowsProps & {
    rows: ShownRows
    columnItems: readonly MenuItem[]
    copyAs: ReturnType<typeof useCopy>['copyAs']
  },
) {
  const { snapshot, columns, rows, columnItems, copyAs } = props
  const { view, onView, zone, find, order, isWhole } = rows
  return (
    <>
      <ResultBar
        columns={columns}
        view={view}
        onView={onView}
        zone={zone}
        copyText={rows.area.isEverything ? 'everything shown' : 'the selection'}
        onCopy={(format) => void copyAs(format)}
        onFind={find.open}
        columnItems={columnItems}
        columnName={visibleName(columns[rows.selectedColumn]?.name ?? '')}
        arrangement={arrangementText({
          view,
          order,
          columns,
          rowCount: snapshot.rowCount,
          only: find.only,
          isWhole,
        })}
        onShowAll={find.only === null ? undefined : () => find.setOnly(null)}
      />
      <Find rows={rows} />
    </>
  )
}

export function ResultRows(props: ResultRowsProps) {
  const { run, columns } = props
  const frame = useRef<HTMLDivElement>(null)
  const grid = useRef<DataEditorRef>(null)
  const rows = useResultRows(props, frame, grid)
  const { copyAs, onCopyKey } = useCopy(props, rows)
  const [looking, setLooking] = useState<Looking>(null)
  const [menu, setMenu] = useState<GridMenu | null>(null)
  const { order, zone, selectedColumn } = rows
  const gridRowCount = useCalmRowCount(rows.shownRowCount, rows.isArriving)
  const items = useMenuItems(props, rows, setLooking)
  const menuItems = menu === null ? [] : items.of(menu)
  return (
    <div className="result-body" ref={frame}>
      <div className="result-main">
        <Tools {...props} rows={rows} columnItems={items.ofColumn(selectedColumn)} copyAs={copyAs} />
        <ResultGrid
          handle={grid}
          buffer={run.buffer}
          columns={columns}
          view={rows.view}
          rows={order.rows}
          rowCount={gridRowCount}
          zone={zone}
          selection={rows.selection}
          onView={rows.onView}
          onWidth={(column, width) =>
            rows.setView((old) => ({ ...old, widths: { ...old.widths, [column]: width } }))
          }
          onStats={() => setLooking({ kind: 'stats', column: selectedColumn })}
          onSelection={rows.onSelection}
          onOpenCell={(column, row) => setLooking({ kind: 'cell', column, row: order.rows?.[row] ?? row })}
          onColumnMenu={(column, at) => setMenu({ column, row: null, at })}
          onCellMenu={(column, row, at) => setMenu({ column, row, at })}
          onCopy={onCopyKey}
          {...rows.start}
        />
        {menu !== null && menuItems.length > 0 && (
          <MenuList
            label={`${menu.row === null ? 'Column' : 'Cell of'} ${visibleName(columns[menu.column]?.name ?? '')}`}
            items={menuItems}
            at={menu.at}
            onClose={() => {
              setMenu(null)
              grid.current?.focus()
            }}
          />
        )}
      </div>
      <Closer {...props} looking={looking} zone={zone} onClose={() => setLooking(null)} />
    </div>
  )
}
