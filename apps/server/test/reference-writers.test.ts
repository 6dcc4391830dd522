// Tables that reference implementations wrote, with the rows that the same implementation read back (fixtures/README.md):
// served through the local lake under foreign paths, read with pruning and without.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { NO_PRUNING } from '@lake/core/scan/table-scan.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTANT_TYPE } from '../src/engine/instant-types.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './support/test-stack.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures')
const WRITERS = ['java', 'pyiceberg']

/** A cell is text as the engine writes it, JSON of something nested, or NULL. */
type Cell = string | { readonly json: unknown } | null
interface Answers {
  readonly reads: readonly {
    /** What stands in AT; null for the table as it is. */
    readonly at: string | null
    /** SQL of each column. */
    readonly columns: readonly string[]
    readonly rows: readonly (readonly Cell[])[]
  }[]
  /** Conditions that must pass the same rows with pruning and without. */
  readonly filters: readonly string[]
}

/** Hazards of docs/hazards.md that the rows of a table prove. */
const PROVES: Readonly<Record<string, string>> = {
  'java.avro_snappy': '[H33] [H80] [H85]',
  'java.avro_zstd': '[H33] [H80] [H85]',
  'java.branch_schema': '[H5] [H7] [B22] [B25]',
  'java.changed_keys': '[H85] [H87]',
  'java.cut_bounds': '[H53]',
  'java.defaults': '[H59] [H67]',
  'java.lineage': '[H26] [H95] [H96] [B32]',
  'java.moments': '[H70] [H71]',
  'java.nan_partitions': '[H46] [H54] [H55] [B20] [B23]',
  'java.odd_names': '[H75]',
  'java.promotions': '[H56] [H66]',
  'java.readded': '[H60] [H61] [B9]',
  'java.rolled_back': '[H5] [H9]',
  'java.shredded_variants': '[H77]',
  'java.spec_evolution': '[H34] [H35] [H88] [B2]',
  'java.transforms': '[H38] [H39] [H40] [H41] [H42] [H43] [H45] [H47] [H49] [B27] [B28]',
  'java.unknown_column': '[H76]',
  'java.upgraded': '[H82] [H85] [H90]',
  'java.variants': '[H77]',
  'java.void_only': '[H11] [H36] [H86] [B24]',
  'pyiceberg.added_files': '[H63]',
  'pyiceberg.partitioned': '[H34] [H38] [H39] [H45] [H46] [B10]',
  'pyiceberg.renamed': '[H60] [H61] [B9]',
  'pyiceberg.types': '[H69] [H71] [H72] [H73] [H74]',
}

const tables = WRITERS.flatMap((writer) =>
  readdirSync(join(FIXTURES, writer)).map((name): [string, Answers] => [
    `${writer}.${name}`,
    JSON.parse(readFileSync(join(FIXTURES, writer, name, 'answers.json'), 'utf8')) as Answers,
  ]),
)
/** Files that planning left out. */
const skipped = { pruning: 0, plain: 0 }
let lake: TestLake
let pruning: TestStack
let plain: TestStack

beforeAll(async () => {
  lake = await startTestLake(['--no-demo', '--corpus', FIXTURES])
  pruning = await startTestStack(lake)
  plain = await startTestStack(lake, {}, NO_PRUNING)
})
afterAll(async () => {
  await pruning[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
  await lake[Symbol.asyncDispose]()
})

/** Rows as text, in an order of their own. */
async function rowsOf(stack: TestStack, sql: string): Promise<(string | null)[][]> {
  const { batches, failure, receipt } = await stack.client.query(sql)
  expect(failure, sql).toBeUndefined()
  for (const { scan } of receipt?.tables ?? []) {
    if (scan) skipped[stack === pruning ? 'pruning' : 'plain'] += scan.filesTotal - scan.filesPlanned
  }
  const rows = batches.flatMap((batch) =>
    Array.from({ length: batch.numRows }, (_, row) =>
      batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(row) as string | null),
    ),
  )
  return rows.toSorted(byText)
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
const asText = (columns: readonly string[]): string =>
  columns.map((column) => `CAST(${column} AS VARCHAR)`).join(', ')

/** Columns as expressions of which the text is the writer's: that of an instant in nanoseconds lacks its offset in SQL. */
async function textable(columns: readonly string[], from: string): Promise<readonly string[]> {
  const info = await pruning.client.flightInfo(`SELECT ${columns.join(', ')} FROM ${from}`)
  const schema = 'schema' in info ? info.schema : []
  return columns.map((column, index) =>
    schema[index]?.type === INSTANT_TYPE
      ? `CAST(CAST(${column} AS TIMESTAMP_NS) AS VARCHAR) || '+00'`
      : column,
  )
}

/** Cells that are JSON in the answers are compared as what they mean. */
function meaning(rows: readonly (readonly (string | null)[])[], isJson: readonly boolean[]): unknown[] {
  return rows
    .map((row) =>
      row.map((cell, column) =>
        isJson[column] && cell !== null ? { json: JSON.parse(cell) as unknown } : cell,
      ),
    )
    .toSorted(byText)
}

describe.each(tables.map(([name, answers]) => [`${PROVES[name]} ${name}`, name, answers] as const))(
  '%s',
  (_title, name, { reads, filters }) => {
    const from = `iceberg.${name.replace('.', '."')}"`

    it.each(reads.map((read) => [read.at ?? 'now', read] as const))(
      'has the rows of its writer: %s',
      async (_at, read) => {
        const clause = read.at === null ? '' : ` AT (${read.at})`
        const isJson = read.columns.map((_, column) =>
          read.rows.some((row) => typeof row[column] === 'object' && row[column] !== null),
        )
        const columns = await textable(read.columns, `${from}${clause}`)
        const sql = `SELECT ${asText(columns)} FROM ${from}${clause}`
        const [pruned, whole] = await Promise.all([rowsOf(pruning, sql), rowsOf(plain, sql)])
        expect(meaning(pruned, isJson)).toEqual(read.rows.toSorted(byText))
        expect(whole).toEqual(pruned)
        const [[count] = []] = await rowsOf(pruning, `SELECT CAST(count(*) AS VARCHAR) FROM ${from}${clause}`)
        expect(count).toBe(String(read.rows.length))
      },
    )

    if (filters.length > 0) {
      it('passes the rows that satisfy a condition, whatever is pruned by it', async () => {
        const columns = await textable(reads[0]?.columns ?? [], from)
        // Conditions as columns exclude nothing, so that this reads everything.
        const verdicts = await rowsOf(
          plain,
          `SELECT ${asText([...columns, ...filters.map((filter) => `(${filter})`)])} FROM ${from}`,
        )
        for (const [index, filter] of filters.entries()) {
          const passing = verdicts
            .filter((row) => row[columns.length + index] === 'true')
            .map((row) => row.slice(0, columns.length))
          const rows = await rowsOf(pruning, `SELECT ${asText(columns)} FROM ${from} WHERE ${filter}`)
          expect(rows, filter).toEqual(passing.toSorted(byText))
        }
      })
    }
  },
)

it('every table says what it proves', () => {
  expect(tables.map(([name]) => name).sort()).toEqual(Object.keys(PROVES))
})

it('files were skipped, so that pruning was tried', () => {
  expect(skipped.pruning).toBeGreaterThan(100)
  expect(skipped.plain).toBe(0)
})
