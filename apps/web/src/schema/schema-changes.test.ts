import { describe, expect, it } from 'vitest'
import type { ColumnNode } from '@lake/core/api/contract.ts'
import { changeText, schemaChanges } from './schema-changes.ts'

const column = (id: number, name: string, changes: Partial<ColumnNode> = {}): ColumnNode => ({
  id,
  name,
  type: 'long',
  isRequired: false,
  doc: null,
  initialDefault: null,
  writeDefault: null,
  children: [],
  ...changes,
})

describe('[TV4] columns are followed by field id', () => {
  it('so a rename is a rename, and a dropped name that came back is another column', () => {
    const changes = schemaChanges(
      [column(1, 'id', { type: 'int' }), column(2, 'x'), column(3, 'gone', { isRequired: true })],
      [column(1, 'id'), column(2, 'y', { isRequired: true }), column(4, 'gone', { type: 'string' })],
    )
    expect(changes.map((change) => `${change.path}: ${changeText(change)}`)).toEqual([
      'id: widened, int → long',
      'y: renamed, was x',
      'y: required now',
      'gone: added, string',
      'gone: dropped, was long',
    ])
  })

  it('inside of nested columns too', () => {
    const address = (...children: ColumnNode[]) => [column(1, 'address', { type: 'struct', children })]
    expect(
      schemaChanges(address(column(2, 'zip')), address(column(2, 'postcode'), column(3, 'city'))),
    ).toEqual([
      { kind: 'renamed', fieldId: 2, path: 'address.postcode', detail: 'zip' },
      { kind: 'added', fieldId: 3, path: 'address.city', detail: 'long' },
    ])
    expect(schemaChanges(address(), address())).toEqual([])
    // The type of what holds a column tells its parts too; they have changes of their own.
    const holder = (type: string, part: string) =>
      column(1, 'tags', { type, children: [column(2, 'element', { type: part })] })
    expect(schemaChanges([holder('list<int>', 'int')], [holder('list<long>', 'long')])).toEqual([
      { kind: 'widened', fieldId: 2, path: 'tags.element', detail: 'int → long' },
    ])
  })

  it.each([
    ['float', 'double', 'widened'],
    ['decimal(8, 2)', 'decimal(12, 2)', 'widened'],
    ['decimal(12, 2)', 'decimal(8, 2)', 'type'],
    ['decimal(8, 2)', 'decimal(12, 4)', 'type'],
    ['date', 'timestamp', 'widened'],
    ['string', 'long', 'type'],
  ])('and %s to %s is called %s', (before, after, kind) => {
    const changes = schemaChanges([column(1, 'x', { type: before })], [column(1, 'x', { type: after })])
    expect(changes.map((change) => change.kind)).toEqual([kind])
  })
})
