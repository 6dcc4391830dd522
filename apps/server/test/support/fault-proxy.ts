// An HTTP proxy in front of a real server that makes the k-th call fail in a chosen way. Everything else passes as it is,
// the Host header included, so signatures stay valid.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const FAULTS = [
  'refused',
  'reset mid-body',
  '401',
  '403',
  '404',
  '429',
  '500',
  'hang',
  'garbage',
  'truncated',
] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultProxy extends AsyncDisposable {
  readonly url: string
  /** Calls since the last `reset`. */
  readonly callCount: number
  /** Counts from 0 again and makes call number `callIndex` (from 0) fail; undefined: none. */
  reset(callIndex?: number, fault?: Fault): void
  /** Credentials that passed through: bearer tokens, vended keys, session tokens and signatures. */
  readonly secretsSeen: ReadonlySet<string>
}

const VENDED_SECRET = /"s3\.(?:access-key-id|secret-access-key|session-token)":"([^"]+)"/g

function headerSecrets(headers: IncomingMessage['headers']): string[] {
  const authorization = headers.authorization ?? ''
  const parts = [
    /^Bearer (.+)$/.exec(authorization)?.[1],
    /Signature=([0-9a-f]+)/.exec(authorization)?.[1],
    headers['x-amz-security-token'],
  ]
  return parts.filter((part): part is string => typeof part === 'string')
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target)
  let callCount = 0
  const secretsSeen = new Set<string>()
  let failing: { readonly callIndex: number; readonly fault: Fault } | undefined

  const forward = (
    message: IncomingMessage,
    response: ServerResponse,
    cut: (body: Buffer) => Buffer | undefined,
  ): void => {
    const options = { hostname, port, method: message.method, path: message.url, headers: message.headers }
    const upstream = request(options, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString('latin1')
        for (const match of text.matchAll(VENDED_SECRET)) secretsSeen.add(match[1] ?? '')
        const body = cut(Buffer.concat(parts))
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        if (body === undefined) response.end(Buffer.concat(parts))
        else {
          response.write(body)
          setTimeout(() => response.socket?.resetAndDestroy(), 5)
        }
      })
    })
    message.pipe(upstream)
  }

  const fail = (fault: Fault, message: IncomingMessage, response: ServerResponse): void => {
    switch (fault) {
      case 'refused':
        response.socket?.resetAndDestroy()
        return
      case 'hang':
        return
      case 'reset mid-body':
        forward(message, response, (body) => body.subarray(0, Math.floor(body.length / 2)))
        return
      case 'truncated':
        // A whole answer that says it is shorter than the object or document that it stands for.
        response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('{"met')
        return
      case 'garbage':
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('\u0000\u0001 not what was asked for')
        return
      case '429':
        response.writeHead(429, { 'retry-after': '1' }).end()
        return
      default:
        response.writeHead(Number(fault), { 'content-type': 'text/plain' }).end('no')
    }
  }

  const server = createServer((message, response) => {
    for (const secret of headerSecrets(message.headers)) secretsSeen.add(secret)
    const index = callCount
    callCount += 1
    if (failing?.callIndex === index) fail(failing.fault, message, response)
    else forward(message, response, () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get callCount() {
      return callCount
    },
    secretsSeen,
    reset(callIndex, fault) {
      callCount = 0
      failing = callIndex === undefined || fault === undefined ? undefined : { callIndex, fault }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
