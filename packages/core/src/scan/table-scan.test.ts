import { describe, expect, test } from 'vitest'
import type { Predicate } from '../expr/predicate.ts'
import { encodeBound } from '../iceberg/literal-bytes.ts'
import type { DataFile, ManifestEntry, ManifestFile } from '../iceberg/manifest.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import type { LiteralValue, Schema } from '../iceberg/types.ts'
import { refuseUnsupported } from './refuse-unsupported.ts'
import { finishSteps } from './steps.ts'
import { dataFile as plainFile } from './test/data-file.ts'
import { ALL_PRUNING, createTableScan, NO_PRUNING } from './table-scan.ts'

const LONG = { kind: 'long' } as const
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'id', isRequired: false, type: LONG, doc: undefined, initialDefault: undefined },
    {
      id: 2,
      name: 'day',
      isRequired: false,
      type: { kind: 'date' },
      doc: undefined,
      initialDefault: undefined,
    },
  ],
}
const byDay: PartitionSpec = {
  specId: 0,
  fields: [{ sourceIds: [2], fieldId: 1000, name: 'day', transform: 'identity' }],
}
const byBucket: PartitionSpec = {
  specId: 1,
  fields: [{ sourceIds: [1], fieldId: 1001, name: 'day', transform: 'bucket[4]' }],
}

const dataFile = (path: string, changes: Partial<DataFile> = {}): DataFile =>
  plainFile(path, { partition: new Map([[1000, 5n]]), recordCount: 10, fileSizeBytes: 100, ...changes })
const entry = (file: DataFile, changes: Partial<ManifestEntry> = {}): ManifestEntry => ({
  status: 'added',
  snapshotId: 1n,
  sequenceNumber: 1n,
  file,
  ...changes,
})
const manifest = (path: string, changes: Partial<ManifestFile> = {}): ManifestFile => ({
  path,
  lengthBytes: 1,
  partitionSpecId: 0,
  content: 'data',
  sequenceNumber: 1n,
  minSequenceNumber: 1n,
  addedSnapshotId: 1n,
  addedFilesCount: 1,
  existingFilesCount: 0,
  deletedFilesCount: 0,
  addedRowsCount: 10n,
  existingRowsCount: 0n,
  partitions: undefined,
  hasKeyMetadata: false,
  firstRowId: undefined,
  ...changes,
})
const bounds = (lower: LiteralValue, upper: LiteralValue): Partial<DataFile> => ({
  lowerBounds: new Map([[1, encodeBound(LONG, lower)]]),
  upperBounds: new Map([[1, encodeBound(LONG, upper)]]),
})
const onDay = (day: bigint): Predicate => ({ op: 'eq', fieldId: 2, literal: day })
const scanOf = (predicate: Predicate, pruning = ALL_PRUNING) =>
  createTableScan({ specs: [byDay, byBucket], schema, predicate, pruning })
const samePath = (path: string): string => path

test('[SP1] [H34] [H50] each manifest is planned with its own spec', () => {
  const scan = scanOf(onDay(6n))
  const file = dataFile('a', { specId: 1, partition: new Map([[1001, 5n]]) })
  expect(scan.selectFiles(manifest('m', { partitionSpecId: 1 }), [entry(file)]).candidates).toHaveLength(1)
  expect(scan.selectFiles(manifest('m'), [entry(dataFile('b'))]).candidates).toHaveLength(0)
  expect(() => finishSteps(scan.selectManifests([manifest('m', { partitionSpecId: 7 })]))).toThrowError(
    expect.objectContaining({ code: 'TABLE_CORRUPT' }),
  )
})

test('[SP1] [H49] a partition field may have its source inside of a struct', () => {
  const point = {
    ...schema.fields[0]!,
    id: 7,
    name: 'point',
    type: { kind: 'struct', fields: [{ ...schema.fields[0]!, id: 8, name: 'x' }] },
  } as const
  const scan = createTableScan({
    specs: [{ specId: 0, fields: [{ sourceIds: [8], fieldId: 1000, name: 'x', transform: 'bucket[4]' }] }],
    schema: { ...schema, fields: [point] },
    predicate: { op: 'eq', fieldId: 8, literal: 34n },
  })
  const inBucket = (bucket: bigint) => entry(dataFile(`b${bucket}`, { partition: new Map([[1000, bucket]]) }))
  const { candidates } = scan.selectFiles(manifest('m'), [0n, 1n, 2n, 3n].map(inBucket))
  // 2017239379 & 0x7fffffff is 3 of 4.
  expect(candidates.map(({ file }) => file.path)).toEqual(['b3'])
})

