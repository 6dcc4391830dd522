// The grid of one result. The only file that knows the grid library: rows and columns are virtual, cells are read from
// the result buffer when they are drawn, and nothing is copied into row objects. Columns are addressed by index.
import {
  CompactSelection,
  DataEditor,
  type DataEditorRef,
  GridCellKind,
  type GridCell,
  type GridColumn,
  type GridKeyEventArgs,
  type GridSelection,
  type CellClickedEventArgs,
  type HeaderClickedEventArgs,
  type Item,
  type Rectangle,
} from '@glideapps/glide-data-grid'
import '@glideapps/glide-data-grid/dist/index.css'
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ClipboardEvent,
  type Ref,
  type RefObject,
} from 'react'
import { CELL_DISPLAY_CHARS_MAX, CELL_TIP_CHARS_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import type { MenuPlace } from '../../ui/menu-place.ts'
import { useColors } from '../../ui/theme.ts'
import { useElementWidth } from '../../ui/use-element-width.ts'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import type { Place } from '../../storage/places.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'
import { CellTip, useCellTip } from './CellTip.tsx'
import { columnWidths, displayText, fitText, textAt, type ResultColumn } from './grid-columns.ts'
import { drawnHeader, headerPainter, hiddenHeaderText, type Measure } from './grid-header.ts'
import { GRID_FONT, gridTheme, type GridTheme } from './grid-theme.ts'
import { useTallScroll } from './tall-scroll.ts'
import { moveColumn, pinnedCount, shownColumns, type GridView } from './grid-view.ts'

export const ROW_HEIGHT_PX = 24
const HEADER_HEIGHT_PX = 44
const CELL_PADDING_PX = 8
const SCROLL_BAR_PX = 16
/** What browsers scroll by pixels; places of taller grids are gone to by their row. */
export const SCROLL_HEIGHT_MAX_PX = 33_000_000
/** Below the last row. */
const OVERSCROLL_PX = 16
/** Rows above and below those in view that are wanted too: they come before they are scrolled to. */
const OVERSCAN_ROWS = 200
export const NO_SELECTION: GridSelection = {
  columns: CompactSelection.empty(),
  rows: CompactSelection.empty(),
}
const KEYBINDINGS = { copy: false, cut: false, paste: false, search: false, clear: false, delete: false }

export interface ResultGridProps {
  buffer: ResultBuffer
  /** All columns of the result; `view` says which are shown and where. */
  columns: readonly ResultColumn[]
  view: GridView
  onView: (change: (view: GridView) => GridView) => void
  /** A column was given a width, in CSS pixels, and let go. */
  onWidth: (column: number, width: number) => void
  /** Space: statistics of the column of the selected cell. */
  onStats: () => void
  /** Row numbers in shown order; null: as they came. */
  rows: Uint32Array | null
  /** Of the shown rows. */
  rowCount: number
  zone: string
  selection: GridSelection
  onSelection: (selection: GridSelection) => void
  /** Enter or a double click on a cell; index of the column and shown row. */
  onOpenCell: (column: number, row: number) => void
  /** The menu of a column was asked for at a place of the window. */
  onColumnMenu: (column: number, at: MenuPlace) => void
  /** So was that of a cell; index of the column and shown row. */
  onCellMenu: (column: number, row: number, at: MenuPlace) => void
  /** Ctrl C in the grid. */
  onCopy: (event: ClipboardEvent) => void
  handle?: Ref<DataEditorRef>
  /** Where to begin. */
  place?: Place | undefined
  /** What is in view is another part now. */
  onPlace?: ((at: Pick<Place, 'topPx' | 'leftPx'>) => void) | undefined
}

function measurer(): Measure {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return (text) => text.length * 7
  context.font = `12px ${GRID_FONT}`
  return (text) => context.measureText(text).width
}

interface CellLook {
  theme: GridTheme
  isNumeric: boolean
  widthPx: number
  measure: Measure
}

/** `data` is what assistive technology reads, `displayData` what is drawn. */
function gridCell(text: string | null | undefined, look: CellLook): GridCell {
  const isSpecial = text === null || text === undefined || text === ''
  const data = text === null ? 'NULL' : text === '' ? '""' : displayText(text ?? 'loading…')
  return {
    kind: GridCellKind.Text,
    allowOverlay: false,
    data,
    displayData:
      text === undefined ? '…' : fitText(visibleText(data), look.widthPx - 2 * CELL_PADDING_PX, look.measure),
    contentAlign: look.isNumeric ? 'right' : 'left',
    ...(isSpecial && { themeOverride: text === null ? look.theme.nullCell : look.theme.faintCell }),
  }
}

/** Wide enough for the number of the last row. */
const markerWidth = (rowCount: number): number => 22 + 8 * Math.max(2, String(rowCount).length)

/** Ends the grid after its last row, with room for a scroll bar where there is one. */
function gridHeight(columns: readonly GridColumn[], markerPx: number, rowCount: number, frameWidth: number) {
  const contentPx = columns.reduce((sum, column) => sum + ('width' in column ? column.width : 0), markerPx)
  return HEADER_HEIGHT_PX + rowCount * ROW_HEIGHT_PX + (contentPx > frameWidth ? SCROLL_BAR_PX : 1)
}

const markOf = (view: GridView, column: number): string => {
  const sign = view.sort?.isDescending === true ? ' ↓' : ' ↑'
  return (view.sort?.column === column ? sign : '') + (view.pinned.includes(column) ? ' · pinned' : '')
}

/** Columns as the grid library takes them, and how their cells and headers are drawn. */
function useDrawing({ buffer, columns, view, rows, rowCount, zone }: ResultGridProps) {
  const [resizing, setResizing] = useState<{ column: number; width: number } | null>(null)
  const colors = useColors()
  const hasRows = rowCount > 0
  const measure = useMemo(measurer, [])
  // colors and hasRows stand for what these read from outside React: the tokens and the first rows.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const theme = useMemo(() => gridTheme(), [colors])
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const widths = useMemo(() => columnWidths(buffer, columns, measure), [buffer, columns, measure, hasRows])
  const shown = useMemo(() => shownColumns(view), [view])
  const version = useSyncExternalStore(buffer.subscribe, buffer.getVersion)
  const widthOf = useCallback(
    (column: number) =>
      (resizing?.column === column ? resizing.width : view.widths[column]) ?? widths[column] ?? 120,
    [resizing, view.widths, widths],
  )
  const gridColumns = useMemo(
    () =>
      shown.map((column) => ({
        id: String(column),
        title: `${visibleName(columns[column]?.name ?? '')} ${columns[column]?.sqlType ?? ''}`,
        width: widthOf(column),
      })),
    [columns, shown, widthOf],
  )
  const getCellContent = useCallback(
    ([place, shownRow]: Item): GridCell => {
      const column = shown[place] ?? 0
      const row = rows === null ? shownRow : (rows[shownRow] ?? -1)
      return gridCell(textAt(buffer, columns, column, row, { charsMax: CELL_DISPLAY_CHARS_MAX + 1, zone }), {
        theme,
        measure,
        isNumeric: columns[column]?.isNumeric ?? false,
        widthPx: widthOf(column),
      })
    },
    // A new version of the buffer has other rows in memory.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [buffer, version, columns, shown, rows, zone, theme, measure, widthOf],
  )
  const headers = useMemo(
    () => shown.map((index) => drawnHeader(columns[index], markOf(view, index))),
    [columns, shown, view],
  )
  const drawHeader = useMemo(() => headerPainter(headers, theme, measure), [headers, theme, measure])
  const hiddenHeader = useCallback(
    (place: number) => hiddenHeaderText(headers[place], widthOf(shown[place] ?? -1), measure),
    [headers, shown, widthOf, measure],
  )
  return { theme, shown, gridColumns, getCellContent, drawHeader, hiddenHeader, setResizing }
}

/** The text of a cell that does not show all of it; null for others. */
function useHiddenText(
  { buffer, columns, rows, zone }: ResultGridProps,
  shown: readonly number[],
  getCellContent: (cell: Item) => GridCell,
) {
  return useCallback(
    (place: number, shownRow: number): string | null => {
      const row = rows === null ? shownRow : (rows[shownRow] ?? -1)
      const text = textAt(buffer, columns, shown[place] ?? 0, row, { charsMax: CELL_TIP_CHARS_MAX + 1, zone })
      const cell = getCellContent([place, shownRow])
      const isAllDrawn = cell.kind === GridCellKind.Text && cell.displayData === text
      return typeof text !== 'string' || text === '' || isAllDrawn ? null : text
    },
    [buffer, columns, rows, zone, shown, getCellContent],
  )
}

/** Asks for the rows in view, which need not be in memory. `onRegion` is to be told of another view. */
function useRegion(
  { buffer, rows, rowCount, onPlace }: ResultGridProps,
  frame: RefObject<HTMLElement | null>,
) {
  const [inView, setInView] = useState({ start: 0, count: 0 })
  const heightPx = HEADER_HEIGHT_PX + rowCount * ROW_HEIGHT_PX + OVERSCROLL_PX
  const onScrolled = useTallScroll(frame, heightPx, ROW_HEIGHT_PX)
  useEffect(() => {
    const start = Math.max(0, inView.start - OVERSCAN_ROWS)
    const end = Math.min(rowCount, inView.start + inView.count + OVERSCAN_ROWS)
    const places = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
    buffer.show(rows === null ? places : places.map((place) => rows[place] ?? -1))
  }, [buffer, rows, rowCount, inView])
  // What nobody looks at gives way to what is looked at.
  useEffect(() => () => buffer.show([]), [buffer])
  const onRegion = useCallback(
    ({ y, height }: Rectangle, _tx: number | undefined, ty: number | undefined) => {
      onScrolled(y, ty ?? 0)
      const leftPx = frame.current?.querySelector('.dvn-scroller')?.scrollLeft ?? 0
      onPlace?.({ topPx: Math.max(0, y * ROW_HEIGHT_PX - (ty ?? 0)), leftPx: Math.max(0, leftPx) })
      setInView((old) => (old.start === y && old.count === height ? old : { start: y, count: height }))
    },
    [onScrolled, onPlace, frame],
  )
  return { onRegion, isDrawn: inView.count > 0 }
}

const placeBelow = ({ x, y, height }: Rectangle): MenuPlace => ({ left: x, top: y, bottom: y + height })

/**
 * What the grid library calls. None ever changes: it makes what assistive technology reads anew whenever one does, and
 * would never come to it while rows arrive.
 */
function useHandlers(
  { onView, onWidth, onStats, onOpenCell, onColumnMenu, onCellMenu }: ResultGridProps,
  shown: readonly number[],
  setResizing: (resizing: { column: number; width: number } | null) => void,
) {
  return {
    onColumnMoved: useStableCallback((from: number, to: number) =>
      onView((old) => moveColumn(old, from, to)),
    ),
    onColumnResize: useStableCallback((_column: GridColumn, width: number, index: number) => {
      const column = shown[index]
      if (column !== undefined) setResizing({ column, width: Math.round(width) })
    }),
    onColumnResizeEnd: useStableCallback((_column: GridColumn, width: number, index: number) => {
      const column = shown[index]
      if (column !== undefined) onWidth(column, Math.round(width))
      setResizing(null)
    }),
    onKeyDown: useStableCallback((event: GridKeyEventArgs) => {
      const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)
      if (isMenu && event.location !== undefined && event.bounds !== undefined) {
        event.cancel()
        event.preventDefault()
        const [place, row] = event.location
        onCellMenu(shown[place] ?? 0, row, placeBelow(event.bounds))
      }
      if (event.key !== ' ' || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.cancel()
      onStats()
    }),
    onCellContextMenu: useStableCallback(([place, row]: Item, event: CellClickedEventArgs) => {
      event.preventDefault()
      const column = shown[place]
      const left = event.bounds.x + event.localEventX
      if (column !== undefined) onCellMenu(column, row, { ...placeBelow(event.bounds), left })
    }),
    onHeaderContextMenu: useStableCallback((index: number, event: HeaderClickedEventArgs) => {
      event.preventDefault()
      const column = shown[index]
      if (column !== undefined) onColumnMenu(column, placeBelow(event.bounds))
    }),
    onCellActivated: useStableCallback(([place, row]: Item) => onOpenCell(shown[place] ?? 0, row)),
  }
}

/** Begins where somebody was before: the library goes to a cell that is selected from outside, so not at first. */
function useStart({ place, rowCount }: ResultGridProps, isDrawn: boolean) {
  const [first] = useState(place)
  const isReached = first !== undefined && rowCount * ROW_HEIGHT_PX < SCROLL_HEIGHT_MAX_PX
  return {
    scrollToActiveCell: first === undefined || isDrawn,
    ...(isReached && { scrollOffsetY: first.topPx, scrollOffsetX: first.leftPx }),
  }
}

export function ResultGrid(props: ResultGridProps) {
  const { view, rowCount, selection, onSelection, onCopy, handle } = props
  const frame = useRef<HTMLDivElement>(null)
  const frameWidth = useElementWidth(frame)
  const { theme, shown, gridColumns, getCellContent, drawHeader, hiddenHeader, setResizing } =
    useDrawing(props)
  const handlers = useHandlers(props, shown, setResizing)
  const tip = useCellTip(useHiddenText(props, shown, getCellContent), hiddenHeader)
  const { onRegion, isDrawn } = useRegion(props, frame)
  const start = useStart(props, isDrawn)
  const markerPx = markerWidth(rowCount)
  const maxBlockSize = gridHeight(gridColumns, markerPx, rowCount, frameWidth)
  // The library takes the focus a frame later: until then keys would still go to the editor.
  const takeFocus = () => frame.current?.querySelector('canvas')?.focus({ preventScroll: true })
  return (
    <div
      className="result-grid"
      ref={frame}
      style={{ maxBlockSize }}
      onCopy={onCopy}
      onPointerDownCapture={takeFocus}
    >
      <DataEditor
        {...(handle !== undefined && { ref: handle })}
        width="100%"
        height="100%"
        rows={rowCount}
        columns={gridColumns}
        getCellContent={getCellContent}
        theme={theme.base}
        rowHeight={ROW_HEIGHT_PX}
        headerHeight={HEADER_HEIGHT_PX}
        drawHeader={drawHeader}
        freezeColumns={pinnedCount(view)}
        rowMarkers={{ kind: 'clickable-number', width: markerPx }}
        rangeSelect="rect"
        columnSelect="multi"
        rowSelect="multi"
        gridSelection={selection}
        onGridSelectionChange={onSelection}
        onVisibleRegionChanged={onRegion}
        {...handlers}
        {...start}
        onItemHovered={tip.onItemHovered}
        keybindings={KEYBINDINGS}
        smoothScrollX
        smoothScrollY
        overscrollX={32}
        overscrollY={OVERSCROLL_PX}
        minColumnWidth={48}
        maxColumnWidth={2_000}
      />
      <CellTip {...tip} />
    </div>
  )
}
