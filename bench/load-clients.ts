// Clients of a load: each asks, waits for the whole answer, and asks again at once; what it does when it is refused is its
// manner. Counts and latency are of answers only.
import { createHistogram } from 'node:perf_hooks'
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

export async function runClients(
  url: string,
  request: LoadRequest,
  how: { readonly clients: number; readonly seconds: number; readonly manner: Manner },
): Promise<LoadCounts> {
  const latency = createHistogram()
  const counts = { answered: 0, refused: 0, failed: 0 }
  const startMs = performance.now()
  const endMs = startMs + how.seconds * 1_000
  const runClient = async (): Promise<void> => {
    const options = how.manner === 'reconnecting' ? { pipelining: 0 } : {}
    const client = new Client(url, options)
    while (performance.now() < endMs) {
      const askedMs = performance.now()
      const { status, retryAfterS } = await ask(client, request)
      // What is answered after the end would make the rate of a short run too high.
      if (performance.now() > endMs) break
      if (status === 200) {
        counts.answered += 1
        latency.record(Math.max(1, Math.round((performance.now() - askedMs) * 1_000)))
      } else if (status === 429 || status === 503) {
        counts.refused += 1
        if (how.manner === 'patient')
          await new Promise((resolve) =>
            setTimeout(resolve, Math.min(retryAfterS * 1_000, endMs - performance.now())),
          )
      } else counts.failed += 1
    }
    await client.destroy()
  }
  await Promise.all(Array.from({ length: how.clients }, runClient))
  const ms = (percentile: number): number => latency.percentile(percentile) / 1_000
  return {
    answeredPerSecond: counts.answered / how.seconds,
    refusedPerSecond: counts.refused / how.seconds,
    failed: counts.failed,
    p50Ms: ms(50),
    p95Ms: ms(95),
    p99Ms: ms(99),
  }
}

/** The answer is read to its end. */
async function ask(
  client: Client,
  { method, path, body }: LoadRequest,
): Promise<{ status: number; retryAfterS: number }> {
  try {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await client.request({ method, path, headers, body: body ?? null })
    await answer.body.dump({ limit: Number.MAX_SAFE_INTEGER })
    return { status: answer.statusCode, retryAfterS: Number(answer.headers['retry-after'] ?? 1) }
  } catch {
    return { status: 0, retryAfterS: 1 }
  }
}
