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
import { sortedRows } from './row-order.ts'
import { RowSearch, type Wanted } from './row-search.ts'

const { signal } = new AbortController()
const schema = new Schema([
  new Field('id', new Int64(), true),
  new Field('price', new Decimal(2, 18, 128), true),
  new Field('ratio', new Float64(), true),
  new Field('name', new Utf8(), true),
])

type Row = [bigint | null, number, number, string | null]

function appendRows(buffer: ResultBuffer, rows: Row[]): void {
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

function bufferOf(...batches: Row[][]): ResultBuffer {
  const buffer = new ResultBuffer()
  buffer.schema = schema
  for (const rows of batches) appendRows(buffer, rows)
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

describe('RowSearch', () => {
  const find = async (wanted: Partial<Wanted>) => {
    let found: number[] = []
    const search = new RowSearch(
      buffer,
      columns,
      { search: '', shown: [], only: null, ...wanted },
      ({ rows }) => {
        found = [...rows]
      },
    )
    await search.goOn(signal)
    return found
  }

  it('finds text in shown columns, whatever its case', async () => {
    expect(await find({ shown: [0, 3], search: 'APPLE' })).toEqual([2, 3])
    expect(await find({ shown: [0], search: 'apple' })).toEqual([])
    expect(await find({ shown: [0], search: '740993' })).toEqual([0])
    expect(await find({ shown: [3], search: 'null' })).toEqual([])
  })

  it('finds rows with exactly one value, which NULL is too, also of a column that is not shown', async () => {
    expect(await find({ only: { column: 0, text: '9007199254740993' } })).toEqual([0])
    expect(await find({ only: { column: 1, text: '0.03' } })).toEqual([3])
    expect(await find({ only: { column: 3, text: null } })).toEqual([1])
    expect(await find({ only: { column: 3, text: 'apple' } })).toEqual([])
    expect(await find({ only: { column: 2, text: '1' }, shown: [3], search: 'PIE' })).toEqual([3])
  })

  it('[RW2] looks at each row once while more arrive, and says of how many rows it tells', async () => {
    const growing = bufferOf([[1n, 1, 1, 'a']])
    const told: [rows: number[], lookedAtCount: number][] = []
    const search = new RowSearch(
      growing,
      columns,
      { search: 'a', shown: [3], only: null },
      ({ rows, lookedAtCount }) => told.push([[...rows], lookedAtCount]),
    )
    await search.goOn(signal)
    await search.goOn(signal)
    appendRows(growing, [
      [2n, 1, 1, 'b'],
      [3n, 1, 1, 'A'],
    ])
    await search.goOn(signal)
    expect(told).toEqual([
      [[0], 1],
      [[0, 2], 3],
    ])
  })

  it('ends by its signal', async () => {
    const search = new RowSearch(buffer, columns, { search: 'a', shown: [3], only: null }, () => {
      throw new Error('told after the end')
    })
    await expect(search.goOn(AbortSignal.abort())).rejects.toThrow('aborted')
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
