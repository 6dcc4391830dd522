import { makeData, Struct, Field, Float64, Int32, Int64, vectorFromArray, Utf8 } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { createCsvFieldWriter, PLAIN_CSV } from './csv-text.ts'
import { createJsonWriter } from './json-text.ts'
import { uniqueNames } from './unique-names.ts'

describe('CSV fields', () => {
  const plain = createCsvFieldWriter(PLAIN_CSV)

  it.each([
    [null, ''],
    ['', '""'],
    ['NULL', 'NULL'],
    ['a,b', '"a,b"'],
    ['a;b', 'a;b'],
    ['"', '""""'],
    ['a\nb', '"a\nb"'],
    ['=1', '=1'],
  ])('of %j are %j', (value, field) => {
    expect(plain(value, true)).toBe(field)
  })

  it('keep a text that looks like NULL apart from it', () => {
    const named = createCsvFieldWriter({ ...PLAIN_CSV, nullText: '\\N' })
    expect([named(null, true), named('\\N', true), named('', true)]).toEqual(['\\N', '"\\N"', '""'])
  })

  it('quote by their own delimiter', () => {
    const piped = createCsvFieldWriter({ ...PLAIN_CSV, delimiter: '|' })
    expect([piped('a,b', true), piped('a|b', true)]).toEqual(['a,b', '"a|b"'])
  })

  it('are guarded against formulas where that is asked for, and numbers never', () => {
    const guarded = createCsvFieldWriter({ ...PLAIN_CSV, guardsFormulas: true })
    expect(['=1', '+1', '-1', '@x', '\tx', 'x=1'].map((value) => guarded(value, true))).toEqual([
      "'=1",
      "'+1",
      "'-1",
      "'@x",
      "'\tx",
      'x=1',
    ])
    expect(guarded('-1', false)).toBe('-1')
  })
})

describe('JSON values', () => {
  const long = makeData({ type: new Int64(), length: 1, data: BigInt64Array.of(9_007_199_254_740_993n) })
  const texts = (values: (string | null)[]) => vectorFromArray(values, new Utf8()).data[0]!
  const write = createJsonWriter({ largeNumbers: 'text' })

  it('keep every digit, as text or as a number', () => {
    expect(write(long, 0, 'BIGINT')).toBe('"9007199254740993"')
    expect(createJsonWriter({ largeNumbers: 'number' })(long, 0, 'BIGINT')).toBe('9007199254740993')
    expect(write(makeData({ type: new Int32(), length: 1, data: Int32Array.of(-5) }), 0, 'INTEGER')).toBe(
      '-5',
    )
  })

  it('are texts where JSON has no number', () => {
    const doubles = makeData({
      type: new Float64(),
      length: 4,
      data: Float64Array.of(NaN, Infinity, -0, 1e300),
    })
    expect([0, 1, 2, 3].map((row) => write(doubles, row, 'DOUBLE'))).toEqual([
      '"NaN"',
      '"Infinity"',
      '-0',
      '1e+300',
    ])
  })

  it('take in JSON on one line, and quote what is none', () => {
    expect(write(texts(['{"a":\n[1]}']), 0, 'JSON')).toBe('{"a": [1]}')
    expect(write(texts(['{"a":']), 0, 'JSON')).toBe('"{\\"a\\":"')
    expect(write(texts(['{"a":1}']), 0, 'VARCHAR')).toBe('"{\\"a\\":1}"')
  })

  it('go into structs', () => {
    const type = new Struct([new Field('n', new Int64(), true), new Field('t', new Utf8(), true)])
    const data = makeData({ type, length: 1, nullCount: 0, children: [long, texts([null])] })
    expect(write(data, 0, '')).toBe('{"n": "9007199254740993", "t": null}')
  })
})

describe('unique names', () => {
  it('number what comes again, around names that are there', () => {
    expect(uniqueNames(['id', 'id', 'id_2', 'id', ''])).toEqual(['id', 'id_3', 'id_2', 'id_4', ''])
  })
})
