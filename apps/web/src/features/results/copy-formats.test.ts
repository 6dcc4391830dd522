import { describe, expect, it } from 'vitest'
import { copyTextOf } from './copy-formats.ts'
import type { ResultColumn } from './grid-columns.ts'

const column = (name: string, sqlType: string, isNumeric = false): ResultColumn => ({
  name,
  sqlType,
  isNumeric,
})
const columns = [
  column('id', 'BIGINT', true),
  column('id', 'DECIMAL(38,2)', true),
  column('text', 'VARCHAR'),
  column('is, it', 'BOOLEAN'),
]
const rows = [
  ['9007199254740993', '12.30', 'it\'s | "x"\n', 'true'],
  ['5', null, '', null],
]

describe('copies', () => {
  it('[RW3] as CSV keep NULL and empty text apart', () => {
    expect(copyTextOf('CSV', columns, rows)).toBe(
      'id,id,text,"is, it"\r\n9007199254740993,12.30,"it\'s | ""x""\n",true\r\n5,,"",\r\n',
    )
  })

  it('[RW3] as JSON round nothing, and lose no column of the same name', () => {
    const text = copyTextOf('JSON', columns, rows) ?? ''
    expect(JSON.parse(text)).toEqual([
      { id: '9007199254740993', id_2: '12.30', text: 'it\'s | "x"\n', 'is, it': true },
      { id: 5, id_2: null, text: '', 'is, it': null },
    ])
  })

  it('as Markdown stay one table', () => {
    expect(copyTextOf('Markdown', columns, rows)?.split('\n')).toEqual([
      '| id | id | text | is, it |',
      '| ---: | ---: | --- | --- |',
      '| 9007199254740993 | 12.30 | it\'s \\| "x"<br> | true |',
      '| 5 | *NULL* |  | *NULL* |',
    ])
  })

  it.each([
    [column('n', 'BIGINT', true), ['9007199254740993', '5', '5', null], '(9007199254740993, 5)'],
    [column('t', 'VARCHAR'), ["it's", '', 'NULL'], "('it''s', '', 'NULL')"],
    [column('d', 'DATE'), ['2026-09-01'], "('2026-09-01'::DATE)"],
    [column('f', 'DOUBLE', true), ['NaN', '1e+30', '0.1'], "('NaN'::DOUBLE, '1e+30'::DOUBLE, 0.1)"],
    [column('b', 'BLOB'), ['0x00ff'], "(unhex('00ff'))"],
  ])('as an IN list hold each value once, as a literal of its type: %j', (only, values, expected) => {
    expect(
      copyTextOf(
        'SQL IN list',
        [only],
        values.map((value) => [value]),
      ),
    ).toBe(expected)
  })
})
