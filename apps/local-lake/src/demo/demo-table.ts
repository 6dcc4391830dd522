// What a demo table is, and the small arithmetic that all of them share: days, times of commits, sizes of files.
import { asObject, parseJson } from '../catalog/json.ts'
import type { JsonObject } from '../catalog/json.ts'
import type { Lake, TableIdent } from '../iceberg/commit-snapshot.ts'
import type { ParquetWriter } from '../iceberg/parquet-writer.ts'
import type { FieldJson } from '../iceberg/schema-fields.ts'

export interface DemoContext extends Lake {
  readonly writer: ParquetWriter
  readonly table: TableIdent
  /** Of the table's files; without a slash at the end. */
  readonly location: string
  /** 1 is the full size; rows are scaled, files and snapshots are not. */
  readonly scale: number
}

export interface DemoTable {
  readonly ident: TableIdent
  readonly fields: readonly FieldJson[]
  /** Columns that tell rows apart. Default: none. */
  readonly identifierFieldIds?: readonly number[]
  /** Source field, name and transform (default: identity) of the partition; undefined: unpartitioned. */
  readonly partitionBy?: { readonly sourceId: number; readonly name: string; readonly transform?: string }
  readonly comment: string
  /** Time of creation, before the first snapshot. */
  readonly createdMs: number
  readonly fill: (context: DemoContext) => Promise<void>
}

const EPOCH_MS = Date.parse('2026-10-05T00:00:00Z')

/**
 * A time of the demo's history. The demo's days are fixed, so that its content is the same everywhere; where the clock
 * is behind them, times of commits move back, since a snapshot from the future would confuse every reader.
 */
export function demoTime(ms: number): number {
  return ms - Math.max(0, EPOCH_MS - Date.now())
}

export function schemaJson(
  fields: readonly FieldJson[],
  identifierFieldIds: readonly number[] = [],
): JsonObject {
  const identifiers = identifierFieldIds.length === 0 ? {} : { 'identifier-field-ids': identifierFieldIds }
  return asObject(parseJson(JSON.stringify({ type: 'struct', fields, ...identifiers })), 'schema')
}

/** Days from 1970 of a date such as 2026-09-30. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000
}

export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}

/** `total` split into `parts` that differ in size, deterministically; each is at least 1 where that is possible. */
export function unevenParts(total: number, parts: number): number[] {
  const weights = Array.from({ length: parts }, (_, i) => 80 + ((i * 37) % 41))
  const sum = weights.reduce((a, b) => a + b, 0)
  const sizes = weights.map((weight) => Math.floor((total * weight) / sum))
  const rest = total - sizes.reduce((a, b) => a + b, 0)
  return sizes.map((size, i) => (i < rest ? size + 1 : size))
}

/** A number of rows at the scale of this demo. */
export function scaled(rows: number, scale: number): number {
  return Math.max(1, Math.round(rows * scale))
}
