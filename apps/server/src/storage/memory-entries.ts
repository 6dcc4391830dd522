// The small entries of the chunk cache that were used last, in memory: footers and narrow column chunks cost more to open
// than to read. Bounded in bytes; the one used longest ago goes first.
import { LIMITS } from '../limits.ts'

export interface MemoryEntries {
  get(name: string): Uint8Array | undefined
  /** Keeps a copy of what is small enough. */
  put(name: string, bytes: Uint8Array): void
  remove(name: string): void
  readonly bytes: number
}

export function createMemoryEntries(
  bytesMax: number = LIMITS.cacheMemoryBytesMax,
  entryBytesMax: number = LIMITS.cacheMemoryEntryBytesMax,
): MemoryEntries {
  const entries = new Map<string, Uint8Array>()
  let bytes = 0
  const remove = (name: string): void => {
    bytes -= entries.get(name)?.byteLength ?? 0
    entries.delete(name)
  }
  return {
    get(name) {
      const entry = entries.get(name)
      if (entry === undefined) return undefined
      entries.delete(name)
      entries.set(name, entry)
      return entry
    },
    put(name, content) {
      if (content.byteLength > entryBytesMax || entries.has(name)) return
      // A view would keep alive all that was fetched with it. `slice` of a Buffer is no copy.
      const copy = Uint8Array.from(content)
      entries.set(name, copy)
      bytes += copy.byteLength
      for (const oldest of entries.keys()) {
        if (bytes <= bytesMax) break
        remove(oldest)
      }
    },
    remove,
    get bytes() {
      return bytes
    },
  }
}
