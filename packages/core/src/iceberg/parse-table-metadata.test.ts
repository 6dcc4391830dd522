import { describe, expect, test } from 'vitest'
import { isAppError } from '../errors.ts'
import { parseLosslessJson } from './lossless-json.ts'
import { parseTableMetadata } from './parse-table-metadata.ts'
import { currentSnapshot, findSnapshot, schemaForSnapshot, snapshotAsOf, snapshotOfRef } from './snapshot.ts'

const schema = (schemaId: number, name: string) => ({
  type: 'struct',
  'schema-id': schemaId,
  fields: [{ id: 1, name, required: true, type: 'long' }],
})
const snapshot = (id: number, extra: object = {}) => ({
  'snapshot-id': id,
  'timestamp-ms': id * 1000,
  'sequence-number': id,
  'manifest-list': `s3://b/list-${id}`,
  summary: { operation: 'append', 'added-records': 5 },
  ...extra,
})
const base = {
  'format-version': 2,
  'table-uuid': 'u',
  location: 's3://b/t',
  'current-schema-id': 1,
  schemas: [schema(0, 'old'), schema(1, 'new')],
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'current-snapshot-id': 2,
  snapshots: [snapshot(1, { 'schema-id': 0 }), snapshot(2, { 'schema-id': 0 })],
}
const parse = (changes: object = {}) => parseTableMetadata({ ...base, ...changes })
const codeOf = (changes: object): readonly [string, string] => {
  try {
    parse(changes)
  } catch (error) {
    if (isAppError(error)) return [error.code, error.message]
    throw error
  }
  return ['none', '']
}

test('reads what a table of version 2 has', () => {
  const metadata = parse({
    refs: { main: { 'snapshot-id': 2, type: 'branch' }, 'v1.0': { 'snapshot-id': 1, type: 'tag' } },
    properties: { a: 'b', n: 1 },
    'sort-orders': [
      {
        'order-id': 1,
        fields: [{ 'source-id': 1, transform: 'identity', direction: 'desc', 'null-order': 'nulls-last' }],
      },
    ],
  })
  expect(metadata.currentSnapshotId).toBe(2n)
  expect(metadata.refs).toContainEqual({ name: 'v1.0', snapshotId: 1n, kind: 'tag' })
  expect(metadata.properties).toEqual({ a: 'b', n: '1' })
  expect(metadata.snapshots[0]?.summary['added-records']).toBe('5')
  expect(metadata.sortOrders[0]?.fields[0]).toEqual({
    sourceId: 1,
    transform: 'identity',
    direction: 'desc',
    nullOrder: 'nulls-last',
  })
})

test('[TM1] [H1] a later format version is refused before anything else', () => {
  expect(() => parseTableMetadata({ 'format-version': 4, schemas: 'nonsense' })).toThrowError(
    expect.objectContaining({ code: 'TABLE_UNSUPPORTED', details: { feature: 'format version 4' } }),
  )
})

test('[TM2] [H2] ids beyond 2^53 are exact', () => {
  const text = JSON.stringify({ ...base, 'current-snapshot-id': null, snapshots: [snapshot(77)] })
  const metadata = parseTableMetadata(
    parseLosslessJson(text.replaceAll('"snapshot-id":77', '"snapshot-id":7505300640432048841')),
  )
  expect(findSnapshot(metadata, 7505300640432048841n)?.sequenceNumber).toBe(77n)
  expect(findSnapshot(metadata, 7505300640432048840n)).toBeUndefined()
})

test.each([[undefined], [null], [-1]])('[TM3] [H3] current-snapshot-id %s means no snapshot', (id) => {
  const metadata = parse({ 'current-snapshot-id': id })
  expect(metadata.currentSnapshotId).toBeUndefined()
  expect(currentSnapshot(metadata)).toBeUndefined()
  expect(metadata.refs).toEqual([])
})

test('[TM3] [H3] a main of -1 is no ref', () => {
  const refs = { main: { 'snapshot-id': -1, type: 'branch' } }
  expect(parse({ 'current-snapshot-id': -1, refs }).refs).toEqual([])
})

test('[TM4] [H4] main is the current snapshot where there are no refs', () => {
  expect(parse().refs).toEqual([{ name: 'main', snapshotId: 2n, kind: 'branch' }])
  expect(snapshotOfRef(parse(), 'main').snapshotId).toBe(2n)
  expect(codeOf({ refs: { main: { 'snapshot-id': 1, type: 'branch' } } })[0]).toBe('TABLE_CORRUPT')
})

test('[TM5] [H10] [H11] version 1 has one schema, one spec and manifests without a list', () => {
  const metadata = parseTableMetadata({
    'format-version': 1,
    location: 'file:/t',
    schema: { type: 'struct', fields: [{ id: 1, name: 'a', required: false, type: 'string' }] },
    'partition-spec': [{ name: 'p', transform: 'identity', 'source-id': 1 }],
    'current-snapshot-id': 1,
    snapshots: [{ 'snapshot-id': 1, 'timestamp-ms': 1, manifests: ['m1', 'm2'] }],
  })
  expect(metadata.tableUuid).toBeUndefined()
  expect(metadata.partitionSpecs).toEqual([
    { specId: 0, fields: [{ sourceIds: [1], fieldId: 1000, name: 'p', transform: 'identity' }] },
  ])
  expect(metadata.snapshots[0]).toMatchObject({
    manifests: ['m1', 'm2'],
    manifestList: undefined,
    sequenceNumber: 0n,
  })
  expect(schemaForSnapshot(metadata, metadata.snapshots[0], { isPinned: true }).schemaId).toBe(0)
})

