// Seeded random test: random rows and predicates, pruned by metrics and by partitions, against every row evaluated.
// A failure prints its seed and predicate.
import { describe, expect, test } from 'vitest'
import { compareLiterals } from '../iceberg/literal.ts'
import { encodeBound } from '../iceberg/literal-bytes.ts'
import type { FieldSummary } from '../iceberg/manifest.ts'
import { parsePrimitiveType } from '../iceberg/schema.ts'
import type { PartitionSpec } from '../iceberg/table-metadata.ts'
import { applyTransform, parseTransform, transformResultType } from '../iceberg/transform.ts'
import type { LiteralValue, PrimitiveType } from '../iceberg/types.ts'
import { projectInclusive } from './inclusive-projection.ts'
import { mightMatchMetrics } from './inclusive-metrics-evaluator.ts'
import type { ColumnMetrics } from './inclusive-metrics-evaluator.ts'
import { mightMatchManifest, mightMatchPartition } from './manifest-evaluator.ts'
import { typePartitionFields } from './partition-types.ts'
import type { ComparisonOp, Predicate, UnaryOp } from './predicate.ts'
import { rewriteNot } from './rewrite-not.ts'

type Value = LiteralValue | null
type Row = readonly Value[]

function createRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number): number => Math.floor(next() * max)
  return { next, below, pick: <T>(items: readonly T[]): T => items[below(items.length)]! }
}
type Random = ReturnType<typeof createRandom>

const TYPES = [
  'int',
  'long',
  'double',
  'float',
  'string',
  'decimal(9, 2)',
  'date',
  'timestamp',
  'boolean',
  'binary',
  'uuid',
  'time',
].map((text) => parsePrimitiveType(text))

function randomValue(type: PrimitiveType, random: Random): LiteralValue {
  switch (type.kind) {
    case 'boolean':
      return random.below(2) === 0
    case 'float':
    case 'double':
      return random.pick([Number.NaN, -0, 0, Infinity, -Infinity, 1.5, -1.5, 2, random.below(5)])
    case 'string':
      return random.pick(['', 'a', 'ab', 'abc', 'abd', 'b', '\uffff', '😀', '😀b', 'ab😀'])
    case 'binary':
      return Uint8Array.from({ length: random.below(3) }, () => random.pick([0, 1, 127, 128, 255]))
    case 'uuid':
      return Uint8Array.from({ length: 16 }, (_, index) =>
        index === 0 ? random.pick([0, 127, 128, 255]) : 0,
      )
    case 'timestamp':
      return BigInt(random.below(9) - 4) * 21_600_000_000n + BigInt(random.below(3) - 1)
    case 'date':
      return BigInt(random.below(80) - 40)
    default:
      return random.below(40) === 0
        ? random.pick(
            [-2147483648n, 2147483647n].map((edge) => (type.kind === 'decimal' ? edge % 1_000_000n : edge)),
          )
        : BigInt(random.below(12) - 6)
  }
}

const COMPARISONS: readonly ComparisonOp[] = ['lt', 'lt-eq', 'gt', 'gt-eq', 'eq', 'not-eq']
const UNARY: readonly UnaryOp[] = ['is-null', 'not-null', 'is-nan', 'not-nan']

function randomPredicate(types: readonly PrimitiveType[], random: Random, depth = 0): Predicate {
  const choice = random.below(depth > 2 ? 6 : 10)
  if (choice >= 9) return { op: 'not', operand: randomPredicate(types, random, depth + 1) }
  if (choice >= 6) {
    const operands = Array.from({ length: 1 + random.below(3) }, () =>
      randomPredicate(types, random, depth + 1),
    )
    return { op: random.pick(['and', 'or'] as const), operands }
  }
  const fieldId = random.below(types.length)
  const type = types[fieldId]!
  const literal = randomValue(type, random)
  if (choice === 0) {
    const isFloating = type.kind === 'float' || type.kind === 'double'
    return { op: random.pick(isFloating ? UNARY : UNARY.slice(0, 2)), fieldId }
  }
  if (choice === 1) {
    const literals = Array.from({ length: random.below(3) }, () => randomValue(type, random))
    return { op: random.pick(['in', 'not-in'] as const), fieldId, literals }
  }
  if (choice === 2 && type.kind === 'string') {
    return { op: random.pick(['starts-with', 'not-starts-with'] as const), fieldId, literal }
  }
  return { op: random.pick(COMPARISONS), fieldId, literal }
}

