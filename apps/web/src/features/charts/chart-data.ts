// The points of a chart from loaded rows, bounded in number, with an account of every row: drawn, summed up or left out.
import { CHART_BARS_MAX, CHART_BINS, CHART_LINE_STEPS, CHART_POINTS_MAX } from '../../limits.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { visitRows } from '../../query-run/visit-rows.ts'
import { countedText, countText } from '../../ui/format-quantity.ts'
import { placeAt, wordsAt, type ChartColumn } from './chart-columns.ts'
import type { ChartChoice, Measure } from './chart-choice.ts'

export interface ChartPoint {
  /** A place on the axis, or a category. */
  x: number | string
  /** End of a histogram's bin. */
  x2?: number
  y: number
}

/** The column's exact least and greatest value. */
export interface ColumnRange {
  name: string
  least: string
  greatest: string
}

export interface ChartData {
  /** Of the columns that have places, that of the rows first. */
  ranges: readonly ColumnRange[]
  points: readonly ChartPoint[]
  /** What the points are of the rows, in words. */
  account: string
  /** Rows without a place: NULL, NaN, infinities. */
  leftOutCount: number
}

type DrawnData = Omit<ChartData, 'ranges'>

const BINS_MIN = 5

interface Pairs {
  x: number[]
  y: number[]
  leftOutCount: number
}

async function pairsOf(input: ChartInput, signal: AbortSignal): Promise<Pairs> {
  const { buffer, xColumn, yColumn, rowCount } = input
  const pairs: Pairs = { x: [], y: [], leftOutCount: 0 }
  await visitRows(
    buffer,
    rowCount,
    (row) => {
      const x = placeAt(buffer, xColumn, row)
      const y = yColumn === undefined ? null : placeAt(buffer, yColumn, row)
      if (x === null || y === null) pairs.leftOutCount += 1
      else {
        pairs.x.push(x)
        pairs.y.push(y)
      }
    },
    signal,
  )
  return pairs
}

const pointsOf = ({ x, y }: Pairs, indexes: Iterable<number>): ChartPoint[] =>
  Array.from(indexes, (index) => ({ x: x[index] ?? 0, y: y[index] ?? 0 }))

/** The least and the greatest of each step along the axis, in order: the outline of the line is kept. */
function outline({ x, y }: Pairs, order: readonly number[]): number[] {
  const from = x[order[0] ?? 0] ?? 0
  const width = ((x[order.at(-1) ?? 0] ?? 0) - from) / CHART_LINE_STEPS || 1
  const kept: number[] = []
  let step = -1
  let least = -1
  let greatest = -1
  const close = () => {
    if (least === -1) return
    if (least === greatest) kept.push(least)
    else kept.push(...[least, greatest].sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0) || a - b))
  }
  for (const index of order) {
    const at = Math.min(CHART_LINE_STEPS - 1, Math.floor(((x[index] ?? 0) - from) / width))
    if (at !== step) {
      close()
      step = at
      least = greatest = index
    } else {
      if ((y[index] ?? 0) < (y[least] ?? 0)) least = index
      if ((y[index] ?? 0) > (y[greatest] ?? 0)) greatest = index
    }
  }
  close()
  return kept
}

async function lineData(input: ChartInput, signal: AbortSignal): Promise<DrawnData> {
  const pairs = await pairsOf(input, signal)
  const order = pairs.x.map((_, index) => index)
  if (pairs.x.some((x, index) => index > 0 && x < (pairs.x[index - 1] ?? 0)))
    order.sort((a, b) => (pairs.x[a] ?? 0) - (pairs.x[b] ?? 0) || a - b)
  const isOutline = order.length > CHART_LINE_STEPS * 2
  return {
    points: pointsOf(pairs, isOutline ? outline(pairs, order) : order),
    account: isOutline
      ? `least and greatest of ${countText(CHART_LINE_STEPS)} steps over ${countedText(order.length, 'row')}`
      : `${countedText(order.length, 'row')} drawn`,
    leftOutCount: pairs.leftOutCount,
  }
}

async function scatterData(input: ChartInput, signal: AbortSignal): Promise<DrawnData> {
  const pairs = await pairsOf(input, signal)
  const total = pairs.x.length
  const count = Math.min(total, CHART_POINTS_MAX)
  const indexes = Array.from({ length: count }, (_, i) => Math.floor((i * total) / count))
  return {
    points: pointsOf(pairs, indexes),
    account:
      count < total
        ? `${countText(count)} of ${countedText(total, 'row')} drawn, taken at equal distances`
        : `${countedText(total, 'row')} drawn`,
    leftOutCount: pairs.leftOutCount,
  }
}

