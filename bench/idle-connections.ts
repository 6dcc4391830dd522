// Many connections that do nothing, opened and held by this process. Each has had one answer, so that the server keeps it for
// the next request rather than cutting it off as one that says nothing.
import { connect, type Socket } from 'node:net'
import { readFile } from 'node:fs/promises'

/** Ports of one source address are soon used up, so each so many connections come from the next one of 127.0.0.0/8. */
const CONNECTIONS_PER_ADDRESS = 2_000
const AT_ONCE = 200
const FILES_SPARE = 200

export interface IdleConnections extends Disposable {
  readonly openCount: number
}

/** @throws Error where this process may not open so many files; `ulimit -n` allows more. */
export async function openIdle(url: string, count: number): Promise<IdleConnections> {
  const limits = await readFile('/proc/self/limits', 'utf8')
  const filesMax = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
  if (filesMax < count + FILES_SPARE)
    throw new Error(`${count} connections need ulimit -n ${count + FILES_SPARE}; it is ${filesMax}`)
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const openOne = async (index: number): Promise<void> => {
    const localAddress = `127.0.0.${2 + Math.floor(index / CONNECTIONS_PER_ADDRESS)}`
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    socket.on('close', () => open.delete(socket))
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('data', () => {
        open.add(socket)
        socket.off('error', reject)
        socket.on('error', () => undefined)
        resolve()
      })
      socket.write(`GET /livez HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
    })
  }
  for (let start = 0; start < count; start += AT_ONCE) {
    const indices = Array.from({ length: Math.min(AT_ONCE, count - start) }, (_, offset) => start + offset)
    await Promise.all(indices.map(openOne))
  }
  return {
    get openCount() {
      return open.size
    },
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy()
    },
  }
}
