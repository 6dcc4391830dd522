// Clients of a load: each asks, waits for the whole answer, and asks again at once; what it does when it is refused is its
// manner. Those that ask again at once are autocannon's; those that listen, or connect anew, are ours, since it does neither.
// Counts and latency are of answers that come after a first while, in which queues fill.
import { createHistogram } from 'node:perf_hooks'
import autocannon from 'autocannon'
import { Client } from 'undici'

export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/**
 * When it is refused, it waits as long as `Retry-After` says; asks again at once; or asks again at once over a new
 * connection, as it does for every request.
 */
export type Manner = 'patient' | 'impatient' | 'reconnecting'

export interface LoadCounts {
  readonly answeredPerSecond: number
  readonly refusedPerSecond: number
  readonly failed: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

interface Load {
  readonly clients: number
  /** That count. */
  readonly seconds: number
  /** Before them. */
  readonly rampSeconds?: number
  readonly manner: Manner
}

export async function runClients(url: string, request: LoadRequest, load: Load): Promise<LoadCounts> {
  const account = openAccount(load)
  if (load.manner === 'impatient') await runAutocannon(url, request, load, account)
  else
    await Promise.all(
      Array.from({ length: load.clients }, async () => {
        await runClient(url, request, load, account)
      }),
    )
  return account.counts()
}

function openAccount({ seconds, rampSeconds = 0 }: Load) {
  const latency = createHistogram()
  const counts = { answered: 0, refused: 0, failed: 0 }
  const fromMs = performance.now() + rampSeconds * 1_000
  const endMs = fromMs + seconds * 1_000
  return {
    endMs,
    note(status: number, elapsedMs: number): void {
      const nowMs = performance.now()
      if (nowMs < fromMs || nowMs > endMs) return
      if (status === 200) {
        counts.answered += 1
        latency.record(Math.max(1, Math.round(elapsedMs * 1_000)))
      } else if (isRefusal(status)) counts.refused += 1
      else counts.failed += 1
    },
    counts(): LoadCounts {
      const ms = (percentile: number): number => latency.percentile(percentile) / 1_000
      return {
        answeredPerSecond: counts.answered / seconds,
        refusedPerSecond: counts.refused / seconds,
        failed: counts.failed,
        p50Ms: ms(50),
        p95Ms: ms(95),
        p99Ms: ms(99),
      }
    },
  }
}
type Account = ReturnType<typeof openAccount>

async function runClient(
  url: string,
  request: LoadRequest,
  { manner }: Load,
  account: Account,
): Promise<void> {
  const client = new Client(url, manner === 'reconnecting' ? { pipelining: 0 } : {})
  while (performance.now() < account.endMs) {
    const askedMs = performance.now()
    const { status, retryAfterS } = await ask(client, request)
    account.note(status, performance.now() - askedMs)
    if (!isRefusal(status) || manner !== 'patient') continue
    const waitMs = Math.max(0, Math.min(retryAfterS * 1_000, account.endMs - performance.now()))
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
  await client.destroy()
}

/** The answer is read to its end. */
async function ask(
  client: Client,
  { method, path, body }: LoadRequest,
): Promise<{ status: number; retryAfterS: number }> {
  try {
    const answer = await client.request({ method, path, headers: headersOf(body), body: body ?? null })
    await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER })
    return { status: answer.statusCode, retryAfterS: Number(answer.headers['retry-after'] ?? 1) }
  } catch {
    return { status: 0, retryAfterS: 1 }
  }
}

async function runAutocannon(
  url: string,
  { method, path, body }: LoadRequest,
  { clients, seconds, rampSeconds = 0 }: Load,
  account: Account,
): Promise<void> {
  const load = autocannon({
    url: url + path,
    connections: clients,
    duration: rampSeconds + seconds,
    timeout: 60,
    method,
    headers: headersOf(body),
    ...(body === undefined ? {} : { body }),
  })
  void load.on('response', (_client, status, _byteCount, elapsedMs) => {
    account.note(status, elapsedMs)
  })
  const { errors, timeouts } = await load
  for (let count = 0; count < errors + timeouts; count += 1) account.note(0, 0)
}

function isRefusal(status: number): boolean {
  return status === 429 || status === 503
}

function headersOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' }
}
