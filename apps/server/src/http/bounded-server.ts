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

export interface BoundedServer {
  readonly server: Server
  /** Takes no more connections from now on, lets the requests that run end within `drainMs`, and cuts the rest. */
  readonly drain: (drainMs: number) => Promise<void>
}

export function createBoundedServer(
  listener: RequestListener,
  limits: { readonly [Name in keyof ConnectionLimits]: number } = LIMITS,
): BoundedServer {
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
  const answers = countAnswers(server)
  cutStalled(server, answers, limits.connectionStallMs)
  return {
    server,
    drain: async (drainMs) => {
      await drain(server, answers, drainMs)
    },
  }
}

interface Answers {
  /** Open connections, each with the answers that it waits for: of pipelined requests there are several. */
  readonly countOf: ReadonlyMap<Socket, number>
  /** Called with a connection that waits for none any more. */
  onLast: (socket: Socket) => void
}

function countAnswers(server: Server): Answers {
  const countOf = new Map<Socket, number>()
  const answers: Answers = { countOf, onLast: () => undefined }
  const add = (socket: Socket, change: number): void => {
    const before = countOf.get(socket)
    // It has been closed.
    if (before === undefined) return
    countOf.set(socket, before + change)
    if (before + change === 0) answers.onLast(socket)
  }
  server.on('connection', (socket: Socket) => {
    countOf.set(socket, 0)
    socket.once('close', () => countOf.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    add(socket, 1)
    response.once('close', () => {
      add(socket, -1)
    })
  })
  return answers
}

/**
 * Ends connections on which nothing moves: idle ones, and those whose reader takes nothing of what is there for it. One whose
 * answer is still being made has nothing to take, and goes on.
 */
function cutStalled(server: Server, { countOf }: Answers, stallMs: number): void {
  server.setTimeout(stallMs, (socket: Socket) => {
    if ((countOf.get(socket) ?? 0) > 0 && socket.writableLength === 0) socket.setTimeout(stallMs)
    else socket.destroy()
  })
}

/** A connection goes with its last answer, and at once where it waits for none, whether it has ever asked or not. */
async function drain(server: Server, answers: Answers, drainMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  answers.onLast = (socket) => {
    socket.destroySoon()
  }
  for (const [socket, count] of answers.countOf) if (count === 0) socket.destroySoon()
  const cut = setTimeout(() => {
    for (const socket of answers.countOf.keys()) socket.destroy()
  }, drainMs)
  await closed
  clearTimeout(cut)
}
