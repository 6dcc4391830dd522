// What of a result a chart can stand on: numbers and times as places on an axis, texts as categories. A place is a
// JavaScript number, which is finer than a pixel and coarser than a 64-bit integer; words about values are exact and come
// from their text.
import { DataType, DateUnit, TimeUnit, type Data, type Field, type Schema } from 'apache-arrow'
import { cellText, isNumeric, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import type { ResultBuffer } from '../../query-run/result-buffer.ts'
import { visibleName } from '../../ui/visible-text.ts'

export interface ChartColumn {
  index: number
  name: string
  sqlType: string
  kind: 'number' | 'time' | 'text'
}

const DAY_MS = 86_400_000
const UNITS_PER_MS: Record<TimeUnit, number> = {
  [TimeUnit.SECOND]: 0.001,
  [TimeUnit.MILLISECOND]: 1,
  [TimeUnit.MICROSECOND]: 1_000,
  [TimeUnit.NANOSECOND]: 1_000_000,
}
/** Milliseconds from 1970 that a Date holds. */
const DATE_MS_MAX = 8_640_000_000_000_000

function kindOf(field: Field): ChartColumn['kind'] | null {
  const { type } = field as { type: DataType }
  if (isNumeric(field)) return 'number'
  if (DataType.isDate(type) || DataType.isTimestamp(type)) return 'time'
  const isText = DataType.isUtf8(type) || DataType.isBool(type) || sqlTypeOf(field) === 'UUID'
  return isText ? 'text' : null
}

/** Columns that a chart can show, in order; nested values and binary are left out. */
export function chartColumns(schema: Schema): ChartColumn[] {
  return schema.fields.flatMap((field: Field, index) => {
    const kind = kindOf(field)
    return kind === null ? [] : [{ index, name: visibleName(field.name), sqlType: sqlTypeOf(field), kind }]
  })
}

function timeOf(data: Data, row: number): number {
  const { type } = data
  const raw = Number((data.values as ArrayLike<number | bigint>)[row])
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? raw * DAY_MS : raw
  return DataType.isTimestamp(type) ? raw / UNITS_PER_MS[type.unit] : Number.NaN
}

/** Where a value stands on its axis; null for NULL and for what no axis reaches: NaN, infinities, times beyond a Date. */
export function placeAt(buffer: ResultBuffer, column: ChartColumn, row: number): number | null {
  const position = buffer.locate(row)
  const data = position?.batch.data.children[column.index]
  if (position === null || data === undefined || !data.getValid(position.index)) return null
  if (column.kind === 'time') {
    const ms = timeOf(data, position.index)
    return Math.abs(ms) <= DATE_MS_MAX ? ms : null
  }
  const place = Number(cellText(data, position.index, { sqlType: column.sqlType }))
  return Number.isFinite(place) ? place : null
}

/** Exact text of a value; null for NULL. */
export function wordsAt(buffer: ResultBuffer, column: ChartColumn, row: number): string | null {
  const position = buffer.locate(row)
  const data = position?.batch.data.children[column.index]
  return position === null || data === undefined
    ? null
    : cellText(data, position.index, { sqlType: column.sqlType })
}
