// The rows of a result with everything that can be done to them: arrange, find, copy, look closer. Each tool is a file
// of its own; here is what they share, the selection and the arrangement.
import type { DataEditorRef, GridSelection } from '@glideapps/glide-data-grid'
import { useCallback, useMemo, useRef, useState, type ClipboardEvent, type RefObject } from 'react'
import { toApiError } from '../../api/api-error.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { isRunning } from '../../query-run/run-state.ts'
import { EXAMINED_ROWS_MAX } from '../../limits.ts'
import { copyText } from '../../ui/copy-text.ts'
import { MenuList, type MenuItem } from '../../ui/MenuButton.tsx'
import { say } from '../../ui/notice.ts'
import { useZone } from '../../ui/time-zone.ts'
import { CellViewer } from './CellViewer.tsx'
import { columnMenuItems } from './column-menu.ts'
import type { CopyFormat } from './copy-formats.ts'
import { broughtAndCopied, copied, COPY_REFUSED, isAtHand } from './copy-selection.ts'
import { FindBar } from './FindBar.tsx'
import { columnsOf, textAt, type ResultColumn } from './grid-columns.ts'
import { initialView, shownColumns, type GridView } from './grid-view.ts'
import { ResultBar } from './ResultBar.tsx'
import { NO_SELECTION, ResultGrid } from './ResultGrid.tsx'
import { selectedArea } from './selected-area.ts'
import { StatsPanel } from './StatsPanel.tsx'
import { useCalmRowCount } from './use-calm-row-count.ts'
import { useFind } from './use-find.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { placeOfSelection, selectionAt, usePlace } from './use-place.ts'
import { arrangementText, useRowOrder } from './use-row-order.ts'
import { useGridView } from './view-store.ts'

interface ResultRowsProps {
  run: QueryRun
  snapshot: RunSnapshot
  columns: readonly ResultColumn[]
}

const ignore = () => undefined

/** The last result stays in view, dimmed and out of reach, until the new one has rows. */
export function PreviousRows({ previous }: { previous: QueryRun }) {
  const { schema, rowCount } = previous.buffer
  const [columns] = useState(() => (schema === null ? [] : columnsOf(schema)))
  const [view] = useState(() => initialView(columns.length))
  return (
    <div className="previous-result" inert>
      <p>the previous result, until there are new rows</p>
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
        onCopy={ignore}
      />
    </div>
  )
}

interface ColumnMenu {
  column: number
  at: { left: number; top: number; bottom: number }
}

type Looking = { kind: 'cell'; column: number; row: number } | { kind: 'stats'; column: number } | null

/** The shown rows, how they are arranged, and what is selected of them. */
function useRows(
  { run, snapshot, columns }: ResultRowsProps,
  frame: RefObject<HTMLElement | null>,
  grid: RefObject<DataEditorRef | null>,
) {
  const zone = useZone()
  const { place, keep, onPlace } = usePlace(run, snapshot, grid)
  const [view, setView] = useGridView(run.source.tabId, columns, place?.sort ?? null)
  const [selection, setSelection] = useState<GridSelection>(() => selectionAt(place))
  const onSelection = useCallback(
    (next: GridSelection) => {
      setSelection(next)
      keep(placeOfSelection(next))
    },
    [keep],
  )
  const find = useFind(grid, onSelection, frame)
  useGridKeys(frame)
  const { rowCount, state } = snapshot
  const isArriving = isRunning(state) && state.kind !== 'paused'
  const shown = shownColumns(view)
  const order = useRowOrder({
    buffer: run.buffer,
    columns,
    shown,
    rowCount,
    isArriving,
    sort: view.sort,
    search: find.search,
    isFilter: find.isFilter,
  })
  const shownRowCount = order.rows?.length ?? rowCount
  return {
    zone,
    view,
    setView,
    onView: (change: (view: GridView) => GridView) => {
      setSelection(NO_SELECTION)
      keep({ sort: change(view).sort, selected: null })
      setView(change)
    },
    // Of a part of the rows it would lead to another one of all.
    start: { place, onPlace: find.isFilter && find.search !== '' ? undefined : onPlace },
    selection,
    onSelection,
    find,
    isArriving,
    shown,
    order,
    shownRowCount,
    area: selectedArea(selection, shown.length, shownRowCount),
    selectedColumn: shown[selection.current?.cell[0] ?? selection.columns.first() ?? 0] ?? 0,
  }
}
type Rows = ReturnType<typeof useRows>

/** Copies what is selected, and says what was copied. */
function useCopy({ run, snapshot, columns }: ResultRowsProps, rows: Rows) {
  const { shown, order, shownRowCount, selection, zone, area } = rows
  const input = { run, snapshot, columns, shown, rows: order.rows, shownRowCount, selection, zone }
  const refuse = () => say(COPY_REFUSED, 'warn')
  const copyAs = async (format: CopyFormat) => {
    try {
      const made = await broughtAndCopied(format, input, new AbortController().signal)
      if (made === null) refuse()
      else if (await copyText(made.text)) say(made.words)
    } catch (error) {
      say(`Nothing was copied: ${toApiError(error).message}`, 'warn')
    }
  }
  return {
    copyAs,
    onCopyKey: (event: ClipboardEvent) => {
      if (area.isEverything) return
      event.preventDefault()
      // The clipboard of the event is open now and not later.
      if (!isAtHand(input)) {
        void copyAs('TSV')
        return
      }
      const made = copied('TSV', input)
      if (made === null) {
        refuse()
        return
      }
      event.clipboardData.setData('text/plain', made.text)
      say(made.words)
    },
  }
}

