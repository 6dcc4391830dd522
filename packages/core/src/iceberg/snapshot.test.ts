import { describe, expect, it } from 'vitest'
import { parseTableMetadata } from './parse-table-metadata.ts'
import { resolveVersion, type TableVersion } from './snapshot.ts'

const schema = (schemaId: number) => ({
  type: 'struct',
  'schema-id': schemaId,
  fields: [{ id: 1, name: `c${schemaId}`, required: false, type: 'long' }],
})
const snapshot = (id: string, schemaId?: number) => ({
  'snapshot-id': id,
  'timestamp-ms': 1,
  'manifest-list': 's3://b/l',
  summary: {},
  ...(schemaId === undefined ? {} : { 'schema-id': schemaId }),
})
const BIG = '9007199254740993'
const metadata = parseTableMetadata({
  'format-version': 2,
  location: 's3://b/t',
  'current-schema-id': 2,
  schemas: [schema(0), schema(1), schema(2)],
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'current-snapshot-id': 3,
  snapshots: [snapshot(BIG, 0), snapshot('2'), snapshot('3', 1)],
  'snapshot-log': [
    { 'timestamp-ms': 100, 'snapshot-id': BIG },
    { 'timestamp-ms': 200, 'snapshot-id': 3 },
    { 'timestamp-ms': 300, 'snapshot-id': 77 },
  ],
  refs: {
    main: { 'snapshot-id': 3, type: 'branch', 'min-snapshots-to-keep': 4 },
    work: { 'snapshot-id': BIG, type: 'branch', 'max-snapshot-age-ms': BIG },
    kept: { 'snapshot-id': BIG, type: 'tag', 'max-ref-age-ms': 5 },
    [BIG]: { 'snapshot-id': 3, type: 'tag' },
  },
})

describe('resolveVersion', () => {
  it.each<[string, TableVersion, string, number]>([
    ['an id has its own schema', { kind: 'snapshot', snapshotId: BigInt(BIG) }, BIG, 0],
    ['an id without a schema has the current one', { kind: 'snapshot', snapshotId: 2n }, '2', 2],
    ['a tag has its own schema', { kind: 'ref', name: 'kept' }, BIG, 0],
    ['a branch has the current schema', { kind: 'ref', name: 'work' }, BIG, 2],
    ['main has the current schema', { kind: 'ref', name: 'main' }, '3', 2],
    ['a tag of digits is a tag', { kind: 'ref', name: BIG }, '3', 1],
    ['a time has the schema of its snapshot', { kind: 'time', timestampMs: 199 }, BIG, 0],
    ['a time is inclusive', { kind: 'time', timestampMs: 200 }, '3', 1],
  ])('[TM7] [H5] [H7] %s', (_what, version, snapshotId, schemaId) => {
    const resolved = resolveVersion(metadata, version)
    expect([String(resolved.snapshot.snapshotId), resolved.schema.schemaId]).toEqual([snapshotId, schemaId])
  })

  it.each<[TableVersion, string]>([
    [{ kind: 'snapshot', snapshotId: 9_007_199_254_740_992n }, 'NO_SUCH_SNAPSHOT'],
    [{ kind: 'ref', name: 'Main' }, 'NO_SUCH_SNAPSHOT'],
    [{ kind: 'ref', name: '3' }, 'NO_SUCH_SNAPSHOT'],
    [{ kind: 'ref', name: '' }, 'NO_SUCH_SNAPSHOT'],
    [{ kind: 'time', timestampMs: 99 }, 'NO_SUCH_SNAPSHOT'],
    [{ kind: 'time', timestampMs: 300 }, 'SNAPSHOT_EXPIRED'],
  ])('[TM8] [H9] %o is %s, and never a neighbour', (version, code) => {
    expect(() => resolveVersion(metadata, version)).toThrowError(expect.objectContaining({ code }))
  })
})

it('reads how long refs are kept', () => {
  expect(metadata.refs).toEqual([
    { name: 'main', snapshotId: 3n, kind: 'branch', minSnapshotsToKeep: 4 },
    { name: 'work', snapshotId: BigInt(BIG), kind: 'branch', maxSnapshotAgeMs: BigInt(BIG) },
    { name: 'kept', snapshotId: BigInt(BIG), kind: 'tag', maxRefAgeMs: 5n },
    { name: BIG, snapshotId: 3n, kind: 'tag' },
  ])
})
