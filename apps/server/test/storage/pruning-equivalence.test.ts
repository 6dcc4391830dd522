// Seeded random tables and predicates: dropping row groups never changes which rows pass.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { formatLiteralSql } from '@lake/core/iceberg/literal.ts'
import type { LiteralValue, PrimitiveType } from '@lake/core/iceberg/types.ts'
import { expect, test } from 'vitest'
import { excerptSql, openDuck, rowsOf } from './duck.ts'
import { excerptOf, field, schemaOf } from './excerpt.ts'

let seed = 2026
const random = (max: number): number => (seed = (seed * 48_271) % 2_147_483_647) % max

interface Column {
  readonly type: PrimitiveType
  readonly sqlType: string
  readonly literal: () => LiteralValue
}
const epoch = 1_700_000_000_000_000n
const words = ['', 'a', 'ab', 'abc', 'é', '\u{1f600}', '\u{ffee}', 'zz', 'z'.repeat(40)]
const columns: Column[] = [
  { type: { kind: 'int' }, sqlType: 'INTEGER', literal: () => BigInt(random(40) - 20) },
  { type: { kind: 'long' }, sqlType: 'BIGINT', literal: () => 2n ** 60n + BigInt(random(40)) },
  {
    type: { kind: 'double' },
    sqlType: 'DOUBLE',
    literal: () => [Number.NaN, -0, 0, 1.5, -1.5, Infinity, -Infinity, random(9)][random(8)]!,
  },
  {
    type: { kind: 'float' },
    sqlType: 'FLOAT',
    literal: () => [Number.NaN, -0, 0, 0.5, random(9)][random(5)]!,
  },
  {
    type: { kind: 'decimal', precision: 9, scale: 2 },
    sqlType: 'DECIMAL(9,2)',
    literal: () => BigInt(random(400) - 200),
  },
  {
    type: { kind: 'decimal', precision: 38, scale: 3 },
    sqlType: 'DECIMAL(38,3)',
    literal: () => BigInt(random(40) - 20) * 10n ** 30n,
  },
  { type: { kind: 'string' }, sqlType: 'VARCHAR', literal: () => words[random(words.length)]! },
  { type: { kind: 'date' }, sqlType: 'DATE', literal: () => BigInt(random(40) - 20) },
  { type: { kind: 'timestamp' }, sqlType: 'TIMESTAMP', literal: () => epoch + BigInt(random(40)) },
  { type: { kind: 'timestamptz' }, sqlType: 'TIMESTAMPTZ', literal: () => epoch + BigInt(random(40)) },
  { type: { kind: 'boolean' }, sqlType: 'BOOLEAN', literal: () => random(2) === 0 },
  {
    type: { kind: 'uuid' },
    sqlType: 'UUID',
    literal: () => new Uint8Array(16).fill(0).fill(random(4) * 80, 0, 1),
  },
]

function predicate(depth: number): Predicate {
  const kind = random(depth > 0 ? 8 : 5)
  if (kind >= 5) {
    const operands = [predicate(depth - 1), predicate(depth - 1)]
    return kind === 7 ? { op: 'not', operand: operands[0]! } : { op: kind === 5 ? 'and' : 'or', operands }
  }
  const fieldId = random(columns.length)
  const { type, literal } = columns[fieldId]!
  if (kind === 0) return { op: (['is-null', 'not-null'] as const)[random(2)]!, fieldId: fieldId + 1 }
  if (kind === 1) {
    return {
      op: (['in', 'not-in'] as const)[random(2)]!,
      fieldId: fieldId + 1,
      literals: [literal(), literal()],
    }
  }
  const ops = ['lt', 'lt-eq', 'gt', 'gt-eq', 'eq', 'not-eq'] as const
  const op = type.kind === 'string' && random(4) === 0 ? 'starts-with' : ops[random(ops.length)]!
  return { op, fieldId: fieldId + 1, literal: literal() }
}