test('[SP4] [H57] [B5] what metrics say of a list or map, and of what is in them, skips nothing', () => {
  const container = {
    ...schema.fields[0]!,
    id: 3,
    type: { kind: 'list', elementId: 4, element: LONG, isElementRequired: false },
  } as const
  const file = dataFile('a', {
    valueCounts: new Map([
      [3, 10],
      [4, 10],
    ]),
    nullValueCounts: new Map([
      [3, 10],
      [4, 0],
    ]),
    lowerBounds: new Map([[4, encodeBound(LONG, 5n)]]),
    upperBounds: new Map([[4, encodeBound(LONG, 9n)]]),
  })
  const predicates: readonly Predicate[] = [
    { op: 'not-null', fieldId: 3 },
    { op: 'is-null', fieldId: 4 },
    { op: 'eq', fieldId: 4, literal: 100n },
  ]
  for (const predicate of predicates) {
    const scan = createTableScan({ specs: [byDay], schema: { ...schema, fields: [container] }, predicate })
    expect(scan.selectFiles(manifest('m'), [entry(file)]).candidates).toHaveLength(1)
  }
})

test('[SP4] [H58d] [B7] a delete file is kept whatever its metrics say of its columns', () => {
  const deletion = dataFile('d', {
    content: 'equality-deletes',
    equalityIds: [1],
    valueCounts: new Map([[1, 1]]),
    nullValueCounts: new Map([[1, 0]]),
    ...bounds(20n, 29n),
  })
  const predicates: readonly Predicate[] = [
    { op: 'lt', fieldId: 1, literal: 10n },
    { op: 'is-null', fieldId: 1 },
  ]
  for (const predicate of predicates) {
    const selection = scanOf(predicate).selectFiles(manifest('m', { content: 'deletes' }), [entry(deletion)])
    expect(selection.deletes.map(({ file }) => file.path)).toEqual(['d'])
  }
})

test('[SP4] [B17] what a scan says of a file does not depend on the files before it', () => {
  const scan = scanOf({ op: 'lt', fieldId: 1, literal: 10n })
  const isKept = (file: DataFile): boolean =>
    scan.selectFiles(manifest('m'), [entry(file)]).candidates.length > 0
  const near = dataFile('near', bounds(0n, 9n))
  const far = dataFile('far', bounds(20n, 29n))
  const silent = dataFile('silent')
  expect([near, far, silent, far, near, silent, silent, far].map(isKept)).toEqual([
    true,
    false,
    true,
    false,
    true,
    true,
    true,
    false,
  ])
})

test('[SP4] bounds of UUIDs skip nothing, since writers order them in two ways', () => {
  const uuid = (first: number): Uint8Array =>
    Uint8Array.from({ length: 16 }, (_, index) => (index === 0 ? first : 0))
  // Merged as signed numbers from row groups 10…a0 and 85…b0: as unsigned ones they would leave out 20….
  const file = dataFile('a', {
    lowerBounds: new Map([[1, uuid(0x85)]]),
    upperBounds: new Map([[1, uuid(0xb0)]]),
    valueCounts: new Map([[1, 10]]),
    nullValueCounts: new Map([[1, 0]]),
  })
  const scan = createTableScan({
    specs: [byDay],
    schema: {
      ...schema,
      fields: schema.fields.map((field) => (field.id === 1 ? { ...field, type: { kind: 'uuid' } } : field)),
    },
    predicate: { op: 'eq', fieldId: 1, literal: uuid(0x20) },
  })
  expect(scan.selectFiles(manifest('m'), [entry(file)]).candidates).toHaveLength(1)
  const isNull = createTableScan({ specs: [byDay], schema, predicate: { op: 'is-null', fieldId: 1 } })
  expect(isNull.selectFiles(manifest('m'), [entry(file)]).candidates).toHaveLength(0)
})

test('[SP2] [H23] deleted entries are skipped', () => {
  const scan = scanOf({ op: 'true' })
  const entries = [entry(dataFile('a'), { status: 'deleted' }), entry(dataFile('b'), { status: 'existing' })]
  const selection = scan.selectFiles(manifest('m'), entries)
  expect(selection.candidates.map(({ file }) => file.path)).toEqual(['b'])
  expect(selection).toMatchObject({ totalCount: 1, bytesTotal: 100 })
  const deletes = scan.selectFiles(manifest('m', { content: 'deletes' }), entries)
  expect(deletes.deletes.map(({ file }) => file.path)).toEqual(['b'])
  expect(deletes).toMatchObject({ totalCount: 0, candidates: [] })
})

