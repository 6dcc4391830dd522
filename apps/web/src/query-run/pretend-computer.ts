// A computer for tests of what outlives a page: a disk that fails at any call, and windows that end with their locks.
import type { ResultDisk } from '../storage/spill.ts'
import { recordNameOf, sha256Of } from '../storage/spill-protocol.ts'
import { FileRowStore } from './row-store.ts'
import { StoredResults, type RowLocks } from './stored-results.ts'

export type Call = keyof ResultDisk

/** What outlives the windows: files by name, and who holds the rows of which. */
export class Computer {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>()
  readonly openWindows = new Set<string>()
  readonly holders = new Map<string, Set<string>>()
  /** Fails for as long as it is set. */
  failing: Call | null = null
  /** Never answers. */
  stuck: Call | null = null
  /** The record is cut where the machine stops. */
  isTorn = false

  disk(): ResultDisk {
    const files = this.files
    const fileNamed = (name: string) => {
      const bytes = files.get(name)
      if (bytes === undefined) throw new DOMException(name, 'NotFoundError')
      return bytes
    }
    const calls: ResultDisk = {
      async put(file, bytes, isHashed) {
        const before = files.get(file) ?? new Uint8Array()
        files.set(file, new Uint8Array([...before, ...bytes]))
        const sha256 = isHashed ? await sha256Of(bytes) : null
        return { offset: before.byteLength, byteCount: bytes.byteLength, sha256 }
      },
      get: async (file, { offset, byteCount }) => fileNamed(file).slice(offset, offset + byteCount),
      seal: async (file, record) => {
        files.set(file, files.get(file) ?? new Uint8Array())
        files.set(recordNameOf(file), this.isTorn ? record.slice(0, record.byteLength - 40) : record)
        if (this.isTorn) throw new Error('there is no more room on the disk')
      },
      remove: async (file) => {
        files.delete(file)
        files.delete(recordNameOf(file))
      },
      removeRecord: async (file) => void files.delete(recordNameOf(file)),
      names: async () => [...files.keys()],
      readRecord: async (file) => fileNamed(recordNameOf(file)),
      byteCountOf: async (file) => fileNamed(file).byteLength,
    }
    const guarded = Object.entries(calls).map(([name, call]) => [
      name,
      async (...given: never[]) => {
        await Promise.resolve()
        if (this.stuck === name) await new Promise(() => undefined)
        if (this.failing === name) throw new DOMException('full', 'QuotaExceededError')
        return await (call as (...given: never[]) => Promise<unknown>)(...given)
      },
    ])
    return Object.fromEntries(guarded) as ResultDisk
  }

  locks(windowId: string): RowLocks {
    this.openWindows.add(windowId)
    const holdersOf = (file: string) => {
      const known = this.holders.get(file) ?? new Set()
      this.holders.set(file, known)
      return known
    }
    return {
      hold: async (file) => {
        holdersOf(file).add(windowId)
        return async () => void holdersOf(file).delete(windowId)
      },
      ifFree: async (file, action) => {
        const isFree = holdersOf(file).size === 0
        if (isFree) await action()
        return isFree
      },
      openWindowIds: async () => this.openWindows,
    }
  }

  /** A window, which ends with all its locks. */
  window(id: string, bounds = { bytesMax: 100_000, allBytesMax: 200_000, countMax: 5 }) {
    const disk = this.disk()
    let fileCount = 0
    const lookedAt = new Map<string, number>()
    const results = new StoredResults({
      disk,
      locks: this.locks(id),
      lookedAtMs: ({ groupId, storedAtMs }) => lookedAt.get(groupId) ?? storedAtMs,
      bounds,
    })
    const end = () => {
      this.openWindows.delete(id)
      for (const holders of this.holders.values()) holders.delete(id)
    }
    const newRows = () => new FileRowStore(disk, `${id}.${(fileCount += 1)}`)
    return { results, newRows, end, lookedAt }
  }
}
export type Window = ReturnType<Computer['window']>
