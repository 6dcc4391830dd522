// The selected cells as a text for other tools, and in words what was copied and how far it can be trusted.
import type { GridSelection } from '@glideapps/glide-data-grid'
import { exactnessOf } from '../../query-run/exactness.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { countedText } from '../../ui/format-quantity.ts'
import { copyTextOf, type CopyFormat } from './copy-formats.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'
import { selectedArea } from './selected-area.ts'

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

/** The selection as text, and what it is in words; null when it is too large to be whole. */
export function copied(format: CopyFormat, input: CopyInput): { text: string; words: string } | null {
  const { run, snapshot, columns, shown, rows, shownRowCount, selection, zone } = input
  const area = selectedArea(selection, shown.length, shownRowCount)
  const indexes = area.columns.map((place) => shown[place] ?? 0)
  const areaColumns = indexes.flatMap((index) => columns[index] ?? [])
  function* lines() {
    for (const shownRow of area.rows()) {
      const row = rows === null ? shownRow : (rows[shownRow] ?? -1)
      yield indexes.map((index) => textAt(run.buffer, columns, index, row, { zone }) ?? null)
    }
  }
  const text = copyTextOf(format, areaColumns, lines())
  const { text: exactness } = exactnessOf(snapshot.state, snapshot.rowCount)
  const words = `${countedText(area.rowCount, 'row')} × ${countedText(indexes.length, 'column')} copied as ${format} · ${exactness}`
  return text === null ? null : { text, words }
}

export const COPY_REFUSED =
  'The selection is too large to copy whole, so nothing was copied. Select fewer rows.'
