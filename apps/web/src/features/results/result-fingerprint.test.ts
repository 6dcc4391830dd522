import { Field, Float64, RecordBatch, Schema, Struct, Utf8, makeData, vectorFromArray } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire-keys.ts'
import { ResultBuffer } from '../../query-run/result-buffer.ts'
import { columnsOf } from './grid-columns.ts'
import { compareFingerprints, resultFingerprint, roundedFloat } from './result-fingerprint.ts'

type Row = [string | null, number | null]
const schema = new Schema([
  new Field('name', new Utf8(), true, new Map([[FIELD_TYPE_KEY, 'VARCHAR']])),
  new Field('total', new Float64(), true, new Map([[FIELD_TYPE_KEY, 'DOUBLE']])),
])

async function fingerprintOf(rows: readonly Row[], isOrdered = false): Promise<string> {
  const buffer = new ResultBuffer()
  buffer.schema = schema
  const children = [
    vectorFromArray(
      rows.map(([name]) => name),
      new Utf8(),
    ).data[0]!,
    vectorFromArray(
      rows.map(([, total]) => total),
      new Float64(),
    ).data[0]!,
  ]
  const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children })
  buffer.append(new RecordBatch(schema, data as never))
  const text = await resultFingerprint(buffer, columnsOf(schema), isOrdered, new AbortController().signal)
  return text ?? ''
}
const rows: Row[] = [
  ['a', 0.1 + 0.2],
  ['b', 1e10],
  [null, null],
  ['', -0],
]
const verdict = async (expected: readonly Row[], actual: readonly Row[], isOrdered = false) =>
  compareFingerprints(await fingerprintOf(expected, isOrdered), await fingerprintOf(actual, isOrdered)).kind

describe('fingerprints', () => {
  it('[LK3] do not depend on the order of rows, unless the statement has one', async () => {
    expect(await verdict(rows, rows.toReversed())).toBe('identical')
    expect(await verdict(rows, rows, true)).toBe('identical')
    expect(await verdict(rows, rows.toReversed(), true)).toBe('otherOrder')
  })

  it('[LK3] tell the last digits of a floating-point sum from a difference', async () => {
    expect(await verdict(rows, [['a', 0.3], ...rows.slice(1)])).toBe('identicalButFloats')
    expect(await verdict(rows, [['a', 0.300001], ...rows.slice(1)])).toBe('differs')
    expect(await verdict(rows, [...rows.slice(0, 1), ['b', 1e10 + 1000], ...rows.slice(2)])).toBe('differs')
  })

  it('tell NULL, empty text and repeated rows apart', async () => {
    expect(
      await verdict(
        rows,
        rows.map(([name, total]): Row => [name ?? 'NULL', total]),
      ),
    ).toBe('differs')
    expect(
      await verdict(
        rows,
        rows.map(([name, total]): Row => [name ?? '', total]),
      ),
    ).toBe('differs')
    const twice: Row[] = [
      ['a', 1],
      ['a', 1],
      ['b', 2],
    ]
    expect(
      await verdict(twice, [
        ['a', 1],
        ['b', 2],
        ['b', 2],
      ]),
    ).toBe('differs')
    expect(await verdict(twice, twice.slice(1))).toBe('otherRowCount')
  })

  it('tell values that moved between columns or rows apart', async () => {
    expect(
      await verdict(
        [
          ['a', 1],
          ['b', 2],
        ],
        [
          ['a', 2],
          ['b', 1],
        ],
      ),
    ).toBe('differs')
  })

  it('that cannot be read say nothing', () => {
    expect(compareFingerprints('', 'f1.1.a.b...').kind).toBe('unknown')
    expect(compareFingerprints('f0.1.a.b...', 'f1.1.a.b...').kind).toBe('unknown')
  })

  it('round alike on both sides of a power of ten', () => {
    expect(roundedFloat('9999999999.9999999', 0)).toBe(roundedFloat('10000000000.0000001', 0))
    expect(roundedFloat('-0.99999999999999', 0)).toBe(roundedFloat('-1', 0))
    expect(roundedFloat('10', 0)).not.toBe(roundedFloat('100', 0))
  })

  it('round nearly equal values to the same text on one grid at least', () => {
    let seed = 7
    const random = () => ((seed = Math.imul(seed, 48271) >>> 0) % 1e6) / 1e6
    for (let i = 0; i < 20_000; i++) {
      const value = (random() + 0.1) * 10 ** Math.floor(random() * 30 - 15)
      const next = value * (1 + Number.EPSILON * 4)
      const isSame = ([0, 1] as const).some(
        (grid) => roundedFloat(String(value), grid) === roundedFloat(String(next), grid),
      )
      expect(isSame, `${value} ${next}`).toBe(true)
    }
  })
})
