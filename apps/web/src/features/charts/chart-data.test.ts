import {
  Decimal,
  Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  TimestampMicrosecond,
  Int64,
  Utf8,
  vectorFromArray,
  type Data,
} from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire-keys.ts'
import { CHART_BARS_MAX, CHART_LINE_STEPS, CHART_POINTS_MAX } from '../../limits.ts'
import { ResultBuffer } from '../../query-run/result-buffer.ts'
import { chosen, firstChoice, isPossible, type ChartKind } from './chart-choice.ts'
import { chartColumns } from './chart-columns.ts'
import { chartData } from './chart-data.ts'
import { chartSummary } from './chart-summary.ts'

const int64 = (values: readonly bigint[]) =>
  makeData({ type: new Int64(), length: values.length, data: BigInt64Array.from(values) })
const times = (micros: readonly bigint[]) =>
  makeData({ type: new TimestampMicrosecond(), length: micros.length, data: BigInt64Array.from(micros) })
const texts = (values: readonly (string | null)[]) => vectorFromArray([...values], new Utf8()).data[0]!
function decimals(values: readonly bigint[]): Data {
  const words = new Uint32Array(values.length * 4)
  values.forEach((value, row) => {
    for (let i = 0; i < 4; i++) words[row * 4 + i] = Number(BigInt.asUintN(32, value >> BigInt(32 * i)))
  })
  return makeData({ type: new Decimal(2, 18, 128), length: values.length, data: words })
}

function resultOf(columns: readonly (readonly [name: string, sqlType: string, data: Data])[]): ResultBuffer {
  const fields = columns.map(
    ([name, sqlType, data]) => new Field(name, data.type, true, new Map([[FIELD_TYPE_KEY, sqlType]])),
  )
  const buffer = new ResultBuffer()
  buffer.schema = new Schema(fields)
  const children = columns.map(([, , data]) => data)
  const length = children[0]?.length ?? 0
  const data = makeData({ type: new Struct(fields), length, nullCount: 0, children })
  buffer.append(new RecordBatch(buffer.schema, data))
  return buffer
}

const never = new AbortController().signal

async function drawn(buffer: ResultBuffer, kind: ChartKind) {
  const columns = chartColumns(buffer.schema!)
  const choice = chosen(kind, columns)
  const of = (index: number) => columns.find((column) => column.index === index)
  const input = { buffer, rowCount: buffer.rowCount, choice, xColumn: of(choice.x)!, yColumn: of(choice.y) }
  const data = await chartData(input, never)
  return { data, summary: chartSummary({ ...input, data, exactness: 'exact' }) }
}

describe('choices', () => {
  const kinds = (buffer: ResultBuffer) => firstChoice(chartColumns(buffer.schema!))

  it('follow the kinds of the columns', () => {
    const n = int64([1n, 2n])
    expect(
      kinds(
        resultOf([
          ['n', 'BIGINT', n],
          ['at', 'TIMESTAMP', times([1n, 2n])],
        ]),
      ),
    ).toMatchObject({ kind: 'line', x: 1, y: 0 })
    expect(
      kinds(
        resultOf([
          ['name', 'VARCHAR', texts(['a', 'b'])],
          ['n', 'BIGINT', n],
        ]),
      ),
    ).toMatchObject({ kind: 'bar', x: 0, y: 1, measure: 'sum' })
    expect(kinds(resultOf([['name', 'VARCHAR', texts(['a', 'b'])]]))).toMatchObject({
      kind: 'bar',
      measure: 'rows',
    })
    expect(
      kinds(
        resultOf([
          ['a', 'BIGINT', n],
          ['b', 'BIGINT', n],
        ]),
      ),
    ).toMatchObject({ kind: 'scatter', x: 0, y: 1 })
    expect(kinds(resultOf([['a', 'BIGINT', n]]))).toMatchObject({ kind: 'histogram', x: 0 })
    expect(isPossible('line', chartColumns(resultOf([['a', 'BIGINT', n]]).schema!))).toBe(false)
  })
})

