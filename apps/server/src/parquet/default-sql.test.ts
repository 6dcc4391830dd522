import { expect, it } from 'vitest'
import type { IcebergType, NestedField } from '@lake/core/iceberg/types.ts'
import { missingFieldSql } from './default-sql.ts'

const field = (
  id: number,
  name: string,
  type: IcebergType,
  more: Partial<NestedField> = {},
): NestedField => ({
  id,
  name,
  type,
  isRequired: false,
  doc: undefined,
  initialDefault: undefined,
  ...more,
})
const INT: IcebergType = { kind: 'int' }
const SEVEN = "CAST('7' AS INTEGER)"

it.each<[string, unknown, string]>([
  ['takes what its default names', { 2: 5 }, `struct_pack("a" := CAST('5' AS INTEGER), "b" := NULL)`],
  ['takes the fields’ own defaults for what it leaves out', {}, `struct_pack("a" := ${SEVEN}, "b" := NULL)`],
  [
    'takes null where its default says null',
    { 2: null, 3: 1 },
    `struct_pack("a" := NULL, "b" := CAST('1' AS INTEGER))`,
  ],
  ['is null without a default, whatever its fields have', undefined, 'NULL'],
  ['is null where its default is', null, 'NULL'],
])('[H67] a missing struct %s', (_what, initialDefault, sql) => {
  const fields = [field(2, 'a', INT, { initialDefault: 7 }), field(3, 'b', INT)]
  expect(missingFieldSql(field(1, 's', { kind: 'struct', fields }, { initialDefault }), 's')).toBe(sql)
})

it('[H67] [H68] null in a default is no value of a required field', () => {
  const fields = [field(2, 'a', INT, { isRequired: true, initialDefault: 7 })]
  const of = (initialDefault: unknown) =>
    missingFieldSql(field(1, 's', { kind: 'struct', fields }, { initialDefault }), 's')
  expect(of({})).toBe(`struct_pack("a" := ${SEVEN})`)
  expect(() => of({ 2: null })).toThrow(expect.objectContaining({ code: 'TABLE_CORRUPT' }))
})

it.each<[IcebergType, unknown, string]>([
  [{ kind: 'struct', fields: [field(2, 'a', INT)] }, [1], 'TABLE_CORRUPT'],
  [INT, 'seven', 'TABLE_CORRUPT'],
  [{ kind: 'list', elementId: 2, element: INT, isElementRequired: false }, [1], 'TABLE_UNSUPPORTED'],
])('a default that is none of %j is refused: %j', (type, initialDefault, code) => {
  expect(() => missingFieldSql(field(1, 'x', type, { initialDefault }), 'x')).toThrow(
    expect.objectContaining({ code }),
  )
})
