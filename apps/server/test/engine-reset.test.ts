// What one statement leaves to the next in an engine process: nothing, whether its database is kept or replaced.
import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { collect, never, query, startTestEngine } from './engine-support.ts'
import { engineProcesses } from './support/engine-processes.ts'

/** Ids of the threads of all engine processes. A database that is replaced ends its own. */
const threadIds = (): Set<string> =>
  new Set(engineProcesses().flatMap((pid) => readdirSync(`/proc/${pid}/task`)))

/** Whether the database outlived the work. */
async function isKept(work: () => Promise<unknown>): Promise<boolean> {
  const before = threadIds()
  await work().catch(() => undefined)
  const after = threadIds()
  return before.isSubsetOf(after)
}

it('[EN2] a database serves statements that go well, up to so many, and none after one that does not', async () => {
  await using test = await startTestEngine({ renewalsMax: 3 })
  const good = async () => await query(test.engine, 'SELECT sum(x) FROM range(100000) t(x)')
  const bad = async () => await query(test.engine, "SELECT CAST(x || 'a' AS INTEGER) FROM range(9) t(x)")
  const stopped = async () => {
    await using session = await test.engine.acquire(never)
    const { batches } = await session.execute('FROM range(100000000)', { rowsMax: Infinity }, never)
    for await (const batch of batches) if (batch.rowCount > 0) break
  }
  // Threads of Node's own begin with its first work.
  await good()
  await good()
  await good()
  expect(await isKept(good)).toBe(true)
  expect(await isKept(good)).toBe(true)
  expect(await isKept(good)).toBe(false)
  expect(await isKept(bad)).toBe(false)
  expect(await isKept(good)).toBe(true)
  expect(await isKept(stopped)).toBe(false)
  expect(await isKept(good)).toBe(true)
})

it('[EN2] a statement that spilled leaves nothing on the disk, and the next ones can spill too', async () => {
  await using test = await startTestEngine({ memoryBytesMax: 40 * 1_048_576, threads: 1 })
  let spilled = 0
  for (let run = 0; run < 2; run += 1) {
    await using session = await test.engine.acquire(never)
    expect(
      (await readdir(session.directory, { recursive: true })).filter((name) => name !== 'spill'),
    ).toEqual([])
    const sql = "SELECT x, repeat('y', 200) AS y FROM range(250000) t(x) ORDER BY hash(x)"
    const { batches } = await session.execute(sql, { rowsMax: Infinity }, never)
    let rowCount = 0
    for await (const batch of batches) {
      if (rowCount === 0) spilled += (await readdir(join(session.directory, 'spill'))).length
      rowCount += batch.rowCount
    }
    expect(rowCount).toBe(250_000)
  }
  expect(spilled).toBeGreaterThanOrEqual(2)
})

it('[EN2] the time of one statement is not that of the next', async () => {
  await using test = await startTestEngine()
  const at = async (statementAtMs: number | undefined) => {
    await using session = await test.engine.acquire(never)
    const options = statementAtMs === undefined ? {} : { statementAtMs }
    return (await collect(session, 'SELECT epoch_ms(now()) AS at', options)).get(0)?.['at'] as bigint
  }
  expect(await at(1_600_000_000_123)).toBe(1_600_000_000_123n)
  expect(await at(undefined)).toBeGreaterThan(1_700_000_000_000n)
  expect(await at(1_500_000_000_000)).toBe(1_500_000_000_000n)
})
