// What may run and what may not, over the trees of the real parser.
import { afterAll, describe, expect, it } from 'vitest'
import { AppError } from '@lake/core/errors.ts'
import { never, startTestEngine } from '../../test/engine-support.ts'
import { analyzeStatement } from './analyze-statement.ts'

const test = await startTestEngine()
afterAll(async () => {
  await test[Symbol.asyncDispose]()
})

async function analyze(sql: string) {
  return analyzeStatement(await test.engine.analyst.parse(sql, never), sql)
}

async function failure(sql: string): Promise<AppError> {
  try {
    await analyze(sql)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`passed: ${sql}`)
}

describe('passes', () => {
  it.each([
    ['SELECT 1', []],
    ['SELECT * FROM iceberg.a.t', ['a.t']],
    ['FROM iceberg.a.t SELECT x', ['a.t']],
    ['TABLE iceberg.a.t', ['a.t']],
    ['SELECT * FROM ICEBERG.a.t', ['a.t']],
    ['SELECT * FROM iceberg."a.b"."T u" AS x', ['a.b.T u']],
    ['SELECT * FROM iceberg.a.t x JOIN iceberg.b.u y USING (id)', ['a.t', 'b.u']],
    ['SELECT * FROM iceberg.a.t, iceberg.a.t', ['a.t', 'a.t']],
    ['WITH c AS (SELECT * FROM iceberg.a.t) SELECT * FROM c', ['a.t']],
    ['WITH c AS (SELECT 1), d AS (FROM c) SELECT * FROM D', []],
    ['WITH c AS MATERIALIZED (SELECT 1) SELECT * FROM c, c AS e', []],
    ['WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT * FROM r', []],
    ['SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c)', []],
    ['WITH c AS (SELECT 1) SELECT (SELECT max(x) FROM (FROM c) q(x))', []],
    ['WITH c AS (SELECT 1) (SELECT * FROM c UNION ALL SELECT * FROM c) ORDER BY 1', []],
    ['SELECT * FROM (VALUES (1), (2)) v(x)', []],
    ['VALUES (1)', []],
    ['SELECT * FROM range(5), generate_series(1, 3), unnest([1, 2])', []],
    ['SELECT unnest([1, 2]), list_transform([1], lambda x: x + 1), [y * 2 FOR y IN [1]]', []],
    ['SELECT x FROM iceberg.a.t WHERE EXISTS (SELECT 1 FROM iceberg.b.u)', ['a.t', 'b.u']],
    ['SELECT x FROM iceberg.a.t ORDER BY (SELECT max(y) FROM iceberg.b.u) LIMIT (SELECT 5)', ['a.t', 'b.u']],
    ['SELECT * EXCLUDE (x) REPLACE (y + 1 AS y) FROM iceberg.a.t', ['a.t']],
    ["SELECT COLUMNS(c -> c LIKE 'a%') FROM iceberg.a.t", ['a.t']],
    [
      'SELECT sum(x) FILTER (WHERE y > 1) OVER (PARTITION BY z ORDER BY w) FROM iceberg.a.t QUALIFY true',
      ['a.t'],
    ],
    ['SELECT CASE WHEN x IN (1, 2) THEN x::DECIMAL(18,2) END FROM iceberg.a.t GROUP BY ALL', ['a.t']],
    ['SELECT * FROM iceberg.a.t PIVOT (sum(y) FOR x IN (1, 2))', ['a.t']],
    ['PIVOT iceberg.a.t ON x IN (1, 2) USING sum(y)', ['a.t']],
    ['UNPIVOT iceberg.a.t ON x, y INTO NAME n VALUE v', ['a.t']],
    ['SELECT * FROM iceberg.a.t TABLESAMPLE 10%', ['a.t']],
    ['SELECT DISTINCT ON (x) x, now(), current_date, extract(year FROM ts) FROM iceberg.a.t', ['a.t']],
    ['SELECT * FROM iceberg.a.t ASOF JOIN iceberg.b.u USING (ts)', ['a.t', 'b.u']],
    ['SELECT * FROM iceberg.a.t, LATERAL (SELECT t.x + 1)', ['a.t']],
    [
      "SELECT regexp_matches(x, 'a'), strftime(ts, '%Y'), x ->> 'k', {'a': 1}, MAP {'k': 1} FROM iceberg.a.t",
      ['a.t'],
    ],
    ['SELECT version, user, current_user FROM iceberg.a.t', ['a.t']],
    ["SELECT set_bit('0101'::BIT, 0, 1), list_has_any([1], [2]), pg_typeof(1)", []],
    ['SELECT 1e999, -1e999, \'"value":inf\'', []],
    ['SELECT 1;', []],
    ['-- a comment\nSELECT 1 /* another */', []],
    ['SELECT * FROM iceberg.a.t AT (VERSION => 5), iceberg.a.t', ['a.t', 'a.t']],
    ["SELECT * FROM iceberg.a.t AT (TIMESTAMP => TIMESTAMP '2020-01-01')", ['a.t']],
    ['SELECT * FROM iceberg.a."t$snapshots"', ['a.t$snapshots']],
    ['SELECT a.b.c.d FROM iceberg.x.y AS a', ['x.y']],
    ['SELECT * FROM iceberg.information_schema.t', ['information_schema.t']],
  ])('%s', async (sql, expected) => {
    const tables = await analyze(sql)
    expect(tables.map(({ schemaName, tableName }) => `${schemaName}.${tableName}`)).toEqual(expected)
  })
})

