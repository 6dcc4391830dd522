// What scans need, read off plans of the real optimizer.
import { afterAll, describe, expect, it } from 'vitest'
import type { PrimitiveType, IcebergType } from '@lake/core/iceberg/types.ts'
import type { Predicate } from '@lake/core/expr/predicate.ts'
import { never, startTestEngine } from '../../test/engine-support.ts'
import { countedTables, findRowWise, pushdown, type PushdownTable } from './pushdown.ts'

const test = await startTestEngine()
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

const primitive = (kind: string): IcebergType => ({ kind }) as unknown as PrimitiveType
const COLUMNS: [name: string, sqlType: string, type: IcebergType][] = [
  ['id', 'BIGINT', primitive('long')],
  ['name', 'VARCHAR', primitive('string')],
  ['s', 'STRUCT(x INTEGER, y VARCHAR)', { kind: 'struct', fields: [] }],
  ['ts', 'TIMESTAMP', primitive('timestamp')],
  ['d', 'DECIMAL(18,2)', { kind: 'decimal', precision: 18, scale: 2 }],
  ['day', 'DATE', primitive('date')],
  ['dbl', 'DOUBLE', primitive('double')],
  ['bin', 'BLOB', primitive('binary')],
  ['tz', 'TIMESTAMP WITH TIME ZONE', primitive('timestamptz')],
  ['u', 'UUID', primitive('uuid')],
  ['i', 'INTEGER', primitive('int')],
  ['f', 'FLOAT', primitive('float')],
  ['b', 'BOOLEAN', primitive('boolean')],
  ['t', 'TIME', primitive('time')],
  ['ns', 'TIMESTAMP_NS', primitive('timestamp_ns')],
  ['big', 'DECIMAL(38,5)', { kind: 'decimal', precision: 38, scale: 5 }],
  ['c0', 'BIGINT', primitive('long')],
  [
    'm',
    'MAP(VARCHAR, VARCHAR)',
    {
      kind: 'map',
      keyId: 1,
      key: primitive('string'),
      valueId: 2,
      value: primitive('string'),
      isValueRequired: false,
    },
  ],
  ['l', 'BIGINT[]', { kind: 'list', elementId: 3, element: primitive('long'), isElementRequired: false }],
]
const NAMES = COLUMNS.map(([name]) => name)
const tables: PushdownTable[] = ['t', 'u'].map((tableName) => ({
  table: { schemaName: 'a.b', tableName, columns: COLUMNS.map(([name, sqlType]) => ({ name, sqlType })) },
  columns: COLUMNS.map(([, , type], index) => ({ fieldId: 100 + index, type })),
}))
const T = 'iceberg."a.b".t'

async function plan(sql: string, statementAtMs?: number) {
  const options = statementAtMs === undefined ? {} : { statementAtMs }
  return await test.engine.analyst.bind(
    sql,
    tables.map(({ table }) => table),
    never,
    options,
  )
}

async function requirements(sql: string, statementAtMs?: number) {
  return await pushdown(await plan(sql, statementAtMs), tables, test.engine.analyst, never)
}

function show(predicate: Predicate): string {
  const value = (literal: unknown): string =>
    literal instanceof Uint8Array
      ? `x${Buffer.from(literal).toString('hex')}`
      : typeof literal === 'string'
        ? `'${literal}'`
        : String(literal)
  switch (predicate.op) {
    case 'true':
    case 'false':
      return predicate.op
    case 'and':
    case 'or':
      return `(${predicate.operands.map(show).sort().join(` ${predicate.op} `)})`
    case 'not':
      return `not ${show(predicate.operand)}`
    case 'in':
    case 'not-in':
      return `${NAMES[predicate.fieldId - 100]} ${predicate.op} [${predicate.literals.map(value).join(' ')}]`
    default:
      return `${NAMES[predicate.fieldId - 100]} ${predicate.op}${'literal' in predicate ? ` ${value(predicate.literal)}` : ''}`
  }
}

async function predicateOf(where: string): Promise<string> {
  const [requirement] = await requirements(`SELECT id FROM ${T} WHERE ${where}`)
  return show(requirement!.predicate)
}

