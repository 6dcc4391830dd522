// The grid of one result. The only file that knows the grid library: rows and columns are virtual, cells are read from
// the result buffer when they are drawn, and nothing is copied into row objects. Columns are addressed by index.
import {
  CompactSelection,
  DataEditor,
  GridCellKind,
  type DrawHeaderCallback,
  type GridCell,
  type GridColumn,
  type GridSelection,
  type Item,
} from '@glideapps/glide-data-grid'
import '@glideapps/glide-data-grid/dist/index.css'
import { useCallback, useMemo, useRef, useState, type ClipboardEvent } from 'react'
import { CELL_DISPLAY_CHARS_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { useIsDark } from '../../ui/theme.ts'
import { useElementWidth } from '../../ui/use-element-width.ts'
import { columnWidths, displayText, fitText, textAt, type ResultColumn } from './grid-columns.ts'
import { GRID_FONT, gridTheme, type GridTheme } from './grid-theme.ts'
import { selectionTsv } from './selection-tsv.ts'

const ROW_HEIGHT_PX = 24
const HEADER_HEIGHT_PX = 44
const CELL_PADDING_PX = 8
const SCROLL_BAR_PX = 16
const NO_SELECTION: GridSelection = { columns: CompactSelection.empty(), rows: CompactSelection.empty() }
const KEYBINDINGS = { copy: false, cut: false, paste: false, search: false, clear: false, delete: false }

export interface ResultGridProps {
  buffer: ResultBuffer
  columns: readonly ResultColumn[]
  rowCount: number
  /** Enter or a double click on a cell. */
  onOpenCell: (column: number, row: number) => void
  /** A copy was refused because it is too large to be whole. */
  onCopyRefused: () => void
}

function measurer(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return (text) => text.length * 7
  context.font = `12px ${GRID_FONT}`
  return (text) => context.measureText(text).width
}

function headerPainter(columns: readonly ResultColumn[], theme: GridTheme): DrawHeaderCallback {
  return ({ ctx, columnIndex, rect, theme: drawn, isSelected }, drawContent) => {
    const column = columns[columnIndex]
    if (column === undefined) {
      drawContent()
      return
    }
    const x = column.isNumeric ? rect.x + rect.width - 8 : rect.x + 8
    ctx.save()
    ctx.beginPath()
    ctx.rect(rect.x, rect.y, rect.width, rect.height)
    ctx.clip()
    ctx.textAlign = column.isNumeric ? 'right' : 'left'
    ctx.textBaseline = 'middle'
    ctx.font = `600 12px ${GRID_FONT}`
    ctx.fillStyle = isSelected ? drawn.textHeaderSelected : theme.ink
    ctx.fillText(column.name, x, rect.y + 15, rect.width * 4)
    ctx.font = `500 11px ${GRID_FONT}`
    ctx.fillStyle = isSelected ? drawn.textHeaderSelected : theme.faint
    ctx.fillText(displayText(column.sqlType, 60), x, rect.y + 31, rect.width * 4)
    ctx.restore()
  }
}

interface CellLook {
  theme: GridTheme
  isNumeric: boolean
  widthPx: number
  measure: (text: string) => number
}

/** `data` is what assistive technology reads, `displayData` what is drawn. */
function gridCell(text: string | null | undefined, look: CellLook): GridCell {
  const isSpecial = text === null || text === undefined || text === ''
  const data = text === null ? 'NULL' : text === '' ? '""' : displayText(text ?? '')
  return {
    kind: GridCellKind.Text,
    allowOverlay: false,
    data,
    displayData: fitText(data, look.widthPx - 2 * CELL_PADDING_PX, look.measure),
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

export function ResultGrid({ buffer, columns, rowCount, onOpenCell, onCopyRefused }: ResultGridProps) {
  const isDark = useIsDark()
  const [selection, setSelection] = useState<GridSelection>(NO_SELECTION)
  const [resized, setResized] = useState<Readonly<Record<number, number>>>({})
  const frame = useRef<HTMLDivElement>(null)
  const frameWidth = useElementWidth(frame)
  const hasRows = rowCount > 0
  const measure = useMemo(measurer, [])
  // isDark and hasRows stand for what these read from outside React: the tokens and the first rows.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const theme = useMemo(() => gridTheme(), [isDark])
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const widths = useMemo(() => columnWidths(buffer, columns, measure), [buffer, columns, measure, hasRows])
  const gridColumns = useMemo<GridColumn[]>(
    () =>
      columns.map((column, index) => ({
        id: String(index),
        title: `${column.name} ${column.sqlType}`,
        width: resized[index] ?? widths[index] ?? 120,
      })),
    [columns, widths, resized],
  )
  const getCellContent = useCallback(
    ([column, row]: Item): GridCell =>
      gridCell(textAt(buffer, columns, column, row, CELL_DISPLAY_CHARS_MAX + 1), {
        theme,
        measure,
        isNumeric: columns[column]?.isNumeric ?? false,
        widthPx: resized[column] ?? widths[column] ?? 120,
      }),
    [buffer, columns, theme, measure, resized, widths],
  )
  const markerPx = markerWidth(rowCount)
  const maxBlockSize = gridHeight(gridColumns, markerPx, rowCount, frameWidth)
  const drawHeader = useMemo(() => headerPainter(columns, theme), [columns, theme])
  const onCopy = (event: ClipboardEvent) => {
    const copied = selectionTsv(selection, buffer, columns)
    if (copied === null) return
    event.preventDefault()
    if (copied === 'tooLarge') onCopyRefused()
    else event.clipboardData.setData('text/plain', copied.text)
  }

  return (
    <div className="result-grid" ref={frame} style={{ maxBlockSize }} onCopy={onCopy}>
      <DataEditor
        width="100%"
        height="100%"
        rows={rowCount}
        columns={gridColumns}
        getCellContent={getCellContent}
        theme={theme.base}
        rowHeight={ROW_HEIGHT_PX}
        headerHeight={HEADER_HEIGHT_PX}
        drawHeader={drawHeader}
        rowMarkers={{ kind: 'clickable-number', width: markerPx }}
        rangeSelect="rect"
        columnSelect="multi"
        rowSelect="multi"
        gridSelection={selection}
        onGridSelectionChange={setSelection}
        onColumnResize={(_column, width, index) => setResized((known) => ({ ...known, [index]: width }))}
        onCellActivated={([column, row]) => onOpenCell(column, row)}
        keybindings={KEYBINDINGS}
        smoothScrollX
        smoothScrollY
        overscrollX={32}
        overscrollY={16}
        minColumnWidth={48}
        maxColumnWidth={2_000}
      />
    </div>
  )
}
