// A bucket of results in memory, for simulations.
import type { Clock } from '../../src/concurrency/clock.ts'
import type { ResultObjects } from '../../src/storage/result-objects.ts'

export interface MemoryResultObjects extends ResultObjects {
  readonly keys: () => string[]
}

export function createMemoryResultObjects(clock: Clock): MemoryResultObjects {
  const objects = new Map<string, { readonly bytes: Uint8Array; readonly modifiedAtMs: number }>()
  return {
    keys: () => [...objects.keys()].sort(),
    async putIfAbsent(key, bytes) {
      if (objects.has(key)) return await Promise.resolve(false)
      objects.set(key, { bytes: bytes.slice(), modifiedAtMs: clock.nowMs() })
      return true
    },
    read: async (key) => await Promise.resolve(objects.get(key)?.bytes),
    async *list(prefix) {
      await Promise.resolve()
      for (const [key, { modifiedAtMs }] of objects) if (key.startsWith(prefix)) yield { key, modifiedAtMs }
    },
    async remove(key) {
      objects.delete(key)
      await Promise.resolve()
    },
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  }
}
