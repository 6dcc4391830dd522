// Following a background statement over answers of a server: what of its parts is believed, and what is waited out.
import { createHash } from 'node:crypto'
import { RecordBatchStreamWriter, tableFromArrays } from 'apache-arrow'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PollInfo } from '@lake/core/statements/poll-info.ts'
import { followStatement } from './background-run.ts'
import { QueryRun } from './query-run.ts'
import { ResultBuffer } from './result-buffer.ts'
import type { RunEvent } from './run-state.ts'

vi.mock('../limits.ts', async (original) => ({
  ...(await original<object>()),
  POLL_RETRY_MS: 5,
}))

const partOf = (values: number[]): Uint8Array =>
  RecordBatchStreamWriter.writeAll(tableFromArrays({ n: Int32Array.from(values) })).toUint8Array(true)
const PARTS = [partOf([1, 2, 3]), partOf([4, 5])]
const RECEIPT = { statementId: 's', tables: [], rowCount: 5, elapsedMs: 1, engine: 'e' }

const info = (changes: Partial<PollInfo> = {}): PollInfo => ({
  statementId: 's',
  state: 'running',
  progress: 0.5,
  bytesRead: 1,
  bytesPlanned: 2,
  rowCount: 0,
  attemptCount: 1,
  submittedAtMs: 1,
  startedAtMs: 1,
  endedAtMs: null,
  expiresAtMs: null,
  sql: 'SELECT',
  tables: [],
  failure: null,
  schema: [],
  endpoints: [],
  receipt: null,
  ticket: null,
  isReused: false,
  descriptor: { statementId: 's', revision: 1 },
  ...changes,
})
const finished = (): PollInfo =>
  info({
    state: 'finished',
    progress: 1,
    rowCount: 5,
    descriptor: null,
    receipt: RECEIPT,
    endpoints: PARTS.map((bytes, index) => ({
      rowStart: index * 3,
      rowCount: index === 0 ? 3 : 2,
      byteCount: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      ticket: String(index),
      expiresAtMs: Date.now() + 60_000,
    })),
  })

