import { expect, test } from 'vitest'
import { mightMatchMetrics } from './inclusive-metrics-evaluator.ts'
import type { ColumnMetrics } from './inclusive-metrics-evaluator.ts'
import { mightMatchManifest, mightMatchPartition } from './manifest-evaluator.ts'
import { typePartitionFields } from './partition-types.ts'
import type { Predicate } from './predicate.ts'
import type { PrimitiveType } from '../iceberg/types.ts'
import { encodeBound } from '../iceberg/literal-bytes.ts'
import { projectInclusive } from './inclusive-projection.ts'

const LONG: PrimitiveType = { kind: 'long' }
const DOUBLE: PrimitiveType = { kind: 'double' }
const STRING: PrimitiveType = { kind: 'string' }

const mightMatch = (
  type: PrimitiveType | undefined,
  metrics: ColumnMetrics | undefined,
  predicate: Predicate,
) =>
  mightMatchMetrics(
    predicate,
    () => metrics,
    () => type,
  )
const fieldsOf = (transform: string, type: PrimitiveType) =>
  typePartitionFields(
    { specId: 0, fields: [{ sourceIds: [1], fieldId: 1000, name: 'p', transform }] },
    () => type,
  )
const gt = (literal: number | bigint | string): Predicate => ({ op: 'gt', fieldId: 0, literal })
const eq = (literal: number | bigint | string): Predicate => ({ op: 'eq', fieldId: 0, literal })

test('bounds exclude what lies outside of them', () => {
  const metrics = { valueCount: 10, nullCount: 1, lower: 5n, upper: 9n }
  expect(mightMatch(LONG, metrics, gt(9n))).toBe(false)
  expect(mightMatch(LONG, metrics, gt(8n))).toBe(true)
  expect(mightMatch(LONG, metrics, eq(4n))).toBe(false)
  expect(mightMatch(LONG, metrics, { op: 'in', fieldId: 0, literals: [4n, 10n] })).toBe(false)
  expect(mightMatch(LONG, metrics, { op: 'not', operand: { op: 'lt-eq', fieldId: 0, literal: 9n } })).toBe(
    false,
  )
})

test('[EX2] [H51] absent metrics prove nothing', () => {
  for (const predicate of [gt(9n), { op: 'is-null', fieldId: 0 }, { op: 'not-null', fieldId: 0 }] as const) {
    expect(mightMatch(LONG, undefined, predicate)).toBe(true)
    expect(mightMatch(LONG, {}, predicate)).toBe(true)
    expect(mightMatch(undefined, { valueCount: 1, nullCount: 1, lower: 1n, upper: 1n }, predicate)).toBe(true)
  }
  expect(mightMatch(LONG, { valueCount: 0, nullCount: 0 }, { op: 'not-null', fieldId: 0 })).toBe(true)
})

test('[H52] [B4] null counts decide null tests only where both counts are known', () => {
  expect(mightMatch(LONG, { valueCount: 3, nullCount: 3 }, { op: 'not-null', fieldId: 0 })).toBe(false)
  expect(mightMatch(LONG, { valueCount: 3, nullCount: 2 }, { op: 'not-null', fieldId: 0 })).toBe(true)
  expect(mightMatch(LONG, { nullCount: 0 }, { op: 'is-null', fieldId: 0 })).toBe(false)
  expect(mightMatch(LONG, { valueCount: 3, nullCount: 3 }, gt(0n))).toBe(false)
})

test('[EX3] [H54] [H55] [B20] an upper bound alone excludes nothing of a column that may hold NaN', () => {
  expect(mightMatch(DOUBLE, { lower: 1, upper: 2 }, gt(5))).toBe(true)
  expect(mightMatch(DOUBLE, { lower: 1, upper: 2, nanCount: 1 }, gt(5))).toBe(true)
  expect(mightMatch(DOUBLE, { lower: 1, upper: 2, nanCount: 0 }, gt(5))).toBe(false)
  expect(mightMatch(DOUBLE, { lower: 1, upper: 2 }, eq(5))).toBe(false)
  expect(mightMatch(DOUBLE, { lower: 1, upper: 2 }, gt(Number.NaN))).toBe(false)
  expect(mightMatch(DOUBLE, { lower: 0, upper: 0, nanCount: 0 }, eq(-0))).toBe(true)
})

