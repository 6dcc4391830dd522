// A TCP proxy on a free loopback port, for faults that only a network makes.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  readonly connectionCount: number
  /** Bytes that have passed from the server to clients. */
  readonly bytesToClient: number
  /** Cuts every connection now, and each later one once it has passed so many bytes to its client. */
  cutAfter(bytes: number): void
  /** The next answer is cut in its middle, with its connection, or arrives as other bytes. */
  spoilNext(how: 'cut' | 'garbled'): void
  /** Lets everything pass again. */
  restore(): void
}

export async function startTcpProxy(target: {
  readonly host: string
  readonly port: number
}): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let bytesToClient = 0
  let connectionCount = 0
  let bytesMax = Number.POSITIVE_INFINITY
  let spoiled: 'cut' | 'garbled' | undefined
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host)
    connectionCount += 1
    let passed = 0
    const end = (): void => {
      client.resetAndDestroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      const how = spoiled
      spoiled = undefined
      if (how === 'garbled') client.write(chunk.map((byte) => byte ^ 0x5a))
      if (how === 'cut') {
        client.write(chunk.subarray(0, chunk.length >> 1))
        end()
      }
      if (how !== undefined) return
      const left = bytesMax - passed
      passed += chunk.length
      bytesToClient += chunk.length
      client.write(chunk.subarray(0, Math.max(0, left)))
      if (passed >= bytesMax) end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get connectionCount() {
      return connectionCount
    },
    get bytesToClient() {
      return bytesToClient
    },
    cutAfter(bytes) {
      bytesMax = bytes
      for (const socket of sockets) socket.destroy()
    },
    spoilNext(how) {
      spoiled = how
    },
    restore() {
      spoiled = undefined
      bytesMax = Number.POSITIVE_INFINITY
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
