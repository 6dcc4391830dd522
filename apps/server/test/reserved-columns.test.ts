// Reserved columns in SQL, through the whole stack: what names them, what does not show them, what they are.
import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDuck } from './storage/duck.ts'
import { writeAvro } from './storage/avro-data.ts'
import { generateTables, type GeneratedFile, type GeneratedTable } from './support/generated-tables.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const optional = (id: number, name: string, type: unknown) => ({ id, name, required: false, type })

let duck: DuckDBConnection
let folder: string
let lake: TestLake
let stack: TestStack

async function parquet(
  directory: string,
  name: string,
  sql: string,
  ids: string,
  firstRowId?: bigint,
): Promise<GeneratedFile> {
  await duck.run(
    `COPY (${sql}) TO '${join(directory, name)}' (FORMAT parquet, FIELD_IDS ${ids}, ROW_GROUP_SIZE 2048)`,
  )
  const counted = await duck.runAndReadAll(`SELECT count(*)::INTEGER FROM (${sql})`)
  const rowCount = counted.getRows()[0]?.[0] as number
  return { name, format: 'parquet', rowCount, ...(firstRowId === undefined ? {} : { firstRowId }) }
}

const TABLES: GeneratedTable[] = [
  {
    name: 't',
    fields: [optional(1, 'id', 'int'), optional(2, 'word', 'string')],
    firstRowId: 1_000n,
    write: async (directory) => [
      await parquet(directory, 'a.parquet', 'SELECT i::INTEGER AS id FROM range(5000) r(i)', '{id: 1}'),
      await parquet(
        directory,
        'b.parquet',
        `SELECT * FROM (VALUES (5000, 7::BIGINT, NULL::BIGINT), (5001, NULL, -3)) v(id, r, l)`,
        '{id: 1, r: 2147483540, l: 2147483539}',
        50n,
      ),
      {
        name: basename(
          writeAvro(
            directory,
            [{ name: 'id', type: ['null', 'int'], 'field-id': 1 }],
            [{ id: 5_002 }, { id: 5_003 }],
          ),
        ),
        format: 'avro',
        rowCount: 2,
      },
    ],
  },
  {
    name: 'own',
    fields: [optional(1, '_FILE', 'int'), optional(2, 'id', 'int')],
    write: async (directory) => [
      await parquet(directory, 'a.parquet', 'SELECT 42 AS f, 1 AS id', '{f: 1, id: 2}'),
    ],
  },
]

beforeAll(async () => {
  duck = await openDuck()
  folder = await generateTables(TABLES)
  lake = await startTestLake(['--no-demo', '--corpus', folder])
  stack = await startTestStack(lake)
}, 60_000)
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  readonly names: readonly string[]
  readonly rows: readonly string[]
  readonly requests: number
  readonly filesPlanned: number
  readonly isMetadataOnly: boolean
}

async function ask(sql: string): Promise<Answer> {
  const info = await stack.client.flightInfo(sql)
  if ('status' in info) throw new Error(`${info.code}: ${info.message}`)
  const { batches, receipt, failure } = await stack.client.query(sql)
  expect(failure).toBeUndefined()
  const scan = receipt?.tables[0]?.scan
  return {
    names: info.schema.map(({ name }) => name),
    rows: batches.flatMap((batch) =>
      batch.toArray().map((row) => [...row].map(([, value]) => String(value)).join(' ')),
    ),
    requests: scan?.requests ?? -1,
    filesPlanned: scan?.filesPlanned ?? -1,
    isMetadataOnly: scan?.isMetadataOnly ?? false,
  }
}

const T = 'iceberg.generated.t'

