// References with AT, over the trees of the real parser: what they ask for, and that no position moves.
import { afterAll, describe, expect, it } from 'vitest'
import type { AppError } from '@lake/core/errors.ts'
import { never, startTestEngine } from '../../test/engine-support.ts'
import { analyzeStatement } from './analyze-statement.ts'
import { applySubstitutions } from './text-substitution.ts'
import { chooseViewNames, substituteVersions } from './version-substitution.ts'

const test = await startTestEngine()
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

const analyze = async (sql: string, viewNames: string[] = []) =>
  analyzeStatement(await test.engine.analyst.parse(sql, never), sql, viewNames)

const T = 'SELECT * FROM iceberg.a.t'

describe('AT asks for', () => {
  const time = (text: string) => ({ kind: 'time', timestampMs: Date.parse(text) })
  it.each([
    ['(VERSION => 5)', { kind: 'snapshot', snapshotId: 5n }],
    ['(version => -5)', { kind: 'snapshot', snapshotId: -5n }],
    ['(VERSION => 9223372036854775807)', { kind: 'snapshot', snapshotId: 9_223_372_036_854_775_807n }],
    ['(VERSION => 9999999999999999999)', { kind: 'snapshot', snapshotId: 9_999_999_999_999_999_999n }],
    ["(VERSION => 'main')", { kind: 'ref', name: 'main' }],
    ["(VERSION => '5')", { kind: 'ref', name: '5' }],
    ["(VERSION => 'it''s')", { kind: 'ref', name: "it's" }],
    ["(TIMESTAMP => TIMESTAMP '2020-01-02 03:04:05.678901')", time('2020-01-02T03:04:05.678Z')],
    ["(TIMESTAMP => '2020-01-02 03:04')", time('2020-01-02T03:04:00Z')],
    ["(TIMESTAMP => '2020-01-02 03:04:00+02')", time('2020-01-02T01:04:00Z')],
    ["(TIMESTAMP => TIMESTAMPTZ '2020-01-02 03:04:00-01:30')", time('2020-01-02T04:34:00Z')],
    ["(TIMESTAMP => '2020-01-02'::TIMESTAMP)", time('2020-01-02T00:00:00Z')],
    ["(TIMESTAMP => CAST('2020-01-02' AS DATE))", time('2020-01-02T00:00:00Z')],
    ["(TIMESTAMP => DATE '1969-12-31')", time('1969-12-31T00:00:00Z')],
  ])('[TT1] %s', async (clause, version) => {
    const [reference] = await analyze(`${T} AT ${clause}`)
    expect(reference?.at?.version).toEqual(version)
  })

  it.each([
    '(VERSION => 1 + 1)',
    '(VERSION => (SELECT 5))',
    '(VERSION => NULL)',
    '(VERSION => 1.5)',
    '(VERSION => true)',
    '(VERSION => 18446744073709551615)',
    '(VERSION => 99999999999999999999999999999999999999)',
    "(VERSION => DATE '2020-01-01')",
    '(TIMESTAMP => now())',
    '(TIMESTAMP => 5)',
    "(TIMESTAMP => TIMESTAMP_S '2020-01-01 00:00:00.9')",
    '(TIMESTAMP => NULL::TIMESTAMP)',
    "(TIMESTAMP => 'yesterday')",
    "(TIMESTAMP => TRY_CAST('2020-01-01' AS TIMESTAMP))",
    "(TIMESTAMP => TIMESTAMP '2020-01-01 00:00:00+02')",
    "(TIMESTAMP => '2020-01-01'::VARCHAR)",
    "(VERSION => (SELECT max(x) FROM read_csv('y')))",
  ])('[TT1] nothing by %s, and the clause is marked', async (clause) => {
    const sql = `SELECT 'é😀' FROM iceberg.a.t x AT ${clause} WHERE true`
    const error = await analyze(sql).then(
      () => undefined,
      (failure: unknown) => failure as AppError,
    )
    expect(error?.code).toBe('SQL_UNSUPPORTED')
    expect(sql.slice(error?.details?.startOffset, error?.details?.endOffset)).toBe(`AT ${clause}`)
  })

  it('refuses a version of a WITH clause', async () => {
    const failing = analyze('WITH c AS (SELECT 1) FROM c AT (VERSION => 5)')
    await expect(failing).rejects.toMatchObject({ code: 'SQL_UNSUPPORTED' })
  })
})

