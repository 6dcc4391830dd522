// The metadata that commits make, without HTTP or files.
import { describe, expect, it } from 'vitest'
import { CatalogError } from './catalog-error.ts'
import { formatJson } from './json.ts'
import type { JsonObject } from './json.ts'
import { checkRequirements } from './table-requirements.ts'
import { applyUpdates, blankMetadata } from './table-updates.ts'

const field = (id: number, type: JsonObject | string = 'long'): JsonObject => ({
  id,
  name: `f${id}`,
  required: false,
  type,
})
const CREATE: JsonObject[] = [
  { action: 'assign-uuid', uuid: 'u-1' },
  { action: 'set-location', location: 's3://lake/t/' },
  { action: 'add-schema', schema: { type: 'struct', fields: [field(1), field(2)] } },
  { action: 'set-current-schema', 'schema-id': -1 },
  { action: 'add-spec', spec: { fields: [{ 'source-id': 1, transform: 'identity', name: 'f1' }] } },
  { action: 'set-default-spec', 'spec-id': -1 },
  { action: 'add-sort-order', 'sort-order': { 'order-id': 7, fields: [] } },
  { action: 'set-default-sort-order', 'sort-order-id': -1 },
]
const snapshot = (id: bigint, sequence: number, extra: JsonObject = {}): JsonObject => ({
  action: 'add-snapshot',
  snapshot: {
    'snapshot-id': id,
    'sequence-number': sequence,
    'timestamp-ms': 5_000 + sequence,
    'manifest-list': 's3://lake/t/l.avro',
    summary: { operation: 'append' },
    ...extra,
  },
})
const ref = (name: string, id: bigint, type = 'branch'): JsonObject => ({
  action: 'set-snapshot-ref',
  'ref-name': name,
  type,
  'snapshot-id': id,
})
const A = 2n ** 62n + 1n
const B = 2n ** 62n + 2n

const table = applyUpdates(blankMetadata(), CREATE, 1_000)
const withTwo = applyUpdates(table, [snapshot(A, 1), ref('main', A), snapshot(B, 2), ref('main', B)], 9_000)

describe('updates', () => {
  it('makes complete metadata out of nothing', () => {
    expect(table).toMatchObject({
      'table-uuid': 'u-1',
      location: 's3://lake/t',
      'last-column-id': 2,
      'current-schema-id': 0,
      'default-spec-id': 0,
      'last-partition-id': 1_000,
      'default-sort-order-id': 0,
      'last-updated-ms': 1_000,
      'partition-specs': [{ 'spec-id': 0, fields: [{ 'field-id': 1_000 }] }],
    })
  })

  it('leaves its input as it was', () => {
    const before = structuredClone(table)
    applyUpdates(table, [snapshot(A, 1), ref('main', A)], 2_000)
    expect(table).toEqual(before)
  })

  it('finds an equal schema again, and counts nested field ids', () => {
    const nested = { type: 'list', 'element-id': 9, element: { type: 'struct', fields: [field(12)] } }
    const schema = { type: 'struct', fields: [field(1), field(2), field(3, nested)] }
    const add = [
      { action: 'add-schema', schema },
      { action: 'set-current-schema', 'schema-id': -1 },
    ]
    const once = applyUpdates(table, add, 1)
    expect([once['current-schema-id'], once['last-column-id']]).toEqual([1, 12])
    expect(applyUpdates(once, add, 1)['schemas']).toHaveLength(2)
  })

  it('moves main, logs it with the time of the snapshot, and keeps ids whole', () => {
    expect(withTwo).toMatchObject({
      'current-snapshot-id': B,
      'last-sequence-number': 2,
      'last-updated-ms': 5_002,
      'snapshot-log': [
        { 'snapshot-id': A, 'timestamp-ms': 5_001 },
        { 'snapshot-id': B, 'timestamp-ms': 5_002 },
      ],
    })
    const rolledBack = applyUpdates(withTwo, [ref('main', A)], 9_500)
    expect(rolledBack).toMatchObject({ 'current-snapshot-id': A, 'last-updated-ms': 9_500 })
  })

  it('removes snapshots with their refs and log, and refs alone', () => {
    const tagged = applyUpdates(withTwo, [ref('old', A, 'tag')], 1)
    const removed = applyUpdates(tagged, [{ action: 'remove-snapshots', 'snapshot-ids': [A] }], 1)
    expect(removed).toMatchObject({
      snapshots: [{ 'snapshot-id': B }],
      'snapshot-log': [{ 'snapshot-id': B }],
    })
    expect(Object.keys(removed['refs'] as object)).toEqual(['main'])
    const headless = applyUpdates(tagged, [{ action: 'remove-snapshot-ref', 'ref-name': 'main' }], 1)
    expect(headless['current-snapshot-id']).toBe(-1)
  })

  it('drops the log before a removed snapshot, so that no time gets the answer of another', () => {
    const rolledBack = applyUpdates(withTwo, [ref('main', A)], 9_500)
    const removed = applyUpdates(rolledBack, [{ action: 'remove-snapshots', 'snapshot-ids': [B] }], 1)
    expect(removed['snapshot-log']).toEqual([{ 'snapshot-id': A, 'timestamp-ms': 9_500 }])
  })

  it('keeps one statistics file of a snapshot, and none of a snapshot that is gone', () => {
    const statistics = (id: bigint, path: string): JsonObject => ({
      action: 'set-statistics',
      'snapshot-id': id,
      statistics: { 'snapshot-id': id, 'statistics-path': path, 'blob-metadata': [] },
    })
    const pathsOf = (metadata: JsonObject) =>
      (metadata['statistics'] as JsonObject[]).map((item) => item['statistics-path'])
    const set = applyUpdates(withTwo, [statistics(A, 'old'), statistics(B, 'b'), statistics(A, 'new')], 1)
    expect(pathsOf(set)).toEqual(['b', 'new'])
    const taken = applyUpdates(set, [{ action: 'remove-statistics', 'snapshot-id': B }], 1)
    expect(pathsOf(taken)).toEqual(['new'])
    expect(pathsOf(applyUpdates(set, [{ action: 'remove-snapshots', 'snapshot-ids': [A] }], 1))).toEqual([
      'b',
    ])
    expect(() => applyUpdates(table, [statistics(A, 'early')], 1)).toThrow(/No such snapshot/)
  })

  it('sets and removes properties', () => {
    const set = applyUpdates(table, [{ action: 'set-properties', updates: { a: '1', b: '2' } }], 1)
    const removed = applyUpdates(set, [{ action: 'remove-properties', removals: ['a', 'none'] }], 1)
    expect(removed['properties']).toEqual({ b: '2' })
  })

  it('counts row ids from format version 3 on', () => {
    const v3 = applyUpdates(table, [{ action: 'upgrade-format-version', 'format-version': 3 }], 1)
    const rows = applyUpdates(v3, [snapshot(A, 1, { 'first-row-id': 0, 'added-rows': 10 })], 1)
    expect(rows['next-row-id']).toBe(10)
    expect(() => applyUpdates(rows, [snapshot(B, 2, { 'first-row-id': 9, 'added-rows': 1 })], 1)).toThrow(
      'next-row-id',
    )
  })

  it.each<[string, JsonObject]>([
    ['an unknown update', { action: 'set-statistics' }],
    ['the name of an object method', { action: 'constructor' }],
    ['another UUID', { action: 'assign-uuid', uuid: 'u-2' }],
    ['format version 4', { action: 'upgrade-format-version', 'format-version': 4 }],
    ['a schema that is not there', { action: 'set-current-schema', 'schema-id': 8 }],
    ['-1 when nothing was added', { action: 'set-default-spec', 'spec-id': -1 }],
    ['a snapshot twice', snapshot(A, 3)],
    ['a sequence number that does not grow', snapshot(9n, 2)],
    ['a ref to no snapshot', ref('main', 12n)],
    ['main as a tag', ref('main', A, 'tag')],
    ['a snapshot id that is no integer', { action: 'remove-snapshots', 'snapshot-ids': [1.5] }],
    ['a property that is no string', { action: 'set-properties', updates: { a: 1 } }],
  ])('refuses %s', (_what, update) => {
    expect(() => applyUpdates(withTwo, [update], 1)).toThrow(CatalogError)
  })
})

