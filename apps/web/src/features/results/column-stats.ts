// What a column holds, over the rows that are loaded: how many values, NULLs and distinct values, the least and the
// greatest, and how they spread. Exact, except for the spread, which is drawn.
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { visitRows } from '../../query-run/visit-rows.ts'
import { EXAMINED_ROWS_MAX, STATS_DISTINCT_MAX } from '../../limits.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'
import { compareKeys, keyReader, numberOfKey, type SortKey } from './sort-key.ts'

export interface ColumnStats {
  rowCount: number
  nullCount: number
  /** Null where there are more than STATS_DISTINCT_MAX. */
  distinctCount: number | null
  /** Exact texts; null where every value is NULL. */
  min: string | null
  max: string | null
  /** Values in equal steps from least to greatest; empty where values have no place on a line. */
  histogram: readonly number[]
  /** The commonest values with their counts, where the distinct ones were counted. */
  commonest: readonly { text: string; count: number }[]
}

const BINS = 24
const COMMONEST_SHOWN = 6

function histogramOf(keys: readonly SortKey[], low: SortKey, high: SortKey): number[] {
  const from = numberOfKey(low)
  const to = numberOfKey(high)
  if (from === null || to === null || to <= from) return []
  const bins = Array.from({ length: BINS }, () => 0)
  for (const key of keys) {
    const value = numberOfKey(key)
    if (value === null) continue
    const bin = Math.min(BINS - 1, Math.floor(((value - from) / (to - from)) * BINS))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

export async function columnStats(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  column: number,
  signal: AbortSignal,
): Promise<ColumnStats> {
  const rowCount = Math.min(buffer.rowCount, EXAMINED_ROWS_MAX)
  const keyAt = keyReader(buffer, columns, column)
  const keys: SortKey[] = []
  let counts: Map<string | number | bigint, { row: number; count: number }> | null = new Map()
  let nullCount = 0
  let least = -1
  let greatest = -1
  await visitRows(
    buffer,
    rowCount,
    (row) => {
      const key = keyAt(row)
      keys.push(key)
      if (key === null) {
        nullCount += 1
        return
      }
      if (least === -1 || compareKeys(key, keys[least] ?? null) < 0) least = row
      if (greatest === -1 || compareKeys(key, keys[greatest] ?? null) > 0) greatest = row
      const known = counts?.get(key)
      if (known !== undefined) known.count += 1
      else counts?.set(key, { row, count: 1 })
      if (counts !== null && counts.size > STATS_DISTINCT_MAX) counts = null
    },
    signal,
  )
  const commonest = [...(counts?.values() ?? [])].sort((a, b) => b.count - a.count).slice(0, COMMONEST_SHOWN)
  const texts = new Map<number, string | null>()
  const named = [least, greatest, ...commonest.map(({ row }) => row)].filter((row) => row !== -1)
  await visitRows(
    buffer,
    named,
    (row) => texts.set(row, textAt(buffer, columns, column, row) ?? null),
    signal,
  )
  const textOf = (row: number) => texts.get(row) ?? null
  return {
    rowCount,
    nullCount,
    distinctCount: counts?.size ?? null,
    min: textOf(least),
    max: textOf(greatest),
    histogram: histogramOf(keys, keys[least] ?? null, keys[greatest] ?? null),
    commonest: commonest.map(({ row, count }) => ({ text: textOf(row) ?? '', count })),
  }
}
