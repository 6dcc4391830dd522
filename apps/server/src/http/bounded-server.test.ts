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

/** A connection that has asked once and reads nothing until it is told to. */
async function ask(listener: RequestListener, keepAliveMs = LIMITS.keepAliveMs) {
  const server = createBoundedServer(listener, { ...LIMITS, keepAliveMs, connectionStallMs: STALL_MS })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  open.push(() => {
    socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const connectionCount = async (): Promise<number> =>
    await new Promise((resolve) => {
      server.getConnections((_error, count) => {
        resolve(count)
      })
    })
  await expect.poll(connectionCount).toBe(1)
  return { socket, connectionCount }
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

  it('that is idle after an answer is closed', async () => {
    const { socket, connectionCount } = await ask((_request, response) => response.end('made'), 50)
    socket.resume()
    await expect.poll(connectionCount).toBe(0)
  })
})