test.each<[object, string]>([
  [{ snapshots: [snapshot(1), { 'timestamp-ms': 1 }] }, '$.snapshots[1].snapshot-id'],
  [{ schemas: [{ 'schema-id': 1, fields: [{ id: 'x' }] }] }, '$.schemas[0].fields[0].id'],
  [{ schemas: {} }, '$.schemas'],
  [{ 'current-schema-id': 9 }, '$.current-schema-id'],
  [{ 'format-version': 0 }, '$.format-version'],
  [{ 'format-version': '2' }, '$.format-version'],
  [{ snapshots: [snapshot(1, { 'snapshot-id': 1.5 })] }, '$.snapshots[0].snapshot-id'],
  [{ refs: { 'a"b': {} } }, '$.refs["a\\"b"].snapshot-id'],
  [
    {
      'partition-specs': [
        { 'spec-id': 0, fields: [] },
        { 'spec-id': 0, fields: [] },
      ],
    },
    '$.partition-specs',
  ],
  [{ 'current-snapshot-id': '99999999999999999999' }, '$.current-snapshot-id'],
])('[TM6] [H50] %j is corrupt and the message names the place', (changes, place) => {
  const [code, message] = codeOf(changes)
  expect(code).toBe('TABLE_CORRUPT')
  expect(message).toContain(place)
})

test.each([[null], [5], ['{}'], [[]]])('[TM6] metadata %j is corrupt', (json) => {
  expect(() => parseTableMetadata(json)).toThrowError(expect.objectContaining({ code: 'TABLE_CORRUPT' }))
})

describe('schemas of snapshots', () => {
  test('[TM7] [H7] [B13] the current schema reads the current snapshot, its own a pinned one', () => {
    const metadata = parse()
    const current = currentSnapshot(metadata)
    expect(schemaForSnapshot(metadata, current, { isPinned: false }).schemaId).toBe(1)
    expect(schemaForSnapshot(metadata, current, { isPinned: true }).schemaId).toBe(0)
    expect(schemaForSnapshot(metadata, undefined, { isPinned: false }).schemaId).toBe(1)
  })

  test('[TM7] [H8] a schema that was removed is an error, not another schema', () => {
    const metadata = parse({ schemas: [schema(1, 'new')] })
    expect(() => schemaForSnapshot(metadata, currentSnapshot(metadata), { isPinned: true })).toThrowError(
      expect.objectContaining({ code: 'TABLE_CORRUPT' }),
    )
  })
})

test('[TM8] [H9] as of a time is the last log entry at or before it', () => {
  const log = [
    { 'timestamp-ms': 100, 'snapshot-id': 1 },
    { 'timestamp-ms': 200, 'snapshot-id': 2 },
    { 'timestamp-ms': 300, 'snapshot-id': 1 },
    { 'timestamp-ms': 400, 'snapshot-id': 9 },
  ]
  const metadata = parse({ 'snapshot-log': log })
  expect(snapshotAsOf(metadata, 199).snapshotId).toBe(1n)
  expect(snapshotAsOf(metadata, 200).snapshotId).toBe(2n)
  // A rollback made snapshot 1 current again.
  expect(snapshotAsOf(metadata, 399).snapshotId).toBe(1n)
  expect(() => snapshotAsOf(metadata, 99)).toThrowError(expect.objectContaining({ code: 'NO_SUCH_SNAPSHOT' }))
  expect(() => snapshotAsOf(metadata, 400)).toThrowError(
    expect.objectContaining({ code: 'SNAPSHOT_EXPIRED' }),
  )
})

test('[H15] statistics of any shape are no concern of a reader', () => {
  const odd = { statistics: 'none', 'partition-statistics': [{ 'snapshot-id': 'x' }, null] }
  expect(parse(odd).currentSnapshotId).toBe(2n)
})

test('[H37] a transform of several columns names them all, an old one names one', () => {
  const fields = [
    { 'field-id': 1000, name: 'z', transform: 'zorder', 'source-ids': [1, 2] },
    { 'field-id': 1001, name: 'b', transform: 'bucket[4]', 'source-id': 1, 'source-ids': [1] },
    { 'field-id': 1002, name: 'c', transform: 'bucket[4]', 'source-id': 1 },
  ]
  const [spec] = parse({ 'partition-specs': [{ 'spec-id': 0, fields }] }).partitionSpecs
  expect(spec?.fields.map(({ sourceIds }) => sourceIds)).toEqual([[1, 2], [1], [1]])
})

test('a ref or current snapshot that is not listed is corrupt, an unknown ref is no such snapshot', () => {
  const metadata = parse({ 'current-snapshot-id': 5 })
  expect(() => currentSnapshot(metadata)).toThrowError(expect.objectContaining({ code: 'TABLE_CORRUPT' }))
  expect(() => snapshotOfRef(metadata, 'x')).toThrowError(
    expect.objectContaining({ code: 'NO_SUCH_SNAPSHOT' }),
  )
})

test.each([
  [{ 'encryption-keys': [{ 'key-id': 'k' }] }],
  [{ properties: { 'encryption.key-id': 'k' } }],
  [{ snapshots: [snapshot(2, { 'key-id': 'k' })] }],
])('[TM11] [H81] keys in %j refuse nothing by themselves', (changes) => {
  expect(currentSnapshot(parse(changes))?.snapshotId).toBe(2n)
})