test('[DF10] [H82] deletes that name a data file are kept by no filter on partitions, others are dropped by it', () => {
  const scan = scanOf({ op: 'eq', fieldId: 2, literal: 7n })
  const elsewhere = { partition: new Map([[1000, 8n]]), content: 'position-deletes' } as const
  const named = dataFile('named', { ...elsewhere, referencedDataFile: 's3://b/data' })
  const deletes = manifest('m', {
    content: 'deletes',
    partitions: [
      {
        containsNull: false,
        containsNan: undefined,
        lowerBound: encodeBound({ kind: 'date' }, 8n),
        upperBound: encodeBound({ kind: 'date' }, 8n),
      },
    ],
  })
  expect(finishSteps(scan.selectManifests([deletes])).read).toEqual([deletes])
  const { deletes: kept } = scan.selectFiles(deletes, [entry(dataFile('other', elsewhere)), entry(named)])
  expect(kept.map(({ file }) => file.path)).toEqual(['named'])
})

test('[SP3] [H27] a manifest is skipped by counts only where both are known to be zero', () => {
  const scan = scanOf({ op: 'true' })
  const selected = finishSteps(
    scan.selectManifests([
      manifest('empty', { addedFilesCount: 0, existingFilesCount: 0, deletedFilesCount: 3 }),
      manifest('unknown', { addedFilesCount: 0, existingFilesCount: undefined }),
      manifest('existing', { addedFilesCount: 0, existingFilesCount: 2 }),
    ]),
  )
  expect(selected.read.map(({ path }) => path)).toEqual(['unknown', 'existing'])
})

test('manifests are skipped by their field summaries', () => {
  const summary = (lower: bigint, upper: bigint) => ({
    containsNull: false,
    containsNan: false,
    lowerBound: encodeBound({ kind: 'date' }, lower),
    upperBound: encodeBound({ kind: 'date' }, upper),
  })
  const manifests = [
    manifest('near', { partitions: [summary(1n, 5n)], addedFilesCount: 3 }),
    manifest('far', { partitions: [summary(7n, 9n)], addedFilesCount: 4 }),
  ]
  const selected = finishSteps(scanOf(onDay(5n)).selectManifests(manifests))
  expect(selected.read.map(({ path }) => path)).toEqual(['near'])
  expect(selected).toMatchObject({ totalCount: 2, skippedFilesCount: 4 })
  expect(finishSteps(scanOf(onDay(5n), NO_PRUNING).selectManifests(manifests)).read).toHaveLength(2)
})

test('[SP4] switching a level of pruning off only adds tasks', () => {
  const entries = [
    entry(dataFile('keep', { ...bounds(0n, 9n) })),
    entry(dataFile('metrics', { ...bounds(20n, 29n) })),
    entry(dataFile('partition', { partition: new Map([[1000, 6n]]), ...bounds(0n, 9n) })),
  ]
  const predicate: Predicate = { op: 'and', operands: [onDay(5n), { op: 'lt', fieldId: 1, literal: 10n }] }
  const paths = (pruning = ALL_PRUNING) =>
    scanOf(predicate, pruning)
      .selectFiles(manifest('m'), entries)
      .candidates.map(({ file }) => file.path)
  expect(paths()).toEqual(['keep'])
  expect(paths({ ...ALL_PRUNING, metrics: false })).toEqual(['keep', 'metrics'])
  expect(paths({ ...ALL_PRUNING, partitions: false, metrics: false })).toEqual([
    'keep',
    'metrics',
    'partition',
  ])
  expect(paths(NO_PRUNING)).toHaveLength(3)
  expect(scanOf(predicate).selectFiles(manifest('m'), entries)).toMatchObject({
    totalCount: 3,
    skippedByPartition: { count: 1 },
    skippedByMetrics: { count: 1 },
  })
})

test('[SP5] [H30] a data file that is listed twice is corrupt, also under two spellings', () => {
  const scan = scanOf({ op: 'true' })
  const selected = finishSteps(scan.selectManifests([manifest('m')]))
  const selections = ['s3://b/a', 's3a://b/a'].map((path) =>
    scan.selectFiles(manifest('m'), [entry(dataFile(path))]),
  )
  const canonical = (path: string): string => path.replace('s3a:', 's3:')
  expect(finishSteps(scan.planFileScanTasks(selected, selections, samePath)).tasks).toHaveLength(2)
  expect(() => finishSteps(scan.planFileScanTasks(selected, selections, canonical))).toThrowError(
    expect.objectContaining({ code: 'TABLE_CORRUPT' }),
  )
})

