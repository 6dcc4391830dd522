import {
  Decimal,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
  type Data,
} from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { ResultBuffer } from '../../query-run/result-buffer.ts'
import { columnStats } from './column-stats.ts'
import { columnsOf } from './grid-columns.ts'
import { matchingRows, sortedRows } from './row-order.ts'

const { signal } = new AbortController()
const schema = new Schema([
  new Field('id', new Int64(), true),
  new Field('price', new Decimal(2, 18, 128), true),
  new Field('ratio', new Float64(), true),
  new Field('name', new Utf8(), true),
])

type Row = [bigint | null, number, number, string | null]

function bufferOf(...batches: Row[][]): ResultBuffer {
  const buffer = new ResultBuffer()
  buffer.schema = schema
  for (const rows of batches) {
    const words = new Uint32Array(rows.length * 4)
    rows.forEach(([, cents], i) => {
      for (let word = 0; word < 4; word++)
        words[i * 4 + word] = Number(BigInt.asUintN(32, BigInt(cents) >> BigInt(32 * word)))
    })
    const children: Data[] = [
      vectorFromArray(
        rows.map(([id]) => id),
        new Int64(),
      ).data[0]!,
      makeData({ type: new Decimal(2, 18, 128), length: rows.length, data: words }),
      vectorFromArray(
        rows.map(([, , ratio]) => ratio),
        new Float64(),
      ).data[0]!,
      vectorFromArray(
        rows.map(([, , , name]) => name),
        new Utf8(),
      ).data[0]!,
    ]
    const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children })
    buffer.append(new RecordBatch(schema, data as never))
  }
  return buffer
}

const buffer = bufferOf(
  [
    [9_007_199_254_740_993n, -500, Number.NaN, 'pear'],
    [9_007_199_254_740_992n, 100, 1, null],
  ],
  [
    [null, 20, -1, 'Apple'],
    [-5n, 3, 1, 'apple pie'],
  ],
)
const columns = columnsOf(schema)
const all = Uint32Array.of(0, 1, 2, 3)
const order = async (column: number, isDescending = false) => [
  ...((await sortedRows(buffer, columns, all, { column, isDescending }, signal)) ?? []),
]

describe('sortedRows', () => {
  it('[RW1] compares 64-bit integers and decimals exactly, across batches', async () => {
    expect(await order(0)).toEqual([3, 1, 0, 2])
    expect(await order(1)).toEqual([0, 3, 2, 1])
  })

  it('[RW1] puts NULL last either way, NaN after all numbers, and keeps the order of equal rows', async () => {
    expect(await order(0, true)).toEqual([0, 1, 3, 2])
    expect(await order(2)).toEqual([2, 1, 3, 0])
    expect(await order(2, true)).toEqual([0, 1, 3, 2])
    expect(await order(3)).toEqual([2, 3, 0, 1])
  })

  it('[RW1] refuses more rows than its bound', async () => {
    const many = new Uint32Array(500_001)
    expect(await sortedRows(buffer, columns, many, { column: 0, isDescending: false }, signal)).toBeNull()
  })
})

describe('matchingRows', () => {
  it('finds text in shown columns, whatever its case', async () => {
    const find = async (shown: number[], text: string) => [
      ...(await matchingRows(buffer, columns, shown, text, signal)),
    ]
    expect(await find([0, 3], 'APPLE')).toEqual([2, 3])
    expect(await find([0], 'apple')).toEqual([])
    expect(await find([0], '740993')).toEqual([0])
    expect(await find([3], 'null')).toEqual([])
  })
})

describe('columnStats', () => {
  it('counts, and names the least and the greatest exactly', async () => {
    const stats = await columnStats(buffer, columns, 0, signal)
    expect(stats).toMatchObject({
      rowCount: 4,
      nullCount: 1,
      distinctCount: 3,
      min: '-5',
      max: '9007199254740993',
    })
    expect(stats.histogram.reduce((sum, count) => sum + count, 0)).toBe(3)
    const prices = await columnStats(buffer, columns, 1, signal)
    expect(prices).toMatchObject({ min: '-5.00', max: '1.00' })
    const names = await columnStats(buffer, columns, 3, signal)
    expect(names).toMatchObject({ histogram: [], min: 'Apple', max: 'pear', nullCount: 1 })
    const ratios = await columnStats(buffer, columns, 2, signal)
    expect(ratios).toMatchObject({
      distinctCount: 3,
      max: 'NaN',
      commonest: [{ text: '1', count: 2 }, {}, {}],
    })
  })
})
