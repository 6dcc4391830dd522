import { expect, test } from 'vitest'
import { findMappedFieldId } from './name-mapping.ts'
import { nameMappingOf } from './table-name-mapping.ts'
import type { NestedField, Schema } from './types.ts'

const field = (id: number, name: string, type: NestedField['type'] = { kind: 'int' }): NestedField => ({
  id,
  name,
  type,
  isRequired: false,
  doc: undefined,
  initialDefault: undefined,
})
const schema = (...fields: NestedField[]): Schema => ({ schemaId: 0, fields, identifierFieldIds: [] })
const list = (elementId: number): NestedField['type'] => ({
  kind: 'list',
  elementId,
  element: { kind: 'int' },
  isElementRequired: false,
})
const tableOf = (mapping: unknown, ...schemas: Schema[]) => ({
  properties: { 'schema.name-mapping.default': JSON.stringify(mapping) },
  schemas,
})

test('a table without the property has no mapping', () => {
  expect(nameMappingOf({ properties: {}, schemas: [schema(field(1, 'a'))] })).toBeUndefined()
})

test('[TM12] a mapping that fits the schemas is used as it is, ids of dropped columns and renamed ones too', () => {
  const mapping = [
    { 'field-id': 1, names: ['old'], fields: [{ 'field-id': 3, names: ['element'] }] },
    { 'field-id': 9, names: ['gone'] },
  ]
  const used = nameMappingOf(tableOf(mapping, schema(field(1, 'a', list(3)), field(2, 'b'))))
  expect(used?.origin).toBeUndefined()
  expect(used && findMappedFieldId(used, ['old', 'element'])).toBe(3)
  expect(used && findMappedFieldId(used, ['a'])).toBeUndefined()
})

test('[TM12] a mapping numbered by itself gives way to the names in the schemas', () => {
  const mapping = [
    { 'field-id': 1, names: ['a'], fields: [{ 'field-id': 2, names: ['element'] }] },
    { 'field-id': 3, names: ['b'] },
  ]
  const used = nameMappingOf(
    tableOf(
      mapping,
      schema(field(1, 'a', list(3)), field(2, 'b')),
      schema(field(1, 'a', list(3)), field(2, 'c')),
    ),
  )
  expect(used?.origin).toBe('schemas')
  const idOf = (...path: string[]) => used && findMappedFieldId(used, path)
  expect([idOf('a'), idOf('a', 'element'), idOf('b'), idOf('c')]).toEqual([1, 3, 2, 2])
})

test('[TM12] a name that has meant two fields settles nothing', () => {
  const mapping = [{ 'field-id': 3, names: ['a'] }]
  const before = schema(field(1, 'a', list(3)), field(2, 'b'))
  const swapped = schema(field(1, 'b', list(3)), field(2, 'a'))
  expect(nameMappingOf(tableOf(mapping, before, swapped))?.origin).toBe('ambiguous')
})
