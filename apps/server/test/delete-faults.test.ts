// Delete files that are gone or spoiled, through the whole server: no row of the table is shown, and the failure has a code.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CORPUS_DIRECTORY, CORPUS_MISSING, readCorpusCounts } from './support/corpus.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

/** Table, one of its delete files, and its rows as they are. */
const TABLES = [
  [
    'impala/iceberg_v2_partitioned_position_deletes',
    'data/action=view/00000-0-delete-boroknagyz_20220819183231_cfc565f5-52b9-4669-9f69-d29c50a84a5e-job_16597105613621_0032-00001.parquet',
    10,
  ],
  [
    'impala/iceberg_v3_deletion_vectors',
    'data/00000-9-08e88179-85b6-4635-8b34-94b49abc87d9-00001-deletes.puffin',
    undefined,
  ],
  [
    'duckdb-iceberg/equality_delete_cross_partition__t',
    'data/part=0/eq-delete-71f65611-0c65-4565-9173-c885638427c1.parquet',
    3,
  ],
] as const

const corpus = mkdtempSync(join(tmpdir(), 'spoiled-'))
let lake: TestLake
let stack: TestStack

beforeAll(async () => {
  if (CORPUS_MISSING !== undefined) return
  const counts = readCorpusCounts()
  mkdirSync(join(corpus, '_computed'))
  const kept = Object.fromEntries(TABLES.map(([table]) => [table, counts[table]]))
  writeFileSync(join(corpus, '_computed/counts.json'), JSON.stringify(kept))
  for (const [table] of TABLES)
    cpSync(join(CORPUS_DIRECTORY, table), join(corpus, table), { recursive: true })
  lake = await startTestLake(['--no-demo', '--corpus', corpus])
  stack = await startTestStack(lake)
}, 60_000)

afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await lake?.[Symbol.asyncDispose]()
  rmSync(corpus, { recursive: true })
})

const SPOIL: readonly (readonly [string, (path: string) => void, string[]])[] = [
  ['missing', (path) => renameSync(path, `${path}.away`), ['OBJECT_MISSING', 'STORAGE_ACCESS_DENIED']],
  ['empty', (path) => writeFileSync(path, ''), ['TABLE_CORRUPT']],
  ['cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 60)), ['TABLE_CORRUPT']],
  ['zeros', (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)), ['TABLE_CORRUPT']],
]

describe.skipIf(CORPUS_MISSING !== undefined)('a delete file', () => {
  it.each(TABLES)(
    '[DL5] of %s that is missing or spoiled fails every statement over the table',
    async (table, file, rows) => {
      const [repository = '', name = ''] = table.split('/')
      const from = `iceberg."${repository}"."${name}"`
      const path = join(corpus, table, file)
      const bytes = readFileSync(path)
      for (const [what, spoil, codes] of SPOIL) {
        spoil(path)
        for (const sql of [
          `SELECT * FROM ${from}`,
          `SELECT count(*) FROM ${from}`,
          `SELECT * FROM ${from} LIMIT 1000`,
        ]) {
          const result = await stack.client.run(sql)
          const code = 'status' in result ? result.code : result.failure?.code
          expect(codes, `${what}: ${sql}`).toContain(code)
        }
        writeFileSync(path, bytes)
      }
      const { rowCount, receipt } = await stack.client.query(`SELECT * FROM ${from}`)
      if (rows !== undefined) expect(rowCount).toBe(rows)
      const scan = receipt?.tables[0]?.scan
      expect(scan?.deleteFilesRead, '[DL6]').toBe(scan?.deleteFilesPlanned)
      expect(scan?.deleteFilesRead).toBeGreaterThan(0)
    },
  )
})
