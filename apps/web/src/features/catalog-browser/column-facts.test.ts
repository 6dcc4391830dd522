import { describe, expect, it } from 'vitest'
import type { ColumnStatistics } from '@lake/core/api/table-contents.ts'
import { boundFact, countFact, deletesText, distinctFact, shareText } from './column-facts.ts'

it.each([
  [0, 0, '0%'],
  [0, 9, '0%'],
  [1, 1_000_000, '<0.1%'],
  [1, 8, '12.5%'],
  [999_999, 1_000_000, '>99.9%'],
  [9, 9, '100%'],
])('[TP3] %i of %i is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text)
})

describe('[TP3] statistics claim what the manifests say and no more', () => {
  const of = (count: number, fileCount: number) => ({ count, fileCount })

  it.each([
    ['all files', of(3, 4), of(12, 4), '25.0%', /^3 NULLs of 12 values, in all 4 data files$/],
    ['some files', of(3, 2), of(12, 2), '≥ 3', /in 2 of 4 data files; the others do not say$/],
    ['values of some files', of(3, 4), of(12, 3), '3', /in all 4/],
    ['no values at all', of(0, 4), of(0, 4), '0', /0 NULLs of 0 values/],
  ])('counts of %s', (_what, part, values, text, title) => {
    const fact = countFact(part, values, 'NULL', 4)
    expect(fact?.text).toBe(text)
    expect(fact?.note).toMatch(title)
  })

  it('nothing where no file counts', () => {
    expect(countFact(of(0, 0), of(0, 0), 'NULL', 4)).toBeNull()
    expect(countFact(null, of(1, 4), 'NaN', 4)).toBeNull()
  })

  it('bounds that may be cut, and those of some files', () => {
    const bound = (text: string, mayBeCut: boolean, fileCount = 4) => ({ text, mayBeCut, fileCount })
    const column = { lower: bound('aaaaaaaaaaaaaaaa', true), upper: bound('7', false, 3) }
    expect(boundFact(column, 'lower', 4)).toEqual({
      text: '≥ aaaaaaaaaaaaaaaa…',
      value: 'aaaaaaaaaaaaaaaa',
      note: expect.stringMatching(/no value need be this one: all are ≥ it$/) as string,
    })
    expect(boundFact(column, 'upper', 4)?.text).toBe('7')
    expect(boundFact(column, 'upper', 4)).toMatchObject({
      value: '7',
      note: expect.stringMatching(/^in 3 of 4 data files/) as string,
    })
    expect(boundFact({ lower: null, upper: null }, 'lower', 4)).toBeNull()
    expect(boundFact({ lower: bound('', false), upper: null }, 'lower', 1)?.text).toBe('""')
  })

  it('sketches of an earlier snapshot', () => {
    const column = { distinct: { count: '9007199254740993', snapshotId: '7' } } as ColumnStatistics
    expect(distinctFact(column, '7')).toEqual({
      text: '≈ 9,007,199,254,740,993',
      note: 'different values, estimated by a sketch of this snapshot',
    })
    expect(distinctFact(column, '8')?.note).toMatch(/snapshot 7, an earlier one$/)
    expect(distinctFact({ distinct: null } as ColumnStatistics, '7')).toBeNull()
  })

  it('deletes', () => {
    const none = { positionFileCount: 0, vectorCount: 0, positionCount: 0, equalityFileCount: 0 }
    expect(deletesText({ deletes: none })).toBeNull()
    expect(deletesText({ deletes: { ...none, positionFileCount: 2, positionCount: 500 } })).toMatch(
      /^2 position delete files take away at most 500 rows\. Counts include those rows/,
    )
    const text = deletesText({ deletes: { ...none, vectorCount: 1, positionCount: 5, equalityFileCount: 3 } })
    expect(text).toMatch(
      /^1 deletion vector and 3 equality delete files take away a number of rows that only/,
    )
  })
})
