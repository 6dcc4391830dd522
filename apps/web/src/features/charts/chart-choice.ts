// Which chart a result is shown as: at first by the kinds of its columns, then as the person chooses.
import type { ChartColumn } from './chart-columns.ts'

export type ChartKind = 'line' | 'bar' | 'scatter' | 'histogram'
export type Measure = 'sum' | 'average' | 'least' | 'greatest' | 'rows'

export const CHART_KINDS: readonly ChartKind[] = ['line', 'bar', 'scatter', 'histogram']
export const MEASURES: readonly Measure[] = ['sum', 'average', 'least', 'greatest', 'rows']

export interface ChartChoice {
  kind: ChartKind
  /** Indexes of columns of the result. */
  x: number
  /** Of no meaning for a histogram, and for bars that count rows. */
  y: number
  /** Of the values that share a bar. */
  measure: Measure
}

const isOnAxis = ({ kind }: ChartColumn): boolean => kind !== 'text'

/** Columns that may stand on an axis of a kind of chart. */
export function columnsFor(kind: ChartKind, axis: 'x' | 'y', columns: readonly ChartColumn[]): ChartColumn[] {
  if (axis === 'y') return columns.filter((column) => column.kind === 'number')
  return columns.filter((column) => kind === 'bar' || isOnAxis(column))
}

export function isPossible(kind: ChartKind, columns: readonly ChartColumn[]): boolean {
  if (kind === 'bar' || kind === 'histogram') return columnsFor(kind, 'x', columns).length > 0
  const ys = columnsFor(kind, 'y', columns)
  return columnsFor(kind, 'x', columns).some((x) => ys.some((y) => y.index !== x.index))
}

/** A choice of a kind over these columns, as near to the one before as it can be. */
export function chosen(kind: ChartKind, columns: readonly ChartColumn[], before?: ChartChoice): ChartChoice {
  const pick = (list: readonly ChartColumn[], wanted: number | undefined, other = -1): number =>
    (
      list.find(({ index }) => index === wanted && index !== other) ??
      list.find(({ index }) => index !== other)
    )?.index ?? -1
  const xs = columnsFor(kind, 'x', columns)
  // Time runs along an axis by itself, and names make bars.
  const natural = xs.find((column) => column.kind === (kind === 'bar' ? 'text' : 'time'))?.index
  const measured = kind === 'histogram' ? (before?.y ?? columnsFor(kind, 'y', columns)[0]?.index) : undefined
  const x = pick(xs, measured !== undefined && measured !== -1 ? measured : (before?.x ?? natural))
  const y = pick(columnsFor(kind, 'y', columns), before?.y, x)
  return { kind, x, y, measure: kind === 'bar' && y === -1 ? 'rows' : (before?.measure ?? 'sum') }
}

/** The chart that the columns ask for; null where nothing can be drawn. */
export function firstChoice(columns: readonly ChartColumn[]): ChartChoice | null {
  const has = (kind: ChartColumn['kind']): boolean => columns.some((column) => column.kind === kind)
  const numberCount = columns.filter(({ kind }) => kind === 'number').length
  const order: ChartKind[] = []
  if (has('time') && numberCount > 0) order.push('line')
  if (has('text')) order.push('bar')
  if (numberCount > 1) order.push('scatter')
  order.push('histogram', 'bar')
  const kind = order.find((name) => isPossible(name, columns))
  return kind === undefined ? null : chosen(kind, columns)
}