/** SQL's logic: undefined is unknown. */
function evaluate(predicate: Predicate, row: Row): boolean | undefined {
  switch (predicate.op) {
    case 'true':
    case 'false':
      return predicate.op === 'true'
    case 'not': {
      const result = evaluate(predicate.operand, row)
      return result === undefined ? undefined : !result
    }
    case 'and':
    case 'or': {
      const results = predicate.operands.map((operand) => evaluate(operand, row))
      const decisive = predicate.op === 'or'
      if (results.includes(decisive)) return decisive
      return results.includes(undefined) ? undefined : !decisive
    }
    default:
      break
  }
  const value = row[predicate.fieldId] ?? null
  if (predicate.op === 'is-null') return value === null
  if (predicate.op === 'not-null') return value !== null
  if (value === null) return undefined
  switch (predicate.op) {
    case 'is-nan':
      return Number.isNaN(value)
    case 'not-nan':
      return !Number.isNaN(value)
    case 'in':
      return predicate.literals.some((literal) => compareLiterals(value, literal) === 0)
    case 'not-in':
      return !predicate.literals.some((literal) => compareLiterals(value, literal) === 0)
    case 'starts-with':
      return (value as string).startsWith(predicate.literal as string)
    case 'not-starts-with':
      return !(value as string).startsWith(predicate.literal as string)
    default: {
      const order = compareLiterals(value, (predicate as { literal: LiteralValue }).literal)
      const results = {
        lt: order < 0,
        'lt-eq': order <= 0,
        gt: order > 0,
        'gt-eq': order >= 0,
        eq: order === 0,
        'not-eq': order !== 0,
      }
      return results[predicate.op]
    }
  }
}

/** As a writer makes them; at random some are left out, and bounds are widened. */
function metricsOf(values: readonly Value[], type: PrimitiveType, random: Random): ColumnMetrics {
  const isNan = (value: Value): boolean => typeof value === 'number' && Number.isNaN(value)
  const bounded = values.filter((value) => value !== null && !isNan(value)) as LiteralValue[]
  const sorted = bounded.toSorted(compareLiterals)
  const isKept = (): boolean => random.below(4) > 0
  const lower = sorted[0]
  const upper = sorted.at(-1)
  const isFloating = type.kind === 'float' || type.kind === 'double'
  return {
    valueCount: isKept() ? values.length : undefined,
    nullCount: isKept() ? values.filter((value) => value === null).length : undefined,
    nanCount: isFloating && isKept() ? values.filter(isNan).length : undefined,
    lower: isKept()
      ? typeof lower === 'string'
        ? lower.slice(0, 2).replace(/[\ud800-\udbff]$/, '')
        : lower
      : undefined,
    upper: isKept() ? (typeof upper === 'bigint' ? upper + BigInt(random.below(2)) : upper) : undefined,
  }
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'bigint' ? `${item}n` : typeof item === 'number' ? String(item) : item,
  )

describe('metrics', () => {
  test('[EX5] [H53] [H54] [H55] [B11] [B18] no file is excluded in which a row matches', () => {
    let excluded = 0
    for (let seed = 1; seed <= 6_000; seed += 1) {
      const random = createRandom(seed)
      const types = [random.pick(TYPES), random.pick(TYPES)]
      const nullShare = random.pick([0, 2, 3, 10])
      const rows: Row[] = Array.from({ length: 1 + random.below(4) }, () =>
        types.map((type) =>
          nullShare > 0 && random.below(nullShare) < 2 ? null : randomValue(type, random),
        ),
      )
      const metrics = types.map((type, index) =>
        metricsOf(
          rows.map((row) => row[index] ?? null),
          type,
          random,
        ),
      )
      const predicate = randomPredicate(types, random)
      const mightMatch = mightMatchMetrics(
        predicate,
        (id) => metrics[id],
        (id) => types[id],
      )
      const doesMatch = rows.some((row) => evaluate(predicate, row) === true)
      if (!mightMatch) excluded += 1
      if (doesMatch && !mightMatch) expect.fail(`seed ${seed}: ${show({ types, predicate, rows, metrics })}`)
    }
    // A test that excludes nothing would prove nothing.
    expect(excluded).toBeGreaterThan(500)
  })

  test('[EX1] rewriting NOT changes no row', () => {
    for (let seed = 1; seed <= 3_000; seed += 1) {
      const random = createRandom(seed)
      const types = [random.pick(TYPES), random.pick(TYPES)]
      const row = types.map((type) => (random.below(4) === 0 ? null : randomValue(type, random)))
      const predicate = randomPredicate(types, random)
      expect(evaluate(rewriteNot(predicate), row), `seed ${seed}`).toBe(evaluate(predicate, row))
    }
  })
})