describe('[SP6] [H31] [H80] [H81] [H85] refuseUnsupported', () => {
  const deletion = (changes: Partial<DataFile>) => dataFile('d', { content: 'position-deletes', ...changes })
  test.each<[string, Partial<DataFile>, readonly DataFile[]]>([
    ['orc data files', { format: 'orc' }, []],
    ['puffin data files', { format: 'puffin' }, []],
    ['encryption', {}, [deletion({ hasKeyMetadata: true })]],
    ['orc position deletes', {}, [deletion({ format: 'orc' })]],
    ['orc equality deletes', {}, [deletion({ content: 'equality-deletes', format: 'orc' })]],
    ['puffin equality deletes', {}, [deletion({ content: 'equality-deletes', format: 'puffin' })]],
  ])('names %s', (feature, changes, deletes) => {
    const tasks = [
      {
        file: dataFile('good'),
        sequenceNumber: 1n,
        deletes: [
          deletion({}),
          deletion({ format: 'puffin' }),
          deletion({ content: 'equality-deletes' }),
          deletion({ format: 'avro' }),
        ].map((file) => ({ file, sequenceNumber: 1n })),
      },
      {
        file: dataFile('bad', changes),
        sequenceNumber: 1n,
        deletes: deletes.map((file) => ({ file, sequenceNumber: 1n })),
      },
    ]
    expect(() => {
      refuseUnsupported(tasks, 'ns.t')
    }).toThrowError(
      expect.objectContaining({ code: 'TABLE_UNSUPPORTED', details: { table: 'ns.t', feature } }),
    )
    refuseUnsupported(tasks.slice(0, 1), 'ns.t')
  })
})

test('[SP7] files are counted whether skipped or read', () => {
  const scan = scanOf({ op: 'false' })
  const selected = finishSteps(
    scan.selectManifests([
      manifest('a', { addedFilesCount: 0, existingFilesCount: 0 }),
      manifest('b', { addedFilesCount: undefined, partitions: undefined }),
    ]),
  )
  const open = scanOf({ op: 'true' })
  const selection = open.selectFiles(manifest('b'), [entry(dataFile('x')), entry(dataFile('y'))])
  const plan = finishSteps(
    open.planFileScanTasks({ ...selected, skippedFilesCount: 7 }, [selection], samePath),
  )
  expect(plan).toMatchObject({ manifestsTotal: 2, filesTotal: 9, filesPlanned: 2, bytesTotal: 200 })
})

test('[SP8] each filter is told what it alone excludes, at the level that a file reaches', () => {
  const predicate: Predicate = {
    op: 'and',
    operands: [onDay(6n), { op: 'gt', fieldId: 1, literal: 100n }],
  }
  const otherDay = dataFile('other-day', bounds(0n, 9n))
  const inDay = (path: string, changes: Partial<DataFile>): DataFile =>
    dataFile(path, { partition: new Map([[1000, 6n]]), ...changes })
  const scan = scanOf(predicate)
  const skipped = manifest('skipped', {
    addedFilesCount: 7,
    partitions: [
      {
        containsNull: false,
        containsNan: false,
        lowerBound: encodeBound({ kind: 'date' }, 1n),
        upperBound: encodeBound({ kind: 'date' }, 2n),
      },
    ],
  })
  const selected = finishSteps(scan.selectManifests([skipped, manifest('read')]))
  const selection = scan.selectFiles(manifest('read'), [
    entry(otherDay),
    entry(inDay('low', bounds(0n, 9n))),
    entry(inDay('high', bounds(101n, 200n))),
    entry(inDay('silent', {})),
  ])
  const plan = finishSteps(scan.planFileScanTasks(selected, [selection], samePath))
  expect(plan.tasks.map(({ file }) => file.path)).toEqual(['high', 'silent'])
  expect(plan.filesTotal).toBe(11)
  expect(plan.pruning).toEqual({
    manifests: { count: 7, byConjunct: [7, 0] },
    partitions: { count: 1, byConjunct: [1, 0] },
    metrics: { count: 1, byConjunct: [0, 1] },
    withoutMetrics: [2, 1],
  })
  expect(plan.filesPlanned).toBe(plan.filesTotal - 7 - 1 - 1)
})
