// First widths of the grid's columns and the look of its cells, apart from drawing.
import type { Field, Schema } from 'apache-arrow'
import { CELL_DISPLAY_CHARS_MAX, COLUMN_NAME_CHARS_MAX, COLUMN_WIDTH_SAMPLE_ROWS } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { cellText, isNumeric, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import { zoneOffsetSeconds } from '../../ui/time-zone.ts'
import { visibleName } from '../../ui/visible-text.ts'

export interface ResultColumn {
  name: string
  sqlType: string
  isNumeric: boolean
}

export function columnsOf(schema: Schema): ResultColumn[] {
  return schema.fields.map((field: Field) => ({
    name: field.name,
    sqlType: sqlTypeOf(field),
    isNumeric: isNumeric(field),
  }))
}

interface TextAtOptions {
  charsMax?: number
  /** Zone of timestamps that have one; UTC when absent. */
  zone?: string
}

/** Exact text of a cell; null for NULL, undefined outside of the result. */
export function textAt(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  column: number,
  row: number,
  options: TextAtOptions = {},
): string | null | undefined {
  const position = buffer.locate(row)
  const data = position?.batch.data.children[column]
  if (position === null || data === undefined) return undefined
  const sqlType = columns[column]?.sqlType ?? ''
  const { zone = 'UTC', ...rest } = options
  const offsetSecondsAt = zone === 'UTC' ? undefined : (ms: number) => zoneOffsetSeconds(zone, ms)
  return cellText(data, position.index, { ...rest, sqlType, offsetSecondsAt })
}

/** What is drawn for a text: one line, with an ellipsis where it is cut. The ellipsis is never copied. */
export function displayText(text: string, charsMax: number = CELL_DISPLAY_CHARS_MAX): string {
  const line = text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
  return line.replaceAll(/\r\n|\r|\n/g, '↵').replaceAll('\t', '⇥')
}

/** Digits are drawn with one width, that of the widest. */
const tabular = (text: string): string => text.replaceAll(/\d/g, '0')

/**
 * The longest start of `text` that fits `widthPx`, with an ellipsis where it is cut: a value that is merely clipped
 * looks like a shorter one.
 */
export function fitText(text: string, widthPx: number, measure: (text: string) => number): string {
  if (measure(tabular(text)) <= widthPx) return text
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (measure(tabular(`${text.slice(0, middle)}…`)) <= widthPx) low = middle
    else high = middle - 1
  }
  return `${text.slice(0, low)}…`
}

/** Names are bolder than what is measured, types smaller. */
export const NAME_SHARE = 1.06
export const TYPE_SHARE = 0.92
const WIDTH_MIN_PX = 72
const WIDTH_MAX_PX = 360
const PADDING_PX = 26

/** Widths in pixels by the header and the first rows. `measure` gives a text's width in the grid's font. */
export function columnWidths(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  measure: (text: string) => number,
): number[] {
  const rowCount = Math.min(buffer.rowCount, COLUMN_WIDTH_SAMPLE_ROWS)
  return columns.map((column, index) => {
    const name = displayText(visibleName(column.name), COLUMN_NAME_CHARS_MAX)
    let width = Math.max(measure(name) * NAME_SHARE, measure(column.sqlType.slice(0, 40)) * TYPE_SHARE)
    for (let row = 0; row < rowCount; row++)
      width = Math.max(
        width,
        measure(tabular(displayText(textAt(buffer, columns, index, row, { charsMax: 80 }) ?? 'NULL', 80))),
      )
    return Math.round(Math.min(WIDTH_MAX_PX, Math.max(WIDTH_MIN_PX, width + PADDING_PX)))
  })
}