describe('refuses as unsupported', () => {
  it.each([
    "SELECT * FROM 'file.parquet'",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM 's3://bucket/x.parquet'",
    'SELECT * FROM t',
    'SELECT * FROM a.t',
    'SELECT * FROM iceberg.t',
    'SELECT * FROM other.a.t',
    'SELECT * FROM memory.main.t',
    'SELECT * FROM system.main.duckdb_settings',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM pg_catalog.pg_class',
    'SELECT * FROM sqlite_master',
    'SELECT * FROM duckdb_tables',
    'WITH RECURSIVE sqlite_master AS (SELECT * FROM sqlite_master UNION ALL SELECT * FROM sqlite_master) SELECT 1',
    'WITH RECURSIVE duckdb_views AS (SELECT view_name FROM duckdb_views UNION ALL SELECT * FROM duckdb_views) SELECT 1',
    'WITH RECURSIVE "*.parquet" AS (FROM "*.parquet" UNION ALL FROM "*.parquet") SELECT 1',
    'WITH RECURSIVE "data:text/csv,a" AS (FROM "data:text/csv,a" UNION FROM "data:text/csv,a") SELECT 1',
    'WITH RECURSIVE x AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM x WHERE a < 3), y AS (FROM y) FROM x',
    'WITH pragma_database_list AS MATERIALIZED (FROM pragma_database_list) FROM pragma_database_list',
    'WITH "k.parquet" AS (SELECT 1) SELECT * FROM "\u212a.parquet"',
    'WITH "\u212a.parquet" AS (SELECT 1) SELECT * FROM "k.parquet"',
    'SELECT * FROM duckdb_settings()',
    'SELECT * FROM duckdb_secrets()',
    'SELECT * FROM duckdb_functions()',
    'SELECT * FROM pragma_version()',
    "SELECT * FROM pragma_table_info('t')",
    "SELECT * FROM read_csv('x')",
    "SELECT * FROM read_csv_auto('x')",
    "SELECT * FROM read_parquet('x')",
    "SELECT * FROM parquet_scan('x')",
    "SELECT * FROM parquet_metadata('x')",
    "SELECT * FROM parquet_file_metadata('x')",
    "SELECT * FROM read_json('x')",
    "SELECT * FROM read_json_auto('x')",
    "SELECT * FROM read_ndjson('x')",
    "SELECT * FROM read_text('x')",
    "SELECT * FROM read_blob('x')",
    "SELECT * FROM sniff_csv('x')",
    "SELECT * FROM glob('*')",
    "SELECT * FROM iceberg_scan('x')",
    "SELECT * FROM iceberg_snapshots('x')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('t')",
    "SELECT * FROM json_execute_serialized_sql('{}')",
    "SELECT * FROM sql_auto_complete('SEL')",
    "SELECT * FROM which_secret('x', 's3')",
    'SELECT * FROM checkpoint()',
    'SELECT * FROM summary(NULL)',
    'SELECT * FROM seq_scan(1)',
    'SELECT * FROM test_all_types()',
    "SELECT * FROM iceberg.a.t, read_csv('x')",
    "SELECT * FROM (SELECT * FROM (SELECT * FROM read_csv('x')))",
    "SELECT (SELECT max(column0) FROM read_csv('x'))",
    "SELECT 1 WHERE EXISTS (FROM read_csv('x'))",
    "SELECT 1 ORDER BY (SELECT 1 FROM read_csv('x'))",
    "SELECT 1 LIMIT (SELECT 1 FROM read_csv('x'))",
    "SELECT 1 GROUP BY (SELECT 1 FROM read_csv('x'))",
    "SELECT 1 HAVING (SELECT true FROM read_csv('x'))",
    "SELECT 1 QUALIFY (SELECT true FROM read_csv('x'))",
    "SELECT sum(1) OVER (ORDER BY (SELECT 1 FROM read_csv('x')))",
    "SELECT sum(1) FILTER (WHERE (SELECT true FROM read_csv('x')))",
    "SELECT CASE WHEN true THEN (FROM read_csv('x')) END",
    "SELECT [(SELECT 1 FROM read_csv('x'))]",
    "SELECT list_transform([1], lambda y: (SELECT 1 FROM read_csv('x')))",
    "WITH c AS (FROM read_csv('x')) SELECT 1",
    "SELECT 1 UNION ALL SELECT * FROM read_csv('x')",
    "VALUES ((SELECT 1 FROM read_csv('x')))",
    "SELECT * FROM range((SELECT 1 FROM read_csv('x')))",
    "SELECT * FROM iceberg.a.t JOIN iceberg.b.u ON (SELECT true FROM read_csv('x'))",
    "PIVOT (FROM read_csv('x')) ON y IN (1) USING sum(z)",
    'WITH c AS (SELECT * FROM c) SELECT * FROM c',
    'WITH c AS (SELECT * FROM d), d AS (SELECT 1) SELECT * FROM c',
    'SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c), c',
    'SELECT (WITH c AS (SELECT 1) SELECT 2), (FROM c)',
    'WITH c AS (SELECT 1) SELECT * FROM main.c',
    "SELECT getenv('HOME')",
    "SELECT current_setting('threads')",
    "SELECT getvariable('x')",
    "SELECT nextval('s')",
    "SELECT currval('s')",
    'SELECT version()',
    'SELECT setseed(0.5)',
    'SELECT current_query()',
    "SELECT read_text('x')",
    'SELECT current_schema()',
    'SELECT txid_current()',
    'SELECT pg_sleep(1)',
    'SELECT sleep_ms(1)',
    "SELECT json_serialize_sql('SELECT 1')",
    'SELECT system.main.now()',
    'SELECT pg_catalog.now()',
    'SELECT * FROM main.system.range(5)',
    'SELECT ?',
    'SELECT $1',
    'SELECT $name',
    'SELECT 1; SELECT 2',
    'DESCRIBE iceberg.a.t',
    'DESCRIBE SELECT 1',
    'SHOW TABLES',
    'SHOW ALL TABLES',
    'SUMMARIZE iceberg.a.t',
    'SUMMARIZE SELECT 1',
    'SELECT * FROM (DESCRIBE SELECT 1)',
    'EXPLAIN SELECT 1',
    'EXPLAIN ANALYZE SELECT 1',
    'PIVOT iceberg.a.t ON x USING sum(y)',
    'FROM (PIVOT iceberg.a.t ON x USING sum(y))',
    'SELECT * FROM iceberg.a.t, iceberg.A.t',
  ])('%s', async (sql) => {
    expect((await failure(sql)).code).toBe('SQL_UNSUPPORTED')
  })
})

