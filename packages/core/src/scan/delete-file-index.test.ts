import { describe, expect, test } from 'vitest'
import type { DataFile } from '../iceberg/manifest.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import type { LiteralValue } from '../iceberg/types.ts'
import { encodeUtf8 } from '../iceberg/utf8.ts'
import { DELETE_FILE_PATH_ID, indexDeleteFiles } from './delete-file-index.ts'
import { finishSteps } from './steps.ts'
import { dataFile } from './test/data-file.ts'

const field = (fieldId: number, transform: string) => ({ sourceIds: [1], fieldId, name: 'p', transform })
const specs = new Map<number, PartitionSpec>([
  [0, { specId: 0, fields: [field(1000, 'identity')] }],
  [1, { specId: 1, fields: [field(1000, 'identity')] }],
  [2, { specId: 2, fields: [field(1000, 'void')] }],
  [3, { specId: 3, fields: [] }],
  [4, { specId: 4, fields: [field(1000, 'zorder')] }],
])

interface FileSketch extends Partial<DataFile> {
  readonly value?: LiteralValue | null
  readonly sequence?: bigint
}

function sequenced({ value = 1n, sequence = 5n, ...changes }: FileSketch) {
  const file = dataFile('s3://b/data', {
    partition: new Map([[1000, value]]),
    recordCount: 1,
    fileSizeBytes: 1,
    ...changes,
  })
  return { file, sequenceNumber: sequence }
}
const positions = (sketch: FileSketch = {}) =>
  sequenced({ content: 'position-deletes', path: 'positions', ...sketch })
const equality = (sketch: FileSketch = {}) =>
  sequenced({ content: 'equality-deletes', path: 'equality', equalityIds: [1], ...sketch })
const vector = (sketch: FileSketch = {}) =>
  positions({
    path: 'vector',
    format: 'puffin',
    referencedDataFile: 's3a://b/data',
    contentOffset: 4,
    contentSizeBytes: 10,
    ...sketch,
  })
const applied = (data: FileSketch, ...deletes: readonly ReturnType<typeof sequenced>[]): string[] =>
  finishSteps(indexDeleteFiles({ deletes, specs, canonicalPath: (path) => path.replace('s3a:', 's3:') }))
    .deletesFor(sequenced(data))
    .map(({ file }) => file.path)

test('[DF11] deletes of a file of this name in another kind of store are refused, since they may be its own', () => {
  const bounds = new Map([[DELETE_FILE_PATH_ID, encodeUtf8('gs://b/data.parquet')]])
  for (const deletion of [
    vector({ referencedDataFile: 'gs://b/data.parquet' }),
    positions({ referencedDataFile: 'abfss://c@a.dfs.core.windows.net/data.parquet' }),
    positions({ lowerBounds: bounds, upperBounds: bounds }),
  ]) {
    const refused = expect.objectContaining({ code: 'TABLE_UNSUPPORTED' })
    expect(() => applied({ path: 's3://b/data.parquet' }, deletion)).toThrow(refused)
    expect(applied({ path: 's3://b/other.parquet' }, deletion)).toEqual([])
    const own = vector({ path: 'own', referencedDataFile: 's3a://b/data.parquet' })
    expect(applied({ path: 's3://b/data.parquet' }, deletion, own)).toEqual(['own'])
  }
})

test('[DF1] [H82] position deletes apply at or below their sequence number, in their partition', () => {
  expect(applied({ sequence: 5n }, positions())).toEqual(['positions'])
  expect(applied({ sequence: 6n }, positions())).toEqual([])
  expect(applied({ value: 2n }, positions())).toEqual([])
  expect(applied({ specId: 1 }, positions())).toEqual([])
})

test('[SP9] data files under the same equality deletes share one list of them, whatever their sequence numbers', () => {
  const deletes = [
    equality({ sequence: 9n, specId: 3 }),
    equality({ sequence: 5n, specId: 3 }),
    equality({ sequence: 7n }),
  ]
  const index = finishSteps(indexDeleteFiles({ deletes, specs, canonicalPath: (path) => path }))
  const listOf = (sequence: bigint, value = 1n) => index.deletesFor(sequenced({ sequence, value }))
  expect(listOf(1n)).toEqual(deletes)
  expect(listOf(2n)).toBe(listOf(1n))
  expect(listOf(5n)).toEqual([deletes[0], deletes[2]])
  expect(listOf(7n)).toEqual([deletes[0]])
  // Nothing of the partition 1 is newer, and nothing is of the partition 2.
  expect(listOf(8n)).toBe(listOf(7n))
  expect(listOf(7n, 2n)).toBe(listOf(7n))
  expect(listOf(9n)).toEqual([])
})

test('[H82] position deletes that name one data file apply to it alone', () => {
  const named = positions({ referencedDataFile: 's3a://b/data' })
  expect(applied({}, named)).toEqual(['positions'])
  expect(applied({ path: 's3://b/other' }, named)).toEqual([])
})