describe('[RL1] stars do not show them', () => {
  it.each([
    [`SELECT *, _row_id FROM ${T}`, 'id,word,_row_id'],
    [`SELECT _POS, * FROM ${T}`, '_pos,id,word'],
    [`SELECT x.*, "_pos" AS p FROM ${T} AS x`, 'id,word,p'],
    [`SELECT x . * EXCLUDE word, _pos FROM ${T} x`, 'id,_pos'],
    [`SELECT * EXCLUDE (word), _pos FROM ${T} x`, 'id,_pos'],
    [`SELECT * EXCLUDE (_pos, word) FROM ${T} WHERE _pos = 1`, 'id'],
    [`SELECT * REPLACE (_pos AS id) FROM ${T}`, 'id,word'],
    [`SELECT * RENAME (id AS n), _file FROM ${T}`, 'n,word,_file'],
    [`SELECT COLUMNS(*), _file FROM ${T}`, 'id,word,_file'],
    [`SELECT max(COLUMNS( x.* )), max(_pos) FROM ${T} x`, 'id,word,max(_pos)'],
    [`FROM ${T} WHERE _pos = 1`, 'id,word'],
    [`/* ü🐢 */ FROM ${T} WHERE _pos = 1`, 'id,word'],
    [`SELECT * FROM (FROM ${T} WHERE _pos = 1) WHERE id > 0`, 'id,word'],
    [`SELECT * FROM ${T} a JOIN ${T} b USING (_row_id)`, 'id,word,id,word'],
    [`SELECT b.*, a._pos FROM ${T} a, ${T} b WHERE a._row_id = b._row_id`, 'id,word,_pos'],
    [`SELECT * FROM (SELECT id, _pos FROM ${T})`, 'id,_pos'],
    [
      `FROM (SELECT 1 AS k FROM range(2)) q JOIN (${T} x JOIN ${T} y USING (id)) ON x._pos = k`,
      'k,id,word,word',
    ],
    [`SELECT 1 AS id, '' AS word UNION ALL FROM ${T} WHERE _pos = 1`, 'id,word'],
    [`SELECT x.* EXCLUDE (x._POS, word) FROM ${T} x WHERE _pos = 0`, 'id'],
    [`SELECT * FROM ${T} t JOIN (SELECT _pos, id AS k FROM ${T}) q ON t._pos = q._pos`, 'id,word,_pos,k'],
    [`WITH c AS (SELECT *, _file FROM ${T}) SELECT * FROM c`, 'id,word,_file'],
    [`SELECT * FROM ${T} UNION ALL SELECT _pos, _file FROM ${T}`, 'id,word'],
    [`SELECT * FROM ${T} x(n) ORDER BY _pos`, 'n,word'],
    [`SELECT * FROM ${T} WHERE id IN (SELECT _pos FROM ${T} WHERE id < 3)`, 'id,word'],
    [`SELECT * FROM ${T} AT (VERSION => 1) ORDER BY _pos LIMIT 1`, 'id,word'],
    [`SELECT a.*, b._file FROM ${T} a JOIN ${T} b AT (VERSION => 1) ON a._pos = b._pos`, 'id,word,_file'],
  ])('%s', async (sql, names) => {
    const info = await stack.client.flightInfo(sql)
    expect('status' in info ? info.message : info.schema.map(({ name }) => name).join()).toBe(names)
    const { failure } = await stack.client.query(sql)
    expect(failure).toBeUndefined()
  })

  it.each([
    [`SELECT COLUMNS('i.*'), _pos FROM ${T}`, 'COLUMNS with a pattern'],
    [`SELECT t, _pos FROM ${T}`, 'a whole row'],
    [`SELECT (SELECT max(x) FROM range(3)), _pos FROM ${T} x`, 'a whole row'],
    [`SELECT id FROM ${T} a NATURAL JOIN ${T} b WHERE a._pos = 1`, 'NATURAL JOIN'],
    [`SELECT * FROM (UNPIVOT ${T} ON id) WHERE (SELECT max(_pos) FROM ${T}) > 0`, 'UNPIVOT'],
    [`SELECT _pos FROM ${T} AS x(a, b, c)`, 'new names'],
  ])('[RL6] what would show them is refused: %s', async (sql, form) => {
    const info = await stack.client.flightInfo(sql)
    expect(info).toMatchObject({ code: 'SQL_UNSUPPORTED' })
    expect('status' in info && info.message).toContain(form)
  })

  it('positions in errors are those of the submitted text', async () => {
    const sql = `SELECT *, /* ü🐢 */ _row_id, *, nope FROM ${T}`
    const info = await stack.client.flightInfo(sql)
    const startOffset = sql.indexOf('nope')
    expect(info).toMatchObject({ code: 'SQL_BINDING', details: { startOffset, endOffset: startOffset + 4 } })
    const failing = `SELECT *, _row_id, CAST(concat('x', id) AS INTEGER) FROM ${T}`
    const result = await stack.client.query(failing)
    expect(result.failure?.code).toBe('SQL_EXECUTION')
    const at = result.failure?.details?.['startOffset']
    if (at !== undefined) expect(at).toBe(failing.indexOf('CAST'))
  })
})

