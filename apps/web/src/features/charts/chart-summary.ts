// A chart in words: what it shows, of which rows, and between which values. Values are exact.
import { countedText } from '../../ui/format-quantity.ts'
import type { ChartChoice } from './chart-choice.ts'
import type { ChartColumn } from './chart-columns.ts'
import type { ChartData } from './chart-data.ts'

export const KIND_WORDS = { line: 'Line', bar: 'Bars', scatter: 'Scatter', histogram: 'Histogram' } as const

export interface SummaryInput {
  choice: ChartChoice
  data: ChartData
  rowCount: number
  xColumn: ChartColumn
  yColumn: ChartColumn | undefined
  /** How the loaded rows stand to the whole result. */
  exactness: string
}

export function chartSummary(input: SummaryInput): string {
  const { choice, data, rowCount, xColumn, yColumn, exactness } = input
  const isCounting = choice.kind === 'histogram' || (choice.kind === 'bar' && choice.measure === 'rows')
  const y = isCounting
    ? 'rows'
    : `${choice.kind === 'bar' ? `${choice.measure} of ` : ''}${yColumn?.name ?? ''}`
  const ranges = data.ranges.map(({ name, least, greatest }) => `${name} from ${least} to ${greatest}`)
  const leftOut =
    data.leftOutCount === 0 ? '' : ` ${countedText(data.leftOutCount, 'row')} without a value left out.`
  const between = ranges.length === 0 ? '' : ` ${ranges.join('; ')}.`
  return `${KIND_WORDS[choice.kind]} of ${y} by ${xColumn.name}: ${data.account}, of ${countedText(rowCount, 'loaded row')} (${exactness}).${leftOut}${between}`
}
