// The listener: how many connections, and how long each may take to say what it wants and to take what it gets. Whoever sends
// slowly, or takes nothing of an answer, is cut off; idle connections cost a little memory each and are closed when there are
// too many.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../limits.ts'

export type ConnectionLimits = Pick<
  typeof LIMITS,
  | 'connectionsMax'
  | 'headersTimeoutMs'
  | 'requestTimeoutMs'
  | 'keepAliveMs'
  | 'connectionsCheckedEveryMs'
  | 'connectionStallMs'
>

export function createBoundedServer(
  listener: RequestListener,
  limits: { readonly [Name in keyof ConnectionLimits]: number } = LIMITS,
): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.connectionsCheckedEveryMs,
      maxHeaderSize: LIMITS.headersBytesMax,
    },
    listener,
  )
  // More are closed as they come.
  server.maxConnections = limits.connectionsMax
  cutStalled(server, limits.connectionStallMs)
  return server
}

/**
 * Ends connections on which nothing moves: idle ones, and those whose reader takes nothing of what is there for it. One whose
 * answer is still being made has nothing to take, and goes on.
 */
function cutStalled(server: Server, stallMs: number): void {
  const answering = new WeakSet<Socket>()
  server.on('request', ({ socket }, response) => {
    answering.add(socket)
    response.once('close', () => answering.delete(socket))
  })
  server.setTimeout(stallMs, (socket: Socket) => {
    if (answering.has(socket) && socket.writableLength === 0) socket.setTimeout(stallMs)
    else socket.destroy()
  })
}
