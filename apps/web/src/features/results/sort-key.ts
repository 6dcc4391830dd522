// Values of a column in a form that compares as the engine compares them: numbers and times by their exact value, NaN
// greatest, all else by its text. NULL is null and stands apart.
import { DataType, Precision, type Data } from 'apache-arrow'
import { bigintOfWords } from '@lake/core/values/number-text.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { textAt, type ResultColumn } from './grid-columns.ts'

export type SortKey = number | bigint | string | null

function rawKey(data: Data, index: number): number | bigint | undefined {
  const { type } = data
  if (DataType.isDecimal(type)) {
    const wordCount = type.bitWidth / 32
    return bigintOfWords(data.values, index * wordCount, wordCount)
  }
  if (DataType.isBool(type)) {
    const bit = data.offset + index
    return (data.values[bit >> 3] ?? 0) & (1 << (bit & 7)) ? 1 : 0
  }
  const isRaw =
    DataType.isInt(type) ||
    (DataType.isFloat(type) && type.precision !== Precision.HALF) ||
    DataType.isTimestamp(type) ||
    DataType.isTime(type) ||
    DataType.isDate(type) ||
    DataType.isDuration(type)
  return isRaw ? (data.values as (number | bigint)[])[index] : undefined
}

/** Reads the key of any row (from 0) of one column. */
export function keyReader(
  buffer: ResultBuffer,
  columns: readonly ResultColumn[],
  column: number,
): (row: number) => SortKey {
  return (row) => {
    const position = buffer.locate(row)
    const data = position?.batch.data.children[column]
    if (position === null || data === undefined || !data.getValid(position.index)) return null
    return rawKey(data, position.index) ?? textAt(buffer, columns, column, row) ?? null
  }
}

/** Order of two keys of one column; NULL last. */
export function compareKeys(a: SortKey, b: SortKey): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  if (a < b) return -1
  if (a > b) return 1
  return (Number.isNaN(a) ? 1 : 0) - (Number.isNaN(b) ? 1 : 0)
}

/** A key as a number for drawing; null where it has no place on a line. */
export function numberOfKey(key: SortKey): number | null {
  if (key === null || typeof key === 'string') return null
  const value = Number(key)
  return Number.isFinite(value) ? value : null
}
