// Reserved columns in an excerpt: made from what the manifest says of the file and from where a row stands in it. Values of
// the lineage columns that the file has win, row by row. All files of a table give the same SQL, so that they are read
// together; what differs stands in columns that are made for each.
// Source: Iceberg table spec, "Reserved Field IDs" and "Row Lineage".
import { assertNever } from '@lake/core/assert.ts'
import type { ReservedColumn } from '@lake/core/iceberg/reserved-columns.ts'
import type { NestedField } from '@lake/core/iceberg/types.ts'
import { encodeUtf8 } from '@lake/core/iceberg/utf8.ts'
import type { FileScanTask } from '@lake/core/scan/file-scan-task.ts'
import { quoteName } from './default-sql.ts'
import type { ExcerptColumn } from './excerpt.ts'
import { repeatedChunk, sequenceChunk } from './made-page.ts'
import type { ColumnChunk, PhysicalType, RowGroup } from './parquet-metadata.ts'
import type { ProjectedNode } from './projection.ts'

/** The reserved columns of a scan. */
export interface ReservedRequest {
  /** By index in the schema. */
  readonly columns: ReadonlyMap<number, ReservedColumn>
  /** Values of the fields of `_partition` for a file, as texts that the engine casts back, NULL as null. */
  partitionTexts(task: FileScanTask): readonly (string | null)[]
}

/** A leaf of the excerpt that no file has. */
export interface MadeLeaf {
  readonly node: ProjectedNode
  readonly chunkOf: (group: RowGroup) => ColumnChunk
}

export interface MadeColumn {
  readonly leaves: readonly MadeLeaf[]
  readonly column: ExcerptColumn
}

/** True where a manifest tells all of the column. The lineage columns may be in the data file. */
export function isOfManifest(column: ReservedColumn | undefined): boolean {
  return column !== undefined && !isLineage(column)
}

export function isLineage({ name }: ReservedColumn): boolean {
  return name === '_row_id' || name === '_last_updated_sequence_number'
}

/**
 * @param place `index` of the column in the schema, and that of the first leaf that is free
 * @param storedSql SQL for the values that the file has, where it has any
 */
export function reservedColumn(
  { name }: ReservedColumn,
  field: NestedField,
  source: { readonly task: FileScanTask; readonly request: ReservedRequest },
  place: { readonly index: number; readonly leafStart: number },
  storedSql: string | undefined,
): MadeColumn {
  const { task, request } = source
  const { file, sequenceNumber } = task
  const leaf = (leafName: string, physicalType: PhysicalType, chunkOf: MadeLeaf['chunkOf']): MadeLeaf =>
    madeLeaf(leafName, place.leafStart, physicalType, chunkOf)
  const single = (made: MadeLeaf): MadeColumn => ({ leaves: [made], column: { source: 'file' } })
  const columnName = `c${place.index}`
  switch (name) {
    case '_file':
      return single(
        leaf(columnName, 'BYTE_ARRAY', ({ rowCount }) => repeatedChunk(encodeUtf8(file.path), rowCount)),
      )
    case '_pos':
      return single(
        leaf(columnName, 'INT64', ({ firstRow, rowCount }) => sequenceChunk(BigInt(firstRow), 1n, rowCount)),
      )
    case '_spec_id':
      return single(
        leaf(columnName, 'INT32', ({ rowCount }) => sequenceChunk(BigInt(file.specId), 0n, rowCount)),
      )
    case '_partition':
      return partitionColumn(field, request.partitionTexts(task), place)
    case '_row_id':
    case '_last_updated_sequence_number': {
      const { firstRowId } = file
      // Files from before lineage have none, whatever their sequence number.
      if (firstRowId === undefined) return constant(storedSql ?? 'NULL')
      const derived = leaf(`derived${place.index}`, 'INT64', ({ firstRow, rowCount }) =>
        name === '_row_id'
          ? sequenceChunk(firstRowId + BigInt(firstRow), 1n, rowCount)
          : sequenceChunk(sequenceNumber, 0n, rowCount),
      )
      const derivedSql = quoteName(derived.node.name)
      return {
        leaves: [derived],
        column: constant(storedSql === undefined ? derivedSql : `coalesce(${storedSql}, ${derivedSql})`)
          .column,
      }
    }
    default:
      return assertNever(name)
  }
}

function partitionColumn(
  { type }: NestedField,
  texts: readonly (string | null)[],
  { index, leafStart }: { readonly index: number; readonly leafStart: number },
): MadeColumn {
  const fields = type.kind === 'struct' ? type.fields : []
  const leaves: MadeLeaf[] = []
  const values = fields.map((field, number) => {
    const text = texts[number] ?? null
    if (text === null) return `${quoteName(field.name)} := NULL`
    const leafName = `c${index}_${number}`
    const bytes = encodeUtf8(text)
    leaves.push(
      madeLeaf(leafName, leafStart + leaves.length, 'BYTE_ARRAY', ({ rowCount }) =>
        repeatedChunk(bytes, rowCount),
      ),
    )
    return `${quoteName(field.name)} := ${quoteName(leafName)}`
  })
  return { leaves, column: constant(`struct_pack(${values.join(', ')})`).column }
}

function constant(sql: string): MadeColumn {
  return { leaves: [], column: { source: 'constant', sql } }
}

function madeLeaf(
  name: string,
  index: number,
  physicalType: PhysicalType,
  chunkOf: MadeLeaf['chunkOf'],
): MadeLeaf {
  const annotation =
    physicalType === 'BYTE_ARRAY' ? ({ kind: 'string' } as const) : ({ kind: 'none' } as const)
  const leaf = { index, physicalType, lengthBytes: undefined }
  return { node: { name, repetition: 'required', annotation, leaf, children: [] }, chunkOf }
}