interface CloserProps extends ResultRowsProps {
  looking: Looking
  zone: string
  onClose: () => void
}

/** One value, or one column, beside the grid. */
function Closer({ run, snapshot, columns, looking, zone, onClose }: CloserProps) {
  const { buffer } = run
  const column = columns[looking?.column ?? -1]
  // Kept as it was found: its row may leave memory while it is looked at.
  const text = useMemo(
    () => (looking?.kind === 'cell' ? textAt(buffer, columns, looking.column, looking.row, { zone }) : null),
    [buffer, columns, looking, zone],
  )
  if (looking === null || column === undefined) return null
  if (looking.kind === 'cell')
    return text === undefined ? null : (
      <CellViewer column={column} row={looking.row} text={text} onClose={onClose} />
    )
  const { rowCount, state } = snapshot
  return (
    <StatsPanel
      buffer={buffer}
      columns={columns}
      column={looking.column}
      // Counts the rows that are there when it opens, and again when no more are arriving.
      key={String(isRunning(state))}
      exactness={exactnessOf(state, rowCount).text}
      onClose={onClose}
    />
  )
}

function Find({ rows, isWhole }: { rows: Rows; isWhole: boolean }) {
  const { find, order, shownRowCount } = rows
  if (!find.isOpen) return null
  return (
    <FindBar
      search={find.text}
      isFilter={find.isFilter}
      matchCount={order.matches?.length ?? null}
      rowCount={shownRowCount}
      isWhole={isWhole}
      onSearch={find.setSearch}
      onFilter={find.setFilter}
      onStep={(by) => find.step(by, order.matches)}
      onGoToRow={find.goToRow}
      onClose={find.close}
    />
  )
}

export function ResultRows(props: ResultRowsProps) {
  const { run, snapshot, columns } = props
  const frame = useRef<HTMLDivElement>(null)
  const grid = useRef<DataEditorRef>(null)
  const rows = useRows(props, frame, grid)
  const { view, onView, zone, order, shownRowCount, selectedColumn } = rows
  const { copyAs, onCopyKey } = useCopy(props, rows)
  const [looking, setLooking] = useState<Looking>(null)
  const [menu, setMenu] = useState<ColumnMenu | null>(null)
  const isWhole = snapshot.state.kind === 'finished' && snapshot.rowCount <= EXAMINED_ROWS_MAX
  const gridRowCount = useCalmRowCount(shownRowCount, rows.isArriving)
  const itemsOf = (column: number): MenuItem[] =>
    columnMenuItems({
      columns,
      column,
      view,
      sortRefusal: rows.isArriving ? 'once the rows are here' : undefined,
      onView,
      onStats: (index) => setLooking({ kind: 'stats', column: index }),
      onCopyName: (name) => void copyText(name),
    })
  return (
    <div className="result-body" ref={frame}>
      <div className="result-main">
        <ResultBar
          columns={columns}
          view={view}
          onView={onView}
          zone={zone}
          copyText={rows.area.isEverything ? 'everything shown' : 'the selection'}
          onCopy={(format) => void copyAs(format)}
          onFind={rows.find.open}
          columnItems={itemsOf(selectedColumn)}
          columnName={columns[selectedColumn]?.name ?? ''}
          arrangement={arrangementText(view, order, columns, snapshot.rowCount, isWhole)}
        />
        <Find rows={rows} isWhole={isWhole} />
        <ResultGrid
          handle={grid}
          buffer={run.buffer}
          columns={columns}
          view={view}
          rows={order.rows}
          rowCount={gridRowCount}
          zone={zone}
          selection={rows.selection}
          onView={onView}
          onWidth={(column, width) =>
            rows.setView((old) => ({ ...old, widths: { ...old.widths, [column]: width } }))
          }
          onStats={() => setLooking({ kind: 'stats', column: selectedColumn })}
          onSelection={rows.onSelection}
          onOpenCell={(column, row) => setLooking({ kind: 'cell', column, row: order.rows?.[row] ?? row })}
          onColumnMenu={(column, at) => setMenu({ column, at })}
          onCopy={onCopyKey}
          {...rows.start}
        />
        {menu !== null && (
          <MenuList
            label={`Column ${columns[menu.column]?.name ?? ''}`}
            items={itemsOf(menu.column)}
            at={menu.at}
            onClose={() => setMenu(null)}
          />
        )}
      </div>
      <Closer {...props} looking={looking} zone={zone} onClose={() => setLooking(null)} />
    </div>
  )
}