const OPERATORS = { lt: '<', 'lt-eq': '<=', gt: '>', 'gt-eq': '>=', eq: '=', 'not-eq': '<>' } as const

function sqlOf(node: Predicate): string {
  if (node.op === 'true' || node.op === 'false') return node.op
  if (node.op === 'and' || node.op === 'or') return `(${node.operands.map(sqlOf).join(` ${node.op} `)})`
  if (node.op === 'not') return `(NOT ${sqlOf(node.operand)})`
  const name = `v${node.fieldId}`
  const { type } = columns[node.fieldId - 1]!
  switch (node.op) {
    case 'is-null':
      return `${name} IS NULL`
    case 'not-null':
      return `${name} IS NOT NULL`
    case 'in':
    case 'not-in': {
      const list = node.literals.map((literal) => formatLiteralSql(type, literal)).join(', ')
      return `${name} ${node.op === 'in' ? 'IN' : 'NOT IN'} (${list})`
    }
    case 'starts-with':
      return `starts_with(${name}, ${formatLiteralSql(type, node.literal)})`
    case 'lt':
    case 'lt-eq':
    case 'gt':
    case 'gt-eq':
    case 'eq':
    case 'not-eq':
      return `${name} ${OPERATORS[node.op]} ${formatLiteralSql(type, node.literal)}`
    default:
      throw new Error(node.op)
  }
}

test('random predicates over random files pass the same rows with and without pruning', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pruning-'))
  const duck = await openDuck()
  const names = columns.map((_column, index) => `v${index + 1}`)
  const schema = schemaOf(...columns.map(({ type }, index) => field(index + 1, `v${index + 1}`, type)))
  let dropped = 0
  try {
    for (let round = 0; round < 6; round += 1) {
      // A row group of 2048 rows repeats few values, so that its bounds are tight; nulls come in runs.
      const groups = Array.from({ length: 8 }, () => {
        const value = (column: Column): string =>
          random(4) === 0 ? 'NULL' : formatLiteralSql(column.type, column.literal())
        const choices = columns.map((column, index) => {
          const cases = [0, 1, 2].map((choice) => `WHEN ${choice} THEN ${value(column)}`)
          return `CAST(CASE i % 3 ${cases.join(' ')} END AS ${column.sqlType}) AS v${index + 1}`
        })
        return `SELECT ${choices.join(', ')} FROM range(2048) t(i)`
      })
      const path = join(directory, `data${round}.parquet`)
      const ids = names.map((name, index) => `${name}: ${index + 1}`).join(', ')
      await duck.run(
        `COPY (${groups.join(' UNION ALL ')}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, FIELD_IDS {${ids}})`,
      )
      // Not the file itself: the engine's own pruning of files tells -0.0 from 0.0 by their hashes.
      await duck.run(`CREATE OR REPLACE TABLE original AS SELECT * FROM '${path}'`)
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const wanted = predicate(2)
        const sql = sqlOf(wanted)
        const outcome = await excerptOf(path, schema, directory, { predicate: wanted })
        dropped += outcome.rowGroupsTotal - outcome.rowGroupsRead
        const count = (from: string): string =>
          `SELECT count(*), ${names.map((name) => `count(${name}), hash(list(${name} ORDER BY ${name}))`).join(', ')} FROM ${from} WHERE ${sql}`
        const { excerpt } = outcome
        const typed = new Map(columns.map(({ sqlType }, index) => [index, sqlType]))
        const rows = await rowsOf(duck, count(`(${excerptSql(excerpt, typed)}) x(${names.join(', ')})`))
        expect(rows, sql).toEqual(await rowsOf(duck, count('original')))
        if (excerpt.path !== undefined) rmSync(excerpt.path)
      }
    }
  } finally {
    duck.closeSync()
    rmSync(directory, { recursive: true })
  }
  expect(dropped).toBeGreaterThan(100)
}, 120_000)
