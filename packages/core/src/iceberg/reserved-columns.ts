// Columns that every table has although no schema lists them: where a row stands, and its lineage.
// Source: Iceberg table spec, "Reserved Field IDs" and "Row Lineage". `_partition` has no type of its own here: it is a
// struct over the partition fields of every spec of the table.
import type { PrimitiveType } from './types.ts'

export type ReservedColumnName =
  '_file' | '_pos' | '_spec_id' | '_partition' | '_row_id' | '_last_updated_sequence_number'

export interface ReservedColumn {
  readonly name: ReservedColumnName
  readonly fieldId: number
  /** undefined: by the table. */
  readonly type: PrimitiveType | undefined
  /** For people. */
  readonly doc: string
}

const LONG: PrimitiveType = { kind: 'long' }

/** In the order in which a table has them, behind its own columns. */
export const RESERVED_COLUMNS: readonly ReservedColumn[] = [
  {
    name: '_file',
    fieldId: 2_147_483_646,
    type: { kind: 'string' },
    doc: 'Path of the data file that holds the row, as the metadata has it',
  },
  {
    name: '_pos',
    fieldId: 2_147_483_645,
    type: LONG,
    doc: 'Position of the row in its data file, from 0, deleted rows counted',
  },
  {
    name: '_spec_id',
    fieldId: 2_147_483_643,
    type: { kind: 'int' },
    doc: 'Partition spec that the data file was written with',
  },
  {
    name: '_partition',
    fieldId: 2_147_483_642,
    type: undefined,
    doc: 'Partition of the data file: the fields of every spec of the table',
  },
  {
    name: '_row_id',
    fieldId: 2_147_483_540,
    type: LONG,
    doc: 'Id that a row keeps while it is rewritten; NULL in files from before format version 3',
  },
  {
    name: '_last_updated_sequence_number',
    fieldId: 2_147_483_539,
    type: LONG,
    doc: 'Sequence number of the commit that last changed the row; NULL in files from before format version 3',
  },
]

/** The reserved column of this name in SQL, which ignores case. */
export function findReservedColumn(name: string): ReservedColumn | undefined {
  const folded = name.toLowerCase()
  return RESERVED_COLUMNS.find((column) => column.name === folded)
}
