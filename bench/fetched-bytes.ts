// What a statement costs of object storage, by the store's own account, beside what it had to cost: the chunks of its
// columns in the files that it opened, exactly, from their footers. Footers are counted apart.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeParquetMetadata, type SchemaNode } from '../apps/server/src/parquet/parquet-metadata.ts'
import { startCountingStore } from '../apps/server/test/support/counting-store.ts'
import { lakeEnvironment, startProgram, type LakeReady } from '../scripts/programs.ts'
import { runInWorkbench } from './run-statement.ts'
import { EVERY_COLUMN, type Statement } from './statements.ts'

export interface FetchedBytes {
  readonly files: number
  readonly requests: number
  /** Of data files: everything that storage sent. */
  readonly fetchedBytes: number
  /** Chunks of the needed columns in the opened files, all row groups. */
  readonly neededBytes: number
  /** Exact footers of the opened files. */
  readonly footerBytes: number
  /** Fetched but for footers, to needed; below 1 where row groups were dropped. undefined: nothing needed. */
  readonly ratio: number | undefined
}

/** Each statement is run once by a server of its own behind a counting store, without a chunk cache. */
export async function measureFetchedBytes(
  lake: LakeReady,
  directory: string,
  statements: readonly Statement[],
): Promise<Map<string, FetchedBytes>> {
  await using store = await startCountingStore(lake.s3Endpoint)
  await using server = await startProgram<{ url: string }>('apps/server/src/main.ts', [], {
    env: {
      ...lakeEnvironment(lake),
      LAKE_ICEBERG_S3_ENDPOINT: store.url,
      LAKE_ICEBERG_S3_REGION: 'us-east-1',
      LAKE_ICEBERG_S3_PATH_STYLE: 'true',
      LAKE_HTTP_ADDR: '127.0.0.1:0',
      LAKE_LOG_LEVEL: 'warn',
    },
  })
  const measured = new Map<string, FetchedBytes>()
  for (const statement of statements) {
    store.take()
    await runInWorkbench(server.ready.url, statement.sql)
    const reads = store.take().filter(({ path }) => path.endsWith('.parquet'))
    const files = [...new Set(reads.map(({ path }) => path))]
    const sizes = files.map((path) => sizesOf(join(directory, 'objects', path), columnsOf(path, statement)))
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
    const fetchedBytes = sum(reads.map(({ bytes }) => bytes))
    const neededBytes = sum(sizes.map((size) => size.neededBytes))
    const footerBytes = sum(sizes.map((size) => size.footerBytes))
    const ratio = neededBytes === 0 ? undefined : (fetchedBytes - footerBytes) / neededBytes
    const counts = { files: files.length, requests: reads.length }
    measured.set(statement.name, { ...counts, fetchedBytes, neededBytes, footerBytes, ratio })
  }
  return measured
}

/** By the table's folder, which begins with its name. */
function columnsOf(path: string, { columns }: Statement): readonly string[] {
  return Object.entries(columns).find(([table]) => path.includes(`/${table}-`))?.[1] ?? []
}

function sizesOf(path: string, columns: readonly string[]): { neededBytes: number; footerBytes: number } {
  const bytes = readFileSync(path)
  const footerBytes = bytes.readUInt32LE(bytes.byteLength - 8) + 8
  const start = bytes.byteLength - footerBytes
  const metadata = decodeParquetMetadata(bytes.subarray(start, bytes.byteLength - 8), start)
  const isNeeded = ({ name }: SchemaNode): boolean => columns.includes(EVERY_COLUMN) || columns.includes(name)
  const leaves = metadata.columns.filter(isNeeded).flatMap(leafIndexes)
  const chunks = metadata.rowGroups.flatMap((group) => leaves.flatMap((leaf) => group.chunks[leaf] ?? []))
  return { neededBytes: chunks.reduce((sum, chunk) => sum + chunk.compressedBytes, 0), footerBytes }
}

function leafIndexes({ leaf, children }: SchemaNode): number[] {
  return leaf ? [leaf.index] : children.flatMap(leafIndexes)
}
