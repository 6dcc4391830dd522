// Prints measurements as a table, and keeps them as JSON.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { ExportMeasurement } from './exports.ts'
import type { FetchedBytes } from './fetched-bytes.ts'
import type { PlanningDelay } from './planning-delay.ts'
import type { DecodingDelay, SlowReader } from './server-health.ts'

/** Of several runs: the best and the middle one. */
export interface Times {
  readonly bestMs: number
  readonly medianMs: number
  readonly firstRowBestMs: number
}

export interface Measurement {
  readonly name: string
  readonly sql: string
  readonly rowCount: number
  readonly bytes: FetchedBytes | undefined
  readonly planBestMs: number
  readonly cold: Times
  readonly warm: Times
  readonly duckDb: Times
}

export interface Report {
  readonly command: string
  readonly machine: Readonly<Record<string, string | number>>
  readonly statements: readonly Measurement[]
  readonly decoding: readonly DecodingDelay[]
  readonly planning: readonly PlanningDelay[]
  readonly slowReader: SlowReader | undefined
  readonly exports: readonly ExportMeasurement[]
}

export function machineFacts(): Report['machine'] {
  const [cpu] = cpus()
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryMib: Math.round(totalmem() / 1_048_576),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
}

export async function writeReport(path: string, report: Report): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`)
}

export function formatReport({ statements, decoding, planning, slowReader, exports }: Report): string {
  const times = table(
    ['statement', 'rows', 'plan', 'first row', 'cold', 'warm', 'DuckDB', 'warm ÷ DuckDB', 'rows/s'],
    statements.map(({ name, rowCount, planBestMs, cold, warm, duckDb }) => [
      name,
      String(rowCount),
      ms(planBestMs),
      ms(cold.firstRowBestMs),
      `${ms(cold.bestMs)} (${ms(cold.medianMs)})`,
      `${ms(warm.bestMs)} (${ms(warm.medianMs)})`,
      `${ms(duckDb.bestMs)} (${ms(duckDb.medianMs)})`,
      (warm.bestMs / duckDb.bestMs).toFixed(1),
      String(Math.round((rowCount / cold.bestMs) * 1_000)),
    ]),
  )
  const bytes = table(
    ['statement', 'files', 'requests', 'fetched', 'needed chunks', 'footers', '(fetched − footers) ÷ needed'],
    statements.map(({ name, bytes }) => [
      name,
      String(bytes?.files ?? 0),
      String(bytes?.requests ?? 0),
      kib(bytes?.fetchedBytes ?? 0),
      kib(bytes?.neededBytes ?? 0),
      kib(bytes?.footerBytes ?? 0),
      bytes?.ratio?.toFixed(2) ?? '–',
    ]),
  )
  const delays = table(
    ['manifests decoded', 'files', 'time', 'event loop held', 'of its own CPU'],
    decoding.map(({ table: name, files, decodeMs, blockedMs, blockedCpuMs }) => [
      name,
      String(files),
      ms(decodeMs),
      ms(blockedMs),
      ms(blockedCpuMs),
    ]),
  )
  const memory = slowReader
    ? table(
        ['slow reader', 'server at rest', 'first quarter', 'the rest'],
        [
          [
            `${slowReader.rowCount} rows`,
            mib(slowReader.idleRssBytes),
            mib(slowReader.firstQuarterRssBytes),
            mib(slowReader.restRssBytes),
          ],
        ],
      )
    : ''
  return [
    times,
    bytes,
    decoding.length > 0 ? delays : '',
    formatPlanning(planning),
    memory,
    exportTable(exports),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

export function formatPlanning(planning: readonly PlanningDelay[]): string {
  return table(
    ['planning', 'planned', 'time', 'event loop held', 'of its own CPU', 'heap', 'load'],
    planning.map(({ what, count, tookMs, blockedMs, blockedCpuMs, heapBytes, load }) => [
      what,
      String(count),
      ms(tookMs),
      ms(blockedMs),
      ms(blockedCpuMs),
      mib(heapBytes),
      load.toFixed(1),
    ]),
  )
}

function exportTable(exports: Report['exports']): string {
  return table(
    ['export', 'rows', 'bytes', 'time', 'rows/s', 'server at rest', 'first quarter', 'the rest'],
    exports.map((each) => [
      each.format,
      String(each.rowCount),
      mib(each.byteCount),
      ms(each.totalMs),
      String(Math.round((each.rowCount / each.totalMs) * 1_000)),
      mib(each.idleRssBytes),
      mib(each.firstQuarterRssBytes),
      mib(each.restRssBytes),
    ]),
  )
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(1)} KiB`
const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`

/** A Markdown table with padded cells, which is also the form of docs/benchmarks.md. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((text, index) =>
    Math.max(text.length, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