describe('predicates', () => {
  it.each([
    ['true', 'true'],
    ['id > 5', 'id gt 5'],
    ['5 >= id', 'id lt-eq 5'],
    ['id + 1 > 5', 'id gt 4'],
    ['id = 9007199254740993', 'id eq 9007199254740993'],
    ['id = -9223372036854775808', 'id eq -9223372036854775808'],
    ['id <> 5', 'id not-eq 5'],
    ['id BETWEEN 1 AND 3', '(id gt-eq 1 and id lt-eq 3)'],
    [
      'id IN (1, 2, 9007199254740993)',
      '((id eq 1 or id eq 2 or id eq 9007199254740993) and id in [1 2 9007199254740993])',
    ],
    ['id NOT IN (1, 2)', 'id not-in [1 2]'],
    ['id IS NULL', 'id is-null'],
    ['id IS NOT NULL', 'id not-null'],
    ["id > 5 AND name = 'x'", "(id gt 5 and name eq 'x')"],
    ["id > 5 OR name = 'x'", "(id gt 5 or name eq 'x')"],
    ["name LIKE 'ab%'", "(name gt-eq 'ab' and name lt 'ac')"],
    ["name = 'it''s é😀'", "name eq 'it's é😀'"],
    ["starts_with(name, 'x')", "name starts-with 'x'"],
    ["name LIKE '%x'", 'true'],
    ["lower(name) = 'x'", 'true'],
    ["NOT (lower(name) = 'x')", 'true'],
    ["id > 5 AND lower(name) = 'x'", 'id gt 5'],
    ["id > 5 OR lower(name) = 'x'", 'true'],
    ["day = DATE '2020-01-01'", 'day eq 18262'],
    ["day >= '1969-12-31'", 'day gt-eq -1'],
    ["ts >= TIMESTAMP '2020-01-01 00:00:00.000001'", 'ts gt-eq 1577836800000001'],
    [
      "date_trunc('day', ts) = TIMESTAMP '2020-01-01'",
      '(ts gt-eq 1577836800000000 and ts lt 1577923200000000)',
    ],
    ["tz > TIMESTAMPTZ '2020-01-01 01:00:00+01'", 'tz gt 1577836800000000'],
    ["ns > '2020-01-01 00:00:00.123456789'::TIMESTAMP_NS", 'ns gt 1577836800123456789'],
    ["t > TIME '12:34:56.789'", 't gt 45296789000'],
    ['d > 3.5', 'd gt 350'],
    ['big < 12345678901234567890.12345', 'big lt 1234567890123456789012345'],
    ['big > -12345678901234567890.12345', 'big gt -1234567890123456789012345'],
    ['dbl > 1e300', 'dbl gt 1e+300'],
    ["dbl = 'nan'::DOUBLE", 'dbl eq NaN'],
    ["dbl < '-inf'::DOUBLE", 'dbl lt -Infinity'],
    ['f > 0.1::FLOAT', `f gt ${Math.fround(0.1)}`],
    ['isnan(dbl)', 'dbl is-nan'],
    ["u = '00000000-0000-0000-0000-0000000000ff'", 'u eq x000000000000000000000000000000ff'],
    ["bin = '\\x00ab'::BLOB", 'bin eq x006162'],
    ['b', 'b eq true'],
    ['NOT b', 'not b eq true'],
    ['b = false', 'b eq false'],
    ["s.y = 'a'", 'true'],
    ["s.y = 'a' OR id = 1", 'true'],
    ['id = i', 'true'],
    ['id > 5.5', 'true'],
    ['i > 3000000000', 'true'],
    ['c0 > 7', 'c0 gt 7'],
    ["c0 > 7 OR name = 'x'", "(c0 gt 7 or name eq 'x')"],
    ["name = 'a' || chr(10) || 'b'", 'true'],
    ["name >= 'q' || chr(10) || 'false or ''' AND name < ' = ''' || chr(10) || 'z'", 'true'],
    ['id > (SELECT 5)', 'true'],
    ['random() < 0.5 AND id = 1', 'id eq 1'],
  ])('%s', async (where, expected) => {
    const shown = await predicateOf(where)
    if (expected === 'true' && where.startsWith('id > 5.5')) expect(['true', 'id gt-eq 6']).toContain(shown)
    else expect(shown).toBe(expected)
  })

  it.each([
    ["tz >= TIMESTAMPTZ '2020-01-01 00:00:00'", 'tz gt-eq 1577836800000000'],
    [
      "date_trunc('day', tz) = TIMESTAMPTZ '2020-01-01 00:00:00'",
      '(tz gt-eq 1577836800000000 and tz lt 1577923200000000)',
    ],
  ])('[H42] [B28] a time without a zone is one in UTC: %s', async (where, expected) => {
    expect(await predicateOf(where)).toBe(expected)
  })

  it.each([
    ["ts > TIMESTAMP_NS '2020-01-01 00:00:00.000000001'", 'true'],
    ["day <= TIMESTAMP '2020-01-01 12:00:00'", 'day lt-eq 18262'],
    ["day < TIMESTAMP '2020-01-01 12:00:00'", 'day lt 18263'],
    ["day >= TIMESTAMP '2020-01-01 12:00:00'", 'day gt-eq 18263'],
    ["day > TIMESTAMP '2020-01-01 12:00:00'", 'day gt 18262'],
    ["day = TIMESTAMP '2020-01-01 12:00:00'", 'true'],
    ["day <> TIMESTAMP '2020-01-01 12:00:00'", 'true'],
    ["ts < TIMESTAMP_NS '2020-01-01 00:00:00.000000001'", 'true'],
    ["ts = TIMESTAMP_NS '2020-01-01 00:00:00.000000001'", 'true'],
    ['i < 5.5', 'true'],
    ['f < 0.1', `f lt ${Math.fround(0.1)}`],
    ['f = 0.1::DOUBLE', 'true'],
    ['d < 3.555', 'true'],
  ])('[H58] a constant of finer type than the column is never rounded: %s', async (where, expected) => {
    expect(await predicateOf(where)).toBe(expected)
  })

  it.each([
    ["m['k'] = 'v'", 'true'],
    ['l[1] = 5 OR m IS NULL', 'true'],
    ['l IS NOT NULL', 'true'],
  ])('[B5] nothing is concluded of what is in a map or list: %s', async (where, expected) => {
    expect(await predicateOf(where)).toBe(expected)
  })

  it.each([
    ["CASE WHEN name = 'x' THEN NULL ELSE name END IS NULL", 'true'],
    ["CASE WHEN id > 5 THEN name ELSE 'x' END = 'x' AND id < 9", 'id lt 9'],
  ])('[B6] an expression over columns is not a filter of one: %s', async (where, expected) => {
    expect(await predicateOf(where)).toBe(expected)
  })

  it('of an aliased column are those of the column, whatever the alias', async () => {
    const [requirement] = await requirements(
      `SELECT * FROM (SELECT id AS c0, c0 AS id FROM ${T}) WHERE c0 > 5 OR id = 3`,
    )
    expect(show(requirement!.predicate)).toBe('(c0 eq 3 or id gt 5)')
  })

  it('of the time are those of the time given, and none without it', async () => {
    const sql = `SELECT id FROM ${T} WHERE tz > now() - INTERVAL 1 DAY AND day < current_date AND id = 1`
    expect(show((await requirements(sql))[0]!.predicate)).toBe('id eq 1')
    expect(show((await requirements(sql, 1_577_923_200_000))[0]!.predicate)).toBe(
      '(day lt 18263 and id eq 1 and tz gt 1577836800000000)',
    )
  })

  it('of two scans of one table are either', async () => {
    const [requirement] = await requirements(
      `SELECT id FROM ${T} WHERE id > 5 UNION ALL SELECT i FROM ${T} WHERE name = 'x'`,
    )
    expect(show(requirement!.predicate)).toBe("(id gt 5 or name eq 'x')")
    expect([...requirement!.columnIndexes].sort((a, b) => a - b)).toEqual([0, 1, 10])
  })

  it('of two tables stay apart', async () => {
    const [t, u] = await requirements(
      `SELECT t.id FROM ${T} t JOIN iceberg."a.b".u u ON t.id = u.id WHERE t.i > 5 AND u.name = 'x'`,
    )
    expect(show(t!.predicate)).toBe('i gt 5')
    expect(show(u!.predicate)).toBe("name eq 'x'")
    expect([...u!.columnIndexes].sort((a, b) => a - b)).toEqual([0, 1])
  })

  it('of the optional side of an outer join keep its meaning', async () => {
    const [, u] = await requirements(
      `SELECT t.id FROM ${T} t LEFT JOIN iceberg."a.b".u u ON t.id = u.id WHERE u.name IS NULL`,
    )
    expect(show(u!.predicate)).toBe('true')
  })
})

