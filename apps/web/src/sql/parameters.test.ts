import { describe, expect, it } from 'vitest'
import {
  bindParameters,
  parameterLiteral,
  parameterNames,
  writtenOffset,
  type Parameter,
} from './parameters.ts'

const given = (name: string, type: Parameter['type'], text = ''): Parameter => ({ name, type, text })

describe('parameterNames', () => {
  it('[PA1] finds each once, and none in strings, names, comments or dollar quotes', () => {
    expect(
      parameterNames(
        `SELECT $b, '$no', "$no", $$ $no $$, $t$ $no $t$ -- $no
         /* $no */ FROM x WHERE a$no = $a AND b > $b AND c = $1`,
      ),
    ).toEqual(['b', 'a', '1'])
    expect(parameterNames('SELECT 1')).toEqual([])
  })
})

describe('parameterLiteral', () => {
  it.each([
    ['text', "O'Brien", "'O''Brien'"],
    ['text', '', "''"],
    ['number', '9007199254740993', '(9007199254740993)'],
    ['number', '-12345678901234567890.123456789', '(-12345678901234567890.123456789)'],
    ['number', '1e3', '(1e3)'],
    ['number', '1; DROP', null],
    ['number', '', null],
    ['boolean', 'True', 'TRUE'],
    ['boolean', 'yes', null],
    ['date', '0001-01-01', "DATE '0001-01-01'"],
    ['date', '2026-02-30', null],
    ['timestamp', '2026-09-01 09:12:33.123456', "TIMESTAMP '2026-09-01 09:12:33.123456'"],
    ['timestamptz', '2026-09-01 09:12:33+02', "TIMESTAMPTZ '2026-09-01 09:12:33+02'"],
    ['null', 'ignored', 'NULL'],
  ] as const)('[PA2] %s %j is %s', (type, text, literal) => {
    expect(parameterLiteral({ type, text })).toBe(literal)
  })
})

describe('bindParameters', () => {
  it('[PA2] puts values in, and says which are missing', () => {
    const sql = 'SELECT $a, $b WHERE x = $a'
    expect(bindParameters(sql, [given('a', 'number', '-1')])).toEqual({ kind: 'unbound', names: ['b'] })
    const bound = bindParameters(sql, [given('a', 'number', '-1'), given('b', 'text', '$a')])
    // A value that looks like a parameter is a value.
    expect(bound).toMatchObject({ sql: "SELECT (-1), '$a' WHERE x = (-1)" })
  })

  it('[PA3] leads places back to the text as written', () => {
    const sql = '/* 😀 */ SELECT $long, nosuch, $b'
    const bound = bindParameters(sql, [given('long', 'text', 'x'.repeat(40)), given('b', 'null')])
    if (bound.kind !== 'bound') throw new Error('unbound')
    for (const name of ['nosuch', 'SELECT', ',']) {
      expect(writtenOffset(bound.sql.indexOf(name), bound.edits)).toBe(sql.indexOf(name))
    }
    expect(writtenOffset(bound.sql.indexOf('xxx'), bound.edits)).toBe(sql.indexOf('$long'))
    expect(writtenOffset(bound.sql.length, bound.edits)).toBe(sql.length)
    expect(writtenOffset(bound.sql.indexOf('NULL'), bound.edits)).toBe(sql.indexOf('$b'))
  })
})
