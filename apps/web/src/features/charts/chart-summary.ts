// A chart in words: what it shows, of which rows, and between which values. Values are exact.
import { countedText } from '../../ui/format-quantity.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import type { ChartChoice } from './chart-choice.ts'
import type { ChartColumn } from './chart-columns.ts'
import { placeAt, wordsAt } from './chart-columns.ts'
import type { ChartData } from './chart-data.ts'

export const KIND_WORDS = { line: 'Line', bar: 'Bars', scatter: 'Scatter', histogram: 'Histogram' } as const

/** `least to greatest` of a column over the first rows, as exact text; empty where it has no places. */
function rangeText(buffer: ResultBuffer, column: ChartColumn, rowCount: number): string {
  if (column.kind === 'text') return ''
  let least = -1
  let greatest = -1
  let low = Infinity
  let high = -Infinity
  for (let row = 0; row < rowCount; row += 1) {
    const place = placeAt(buffer, column, row)
    if (place === null) continue
    if (place < low) [low, least] = [place, row]
    if (place > high) [high, greatest] = [place, row]
  }
  if (least === -1) return ''
  return `${column.name} from ${wordsAt(buffer, column, least)} to ${wordsAt(buffer, column, greatest)}`
}

export interface SummaryInput {
  choice: ChartChoice
  data: ChartData
  buffer: ResultBuffer
  rowCount: number
  xColumn: ChartColumn
  yColumn: ChartColumn | undefined
  /** How the loaded rows stand to the whole result. */
  exactness: string
}

export function chartSummary(input: SummaryInput): string {
  const { choice, data, buffer, rowCount, xColumn, yColumn, exactness } = input
  const isCounting = choice.kind === 'histogram' || (choice.kind === 'bar' && choice.measure === 'rows')
  const y = isCounting
    ? 'rows'
    : `${choice.kind === 'bar' ? `${choice.measure} of ` : ''}${yColumn?.name ?? ''}`
  const ranges = [xColumn, ...(isCounting || yColumn === undefined ? [] : [yColumn])].flatMap(
    (column) => rangeText(buffer, column, rowCount) || [],
  )
  const leftOut =
    data.leftOutCount === 0 ? '' : ` ${countedText(data.leftOutCount, 'row')} without a value left out.`
  const between = ranges.length === 0 ? '' : ` ${ranges.join('; ')}.`
  return `${KIND_WORDS[choice.kind]} of ${y} by ${xColumn.name}: ${data.account}, of ${countedText(rowCount, 'loaded row')} (${exactness}).${leftOut}${between}`
}
