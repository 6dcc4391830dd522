// An interactive run that a kept result answers, and what it falls back to.
import { createHash } from 'node:crypto'
import { RecordBatchStreamWriter, tableFromArrays } from 'apache-arrow'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { QueryRun, type RunSource } from './query-run.ts'

const PART = RecordBatchStreamWriter.writeAll(tableFromArrays({ n: Int32Array.of(7) })).toUint8Array(true)
const RECEIPT = { statementId: 'k', tables: [], rowCount: 1, elapsedMs: 1, engine: 'e' }
const INFO = { statementId: 'i', schema: [], ticket: 'run', expiresAtMs: 9, tables: [] }
const KEPT = { statementId: 'k', rowCount: 1, endedAtMs: 5, expiresAtMs: 9 }
const POLL = {
  statementId: 'k',
  state: 'finished',
  progress: 1,
  bytesRead: 0,
  bytesPlanned: 0,
  rowCount: 1,
  attemptCount: 1,
  submittedAtMs: 1,
  startedAtMs: 1,
  endedAtMs: 5,
  expiresAtMs: 9,
  sql: 'SELECT',
  tables: [],
  failure: null,
  schema: [],
  endpoints: [
    {
      rowStart: 0,
      rowCount: 1,
      byteCount: PART.byteLength,
      sha256: createHash('sha256').update(PART).digest('hex'),
      ticket: 'part',
      expiresAtMs: Date.now() + 600_000,
    },
  ],
  receipt: RECEIPT,
  ticket: { ticket: 'result.x', expiresAtMs: 9 },
  isReused: false,
  descriptor: null,
}
const SOURCE: RunSource = { tabId: 't', sql: 'SELECT', startOffset: 0, startLine: 1, pins: [] }
const refusal = (code: string, status = 404) =>
  Response.json({ error: { code, message: 'no', requestId: 'r' } }, { status })

let asked: string[]
let poll: () => Response
let part: () => Response
beforeEach(() => {
  asked = []
  poll = () => Response.json(POLL)
  part = () => new Response(PART.slice())
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) => {
    const { ticket } = JSON.parse(body) as { ticket?: string }
    asked.push(`${path.split('/').at(-1)}${ticket === undefined ? '' : ` ${ticket}`}`)
    if (path.endsWith('/flight-info')) return Promise.resolve(Response.json({ ...INFO, kept: KEPT }))
    if (path.endsWith('/poll-flight-info')) return Promise.resolve().then(poll)
    return Promise.resolve(ticket === 'part' ? part() : refusal('STORAGE_UNAVAILABLE', 503))
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

async function runOf(source: RunSource = SOURCE): Promise<QueryRun> {
  const run = new QueryRun(source)
  await run.start()
  return run
}

it('[BG7] a run is answered by the kept result of the same statement, and says so', async () => {
  const run = await runOf()
  expect(asked).toEqual(['flight-info', 'poll-flight-info', 'do-get part'])
  expect(run.snapshot).toMatchObject({
    rowCount: 1,
    background: { isReused: true, endedAtMs: 5 },
    state: { kind: 'finished', receipt: RECEIPT, info: { ticket: 'result.x' } },
  })
  // The run began now.
  expect(run.snapshot.startedAtMs).toBeGreaterThan(5)
})

it('[BG7] runs the statement where the kept result cannot be had after all, and where it is to run anew', async () => {
  const altered = PART.slice()
  altered[altered.length >> 1]! ^= 1
  const faults: (() => void)[] = [
    () => (poll = () => refusal('NO_SUCH_STATEMENT')),
    () => (poll = () => refusal('RESULT_CORRUPT', 502)),
    () => (part = () => refusal('RESULT_CORRUPT', 502)),
    () => (part = () => refusal('NO_SUCH_STATEMENT')),
    () => (part = () => new Response(altered)),
  ]
  for (const fault of faults) {
    asked = []
    fault()
    const run = await runOf()
    expect(asked.at(-1)).toBe('do-get run')
    expect(run.snapshot).toMatchObject({ rowCount: 0, background: null, state: { kind: 'failed' } })
    poll = () => Response.json(POLL)
    part = () => new Response(PART.slice())
  }
  asked = []
  await runOf({ ...SOURCE, isAnew: true })
  expect(asked).toEqual(['flight-info', 'do-get run'])
})