const TRANSFORMS: readonly (readonly [string, string])[] = [
  ['identity', 'int'],
  ['identity', 'double'],
  ['identity', 'string'],
  ['identity', 'boolean'],
  ['identity', 'uuid'],
  ['bucket[3]', 'int'],
  ['bucket[4]', 'string'],
  ['bucket[2]', 'uuid'],
  ['bucket[3]', 'decimal(9, 2)'],
  ['truncate[4]', 'int'],
  ['truncate[10000]', 'int'],
  ['truncate[4]', 'long'],
  ['truncate[5]', 'decimal(9, 2)'],
  ['truncate[1]', 'string'],
  ['truncate[2]', 'string'],
  ['truncate[1]', 'binary'],
  ['year', 'date'],
  ['month', 'date'],
  ['day', 'timestamp'],
  ['hour', 'timestamp'],
  ['day', 'date'],
  ['void', 'string'],
  ['zorder', 'int'],
]

/** Java's int arithmetic wraps where ours has no result. */
function partitionValue(transform: string, type: PrimitiveType, value: Value): Value {
  const result = applyTransform(parseTransform(transform), type, value)
  if (result !== undefined) return result
  if (type.kind !== 'int' || value === null || transform === 'zorder') return value === null ? null : 99n
  const width = BigInt(/\d+/.exec(transform)![0])
  const long = value as bigint
  return BigInt.asIntN(32, long - (((long % width) + width) % width))
}

describe.each(TRANSFORMS)('%s of %s', (transform, typeText) => {
  const type = parsePrimitiveType(typeText)
  const spec: PartitionSpec = {
    specId: 0,
    fields: [
      { sourceIds: [0], fieldId: 1_000, name: 'p', transform },
      { sourceIds: [0, 1], fieldId: 1_001, name: 'q', transform: 'bucket[2]' },
    ],
  }
  const types = [type, parsePrimitiveType('int')]
  const fields = typePartitionFields(spec, (id) => types[id])

  test('[EX6] [EX8] [EX9] [H36] [H37] [H38] [H45] [H46] [B10] [B21] [B24] the partition of every matching row passes the projection', () => {
    let excluded = 0
    for (let seed = 1; seed <= 1_500; seed += 1) {
      const random = createRandom(seed)
      const rows: Row[] = Array.from({ length: 1 + random.below(2) }, () =>
        types.map((columnType) => (random.below(6) === 0 ? null : randomValue(columnType, random))),
      )
      const predicate = randomPredicate(types, random)
      const projected = projectInclusive(predicate, fields)
      const values = rows.map((row) => partitionValue(transform, type, row[0] ?? null))
      rows.forEach((row, index) => {
        const partition = new Map([
          [1_000, values[index] ?? null],
          [1_001, 1n as Value],
        ])
        const mightMatch = mightMatchPartition(projected, fields, partition)
        if (!mightMatch) excluded += 1
        if (evaluate(predicate, row) === true && !mightMatch) {
          expect.fail(`seed ${seed}: ${show({ predicate, projected, row, partition: [...partition] })}`)
        }
      })
      const summaries = [
        summaryOf(values),
        { containsNull: true, containsNan: undefined, lowerBound: undefined, upperBound: undefined },
      ]
      if (
        rows.some((row) => evaluate(predicate, row) === true) &&
        !mightMatchManifest(projected, fields, summaries)
      ) {
        expect.fail(`manifest, seed ${seed}: ${show({ predicate, projected, rows, values })}`)
      }
    }
    if (transform === 'void' || transform === 'zorder') return
    expect(excluded).toBeGreaterThan(50)
  })

  function summaryOf(values: readonly Value[]): FieldSummary {
    const result = transformResultType(parseTransform(transform), type) ?? { kind: 'int' as const }
    const sorted = values
      .filter((value) => value !== null && !Number.isNaN(value))
      .toSorted((a, b) => compareLiterals(a!, b!))
    const encode = (value: Value | undefined) =>
      value === undefined || value === null ? undefined : encodeBound(result, value)
    return {
      containsNull: values.includes(null),
      containsNan: values.some((value) => Number.isNaN(value)),
      lowerBound: encode(sorted[0]),
      upperBound: encode(sorted.at(-1)),
    }
  }
})
