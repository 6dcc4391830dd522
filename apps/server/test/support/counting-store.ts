// An HTTP proxy before an S3 store that passes everything on unchanged and remembers what was read: the store's own
// account of a statement, independent of the server's.
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

export interface StoreRead {
  readonly method: string
  /** Path of the object, decoded. */
  readonly path: string
  readonly status: number
  readonly bytes: number
}

export interface CountingStore extends AsyncDisposable {
  readonly url: string
  /** Since the last `take`. */
  take(): StoreRead[]
}

export async function startCountingStore(storeUrl: string): Promise<CountingStore> {
  const { hostname, port } = new URL(storeUrl)
  let reads: StoreRead[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const upstream = request({ hostname, port, method, path, headers }, (answer: IncomingMessage) => {
      const status = answer.statusCode ?? 0
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength
      })
      answer.on('end', () =>
        reads.push({ method, path: decodeURIComponent(path.split('?')[0] ?? ''), status, bytes }),
      )
      outgoing.writeHead(status, answer.rawHeaders)
      pipeline(answer, outgoing, () => undefined)
    })
    upstream.on('error', () => outgoing.destroy())
    pipeline(incoming, upstream, () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = reads
      reads = []
      return taken
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