async function histogramData(
  { buffer, xColumn, rowCount }: ChartInput,
  signal: AbortSignal,
): Promise<DrawnData> {
  const places: number[] = []
  let leftOutCount = 0
  await visitRows(
    buffer,
    rowCount,
    (row) => {
      const x = placeAt(buffer, xColumn, row)
      if (x === null) leftOutCount += 1
      else places.push(x)
    },
    signal,
  )
  const account = `${countedText(places.length, 'row')} counted`
  const [low, high] = places.reduce(
    ([least, greatest], x) => [Math.min(least, x), Math.max(greatest, x)],
    [Infinity, -Infinity],
  )
  if (places.length === 0) return { points: [], account, leftOutCount }
  const binCount = Math.min(CHART_BINS, Math.max(BINS_MIN, Math.ceil(Math.sqrt(places.length))))
  const width = (high - low) / binCount || 1
  const counts = Array.from({ length: high > low ? binCount : 1 }, () => 0)
  for (const x of places) {
    const bin = Math.min(counts.length - 1, Math.floor((x - low) / width))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return {
    points: counts.map((y, bin) => ({ x: low + bin * width, x2: low + (bin + 1) * width, y })),
    account,
    leftOutCount,
  }
}

interface Bar {
  count: number
  sum: number
  least: number
  greatest: number
}

function heightOf({ count, sum, least, greatest }: Bar, measure: Measure): number {
  switch (measure) {
    case 'rows':
      return count
    case 'sum':
      return sum
    case 'average':
      return sum / count
    case 'least':
      return least
    case 'greatest':
      return greatest
  }
}

async function barData(input: ChartInput, signal: AbortSignal): Promise<DrawnData> {
  const { buffer, choice, xColumn, yColumn, rowCount } = input
  const bars = new Map<string, Bar>()
  let leftOutCount = 0
  await visitRows(
    buffer,
    rowCount,
    (row) => {
      const y = choice.measure === 'rows' || yColumn === undefined ? 1 : placeAt(buffer, yColumn, row)
      if (y === null) {
        leftOutCount += 1
        return
      }
      const name = wordsAt(buffer, xColumn, row) ?? 'NULL'
      const bar = bars.get(name) ?? { count: 0, sum: 0, least: Infinity, greatest: -Infinity }
      bar.count += 1
      bar.sum += y
      bar.least = Math.min(bar.least, y)
      bar.greatest = Math.max(bar.greatest, y)
      bars.set(name, bar)
    },
    signal,
  )
  const all = Array.from(bars, ([x, bar]) => ({ x, y: heightOf(bar, choice.measure) }))
  const isCut = all.length > CHART_BARS_MAX
  // Names go by height where not all are shown; times and numbers keep the order of the rows.
  const highest = isCut ? all.toSorted((a, b) => b.y - a.y).slice(0, CHART_BARS_MAX) : all
  const kept = new Set(highest)
  const points = xColumn.kind === 'text' ? highest : all.filter((bar) => kept.has(bar))
  const rows = countedText(rowCount - leftOutCount, 'row')
  return {
    points,
    account: isCut
      ? `the ${CHART_BARS_MAX} highest of ${countedText(all.length, 'bar')} over ${rows}`
      : `${countedText(all.length, 'bar')} over ${rows}`,
    leftOutCount,
  }
}

export interface ChartInput {
  buffer: ResultBuffer
  /** Rows that were there when the chart was asked for. */
  rowCount: number
  choice: ChartChoice
  xColumn: ChartColumn
  yColumn: ChartColumn | undefined
}

/** Rejects with the signal's reason, and with what fetching rows failed with. */
export async function chartData(input: ChartInput, signal: AbortSignal): Promise<ChartData> {
  const { choice, xColumn, yColumn } = input
  const isCounting = choice.kind === 'histogram' || (choice.kind === 'bar' && choice.measure === 'rows')
  const ranged = [xColumn, ...(isCounting || yColumn === undefined ? [] : [yColumn])]
  const drawn = await drawnData(input, signal)
  const ranges: ColumnRange[] = []
  for (const column of ranged) ranges.push(...(await rangeOf(input, column, signal)))
  return { ...drawn, ranges }
}

/** None where nothing has a place. */
async function rangeOf(
  { buffer, rowCount }: ChartInput,
  column: ChartColumn,
  signal: AbortSignal,
): Promise<ColumnRange[]> {
  if (column.kind === 'text') return []
  let low = { place: Infinity, text: '' }
  let high = { place: -Infinity, text: '' }
  const visit = (row: number) => {
    const place = placeAt(buffer, column, row)
    if (place === null) return
    if (place < low.place) low = { place, text: wordsAt(buffer, column, row) ?? '' }
    if (place > high.place) high = { place, text: wordsAt(buffer, column, row) ?? '' }
  }
  await visitRows(buffer, rowCount, visit, signal)
  return high.place === -Infinity ? [] : [{ name: column.name, least: low.text, greatest: high.text }]
}

function drawnData(input: ChartInput, signal: AbortSignal): Promise<DrawnData> {
  switch (input.choice.kind) {
    case 'line':
      return lineData(input, signal)
    case 'scatter':
      return scatterData(input, signal)
    case 'histogram':
      return histogramData(input, signal)
    case 'bar':
      return barData(input, signal)
  }
}