describe('data', () => {
  it('[CH1] is told in exact words, beyond what a double holds', async () => {
    const buffer = resultOf([
      ['at', 'TIMESTAMP', times([-1n, 1_735_894_190_123_456n])],
      ['n', 'BIGINT', int64([9_007_199_254_740_993n, 5n])],
    ])
    const { summary } = await drawn(buffer, 'line')
    expect(summary).toBe(
      'Line of n by at: 2 rows drawn, of 2 loaded rows (exact). at from 1969-12-31 23:59:59.999999 to 2025-01-03 08:49:50.123456; n from 5 to 9007199254740993.',
    )
  })

  it('[CH1] leaves out what has no place, and says how many', async () => {
    const buffer = resultOf([
      ['at', 'TIMESTAMP', times([0n, 9_223_372_036_854_775_807n])],
      ['n', 'BIGINT', int64([1n, 2n])],
    ])
    const { data, summary } = await drawn(buffer, 'line')
    expect(data.points).toEqual([{ x: 0, y: 1 }])
    expect(summary).toContain('1 row without a value left out')
  })

  it('[CH2] of a line keeps the least and greatest of each step, in order', async () => {
    const count = 50_000
    const rows = Array.from({ length: count }, (_, row) => BigInt(row))
    const spike = rows.map((row) => (row === 12_345n ? 1_000_000n : row === 12_346n ? -5n : row % 7n))
    const { data } = await drawn(
      resultOf([
        ['x', 'BIGINT', int64(rows)],
        ['y', 'BIGINT', int64(spike)],
      ]),
      'line',
    )
    expect(data.points.length).toBeLessThanOrEqual(CHART_LINE_STEPS * 2)
    expect(data.points).toContainEqual({ x: 12_345, y: 1_000_000 })
    expect(data.points).toContainEqual({ x: 12_346, y: -5 })
    expect(data.points.every(({ x }, index) => index === 0 || x >= (data.points[index - 1]?.x ?? 0))).toBe(
      true,
    )
    expect(data.account).toBe('least and greatest of 1,000 steps over 50,000 rows')
  })

  it('[CH2] of a scatter takes rows at equal distances', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => BigInt(row))
    const { data } = await drawn(
      resultOf([
        ['x', 'BIGINT', int64(rows)],
        ['y', 'BIGINT', int64(rows)],
      ]),
      'scatter',
    )
    expect(data.points.length).toBe(CHART_POINTS_MAX)
    expect(data.points[1]).toEqual({ x: 4, y: 4 })
    expect(data.account).toBe('5,000 of 20,000 rows drawn, taken at equal distances')
  })

  it('[CH2] of bars sums what shares a name, and cuts to the highest', async () => {
    const few = resultOf([
      ['name', 'VARCHAR', texts(['a', 'b', 'a', null])],
      ['amount', 'DECIMAL(18,2)', decimals([1_250n, 100n, -250n, 5n])],
    ])
    expect((await drawn(few, 'bar')).data.points).toEqual([
      { x: 'a', y: 10 },
      { x: 'b', y: 1 },
      { x: 'NULL', y: 0.05 },
    ])
    const names = Array.from({ length: 80 }, (_, i) => `n${i}`)
    const many = resultOf([
      ['name', 'VARCHAR', texts(names)],
      ['n', 'BIGINT', int64(names.map((_, i) => BigInt(i)))],
    ])
    const { data } = await drawn(many, 'bar')
    expect(data.points.length).toBe(CHART_BARS_MAX)
    expect(data.points[0]).toEqual({ x: 'n79', y: 79 })
    expect(data.account).toBe('the 50 highest of 80 bars over 80 rows')
  })

  it('of a histogram counts every row', async () => {
    const rows = Array.from({ length: 1_000 }, (_, row) => BigInt(row % 100))
    const { data } = await drawn(resultOf([['n', 'BIGINT', int64(rows)]]), 'histogram')
    expect(data.points.reduce((sum, { y }) => sum + y, 0)).toBe(1_000)
    const single = await drawn(resultOf([['n', 'BIGINT', int64([7n, 7n])]]), 'histogram')
    expect(single.data.points).toMatchObject([{ y: 2 }])
  })
})
