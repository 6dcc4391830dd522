// A small HTTP server that answers like an S3 store, with faults on demand. One handler per request, in order.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface S3Stub extends AsyncDisposable {
  readonly endpoint: string
  readonly requests: { url: string; headers: IncomingMessage['headers']; method: string }[]
  /** Sockets that are open now. */
  readonly connections: () => Promise<number>
  /** Handlers for the next requests; the last one answers all that follow. */
  answer(...handlers: Handler[]): void
}

export async function startS3Stub(): Promise<S3Stub> {
  const requests: S3Stub['requests'] = []
  let handlers: Handler[] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers, method: request.method ?? '' })
    const handler = handlers.length > 1 ? handlers.shift() : handlers[0]
    handler?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: async () =>
      await new Promise((resolve) => {
        server.getConnections((_error, count) => {
          resolve(count)
        })
      }),
    answer(...next) {
      handlers = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Serves an object, with ranges, ETag and If-Match, as S3 does. */
export function object(bytes: Uint8Array, etag?: string): Handler {
  return (request, response) => {
    const { range, 'if-match': ifMatch } = request.headers
    if (etag !== undefined) response.setHeader('etag', etag)
    if (ifMatch !== undefined && ifMatch !== etag) {
      response.writeHead(412).end()
      return
    }
    const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? '')
    if (!match) {
      response.writeHead(200, { 'content-length': bytes.byteLength })
      response.end(request.method === 'HEAD' ? undefined : bytes)
      return
    }
    const start = Number(match[1])
    const end = Math.min(Number(match[2]) + 1, bytes.byteLength)
    if (start >= bytes.byteLength) {
      response.writeHead(416).end()
      return
    }
    response.writeHead(206, {
      'content-range': `bytes ${start}-${end - 1}/${bytes.byteLength}`,
      'content-length': end - start,
    })
    response.end(bytes.subarray(start, end))
  }
}

export function failure(status: number, code = '', headers: Record<string, string> = {}, more = ''): Handler {
  return (request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers })
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret message AKIDEXAMPLE</Message>${more}</Error>`
    response.end(request.method === 'HEAD' || code === '' ? undefined : body)
  }
}
