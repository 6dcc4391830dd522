// A store over local files for tests: `s3://local/<absolute path>`. Counts requests and can be told to lie.
import { open, stat } from 'node:fs/promises'
import { AppError } from '@lake/core/errors.ts'
import type { ObjectStore } from '../../src/storage/object-store.ts'

export interface LocalFiles extends Pick<ObjectStore, 'readRange' | 'statObject'> {
  readonly requests: number
  readonly bytes: number
}

export const uriOf = (path: string): string => `s3://local${path}`
export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

export function createLocalFiles(): LocalFiles {
  let requests = 0
  let bytesRead = 0
  return {
    async readRange(uri, range, signal) {
      signal.throwIfAborted()
      requests += 1
      await using handle = await open(uri.slice('s3://local'.length))
      const bytes = new Uint8Array(range.end - range.start)
      const { bytesRead: count } = await handle.read(bytes, 0, bytes.byteLength, range.start)
      if (count !== bytes.byteLength) throw new AppError('TABLE_CORRUPT', 'shorter than asked for')
      bytesRead += count
      return bytes
    },
    async statObject(uri) {
      return { sizeBytes: await sizeOf(uri.slice('s3://local'.length)) }
    },
    get requests() {
      return requests
    },
    get bytes() {
      return bytesRead
    },
  }
}
