// One HTTP call to the catalog or its token server: bounded in time and in body size, redirects never followed.
// It knows nothing of Iceberg; it retries nothing.
import { Agent, request, type Dispatcher } from 'undici'
import { AppError } from '@lake/core/errors.ts'
import { abortError, startDeadline } from '../concurrency/deadline.ts'

export interface HttpCall {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Uint8Array
  /** The same, decoded anew at each use: large bodies are left to other threads. */
  readonly text: string
}

/** undefined where the header is absent or repeated. */
export function singleHeader({ headers }: HttpAnswer, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

export interface HttpClient extends AsyncDisposable {
  /**
   * @returns the answer of any status; the body is at most `bodyBytesMax` bytes
   * @throws AppError CATALOG_UNAVAILABLE (no answer, cut body, body too large), DEADLINE_EXCEEDED, CANCELLED
   */
  call(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>
}

export function createHttpClient(options: {
  timeoutMs: number
  bodyBytesMax: number
  connectionsMax: number
}): HttpClient {
  const agent = new Agent({
    connections: options.connectionsMax,
    connect: { timeout: options.timeoutMs },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
  })
  return {
    async call(call, signal) {
      using deadline = startDeadline(signal, options.timeoutMs, 'A call to the catalog')
      try {
        const response = await request(call.url, {
          method: call.method,
          headers: { 'accept-encoding': 'identity', ...call.headers },
          ...(call.body === undefined ? {} : { body: call.body }),
          dispatcher: agent,
          signal: deadline.signal,
        })
        const bytes = await readBytes(response, options.bodyBytesMax)
        return {
          status: response.statusCode,
          headers: response.headers,
          bytes,
          get text() {
            return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
          },
        }
      } catch (error) {
        if (deadline.signal.aborted) throw abortError(deadline.signal)
        if (error instanceof AppError) throw error
        throw new AppError('CATALOG_UNAVAILABLE', `The catalog did not answer (${reasonOf(error)})`, {
          cause: error,
        })
      }
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy()
    },
  }
}

/** In a buffer of its own. Each part is copied as it comes: putting tens of MB together at the end would hold the loop up. */
async function readBytes({ body, headers }: Dispatcher.ResponseData, bytesMax: number): Promise<Uint8Array> {
  const told = Number(headers['content-length'])
  const tooLarge = (): AppError =>
    new AppError('CATALOG_UNAVAILABLE', `The catalog answered with more than ${bytesMax} bytes`, {
      details: { bytesMax },
    })
  let buffer = new ArrayBuffer(told > 0 && told <= bytesMax ? told : FIRST_BUFFER_BYTES)
  let byteCount = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    const end = byteCount + part.length
    if (end > bytesMax) {
      body.destroy()
      throw tooLarge()
    }
    if (end > buffer.byteLength) {
      buffer = buffer.transfer(Math.min(Math.max(2 * buffer.byteLength, end), bytesMax))
    }
    new Uint8Array(buffer).set(part, byteCount)
    byteCount = end
  }
  return new Uint8Array(buffer.transfer(byteCount))
}

const FIRST_BUFFER_BYTES = 16_384

/** The system's word for a network failure, such as ECONNREFUSED; never an address or a URL. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'network error'
}