describe('[RL2] a name that means something else keeps its meaning', () => {
  it('[H79] a column of the table wins', async () => {
    const { rows } = await ask('SELECT _file, _pos, _spec_id, _row_id FROM iceberg.generated.own')
    expect(rows).toEqual(['42 0 0 null'])
    expect((await ask('SELECT *, _pos FROM iceberg.generated.own')).names).toEqual(['_FILE', 'id', '_pos'])
  })

  it('so does the alias of a subquery beside a table', async () => {
    const sql = `SELECT _pos FROM (SELECT 'mine' AS _pos) q JOIN ${T} t ON t.id = 1`
    expect((await ask(sql)).rows).toEqual(['mine'])
  })

  it('a table without partitions has none, and a metadata table has no reserved columns', async () => {
    expect(await stack.client.outcome(`SELECT _partition FROM ${T}`)).toBe('SQL_BINDING')
    expect(await stack.client.outcome(`SELECT _pos FROM iceberg.generated."t$files"`)).toBe('SQL_BINDING')
  })
})

describe('[RL3] lineage', () => {
  it('[H26] [H95] [H96] is inherited from list and manifest, over files of both formats', async () => {
    const sql = `SELECT id, _row_id, _last_updated_sequence_number AS n, _pos FROM ${T} WHERE id IN (0, 2048, 4999) OR id >= 5000 ORDER BY id`
    expect((await ask(sql)).rows).toEqual([
      '0 1000 1 0',
      '2048 3048 1 2048',
      '4999 5999 1 4999',
      '5000 7 1 0',
      '5001 51 -3 1',
      // The file whose id is written down takes none of the manifest's.
      '5002 6000 1 0',
      '5003 6001 1 1',
    ])
  })

  it.each([
    [`SELECT count(_row_id), count(DISTINCT _row_id), max(_row_id) FROM ${T}`, ['5004 5004 6001']],
    [`SELECT id FROM ${T} WHERE _row_id = 3048`, ['2048']],
    [`SELECT id FROM ${T} WHERE _row_id = 7`, ['5000']],
    [`SELECT id FROM ${T} WHERE _last_updated_sequence_number < 0`, ['5001']],
    [`SELECT _pos FROM ${T} WHERE id = 4999 LIMIT 1`, ['4999']],
  ])('%s', async (sql, rows) => {
    expect((await ask(sql)).rows).toEqual(rows)
  })
})

describe('[RL5] what manifests tell', () => {
  it('opens no data file', async () => {
    const { rows, requests, isMetadataOnly } = await ask(
      `SELECT parse_filename(_file), count(*), max(_pos) FROM ${T} GROUP BY ALL ORDER BY 2 DESC, 1 DESC`,
    )
    expect(rows.slice(0, 2)).toEqual(['a.parquet 5000 4999', 'b.parquet 2 1'])
    expect({ requests, isMetadataOnly }).toEqual({ requests: 0, isMetadataOnly: true })
  })

  it('prunes files', async () => {
    const { rows } = await ask(`SELECT DISTINCT _file FROM ${T} WHERE _file LIKE '%b.parquet'`)
    const answer = await ask(`SELECT id FROM ${T} WHERE _file = '${rows[0]}' AND _pos > 0`)
    expect(answer.filesPlanned).toBe(1)
    expect(answer.rows).toHaveLength(1)
    expect((await ask(`SELECT id FROM ${T} WHERE _pos >= 4000`)).filesPlanned).toBe(1)
    expect((await ask(`SELECT id FROM ${T} WHERE _spec_id = 3`)).filesPlanned).toBe(0)
  })
})
