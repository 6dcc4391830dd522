// A real HTTP server on a free loopback port that answers as a test says, and remembers what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface StubServer extends AsyncDisposable {
  readonly url: URL
  readonly requests: StubRequest[]
}

export type StubAnswer = {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** @param answer gives the answer, or takes the response over and gives undefined */
export async function startStub(
  answer: (
    request: StubRequest,
    response: ServerResponse,
  ) => StubAnswer | undefined | Promise<StubAnswer | undefined>,
): Promise<StubServer> {
  const requests: StubRequest[] = []
  const server = createServer((message, response) => {
    void (async () => {
      const parts: Buffer[] = []
      for await (const part of message as AsyncIterable<Buffer>) parts.push(part)
      const target = message.url ?? '/'
      const [path = '/', search = ''] = target.split('?')
      const request: StubRequest = {
        method: message.method ?? '',
        path,
        query: new URLSearchParams(search),
        headers: message.headers,
        body: Buffer.concat(parts).toString('utf8'),
      }
      requests.push(request)
      const given = await answer(request, response)
      if (!given) return
      const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {})
      response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers })
      response.end(given.status === 204 ? undefined : text)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