describe('refuses as not read-only', () => {
  it.each([
    'INSERT INTO iceberg.a.t VALUES (1)',
    'UPDATE iceberg.a.t SET x = 1',
    'DELETE FROM iceberg.a.t',
    'MERGE INTO iceberg.a.t USING (SELECT 1 AS x) s ON true WHEN MATCHED THEN DELETE',
    'TRUNCATE iceberg.a.t',
    'CREATE TABLE x AS SELECT 1',
    'CREATE VIEW x AS SELECT 1',
    'CREATE MACRO f() AS 1',
    'CREATE SECRET s (TYPE s3)',
    'DROP TABLE iceberg.a.t',
    'ALTER TABLE iceberg.a.t ADD COLUMN x INT',
    "COPY (SELECT 1) TO 'x.csv'",
    "COPY iceberg.a.t FROM 'x.csv'",
    "EXPORT DATABASE 'x'",
    "IMPORT DATABASE 'x'",
    "ATTACH 'x.db'",
    'DETACH iceberg',
    'USE iceberg',
    'SET threads = 1',
    'SET VARIABLE x = 1',
    'RESET threads',
    'PRAGMA version',
    'PRAGMA database_list',
    'CALL duckdb_settings()',
    'INSTALL httpfs',
    'LOAD httpfs',
    'BEGIN',
    'COMMIT',
    'CHECKPOINT',
    'VACUUM',
    'ANALYZE',
    'PREPARE p AS SELECT 1',
    'EXECUTE p',
    'DEALLOCATE p',
    'WITH c AS (SELECT 1) INSERT INTO iceberg.a.t SELECT * FROM c',
    'SELECT 1; DROP TABLE iceberg.a.t',
    "COMMENT ON TABLE iceberg.a.t IS 'x'",
  ])('%s', async (sql) => {
    expect((await failure(sql)).code).toBe('SQL_NOT_READ_ONLY')
  })
})