const REQUIREMENTS: readonly (readonly [JsonObject, number | undefined])[] = [
  [{ type: 'assert-create' }, 409],
  [{ type: 'assert-table-uuid', uuid: 'u-1' }, undefined],
  [{ type: 'assert-table-uuid', uuid: 'u-2' }, 409],
  [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': B }, undefined],
  [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': B - 1n }, 409],
  [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null }, 409],
  [{ type: 'assert-ref-snapshot-id', ref: 'none', 'snapshot-id': null }, undefined],
  [{ type: 'assert-ref-snapshot-id', ref: 'toString', 'snapshot-id': null }, undefined],
  [{ type: 'assert-last-assigned-field-id', 'last-assigned-field-id': 2 }, undefined],
  [{ type: 'assert-last-assigned-field-id', 'last-assigned-field-id': 3 }, 409],
  [{ type: 'assert-current-schema-id', 'current-schema-id': 0 }, undefined],
  [{ type: 'assert-current-schema-id', 'current-schema-id': 1 }, 409],
  [{ type: 'assert-last-assigned-partition-id', 'last-assigned-partition-id': 1_000 }, undefined],
  [{ type: 'assert-last-assigned-partition-id', 'last-assigned-partition-id': 999 }, 409],
  [{ type: 'assert-default-spec-id', 'default-spec-id': 0 }, undefined],
  [{ type: 'assert-default-spec-id', 'default-spec-id': 1 }, 409],
  [{ type: 'assert-default-sort-order-id', 'default-sort-order-id': 0 }, undefined],
  [{ type: 'assert-default-sort-order-id', 'default-sort-order-id': 1 }, 409],
  [{ type: 'assert-weather', sun: true }, 400],
  [{ type: 'assert-default-spec-id' }, 400],
]

describe('requirements', () => {
  it.each(
    REQUIREMENTS.map(([requirement, status]) => [formatJson(requirement), requirement, status] as const),
  )('answers %s', (_text, requirement, status) => {
    let failure: unknown
    try {
      checkRequirements(withTwo, [requirement])
    } catch (error) {
      failure = error
    }
    expect(failure instanceof CatalogError ? failure.status : failure).toBe(status)
  })
})
