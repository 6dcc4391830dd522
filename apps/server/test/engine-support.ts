// An engine pool for tests, and helpers to run statements on it.
import { mkdtemp, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC, type Table } from 'apache-arrow'
import { END_OF_STREAM } from '../src/engine/arrow-messages.ts'
import { createEnginePool, type EnginePoolOptions } from '../src/engine/engine-pool.ts'
import type { Engine, EngineSession, EngineTable } from '../src/engine/engine.ts'

/** What the system says of a process. */
export function readProcess(pid: number) {
  const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const status = new Map(
    [...read('status').matchAll(/^(\w+):[ \t]*(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
  const limits = new Map(
    [...read('limits').matchAll(/^(Max .*?)\s{2,}(\S+)\s+(\S+)/gm)].map(([, name = '', soft, hard]) => [
      name,
      [soft, hard],
    ]),
  )
  const environment = read('environ')
    .split('\0')
    .filter((entry) => entry !== '')
  return { status, limits, environment, oomScore: Number(read('oom_score_adj')) }
}

export const never: AbortSignal = new AbortController().signal

export interface TestEngine extends AsyncDisposable {
  readonly engine: Engine
  readonly directory: string
}

export async function startTestEngine(options: Partial<EnginePoolOptions> = {}): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'lake-engine-'))
  const engine = await createEnginePool({
    scratchDirectory: join(directory, 'scratch'),
    enginesMax: 1,
    memoryBytesMax: 512 * 1_048_576,
    threads: 2,
    ...options,
  })
  return {
    engine,
    directory,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export async function collect(
  session: EngineSession,
  sql: string,
  options: { rowsMax?: number; statementAtMs?: number; signal?: AbortSignal } = {},
): Promise<Table> {
  const { signal = never, rowsMax = Infinity, ...rest } = options
  const result = await session.execute(sql, { rowsMax, ...rest }, signal)
  const parts = [result.schemaMessage]
  for await (const batch of result.batches) parts.push(batch.bytes)
  return tableFromIPC(Buffer.concat([...parts, END_OF_STREAM]))
}

/** Runs on a session of its own. */
export async function query(engine: Engine, sql: string): Promise<Table> {
  await using session = await engine.acquire(never)
  return await collect(session, sql)
}

export const table = (
  schemaName: string,
  tableName: string,
  columns: Record<string, string>,
): EngineTable => ({
  schemaName,
  tableName,
  columns: Object.entries(columns).map(([name, sqlType]) => ({ name, sqlType })),
})