describe('points at', () => {
  it.each([
    ['SELECT \'é😀\' FROM «iceberg."a.b" . t» AS o, x', false],
    ['SELECT 1,\r\n  «getenv»(1)', true],
    ["SELECT 'é' FROM «read_csv»('x')", true],
    ['SELECT * FROM «a.t» WHERE true', true],
    ['SELECT «selec frm»', undefined],
  ] as const)('%s', async (marked, isRefused) => {
    const sql = marked.replaceAll(/[«»]/gu, '')
    const startOffset = marked.indexOf('«')
    const endOffset = marked.indexOf('»') - 1
    if (isRefused === undefined) return
    const error = await failure(sql)
    if (isRefused) expect(error.details).toEqual({ startOffset, endOffset })
    else expect(error.details?.startOffset).toBe(sql.length - 1)
  })

  it('each table by its whole name', async () => {
    const sql = 'SELECT \'é😀\' FROM iceberg."a.b" /* c */ . t AS o, ICEBERG.x.y'
    const spans = (await analyze(sql)).map(({ startOffset, endOffset }) => sql.slice(startOffset, endOffset))
    expect(spans).toEqual(['iceberg."a.b" /* c */ . t', 'ICEBERG.x.y'])
  })

  it('the token of a syntax error', async () => {
    const sql = "SELECT 'é😀',\r\n  x FROM FROM y"
    const error = await failure(sql)
    expect(error.code).toBe('SQL_SYNTAX')
    expect(sql.slice(error.details?.startOffset, error.details?.endOffset)).toBe('FROM')
    expect(error.message).not.toMatch(/LINE|\^/u)
  })

  it('the end of the text when it ends too early', async () => {
    const error = await failure('SELECT 1 +')
    expect(error.code).toBe('SQL_SYNTAX')
    expect(error.details).toEqual({ startOffset: 10, endOffset: 10 })
  })
})

it.each(['', '  ', '-- only a comment', ';', 'SELECT 1\0'])('says that %j is no statement', async (sql) => {
  expect((await failure(sql)).code).toMatch(/^SQL_(?:SYNTAX|NOT_READ_ONLY)$/u)
})

it('refuses a statement that is nested too deeply, without falling over', async () => {
  const sql = `SELECT ${'('.repeat(3_000)}1${')'.repeat(3_000)}`
  await expect(
    analyze(sql).then(
      () => 'passed',
      (error: AppError) => error.code,
    ),
  ).resolves.toMatch(/^(?:SQL_\w+|passed)$/u)
  const sum = `SELECT ${'1 + '.repeat(2_000)}1`
  expect((await failure(sum)).code).toMatch(/^SQL_/u)
  expect(await analyze('SELECT 1')).toEqual([])
})
