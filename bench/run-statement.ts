// Runs one statement once, in the workbench over HTTP or in DuckDB over local files, and takes its times.
import type { ScanReport } from '@lake/core/flight/receipt.ts'
import type { openDuck } from '../apps/server/test/storage/duck.ts'
import { createTestClient, readStream } from '../apps/server/test/support/test-client.ts'

export type Duck = Awaited<ReturnType<typeof openDuck>>

export interface Run {
  /** From asking for a plan, for the workbench; from the statement, for DuckDB. */
  readonly firstRowMs: number
  readonly totalMs: number
  readonly rowCount: number
}

export interface WorkbenchRun extends Run {
  readonly planMs: number
  readonly scans: readonly ScanReport[]
}

/** @param onBatch awaited before the next batch is taken, for readers that are slow on purpose */
export async function runInWorkbench(
  url: string,
  sql: string,
  onBatch: (rowCount: number) => Promise<void> = async () => await Promise.resolve(),
): Promise<WorkbenchRun> {
  const client = createTestClient(url)
  const startMs = performance.now()
  const info = await client.flightInfo(sql)
  if ('status' in info) throw new Error(`${info.code}: ${info.message}`)
  const planMs = performance.now() - startMs
  const response = await client.doGet(info.ticket)
  if (!response.ok) throw new Error(await response.text())
  let rowCount = 0
  let firstRowMs: number | undefined
  let scans: readonly ScanReport[] | undefined
  for await (const item of readStream(response)) {
    if ('kind' in item) {
      if (item.kind === 'failure') throw new Error(`${item.error.code}: ${item.error.message}`)
      if (item.kind === 'receipt') scans = item.receipt.tables.flatMap(({ scan }) => scan ?? [])
      continue
    }
    if (item.numRows > 0) firstRowMs ??= performance.now() - startMs
    rowCount += item.numRows
    await onBatch(rowCount)
  }
  if (!scans) throw new Error('the stream has no receipt')
  const totalMs = performance.now() - startMs
  return { planMs, firstRowMs: firstRowMs ?? totalMs, totalMs, rowCount, scans }
}

/** Takes every row, as the engine's own chunks. */
export async function runInDuckDb(duck: Duck, sql: string): Promise<Run> {
  const startMs = performance.now()
  const result = await duck.stream(sql)
  let rowCount = 0
  let firstRowMs: number | undefined
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) break
    firstRowMs ??= performance.now() - startMs
    rowCount += chunk.rowCount
  }
  const totalMs = performance.now() - startMs
  return { firstRowMs: firstRowMs ?? totalMs, totalMs, rowCount }
}