let polls: (() => Response)[]
let parts: Uint8Array[]
let fetched: string[]
/** What parts are refused with; none where it is empty. */
let refusedCode: string
const NEVER = new AbortController().signal
beforeEach(() => {
  vi.stubGlobal('isSecureContext', true)
  parts = [...PARTS]
  fetched = []
  refusedCode = ''
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) => {
    if (path.endsWith('/poll-flight-info'))
      return Promise.resolve().then(polls.shift() ?? (() => Response.error()))
    const { ticket } = JSON.parse(body) as { ticket: string }
    fetched.push(ticket)
    const error = { code: refusedCode, message: 'no', requestId: 'r' }
    if (refusedCode !== '') return Promise.resolve(Response.json({ error }, { status: 503 }))
    return Promise.resolve(new Response(parts[Number(ticket)]?.slice() as Uint8Array<ArrayBuffer>))
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

async function follow(): Promise<{ events: RunEvent[]; buffer: ResultBuffer; code: string | undefined }> {
  const events: RunEvent[] = []
  const buffer = new ResultBuffer()
  const sink = {
    buffer,
    emit: (event: RunEvent) => events.push(event),
    rowsArrived: () => undefined,
    polled: () => undefined,
  }
  const request = { descriptor: { statementId: 's' } }
  const code = await followStatement(request, sink, new AbortController().signal).then(
    () => undefined,
    (error: { code: string }) => error.code,
  )
  return { events, buffer, code }
}

it('[BG4] takes every part in order and ends with the receipt', async () => {
  polls = [() => Response.json(info()), () => Response.json(finished())]
  const { events, buffer, code } = await follow()
  expect(code).toBeUndefined()
  expect(buffer.rowCount).toBe(5)
  expect(events.map(({ kind }) => kind)).toEqual(['planned', 'receiptArrived'])
})

it('[BG4] shows no part whose bytes are not those of the manifest', async () => {
  const cut = PARTS[1]!.slice(0, -8)
  const altered = PARTS[1]!.slice()
  altered[altered.length >> 1]! ^= 1
  for (const bytes of [cut, altered]) {
    polls = [() => Response.json(finished())]
    parts = [bytes, PARTS[1]!]
    const { events, buffer, code } = await follow()
    expect(code).toBe('RESULT_CORRUPT')
    expect(buffer.rowCount).toBe(0)
    expect(events.some(({ kind }) => kind === 'receiptArrived')).toBe(false)

    polls = [() => Response.json(finished())]
    parts = [PARTS[0]!, bytes]
    const later = await follow()
    expect(later.code).toBeUndefined()
    await expect(later.buffer.bring(3, NEVER)).rejects.toMatchObject({ code: 'RESULT_CORRUPT' })
    expect([later.buffer.locate(3), later.buffer.isAway(3)]).toEqual([null, true])
  }
})

it('[BG5] fetches a part when its rows are looked at, and none before', async () => {
  polls = [() => Response.json(finished())]
  const { buffer } = await follow()
  expect(fetched).toEqual(['0'])
  expect([buffer.rowCount, buffer.isAway(2), buffer.isAway(3)]).toEqual([5, false, true])
  buffer.show([1, 4])
  await expect.poll(() => buffer.locate(4)?.batch.getChildAt(0)?.get(1)).toBe(5)
  expect(fetched).toEqual(['0', '1'])
})

it('[BG5] asks for new tickets where they have expired, once, and takes only those of the same parts', async () => {
  const expired = finished()
  for (const endpoint of expired.endpoints) endpoint.expiresAtMs = Date.now() - 1
  polls = [() => Response.json(expired), () => Response.json(finished())]
  const { buffer } = await follow()
  await buffer.bring(4, NEVER)
  expect([buffer.rowCount, polls.length]).toEqual([5, 0])

  const other = finished()
  other.endpoints[1]!.sha256 = '0'.repeat(64)
  // The server's clock is ahead: it says so itself.
  polls = [() => Response.json(finished()), () => Response.json(other)]
  const late = await follow()
  refusedCode = 'TICKET_EXPIRED'
  await expect(late.buffer.bring(4, NEVER)).rejects.toMatchObject({ code: 'RESULT_CORRUPT' })
})

it('[BG5] fails a finished run whose part cannot be had any more, and lets one be tried again', async () => {
  polls = [() => Response.json(finished())]
  const source = { tabId: 't', sql: 'SELECT', startOffset: 0, startLine: 1, pins: [] }
  const run = new QueryRun({ ...source, background: { kind: 'open', statementId: 's' } })
  await run.start()
  expect([run.snapshot.state.kind, run.snapshot.rowCount]).toEqual(['finished', 5])
  refusedCode = 'RESULTS_UNAVAILABLE'
  run.buffer.show([4])
  await expect.poll(() => run.snapshot.rowsFailure?.code).toBe('RESULTS_UNAVAILABLE')
  expect(run.snapshot.state.kind).toBe('finished')
  refusedCode = ''
  run.buffer.retry()
  expect(run.snapshot.rowsFailure).toBeNull()
  await expect.poll(() => run.buffer.isAway(4)).toBe(false)

  polls = [() => Response.json(finished())]
  const lost = new QueryRun({ ...source, background: { kind: 'open', statementId: 's' } })
  await lost.start()
  refusedCode = 'NO_SUCH_STATEMENT'
  lost.buffer.show([4])
  await expect
    .poll(() => lost.snapshot.state)
    .toMatchObject({ kind: 'failed', error: { code: 'NO_SUCH_STATEMENT' } })
})

it('[BG4] waits out a server that is away, and says how a statement failed', async () => {
  const away = (): Response => {
    throw new TypeError('fetch failed')
  }
  const failure = { code: 'SNAPSHOT_EXPIRED', message: 'gone' }
  polls = [
    () => Response.json(info()),
    away,
    away,
    () => Response.json(info({ state: 'failed', failure, descriptor: null })),
  ]
  const { code } = await follow()
  expect(code).toBe('SNAPSHOT_EXPIRED')
  expect(polls).toHaveLength(0)
})

it('[BG2] a submission that is stopped before its answer may go on: that it has ended is not said', async () => {
  const submitted = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', (_path: string, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', () => submitted.reject(signal.reason))
    return submitted.promise
  })
  const source = { tabId: 't', sql: 'SELECT 1', startOffset: 0, startLine: 1, pins: [] }
  const run = new QueryRun({ ...source, background: { kind: 'submit' } })
  const started = run.start()
  await run.stop()
  await started
  expect(run.snapshot.state).toMatchObject({ kind: 'stopped', isConfirmed: false })
})
