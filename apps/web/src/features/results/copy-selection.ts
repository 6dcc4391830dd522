// The selected cells as a text for other tools, and in words what was copied and how far it can be trusted. Rows that are
// not in memory are brought there first: a cell that is merely away is never copied as NULL.
import type { GridSelection } from '@glideapps/glide-data-grid'
import { exactnessOf } from '../../query-run/exactness.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { COPY_CHARS_MAX } from '../../limits.ts'
import { countedText } from '../../ui/format-quantity.ts'
import { copyTextOf, type CopyFormat } from './copy-formats.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'
import { selectedArea, type SelectedArea } from './selected-area.ts'

export interface CopyInput {
  run: QueryRun
  snapshot: RunSnapshot
  columns: readonly ResultColumn[]
  shown: readonly number[]
  rows: Uint32Array | null
  shownRowCount: number
  selection: GridSelection
  zone: string
}

export interface Copied {
  text: string
  /** What it is. */
  words: string
}

interface CopyArea {
  area: SelectedArea
  columns: readonly ResultColumn[]
  rowOf: (shownRow: number) => number
  cellsOf: (row: number) => (string | null)[]
}

function areaOf({ run, columns, shown, rows, shownRowCount, selection, zone }: CopyInput): CopyArea {
  const area = selectedArea(selection, shown.length, shownRowCount)
  const indexes = area.columns.map((place) => shown[place] ?? 0)
  return {
    area,
    columns: indexes.flatMap((index) => columns[index] ?? []),
    rowOf: (shownRow) => (rows === null ? shownRow : (rows[shownRow] ?? -1)),
    cellsOf: (row) => indexes.map((index) => textAt(run.buffer, columns, index, row, { zone }) ?? null),
  }
}

function made(
  format: CopyFormat,
  { area, columns }: CopyArea,
  lines: Iterable<(string | null)[]>,
  { snapshot }: CopyInput,
): Copied | null {
  const text = copyTextOf(format, columns, lines)
  const { text: exactness } = exactnessOf(snapshot.state, snapshot.rowCount)
  const words = `${countedText(area.rowCount, 'row')} × ${countedText(columns.length, 'column')} copied as ${format} · ${exactness}`
  return text === null ? null : { text, words }
}

/** Whether every selected row is in memory. */
export function isAtHand(input: CopyInput): boolean {
  const { area, rowOf } = areaOf(input)
  for (const shownRow of area.rows()) if (input.run.buffer.isAway(rowOf(shownRow))) return false
  return true
}

/** The selection, where it is at hand; null when it is too large to be whole. */
export function copied(format: CopyFormat, input: CopyInput): Copied | null {
  const selected = areaOf(input)
  function* lines() {
    for (const shownRow of selected.area.rows()) yield selected.cellsOf(selected.rowOf(shownRow))
  }
  return made(format, selected, lines(), input)
}

/** The selection, wherever its rows are; null when it is too large to be whole. Rejects where rows cannot be had. */
export async function broughtAndCopied(
  format: CopyFormat,
  input: CopyInput,
  signal: AbortSignal,
): Promise<Copied | null> {
  const selected = areaOf(input)
  const lines: (string | null)[][] = []
  let charCount = 0
  for (const shownRow of selected.area.rows()) {
    const row = selected.rowOf(shownRow)
    if (input.run.buffer.isAway(row)) await input.run.buffer.bring(row, signal)
    const cells = selected.cellsOf(row)
    charCount += cells.reduce((sum, cell) => sum + (cell?.length ?? 0) + 1, 0)
    if (charCount > COPY_CHARS_MAX) return null
    lines.push(cells)
  }
  return made(format, selected, lines, input)
}

export const COPY_REFUSED =
  'The selection is too large to copy whole, so nothing was copied. Select fewer rows.'
