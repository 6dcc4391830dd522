// Lets pyiceberg write to a catalog step by step and reads every step back through workbench servers.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { LIMITS } from '../../apps/server/src/limits.ts'
import type { StreamedResult } from '../../apps/server/test/support/test-client.ts'
import type { TestStack } from '../../apps/server/test/support/test-stack.ts'
import { PLAIN_CHECKSUMS, say } from './commands.ts'
import { stop } from '../programs.ts'

export const PYICEBERG_PACKAGES = ['pyiceberg[pyarrow,s3fs,pyiceberg-core]==0.12.0', 'pyarrow==26.0.1']

interface Step {
  readonly step: string
  /** What stands in AT; null for the table as it is. */
  readonly at: string | null
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/**
 * Throws at the first step whose rows a server reads otherwise.
 * @param properties of pyiceberg's catalog
 * @param startServers is called when the namespace and the table are there
 */
export async function writeAndReadBack(
  python: string,
  of: {
    readonly properties: object
    readonly namespace: string
    /** Which snapshots the catalog keeps in a table's metadata. */
    readonly history: 'all' | 'current'
  },
  startServers: () => Promise<ReadonlyMap<string, TestStack>>,
): Promise<void> {
  const { namespace } = of
  const script = join(import.meta.dirname, 'pyiceberg_steps.py')
  const child = spawn(python, [script, JSON.stringify(of.properties), namespace, of.history], {
    env: { ...process.env, ...PLAIN_CHECKSUMS },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let servers: ReadonlyMap<string, TestStack> | undefined
  let isWhole = false
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const step = JSON.parse(line) as Step
      isWhole = step.step === 'end'
      if (isWhole) break
      servers ??= await startServers()
      for (const [name, server] of servers) await compare(name, server, namespace, step)
      child.stdin.write('\n')
    }
    assert.ok(isWhole, 'pyiceberg ended before its last step')
  } finally {
    await stop(child)
    for (const server of servers?.values() ?? []) await server[Symbol.asyncDispose]()
  }
}

/** A commit may be unseen for as long as a loaded snapshot counts as fresh. */
const SEEN_WITHIN_MS = LIMITS.snapshotFreshMs + 5_000

async function compare(name: string, { client }: TestStack, namespace: string, step: Step): Promise<void> {
  const list = step.columns.map((column) => `CAST("${column}" AS VARCHAR)`).join(', ')
  const at = step.at === null ? '' : ` AT (${step.at})`
  const wanted = inOrder(step.rows)
  const endMs = Date.now() + SEEN_WITHIN_MS
  for (;;) {
    const result = await client.run(`SELECT ${list} FROM iceberg."${namespace}".t${at}`)
    const failure = 'status' in result ? result : result.failure
    const rows = 'status' in result ? [] : inOrder(result.batches.flatMap(cellsOf))
    if (!failure && isDeepStrictEqual(rows, wanted)) break
    if (Date.now() > endMs) assert.deepEqual(failure ?? rows, wanted, `${name}: ${step.step}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  say(`ok  ${step.step}: ${wanted.length} rows (${name})`)
}

const inOrder = (rows: readonly (readonly (string | null)[])[]): string[] =>
  rows.map((row) => JSON.stringify(row)).sort()

function cellsOf(batch: StreamedResult['batches'][number]): (string | null)[][] {
  return Array.from({ length: batch.numRows }, (_, row) =>
    batch.schema.fields.map((_field, column) => batch.getChildAt(column)?.get(row) as string | null),
  )
}
