import { describe, expect, it } from 'vitest'
import type { DataFile } from '../iceberg/manifest.ts'
import type { NestedField, PrimitiveType, Schema } from '../iceberg/types.ts'
import { encodeUtf8 } from '../iceberg/utf8.ts'
import { createColumnStatistics, mayBeCut } from './column-statistics.ts'
import { dataFile } from './test/data-file.ts'

const field = (id: number, name: string, type: NestedField['type']): NestedField => ({
  id,
  name,
  type,
  isRequired: false,
  doc: undefined,
  initialDefault: undefined,
})
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    field(1, 'n', { kind: 'long' }),
    field(2, 'x', { kind: 'double' }),
    field(3, 's', { kind: 'struct', fields: [field(4, 't', { kind: 'string' })] }),
    field(5, 'l', { kind: 'list', elementId: 6, element: { kind: 'int' }, isElementRequired: false }),
  ],
}
const long = (value: bigint) => new Uint8Array(new BigInt64Array([value]).buffer)
const int = (value: number) => new Uint8Array(new Int32Array([value]).buffer)
const double = (value: number) => new Uint8Array(new Float64Array([value]).buffer)
const counts = (...entries: [number, number][]) => new Map(entries)

function statisticsOf(files: readonly Partial<DataFile>[], leavesMax = 100) {
  const statistics = createColumnStatistics(schema, leavesMax)
  for (const file of files) statistics.add(dataFile('f', file))
  return statistics.leaves()
}

describe('[CS1] statistics of columns', () => {
  it('are sums and bounds over files, each with the number of files that say it', () => {
    const leaves = statisticsOf([
      {
        columnSizes: counts([1, 10], [2, 20]),
        valueCounts: counts([1, 100], [2, 100]),
        nullValueCounts: counts([1, 3], [2, 40]),
        nanValueCounts: counts([2, 60]),
        lowerBounds: new Map([[1, long(-5n)]]),
        upperBounds: new Map([[1, long(7n)]]),
      },
      {
        valueCounts: counts([1, 50], [2, 50]),
        nullValueCounts: counts([1, 0]),
        // Written before the column was a long.
        lowerBounds: new Map([
          [1, int(-6)],
          [2, double(0.5)],
        ]),
        upperBounds: new Map([
          [1, int(2)],
          [2, double(9)],
        ]),
      },
    ])
    expect(leaves.map(({ path }) => path.join('.'))).toEqual(['n', 'x', 's.t', 'l.element'])
    expect(leaves[0]).toEqual({
      fieldId: 1,
      path: ['n'],
      type: { kind: 'long' },
      bytes: { count: 10, fileCount: 1 },
      values: { count: 150, fileCount: 2 },
      nulls: { count: 3, fileCount: 2 },
      nans: { count: 0, fileCount: 0 },
      lower: { value: -6n, fileCount: 2 },
      upper: { value: 7n, fileCount: 2 },
    })
    // The first file holds NULL and NaN alone, so it needs no bounds to be counted.
    expect(leaves[1]).toMatchObject({
      nans: { count: 60, fileCount: 1 },
      lower: { value: 0.5, fileCount: 2 },
      upper: { value: 9, fileCount: 2 },
    })
  })

  it('take no bound that is no value of the type, is NaN, or contradicts its other one', () => {
    const bounds = (lower: Uint8Array, upper: Uint8Array) => ({
      lowerBounds: new Map([
        [1, lower],
        [2, double(Number.NaN)],
      ]),
      upperBounds: new Map([[1, upper]]),
    })
    const leaves = statisticsOf([bounds(Uint8Array.of(1), Uint8Array.of(2)), bounds(long(5n), long(4n))])
    expect(leaves[0]).toMatchObject({ lower: undefined, upper: undefined })
    expect(leaves[1]).toMatchObject({ lower: undefined })
  })

  it('say nothing where files say nothing, and are of so many columns at most', () => {
    const leaves = statisticsOf([{}, {}], 2)
    expect(leaves).toHaveLength(2)
    expect(leaves[0]).toMatchObject({ values: { count: 0, fileCount: 0 }, lower: undefined })
  })
})

describe('[CS2] a bound of text or binary may be cut', () => {
  const column = (type: PrimitiveType) => ({ path: ['a', 'b'], type })
  const STRING = column({ kind: 'string' })

  it.each([
    ['a short text', STRING, 'fifteen letters', {}, false],
    ['as long as is kept', STRING, 'sixteen letters!', {}, true],
    ['letters, not code units', STRING, '😀'.repeat(15), {}, false],
    ['shorter by the table', STRING, 'four', { 'write.metadata.metrics.default': 'truncate(4)' }, true],
    ['by the column', STRING, 'four', { 'write.metadata.metrics.column.a.b': 'truncate(4)' }, true],
    // Other writers do not look at the property.
    ['longer by the table', STRING, 'x'.repeat(20), { 'write.metadata.metrics.default': 'full' }, true],
    ['binary', column({ kind: 'binary' }), encodeUtf8('x'.repeat(16)), {}, true],
    ['a uuid', column({ kind: 'uuid' }), new Uint8Array(16), {}, false],
    ['a number', column({ kind: 'long' }), 10n ** 17n, {}, false],
  ])('%s', (_what, leaf, value, properties, expected) => {
    expect(mayBeCut(leaf, value, properties)).toBe(expected)
  })
})
