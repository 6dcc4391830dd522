import { describe, expect, it } from 'vitest'
import type { Schema } from '@lake/core/iceberg/types.ts'
import type { Annotation } from './annotation.ts'
import { resolveFieldIds } from './field-ids.ts'
import type { ParquetMetadata, Repetition, SchemaNode } from './parquet-metadata.ts'
import { filterableColumns } from './row-group-pruning.ts'

function leaf(
  fieldId: number,
  annotation: Annotation = { kind: 'none' },
  repetition: Repetition = 'optional',
): SchemaNode {
  return {
    name: `c${fieldId}`,
    repetition,
    annotation,
    fieldId,
    leaf: { index: 0, physicalType: 'INT32', lengthBytes: undefined },
    children: [],
  }
}
const group = (fieldId: number, annotation: Annotation, ...children: readonly SchemaNode[]): SchemaNode => ({
  ...leaf(fieldId, annotation),
  leaf: undefined,
  children,
})
const optional = { isRequired: false, doc: undefined, initialDefault: undefined } as const
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'a', type: { kind: 'int' }, ...optional },
    {
      id: 2,
      name: 's',
      type: { kind: 'struct', fields: [{ id: 3, name: 'x', type: { kind: 'int' }, ...optional }] },
      ...optional,
    },
  ],
}

function filterable(...columns: readonly SchemaNode[]): number[] {
  const metadata: ParquetMetadata = {
    columns,
    leafCount: columns.length,
    rowGroups: [],
    rowCount: 0,
    hasFieldIds: true,
    hasColumnOrders: true,
    footerBytes: 0,
  }
  return [...filterableColumns(metadata, SCHEMA, resolveFieldIds(metadata, undefined)).keys()]
}

describe('columns whose statistics speak of the table', () => {
  it('are found by id, inside of structs too', () => {
    expect(filterable(leaf(1), group(2, { kind: 'none' }, leaf(3)))).toEqual([1, 3])
    expect(filterable(leaf(3), leaf(9))).toEqual([])
  })

  it.each<[string, SchemaNode[]]>([
    // Read as nulls whatever its statistics say.
    ['marked as all null', [leaf(1, { kind: 'other', name: 'null' })]],
    ['repeated', [leaf(1, { kind: 'none' }, 'repeated')]],
    ['there twice', [leaf(1), leaf(1)]],
    ['of a type that is not read as the table’s', [leaf(1, { kind: 'date' })]],
    ['a struct', [group(1, { kind: 'none' }, leaf(9))]],
    ['inside of a list', [group(2, { kind: 'list' }, leaf(3))]],
  ])('are none that are %s', (_what, columns) => {
    expect(filterable(...columns)).toEqual([])
  })
})
