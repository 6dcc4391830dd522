// The header of a column: its name and under it its type, cut with an ellipsis where there is no room for them.
import type { DrawHeaderCallback } from '@glideapps/glide-data-grid'
import { COLUMN_NAME_CHARS_MAX } from '../../limits.ts'
import { visibleName } from '../../ui/visible-text.ts'
import { displayText, fitText, NAME_SHARE, TYPE_SHARE, type ResultColumn } from './grid-columns.ts'
import { GRID_FONT, type GridTheme } from './grid-theme.ts'

/** The width of a text in the grid's font, in CSS pixels. */
export type Measure = (text: string) => number

interface DrawnHeader {
  isNumeric: boolean
  name: string
  /** With the mark of a sort or a pin. */
  type: string
  /** Name and type, whole. */
  tip: string
}

const TYPE_CHARS_MAX = 60
const PADDING_PX = 8

export function drawnHeader(column: ResultColumn | undefined, mark: string): DrawnHeader {
  const { name = '', sqlType = '', isNumeric = false } = column ?? {}
  return {
    isNumeric,
    name: displayText(visibleName(name), COLUMN_NAME_CHARS_MAX),
    type: displayText(sqlType, TYPE_CHARS_MAX) + mark,
    tip: `${visibleName(name)}\n${sqlType}`,
  }
}

const fitted = (text: string, share: number, widthPx: number, measure: Measure): string =>
  fitText(text, (widthPx - 2 * PADDING_PX) / share, measure)

export function headerPainter(
  headers: readonly DrawnHeader[],
  theme: GridTheme,
  measure: Measure,
): DrawHeaderCallback {
  return ({ ctx, columnIndex, rect, theme: drawn, isSelected }, drawContent) => {
    const header = headers[columnIndex]
    if (header === undefined) {
      drawContent()
      return
    }
    const x = header.isNumeric ? rect.x + rect.width - PADDING_PX : rect.x + PADDING_PX
    ctx.save()
    ctx.beginPath()
    ctx.rect(rect.x, rect.y, rect.width, rect.height)
    ctx.clip()
    ctx.textAlign = header.isNumeric ? 'right' : 'left'
    ctx.textBaseline = 'middle'
    ctx.font = `600 12px ${GRID_FONT}`
    ctx.fillStyle = isSelected ? drawn.textHeaderSelected : theme.ink
    ctx.fillText(fitted(header.name, NAME_SHARE, rect.width, measure), x, rect.y + 15)
    ctx.font = `500 11px ${GRID_FONT}`
    ctx.fillStyle = isSelected ? drawn.textHeaderSelected : theme.faint
    ctx.fillText(fitted(header.type, TYPE_SHARE, rect.width, measure), x, rect.y + 31)
    ctx.restore()
  }
}

/** Name and type, where the header does not show all of them; else null. */
export function hiddenHeaderText(
  header: DrawnHeader | undefined,
  widthPx: number,
  measure: Measure,
): string | null {
  if (header === undefined) return null
  const { name, type, tip } = header
  const isAllDrawn =
    fitted(name, NAME_SHARE, widthPx, measure) === name && fitted(type, TYPE_SHARE, widthPx, measure) === type
  return isAllDrawn && !name.endsWith('…') && !type.includes('…') ? null : tip
}
