// The listener: how many connections, and how long each may take to say what it wants. Whoever sends slowly is cut off;
// idle connections cost a little memory each and are closed when there are too many.
import { createServer, type RequestListener, type Server } from 'node:http'
import { LIMITS } from '../limits.ts'

export type ConnectionLimits = Pick<
  typeof LIMITS,
  'connectionsMax' | 'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveMs' | 'connectionsCheckedEveryMs'
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
  return server
}
