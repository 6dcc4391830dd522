// Draws a chart as SVG by Observable Plot. Colours are tokens, so that it follows the theme; text has the app's face.
import * as Plot from '@observablehq/plot'
import type { ChartChoice } from './chart-choice.ts'
import type { ChartColumn } from './chart-columns.ts'
import type { ChartData, ChartPoint } from './chart-data.ts'
import { visibleText } from '../../ui/visible-text.ts'

export interface Drawing {
  choice: ChartChoice
  data: ChartData
  xColumn: ChartColumn
  yColumn: ChartColumn | undefined
  widthPx: number
  heightPx: number
  /** Read out in place of the picture. */
  summary: string
}

const INK = 'var(--accent)'
/** Longest name of a bar in letters; the whole name is in its tooltip. */
const NAME_CHARS_MAX = 18

/** 0.625, 1,200 as 1.2K: no prefixes below one, which people take for millions. */
const ticks = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 6 })
const tickText = (value: number): string => ticks.format(value)

const shortName = (name: string): string =>
  visibleText(name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name)

function marksOf({ choice, data, xColumn }: Drawing): Plot.Markish[] {
  const isTime = xColumn.kind === 'time' && choice.kind !== 'bar'
  const x = (point: ChartPoint) => (isTime ? new Date(Number(point.x)) : point.x)
  const points = [...data.points]
  switch (choice.kind) {
    case 'line':
      return [Plot.lineY(points, { x, y: 'y', stroke: INK, strokeWidth: 1.5 })]
    case 'scatter':
      return [Plot.dot(points, { x, y: 'y', stroke: INK, r: 2.5, strokeOpacity: 0.6 })]
    case 'histogram':
      return [
        Plot.rectY(points, {
          x1: x,
          x2: (point: ChartPoint) => (isTime ? new Date(point.x2 ?? 0) : (point.x2 ?? 0)),
          y: 'y',
          fill: INK,
          insetLeft: 0.5,
          insetRight: 0.5,
        }),
        Plot.ruleY([0]),
      ]
    case 'bar':
      return [
        Plot.barY(points, {
          x: 'x',
          y: 'y',
          fill: INK,
          title: (point: ChartPoint) => `${point.x}: ${point.y.toLocaleString('en-US')}`,
        }),
        Plot.ruleY([0]),
      ]
  }
}

function yLabel({ choice, yColumn }: Drawing): string {
  if (choice.kind === 'histogram' || (choice.kind === 'bar' && choice.measure === 'rows')) return 'rows'
  const name = yColumn?.name ?? ''
  return choice.kind === 'bar' ? `${choice.measure} of ${name}` : name
}

/** The picture, with its own name for those who hear it. */
export function drawChart(drawing: Drawing): SVGSVGElement {
  const { choice, data, xColumn, widthPx, heightPx, summary } = drawing
  const isBar = choice.kind === 'bar'
  const isTilted = isBar && data.points.length * 84 > widthPx
  const plot = Plot.plot({
    width: widthPx,
    height: heightPx,
    marginLeft: 64,
    marginBottom: isTilted ? 96 : 40,
    style: {
      background: 'transparent',
      color: 'var(--ink-2)',
      fontFamily: 'var(--font-ui)',
      fontSize: '11px',
    },
    x: {
      label: xColumn.name,
      ...(isBar && {
        domain: data.points.map(({ x }) => x),
        tickFormat: (name: unknown) => shortName(String(name)),
        ...(isTilted && { tickRotate: -45 }),
      }),
      ...(xColumn.kind === 'time' && !isBar && { type: 'utc' as const }),
    },
    y: { label: yLabel(drawing), grid: true, nice: true, tickFormat: tickText },
    marks: marksOf(drawing),
  })
  // It is one picture with one name; the parts of it have none.
  for (const part of plot.querySelectorAll('[aria-label], [aria-description]')) {
    part.removeAttribute('aria-label')
    part.removeAttribute('aria-description')
  }
  plot.setAttribute('role', 'img')
  plot.setAttribute('aria-label', summary)
  return plot as SVGSVGElement
}