describe('columns', () => {
  it.each([
    ['SELECT count(*) FROM T', []],
    ['SELECT 1 FROM T', []],
    ['SELECT id FROM T', [0]],
    ["SELECT id FROM T WHERE name = 'x'", [0, 1]],
    ['SELECT s.x FROM T', [2]],
    ['SELECT id FROM T ORDER BY ts LIMIT 5', [0, 3]],
    ['SELECT max(d) FROM T GROUP BY day', [4, 5]],
    ['SELECT * EXCLUDE (name) FROM T', [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]],
    ['SELECT (SELECT max(i) FROM T) FROM T WHERE id = 1', [0, 10]],
    ['SELECT 1 WHERE EXISTS (SELECT 1 FROM T WHERE id = 3)', [0]],
    ['SELECT row_number() OVER (ORDER BY ts), id FROM T QUALIFY row_number() OVER (ORDER BY ts) = 1', [0, 3]],
    ['SELECT id FROM T WHERE 1 = 0', []],
    ['WITH c AS MATERIALIZED (SELECT id, name FROM T) SELECT a.id FROM c a, c b WHERE a.id = b.id', [0]],
    ['SELECT c0 FROM T', [16]],
  ])('%s', async (sql, expected) => {
    const [requirement] = await requirements(sql.replaceAll('FROM T', `FROM ${T}`))
    const indexes = [...requirement!.columnIndexes].sort((a, b) => a - b)
    expect(indexes).toEqual(expect.arrayContaining(expected as unknown[]))
    if (!sql.startsWith('WITH')) expect(indexes).toEqual(expected)
  })

  it('are all of them for a plan that is not understood', async () => {
    for (const plan of [
      [{ name: 'SEQ_SCAN', extra_info: { Table: 'other' } }],
      [{ name: 'NEW_SCAN', extra_info: { Table: 'x' } }],
    ]) {
      const [requirement] = await pushdown(
        { columns: [], instants: [], plan, tree: undefined },
        tables,
        test.engine.analyst,
        never,
      )
      expect(requirement!.columnIndexes.size).toBe(COLUMNS.length)
      expect(requirement!.predicate).toEqual({ op: 'true' })
    }
  })
})

