// The body of a loadTable answer for a table with a long history and many refs.

export function manyRefs(snapshotCount: number, branchCount: number): string {
  const snapshots = Array.from({ length: snapshotCount }, (_, index) => ({
    'snapshot-id': index + 1,
    ...(index > 0 ? { 'parent-snapshot-id': index } : {}),
    'sequence-number': index + 1,
    'timestamp-ms': 1_700_000_000_000 + index * 60_000,
    'manifest-list': `s3://bench/many/metadata/snap-${index + 1}.avro`,
    'schema-id': 0,
    summary: {
      operation: 'append',
      'added-data-files': '10',
      'added-records': '100000',
      'total-records': String((index + 1) * 100_000),
      'total-data-files': String((index + 1) * 10),
    },
  }))
  const ref = (kind: 'branch' | 'tag', index: number): [string, unknown] => [
    `${kind}-${index}`,
    { 'snapshot-id': (index % snapshotCount) + 1, type: kind },
  ]
  const refs = Object.fromEntries([
    ['main', { 'snapshot-id': snapshotCount, type: 'branch' }],
    ...Array.from({ length: branchCount }, (_, index) => ref('branch', index)),
    ...Array.from({ length: branchCount }, (_, index) => ref('tag', index)),
  ])
  return JSON.stringify({
    'metadata-location': 's3://bench/many/metadata/v1.metadata.json',
    config: {},
    metadata: {
      'format-version': 2,
      'table-uuid': '00000000-0000-4000-8000-000000000002',
      location: 's3://bench/many',
      'last-updated-ms': 1_800_000_000_000,
      'current-schema-id': 0,
      schemas: [
        { type: 'struct', 'schema-id': 0, fields: [{ id: 1, name: 'id', required: false, type: 'int' }] },
      ],
      'default-spec-id': 0,
      'partition-specs': [{ 'spec-id': 0, fields: [] }],
      'current-snapshot-id': snapshotCount,
      snapshots,
      refs,
    },
  })
}
