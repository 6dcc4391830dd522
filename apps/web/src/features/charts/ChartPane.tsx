// A result as a chart, with what is chosen of it above and what it shows in words below.
import { useEffect, useMemo, useRef, useState } from 'react'
import { CHART_HEIGHT_MIN_PX, EXAMINED_ROWS_MAX } from '../../limits.ts'
import { exactnessOf } from '../../query-run/exactness.ts'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { useElementWidth } from '../../ui/use-element-width.ts'
import { saveFile } from '../../ui/save-file.ts'
import { ChartControls } from './ChartControls.tsx'
import { firstChoice, type ChartChoice } from './chart-choice.ts'
import { chartColumns, type ChartColumn } from './chart-columns.ts'
import { chartData, type ChartData } from './chart-data.ts'
import { chartPng, chartSvg, imageHeight } from './chart-image.ts'
import { chartSummary } from './chart-summary.ts'
import { drawChart } from './draw-chart.ts'

interface ChartPaneProps {
  run: QueryRun
  snapshot: RunSnapshot
  title: string
  /** What the result was made from, in one line, for pictures. */
  receiptText: string
}

interface Made {
  choice: ChartChoice
  data: ChartData
  rowCount: number
}

/** The points of a choice, made anew when it or the rows change. */
function useChartData(
  run: QueryRun,
  rowCount: number,
  columns: readonly ChartColumn[],
  choice: ChartChoice | null,
) {
  const [made, setMade] = useState<Made | null>(null)
  useEffect(() => {
    const xColumn = columns.find(({ index }) => index === choice?.x)
    if (choice === null || xColumn === undefined) return
    const abort = new AbortController()
    const yColumn = columns.find(({ index }) => index === choice.y)
    chartData({ buffer: run.buffer, rowCount, choice, xColumn, yColumn }, abort.signal).then(
      (data) => setMade({ choice, data, rowCount }),
      () => undefined,
    )
    return () => abort.abort()
  }, [run, rowCount, columns, choice])
  return made
}

function NothingToDraw() {
  return (
    <div className="empty-result">
      <p>No chart: the result has no column of numbers, times or texts, or no rows yet.</p>
    </div>
  )
}

export function ChartPane({ run, snapshot, title, receiptText }: ChartPaneProps) {
  const { schema } = run.buffer
  const columns = useMemo(() => (schema === null ? [] : chartColumns(schema)), [schema])
  const [choice, setChoice] = useState<ChartChoice | null>(null)
  const shown = useMemo(() => choice ?? firstChoice(columns), [choice, columns])
  // A result that still grows is drawn when it has ended, or as far as it is when the chart is opened.
  const readable = Math.min(snapshot.rowCount, EXAMINED_ROWS_MAX)
  const [rowCount, setRowCount] = useState(readable)
  const isLive = snapshot.endedAtMs === null
  if (!isLive && rowCount !== readable) setRowCount(readable)
  const made = useChartData(run, rowCount, columns, shown)
  const frame = useRef<HTMLDivElement>(null)
  const width = useElementWidth(frame)
  const exactness = exactnessOf(snapshot.state, rowCount).text
  const summary = useMemo(() => {
    const xColumn = columns.find(({ index }) => index === made?.choice.x)
    if (made === null || xColumn === undefined) return ''
    const yColumn = columns.find(({ index }) => index === made.choice.y)
    return chartSummary({ ...made, xColumn, yColumn, exactness })
  }, [made, columns, exactness])

  useEffect(() => {
    const element = frame.current
    const xColumn = columns.find(({ index }) => index === made?.choice.x)
    if (element === null || made === null || xColumn === undefined || width === 0) return
    const yColumn = columns.find(({ index }) => index === made.choice.y)
    const heightPx = Math.max(CHART_HEIGHT_MIN_PX, element.clientHeight)
    element.replaceChildren(drawChart({ ...made, xColumn, yColumn, widthPx: width, heightPx, summary }))
  }, [made, columns, width, summary])

  if (shown === null || snapshot.rowCount === 0) return <NothingToDraw />
  const save = async (kind: 'svg' | 'png') => {
    const chart = frame.current?.querySelector('svg')
    if (chart === null || chart === undefined) return
    const texts = [summary, receiptText]
    const svg = chartSvg(chart, texts)
    const file =
      kind === 'svg'
        ? new Blob([svg], { type: 'image/svg+xml' })
        : await chartPng(svg, Number(chart.getAttribute('width')), imageHeight(chart, texts.length))
    saveFile(`${title.replaceAll(/[^\p{L}\p{N}]+/gu, '-') || 'chart'}.${kind}`, file)
  }
  return (
    <figure className="chart" aria-label="Chart">
      <ChartControls
        columns={columns}
        choice={shown}
        onChoice={setChoice}
        onSave={(kind) => void save(kind)}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focus is what lets arrow keys scroll it */}
      <section className="chart-frame" ref={frame} tabIndex={0} aria-label="Picture" />
      <figcaption className="chart-summary">{summary}</figcaption>
    </figure>
  )
}
