// The stack on a lake that serves generated tables, for the tests of one file, and data files that DuckDB writes for them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { generateTables, type GeneratedFile, type GeneratedTable } from './generated-tables.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './test-stack.ts'

type ParquetFile = readonly [sql: string, ids: string, changes?: Partial<GeneratedFile>]

/** Parquet files of the rows of statements, with field ids as DuckDB's FIELD_IDS has them: `f0.parquet` and so on. */
export const parquetFiles =
  (...files: readonly ParquetFile[]): GeneratedTable['write'] =>
  async (directory, duck) => {
    const written: GeneratedFile[] = []
    for (const [index, [sql, ids, changes]] of files.entries()) {
      const name = `f${index}.parquet`
      const options = `FORMAT parquet, FIELD_IDS ${ids}, ROW_GROUP_SIZE 2048`
      await duck.run(`COPY (${sql}) TO '${join(directory, name)}' (${options})`)
      const counted = await duck.runAndReadAll(`SELECT count(*)::INTEGER FROM (${sql})`)
      written.push({ name, format: 'parquet', rowCount: counted.getRows()[0]?.[0] as number, ...changes })
    }
    return written
  }

/** An optional field of a schema in the metadata's JSON. */
export const optional = (id: number, name: string, type: unknown, more = {}) => ({
  id,
  name,
  required: false,
  type,
  ...more,
})

export interface GeneratedStack {
  readonly stack: TestStack
  /** Cells as the engine writes them. */
  readonly texts: (sql: string) => Promise<(string | null)[][]>
}

/** Writes the tables and starts the stack before the tests of the calling file, and ends it after them. */
export function withGeneratedStack(tables: readonly GeneratedTable[]): GeneratedStack {
  let folder: string | undefined
  let lake: TestLake | undefined
  let stack: TestStack | undefined
  const running = (): TestStack => {
    if (!stack) throw new Error('the stack has not started')
    return stack
  }

  beforeAll(async () => {
    folder = await generateTables(tables)
    lake = await startTestLake(['--no-demo', '--corpus', folder])
    stack = await startTestStack(lake)
  }, 120_000)

  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]()
    await lake?.[Symbol.asyncDispose]()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  return {
    get stack() {
      return running()
    },
    async texts(sql) {
      const { batches, failure } = await running().client.query(
        `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`,
      )
      if (failure) throw new Error(`${failure.code}: ${failure.message}`)
      return batches.flatMap((batch) =>
        Array.from({ length: batch.numRows }, (_, row) =>
          batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(row) as string | null),
        ),
      )
    },
  }
}
