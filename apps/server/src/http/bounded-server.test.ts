import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { LIMITS } from '../limits.ts'
import { createBoundedServer } from './bounded-server.ts'

const STALL_MS = 100
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

/** A connection that has asked once, or as told, and reads nothing until it is told to. */
async function ask(
  listener: RequestListener,
  { keepAliveMs = LIMITS.keepAliveMs, stallMs = STALL_MS, sent = REQUEST } = {},
) {
  const { server, drain } = createBoundedServer(listener, {
    ...LIMITS,
    keepAliveMs,
    connectionStallMs: stallMs,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  open.push(() => {
    socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  socket.pause()
  socket.write(sent)
  const connectionCount = async (): Promise<number> =>
    await new Promise((resolve) => {
      server.getConnections((_error, count) => {
        resolve(count)
      })
    })
  await expect.poll(connectionCount).toBe(1)
  return { socket, connectionCount, drain }
}

describe('[OV2] a connection', () => {
  it('whose reader takes nothing of a whole answer is cut off', async () => {
    const { promise: handedOver, resolve } = Promise.withResolvers<void>()
    const { connectionCount } = await ask((_request, response) => {
      response.end(Buffer.alloc(67_108_864))
      resolve()
    })
    await handedOver
    await expect.poll(connectionCount).toBe(0)
  })

  it('whose reader takes nothing of a stream is cut off', async () => {
    const { connectionCount } = await ask((_request, response) => {
      const fill = (): void => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', fill)
      }
      fill()
    })
    await expect.poll(connectionCount).toBe(0)
  })

  it('whose answer is still being made goes on', async () => {
    const { socket } = await ask((_request, response) => {
      setTimeout(() => response.end('made'), STALL_MS * 5)
    })
    const answer = new Promise((resolve) => socket.once('data', (data: Buffer) => resolve(String(data))))
    socket.resume()
    expect(await answer).toContain('made')
  })

  it('that waits for the second of two answers goes on', async () => {
    const { socket } = await ask(
      ({ url }, response) => {
        if (url === '/first') response.end('first')
        else setTimeout(() => response.end('second'), STALL_MS * 5)
      },
      { sent: REQUEST.replace('/', '/first') + REQUEST.replace('host', 'connection: close\r\nhost') },
    )
    let text = ''
    socket.on('data', (data: Buffer) => (text += String(data)))
    socket.resume()
    await once(socket, 'close')
    expect(text).toContain('second')
  })

  it('that is idle after an answer is closed', async () => {
    const { socket, connectionCount } = await ask((_request, response) => response.end('made'), {
      keepAliveMs: 50,
    })
    socket.resume()
    await expect.poll(connectionCount).toBe(0)
  })
})

describe('[OP3] the end waits for no connection', () => {
  const DRAIN_MS = 600_000
  const PATIENT = { keepAliveMs: DRAIN_MS, stallMs: DRAIN_MS }

  it.each([
    ['that has not asked', ''],
    ['that is within the headers of its request', 'GET / HTTP/1.1\r\n'],
  ])('%s', async (_which, sent) => {
    const { drain, connectionCount } = await ask((_request, response) => response.end(), { ...PATIENT, sent })
    await drain(DRAIN_MS)
    expect(await connectionCount()).toBe(0)
  })

  it('that has its answer, and lets each have its own', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<() => void>()
    const { socket, drain } = await ask((_request, response) => {
      resolve(() => response.end('made'))
    }, PATIENT)
    const answer = once(socket, 'data') as Promise<[Buffer]>
    socket.resume()
    const makeAnswer = await asked
    const ended = drain(DRAIN_MS)
    makeAnswer()
    await ended
    expect(String((await answer)[0])).toContain('made')
  })

  it('whose answer takes longer than it may', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const { drain, connectionCount } = await ask(() => {
      resolve()
    }, PATIENT)
    await asked
    await drain(0)
    expect(await connectionCount()).toBe(0)
  })
})
