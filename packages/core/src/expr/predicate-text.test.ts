import { expect, test } from 'vitest'
import type { PrimitiveType } from '../iceberg/types.ts'
import { conjunctsOf } from './conjuncts.ts'
import type { Predicate } from './predicate.ts'
import { formatPredicate, type NamedFields } from './predicate-text.ts'

const COLUMNS: Readonly<Record<number, readonly [name: string, type: PrimitiveType]>> = {
  1: ['id', { kind: 'long' }],
  2: ['day', { kind: 'date' }],
  3: ['Full name', { kind: 'string' }],
  4: ['price', { kind: 'decimal', precision: 9, scale: 2 }],
}
const fields: NamedFields = {
  nameOf: (id) => COLUMNS[id]?.[0],
  typeOf: (id) => COLUMNS[id]?.[1],
}
const from: Predicate = { op: 'gt-eq', fieldId: 2, literal: 20_000n }
const to: Predicate = { op: 'lt', fieldId: 2, literal: 20_031n }
const big: Predicate = { op: 'eq', fieldId: 1, literal: 9_007_199_254_740_993n }

const TEXTS: readonly (readonly [text: string, predicate: Predicate])[] = [
  ["day >= '2024-10-04'", from],
  ['id = 9007199254740993', big],
  ['price = 12.34', { op: 'eq', fieldId: 4, literal: 1234n }],
  [`starts_with("Full name", 'O''B')`, { op: 'starts-with', fieldId: 3, literal: "O'B" }],
  ['id IS NULL', { op: 'is-null', fieldId: 1 }],
  [
    "id = 9007199254740993 OR (day >= '2024-10-04' AND day < '2024-11-04')",
    { op: 'or', operands: [big, { op: 'and', operands: [from, to] }] },
  ],
  ['NOT (id = 9007199254740993)', { op: 'not', operand: big }],
  ['id IN (1, 2, 3, 4, 5, … 2 more)', { op: 'in', fieldId: 1, literals: [1n, 2n, 3n, 4n, 5n, 6n, 7n] }],
]
for (const [text, predicate] of TEXTS) {
  test(`[EX11] a predicate reads as ${text}`, () => {
    expect(formatPredicate(predicate, fields)).toBe(text)
  })
}

test('[EX11] a long text is cut between characters', () => {
  const text = formatPredicate({ op: 'eq', fieldId: 3, literal: '😀'.repeat(65) }, fields)
  expect(text).toBe(`"Full name" = '${'😀'.repeat(64)}…'`)
})

test('[EX11] conditions over the same columns are one part, and TRUE is none', () => {
  const predicate: Predicate = { op: 'and', operands: [from, big, { op: 'true' }, to] }
  expect(conjunctsOf(predicate).map((part) => formatPredicate(part, fields))).toEqual([
    "day >= '2024-10-04' AND day < '2024-11-04'",
    'id = 9007199254740993',
  ])
  expect(conjunctsOf({ op: 'true' })).toEqual([])
  expect(conjunctsOf({ op: 'not', operand: { op: 'or', operands: [from, big] } })).toHaveLength(2)
})