test('[EX4] [H29] contradicting bounds are no bounds', () => {
  for (const literal of [1n, 7n, 100n])
    expect(mightMatch(LONG, { lower: 9n, upper: 5n }, eq(literal))).toBe(true)
  const fields = fieldsOf('identity', LONG)
  const summary = (lower: bigint, upper: bigint) => ({
    containsNull: false,
    containsNan: false,
    lowerBound: encodeBound(LONG, lower),
    upperBound: encodeBound(LONG, upper),
  })
  const projected = projectInclusive({ op: 'eq', fieldId: 1, literal: 100n }, fields)
  expect(mightMatchManifest(projected, fields, [summary(5n, 9n)])).toBe(false)
  expect(mightMatchManifest(projected, fields, [summary(9n, 5n)])).toBe(true)
})

test('[EX9] [H44] hours beyond 32 bits, as Java wraps them, exclude nothing', () => {
  const type: PrimitiveType = { kind: 'timestamp' }
  const fields = fieldsOf('hour', type)
  const farFuture = 9_000_000_000_000_000_000n
  const hour = BigInt.asIntN(32, farFuture / 3_600_000_000n)
  expect(hour).toBeLessThan(0n)
  const projected = projectInclusive({ op: 'gt', fieldId: 1, literal: 0n }, fields)
  expect(mightMatchPartition(projected, fields, new Map([[1000, -5n]]))).toBe(false)
  expect(mightMatchPartition(projected, fields, new Map([[1000, hour]]))).toBe(true)
  const bytes = encodeBound({ kind: 'int' }, hour)
  const summary = { containsNull: false, containsNan: false, lowerBound: bytes, upperBound: bytes }
  expect(mightMatchManifest(projected, fields, [summary])).toBe(true)
})

test('bounds of another type than the literal exclude nothing', () => {
  expect(mightMatch(LONG, { lower: 5n, upper: 9n }, eq('x'))).toBe(true)
})

test('[H53] truncated text bounds are bounds', () => {
  const metrics = { lower: 'ab', upper: 'ac' }
  expect(mightMatch(STRING, metrics, { op: 'starts-with', fieldId: 0, literal: 'abc' })).toBe(true)
  expect(mightMatch(STRING, metrics, { op: 'starts-with', fieldId: 0, literal: 'ad' })).toBe(false)
  expect(mightMatch(STRING, metrics, { op: 'starts-with', fieldId: 0, literal: 'aa' })).toBe(false)
  expect(mightMatch(STRING, metrics, { op: 'not-starts-with', fieldId: 0, literal: 'a' })).toBe(false)
  expect(mightMatch(STRING, { lower: 'ab' }, gt('zz'))).toBe(true)
})

test('[H57] variant and geometry columns exclude nothing', () => {
  expect(
    mightMatch({ kind: 'variant' }, { valueCount: 1, nullCount: 1 }, { op: 'not-null', fieldId: 0 }),
  ).toBe(true)
})

test('[EX10] [H28] a summary that says nothing excludes nothing', () => {
  const fields = fieldsOf('identity', LONG)
  const isNull = projectInclusive({ op: 'is-null', fieldId: 1 }, fields)
  const empty = { containsNull: false, lowerBound: undefined, upperBound: undefined }
  expect(mightMatchManifest(isNull, fields, [{ ...empty, containsNan: undefined }])).toBe(true)
  expect(mightMatchManifest(isNull, fields, [{ ...empty, containsNan: false }])).toBe(false)
  expect(mightMatchManifest(isNull, fields, [])).toBe(true)
  // A list of another length than the spec's fields cannot be matched to them.
  const telling = { ...empty, containsNan: false }
  expect(mightMatchManifest(isNull, fields, [telling])).toBe(false)
  expect(mightMatchManifest(isNull, fields, [telling, telling])).toBe(true)
  expect(mightMatchManifest(isNull, fields, undefined)).toBe(true)
})

test('[EX9] summaries of UUIDs exclude nothing, because Java orders them as signed numbers', () => {
  const fields = fieldsOf('identity', { kind: 'uuid' })
  const uuid = (first: number) => Uint8Array.from({ length: 16 }, (_, index) => (index === 0 ? first : 0))
  // Signed, 0x80 comes before 0x01; what lies between them by unsigned bytes may be there all the same.
  const summary = { containsNull: false, containsNan: false, lowerBound: uuid(0x02), upperBound: uuid(0x7f) }
  const projected = projectInclusive({ op: 'eq', fieldId: 1, literal: uuid(0x01) }, fields)
  expect(mightMatchManifest(projected, fields, [summary])).toBe(true)
})
