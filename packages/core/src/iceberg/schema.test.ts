import { expect, test } from 'vitest'
import { formatTableName, quoteIdentifier, tableKey } from './identifiers.ts'
import { findMappedFieldId, parseNameMapping } from './name-mapping.ts'
import {
  findField,
  formatType,
  indexFields,
  parsePrimitiveType,
  parseSchema,
  primitiveTypeOf,
} from './schema.ts'

const json = {
  'schema-id': 3,
  fields: [
    { id: 0, name: 'zero', required: true, type: 'int' },
    {
      id: 2,
      name: 'point',
      required: false,
      type: {
        type: 'struct',
        fields: [{ id: 3, name: 'x.y', required: false, type: 'double', 'initial-default': 1.5 }],
      },
    },
    {
      id: 4,
      name: 'tags',
      required: false,
      type: {
        type: 'map',
        'key-id': 5,
        key: 'string',
        'value-id': 6,
        'value-required': true,
        value: { type: 'list', 'element-id': 7, element: 'long', 'element-required': false },
      },
    },
  ],
}

test('[H65] finds nested fields by id, also id 0', () => {
  const schema = parseSchema(json, '$')
  expect(findField(schema, 0)?.path).toEqual(['zero'])
  expect(findField(schema, 3)).toMatchObject({ path: ['point', 'x.y'], idPath: [2, 3], isRepeated: false })
  expect(findField(schema, 7)).toMatchObject({ path: ['tags', 'value', 'element'], isRepeated: true })
  expect(findField(schema, 99)).toBeUndefined()
  const index = indexFields(schema)
  expect(primitiveTypeOf(index, 3)).toEqual({ kind: 'double' })
  expect(primitiveTypeOf(index, 5)).toBeUndefined()
  expect(primitiveTypeOf(index, 2)).toBeUndefined()
})

test.each([
  'decimal(18, 2)',
  'fixed[5]',
  'geometry(EPSG:4326)',
  'geography(OGC:CRS84, vincenty)',
  'timestamptz_ns',
  'variant',
  'unknown',
])('type %s is formatted as it is parsed', (text) => {
  expect(formatType(parsePrimitiveType(text))).toBe(text)
})

test('types without their parameters have the defaults', () => {
  expect(formatType(parsePrimitiveType('decimal(9,0)'))).toBe('decimal(9, 0)')
  expect(parsePrimitiveType('geometry')).toEqual({ kind: 'geometry', crs: 'OGC:CRS84' })
  expect(parsePrimitiveType('geography')).toEqual({
    kind: 'geography',
    crs: 'OGC:CRS84',
    algorithm: 'spherical',
  })
})

test.each(['decimal(39, 2)', 'decimal(5, 6)', 'interval', 'LONG', '', 'fixed[]'])(
  '[TM9] type %j is not supported',
  (text) => {
    expect(() => parsePrimitiveType(text)).toThrowError(
      expect.objectContaining({ code: 'TABLE_UNSUPPORTED', details: { feature: `type ${text}` } }),
    )
  },
)

test('[TM9] nesting without end is corrupt', () => {
  let type: unknown = 'int'
  for (let depth = 0; depth < 10_000; depth += 1) type = { type: 'list', 'element-id': depth, element: type }
  expect(() => parseSchema({ fields: [{ id: 1, name: 'a', type }] }, '$')).toThrowError(
    expect.objectContaining({ code: 'TABLE_CORRUPT' }),
  )
})

test('[TM10] a name mapping finds ids by exact paths of names', () => {
  const mapping = parseNameMapping(
    JSON.stringify([
      { 'field-id': 1, names: ['id', 'record.id'] },
      {
        'field-id': 2,
        names: ['data'],
        fields: [{ 'field-id': 3, names: ['element'] }, { names: ['skipped'] }],
      },
      { 'field-id': 0, names: [''] },
    ]),
  )
  expect(findMappedFieldId(mapping, ['record.id'])).toBe(1)
  expect(findMappedFieldId(mapping, ['record', 'id'])).toBeUndefined()
  expect(findMappedFieldId(mapping, ['ID'])).toBeUndefined()
  expect(findMappedFieldId(mapping, ['data', 'element'])).toBe(3)
  expect(findMappedFieldId(mapping, ['data', 'skipped'])).toBeUndefined()
  expect(findMappedFieldId(mapping, [''])).toBe(0)
  expect(findMappedFieldId(mapping, [])).toBeUndefined()
})

test.each(['{', '{}', '[{"field-id": 1}]', '[{"names": [1]}]'])(
  '[TM10] name mapping %s is corrupt',
  (text) => {
    expect(() => parseNameMapping(text)).toThrowError(expect.objectContaining({ code: 'TABLE_CORRUPT' }))
  },
)

test('names are quoted only where SQL needs it', () => {
  expect(formatTableName(['analytics'], 'episodes')).toBe('iceberg.analytics.episodes')
  expect(formatTableName(['a', 'b'], 'x y')).toBe('iceberg."a.b"."x y"')
  expect(quoteIdentifier('order')).toBe('"order"')
  expect(quoteIdentifier('Case')).toBe('"Case"')
  expect(quoteIdentifier('a"b')).toBe('"a""b"')
  expect(quoteIdentifier('')).toBe('""')
  expect(tableKey(['a.b'], 't')).not.toBe(tableKey(['a', 'b'], 't'))
})