describe('a substitution', () => {
  const cases = [
    'SELECT * FROM iceberg.a.t AT (VERSION => 5)',
    'SELECT * FROM iceberg.a.t AS x AT (VERSION => 5) WHERE x.y = 1',
    'FROM iceberg.a.t x(b, c) AT (VERSION => 5) SELECT b',
    'FROM iceberg.a.t "AT" ("at", "VERSION") AT (VERSION => 5)',
    'FROM x: iceberg.a.t AT (VERSION => 5)',
    'FROM iceberg.a.t AT (VERSION => 5) TABLESAMPLE 10%',
    'PIVOT iceberg.a.t AT (VERSION => 5) ON x IN (1, 2) USING sum(y)',
    'SELECT \'é😀\', x FROM iceberg."é"."日本 t" /* 🙂 */ AT\r\n (VERSION => \'ß\') -- AT (VERSION => 7)\r\n, iceberg.a.t',
    'FROM iceberg.é.t /* 😀😀 */ AS "ü" -- AT (VERSION => 1)\n AT (TIMESTAMP => \'2020-01-01\' /* ) */) JOIN iceberg.a.t USING (id)',
    'FROM iceberg.a."se""lect"AT(VERSION=>1), iceberg.a.order AT (VERSION => 2)',
    'WITH c AS (FROM iceberg.a.t AT (VERSION => 5)) SELECT (SELECT max(x) FROM iceberg.a.t AT (VERSION => 6)) FROM c',
  ]

  it.each(cases)('[TT2] keeps every position of %s', async (sql) => {
    const references = await analyze(sql)
    const names = chooseViewNames(sql, references.length)
    for (const hasName of [false, true]) {
      const substituted = references.map((reference, index) => ({
        ...reference,
        viewName: hasName && reference.at ? names[index] : undefined,
      }))
      const text = applySubstitutions(sql, substituteVersions(sql, substituted))
      expect([text.length, Array.from(text).length, Buffer.byteLength(text)]).toEqual([
        sql.length,
        Array.from(sql).length,
        Buffer.byteLength(sql),
      ])
      const left = await analyze(text, names)
      expect(left.map(({ at }) => at)).toEqual(left.map(() => undefined))
      expect(left.map(({ startOffset, tableName }) => [startOffset, tableName])).toEqual(
        substituted
          .filter(({ viewName }) => viewName === undefined)
          .map(({ startOffset, tableName }) => [startOffset, tableName]),
      )
      const last = Math.max(...references.map(({ at, endOffset }) => at?.endOffset ?? endOffset))
      expect(text.slice(last)).toBe(sql.slice(last))
    }
  })

  it('[TT2] keeps every position of seeded statements', async () => {
    let state = 20_261_130
    const pick = <T>(items: readonly T[]): T => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return items[Math.floor((state / 2 ** 32) * items.length)]!
    }
    const gap = (): string =>
      pick([' ', '\r\n', '\t ', ' /* é) AT (VERSION => 9) */ ', " -- '😀 AT (\n", '/**/ '])
    const reference = (): string => {
      const name = pick([
        'iceberg.a.t',
        'ICEBERG . "é" . "日""t"',
        'iceberg.a.order',
        'iceberg/**/."a.b".t$files',
      ])
      const alias = pick(['', '', `AS${gap()}x`, '"ä 😀"', 'y(a, "AT")', 'AS "VERSION"'])
      const value = pick(['5', "'é😀'", "')('", "'it''s'", '-7'])
      const time = pick([
        "'2020-01-01'",
        "TIMESTAMP '2020-01-01 10:00'",
        "DATE '2020-01-01'",
        "'2020-01-01'::TIMESTAMPTZ",
      ])
      const inside = pick([`VERSION${gap()}=>${gap()}${value}${gap()}`, `timestamp =>${gap()}${time}`])
      const clause = pick(['', `${pick(['AT', 'at'])}${gap()}(${gap()}${inside})`])
      return [name, alias, clause].filter((part) => part !== '').join(gap())
    }
    for (let round = 0; round < 150; round += 1) {
      const from = Array.from({ length: 1 + (round % 3) }, reference).join(`${gap()}JOIN${gap()}`)
      const sql = `SELECT 'é😀',${gap()}1 FROM ${from} WHERE${gap()}nope = (SELECT 1 FROM ${reference()})`
      // Without a condition a JOIN is none.
      const text = sql.replaceAll(/\bJOIN\b/g, ',')
      const references = await analyze(text)
      const names = chooseViewNames(text, references.length)
      const substituted = references.map((found, index) => ({
        ...found,
        viewName: found.at && pick([true, false]) ? names[index] : undefined,
      }))
      const result = applySubstitutions(text, substituteVersions(text, substituted))
      expect([result.length, Array.from(result).length, Buffer.byteLength(result)], text).toEqual([
        text.length,
        Array.from(text).length,
        Buffer.byteLength(text),
      ])
      const left = await analyze(result, names)
      const named = substituted.filter(({ viewName }) => viewName === undefined)
      expect(
        left.map(({ startOffset, endOffset, tableName, at }) => [startOffset, endOffset, tableName, at]),
        text,
      ).toEqual(
        named.map(({ startOffset, endOffset, tableName }) => [startOffset, endOffset, tableName, undefined]),
      )
      expect(result.indexOf('nope'), text).toBe(text.indexOf('nope'))
    }
  })

  it('takes names that the statement does not contain', () => {
    expect(chooseViewNames('SELECT V0000, "xv0002y"', 3)).toEqual(['v0001', 'v0003', 'v0004'])
  })
})