test('[DF9] [H58d] equal bounds of the path leave a file of position deletes to that path, as a hint that may be cut', () => {
  const bounded = (lower: string, upper: string) =>
    positions({
      lowerBounds: new Map([[DELETE_FILE_PATH_ID, encodeUtf8(lower)]]),
      upperBounds: new Map([[DELETE_FILE_PATH_ID, encodeUtf8(upper)]]),
    })
  const data = { path: 's3://b/data.parquet' }
  expect(applied(data, bounded('s3a://b/data.parquet', 's3a://b/data.parquet'))).toEqual(['positions'])
  expect(applied(data, bounded('s3a://b/other.parquet', 's3a://b/other.parquet'))).toEqual([])
  expect(applied({ ...data, value: 2n }, bounded('s3a://b/data.parquet', 's3a://b/data.parquet'))).toEqual([])
  for (const [lower, upper] of [
    ['s3a://b/o', 's3a://b/o'],
    ['s3a://b/x.parquet', 's3a://b/z.parquet'],
    ['s3a://b/z.parquet', 's3a://b/a.parquet'],
  ] as const) {
    expect(applied(data, bounded(lower, upper))).toEqual(['positions'])
  }
})

test('[DF2] [H86] [H88] [B2] [B32] equality deletes apply strictly below their sequence number, in their partition', () => {
  expect(applied({ sequence: 4n }, equality())).toEqual(['equality'])
  expect(applied({ sequence: 5n }, equality())).toEqual([])
  expect(applied({ sequence: 4n, value: 2n }, equality())).toEqual([])
  expect(applied({ sequence: 4n, specId: 1 }, equality())).toEqual([])
})

test('[DF2] [H86] [H88] each partition has its own equality deletes, as many as another has', () => {
  const values = [1n, 2n, null]
  const deletes = values.map((value) => equality({ path: `of ${value}`, value }))
  const index = finishSteps(indexDeleteFiles({ deletes, specs, canonicalPath: (path) => path }))
  for (const value of [...values, ...values]) {
    const found = index.deletesFor(sequenced({ sequence: 4n, value }))
    expect(found.map(({ file }) => file.path)).toEqual([`of ${value}`])
  }
})

test.each([2, 3])(
  '[DF3] [H36] [H86] equality deletes of the unpartitioned spec %i apply everywhere',
  (specId) => {
    expect(applied({ sequence: 4n, value: 9n }, equality({ specId, value: null }))).toEqual(['equality'])
    expect(applied({ sequence: 5n, value: 9n }, equality({ specId, value: null }))).toEqual([])
  },
)

describe('deletion vectors', () => {
  test('[DF4] [H90] one applies to the file it names, in place of position deletes', () => {
    expect(applied({}, positions(), vector(), equality({ sequence: 6n }))).toEqual(['vector', 'equality'])
    expect(applied({ path: 's3://b/other' }, positions(), vector())).toEqual(['positions'])
    expect(applied({ sequence: 6n }, vector())).toEqual([])
  })

  test('[DF5] [H82] [H90] two for one file, or one of another partition, are corrupt', () => {
    expect(() => applied({}, vector(), vector())).toThrowError(
      expect.objectContaining({ code: 'TABLE_CORRUPT' }),
    )
    expect(() => applied({}, vector({ value: 2n }))).toThrowError(
      expect.objectContaining({ code: 'TABLE_CORRUPT' }),
    )
  })
})

test.each<[number, LiteralValue | null, LiteralValue | null, boolean]>([
  [0, null, null, true],
  [0, null, 1n, false],
  [0, Number.NaN, Number.NaN, true],
  [0, 0, -0, false],
  [0, 'null', null, false],
  [0, '1', 1n, false],
  [0, Uint8Array.of(1), Uint8Array.of(1), true],
  [0, Uint8Array.of(1), Uint8Array.of(2), false],
  [4, 'a', 'a', true],
  [4, 'a', 'b', false],
])(
  '[DF6] [H37] [H45] [H46] under spec %i the values %s and %s are the same partition: %s',
  (specId, left, right, isSame) => {
    const found = applied({ specId, value: left }, positions({ specId, value: right }))
    expect(found).toEqual(isSame ? ['positions'] : [])
  },
)

test.each([
  equality({ equalityIds: [] }),
  equality({ equalityIds: undefined }),
  vector({ referencedDataFile: undefined }),
  vector({ contentOffset: undefined }),
  vector({ contentSizeBytes: undefined }),
  positions({ specId: 9 }),
])('[DF7] [H89] delete files without what their kind needs are corrupt', (deletion) => {
  expect(() => applied({}, deletion)).toThrowError(expect.objectContaining({ code: 'TABLE_CORRUPT' }))
})

test('without delete files nothing applies', () => {
  expect(applied({})).toEqual([])
})
