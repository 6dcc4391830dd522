// Clients of a load: each asks, waits for the whole answer, and asks again at once; what it does when it is refused is its
// manner. Those that ask again at once are autocannon's; those that listen, or connect anew, are ours, since it does neither.
// Counts are of answers; so is latency, but for autocannon's, which is of refusals too.
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
  readonly seconds: number
  readonly manner: Manner
}

export async function runClients(url: string, request: LoadRequest, how: Load): Promise<LoadCounts> {
  if (how.manner === 'impatient') return await runAutocannon(url, request, how)
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

async function runAutocannon(
  url: string,
  { method, path, body }: LoadRequest,
  { clients, seconds }: Load,
): Promise<LoadCounts> {
  const result = await autocannon({
    url: url + path,
    connections: clients,
    duration: seconds,
    timeout: 60,
    method,
    headers: headersOf(body),
    ...(body === undefined ? {} : { body }),
  })
  const refused = (result.statusCodeStats['429']?.count ?? 0) + (result.statusCodeStats['503']?.count ?? 0)
  const all = Object.values(result.statusCodeStats).reduce((sum, { count }) => sum + count, 0)
  return {
    answeredPerSecond: result['2xx'] / result.duration,
    refusedPerSecond: refused / result.duration,
    failed: all - result['2xx'] - refused + result.errors + result.timeouts,
    p50Ms: result.latency.p50,
    p95Ms: result.latency.p97_5,
    p99Ms: result.latency.p99,
  }
}

function headersOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' }
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