describe('counted tables', () => {
  it.each([
    ['SELECT count(*) FROM T', true],
    ['SELECT count(*) AS n, 5 FROM T LIMIT 10', true],
    ['SELECT count(*) + 1 AS n FROM T ORDER BY 1 LIMIT 3 OFFSET 1', true],
    ['SELECT 1 FROM T WHERE id > (SELECT count(*) FROM T)', true],
    ['SELECT sum(id) FROM (SELECT id + 1 AS id FROM T)', true],
    ['SELECT count(*) FROM T UNION ALL SELECT 1 FROM T', true],
    ['SELECT name, count(*) FROM T GROUP BY 1', false],
    ['SELECT 1 FROM T', false],
    ['SELECT count(*) FROM (SELECT 1 FROM T LIMIT 3 OFFSET 2)', false],
    ['SELECT count(*) FROM (SELECT DISTINCT id FROM T)', false],
    ['SELECT row_number() OVER () FROM T', false],
    ['SELECT count(*) FROM range(3)', false],
  ])('%s: %s', async (sql, isCounted) => {
    expect([...countedTables((await plan(sql.replaceAll('FROM T', `FROM ${T}`))).plan)]).toEqual(
      isCounted ? [0] : [],
    )
  })
})

describe('row-wise', () => {
  it.each([
    ['SELECT * FROM T', { isFiltered: false }],
    ["SELECT id + 1, upper(name) FROM T WHERE id > 5 AND lower(name) = 'x'", { isFiltered: true }],
    ['SELECT id FROM T WHERE id > 5 LIMIT 10', { limit: 10, isFiltered: true }],
    ['SELECT id FROM T WHERE random() < 0.5 LIMIT 10', { limit: 10, isFiltered: true }],
    ['SELECT * FROM T LIMIT 0', undefined],
    ['SELECT id FROM (SELECT * FROM T) LIMIT 7', { limit: 7, isFiltered: false }],
    ['SELECT random(), now(), id FROM T', { isFiltered: false }],
    ['SELECT id FROM T LIMIT 10 OFFSET 1', undefined],
    ['SELECT id FROM T OFFSET 1', undefined],
    ['SELECT id FROM T LIMIT 10%', undefined],
    ['SELECT id FROM (SELECT * FROM T LIMIT 5) LIMIT 7', undefined],
    ['SELECT id FROM (SELECT * FROM T LIMIT 5)', undefined],
    ['SELECT id FROM (SELECT * FROM T LIMIT 5) WHERE id > 3', undefined],
    ['SELECT id FROM T LIMIT (SELECT 3)', undefined],
    ['SELECT count(*) FROM T', undefined],
    ['SELECT DISTINCT id FROM T', undefined],
    ['SELECT id FROM T ORDER BY id', undefined],
    ['SELECT id FROM T ORDER BY id LIMIT 3', undefined],
    ['SELECT row_number() OVER () FROM T', undefined],
    ['SELECT first_value(id) OVER () FROM T', undefined],
    ['SELECT sum(id) OVER (ORDER BY ts) FROM T', undefined],
    ['SELECT id FROM T USING SAMPLE 5', undefined],
    ['SELECT id FROM T TABLESAMPLE 10%', undefined],
    ['SELECT unnest([1, 2]), id FROM T', undefined],
    ['SELECT id FROM T UNION ALL SELECT id FROM T', undefined],
    ['SELECT a.id FROM T a, range(3)', undefined],
    ['SELECT id FROM T WHERE id IN (SELECT range FROM range(3))', undefined],
    ['SELECT id, (SELECT max(id) FROM T) FROM T', undefined],
    ['SELECT id FROM T WHERE 1 = 0', undefined],
    ['SELECT id FROM T GROUP BY ALL', undefined],
    ['SELECT list(id) FROM T', undefined],
    ['SELECT 1', undefined],
  ])('%s', async (sql, expected) => {
    expect(findRowWise((await plan(sql.replaceAll('FROM T', `FROM ${T}`))).plan)).toEqual(expected)
  })
})
