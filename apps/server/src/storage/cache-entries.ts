// The disk side of the chunk cache: entries by name in one folder, bounded in bytes, least recently used out first.
// Every entry carries its name and a checksum; one that does not check out is dropped as if it had never been there.
// Writes go to a temporary name and are renamed, so a crash leaves whole entries or leftovers that the next start removes.
// A failing disk never makes a read fail: it is counted, and the entry is absent.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { LIMITS } from '../limits.ts'
import { createMemoryEntries } from './memory-entries.ts'

export interface CacheEntries extends AsyncDisposable {
  has(name: string): boolean
  /** The content when it is there, whole, and `lengthBytes` long. */
  read(name: string, lengthBytes: number): Promise<Uint8Array | undefined>
  /** Stores in the background; drops the content when too much waits to be written. `bytes` must not change. */
  write(name: string, bytes: Uint8Array): void
  readonly size: number
  /** On disk, headers included. */
  readonly bytes: number
  /** Damaged entries and disk errors so far. */
  readonly failures: number
}

/** Names of entries: SHA-256 in hexadecimal. */
const ENTRY_NAME = /^[0-9a-f]{64}$/
/** The name's bytes, then the CRC-32 of the content. */
const HEADER_BYTES = 36

/** Opens a folder of its own, which it creates; whole entries of earlier runs are found again. */
export async function openCacheEntries(options: {
  directory: string
  bytesMax: number
}): Promise<CacheEntries> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 })
  const index = await loadIndex(options.directory)
  const disk = createDisk(options.directory, index, options.bytesMax)
  const writes = new Set<Promise<void>>()
  let pendingBytes = 0
  await disk.evict()
  return {
    has: (name) => index.has(name),
    read: async (name, lengthBytes) => await disk.read(name, lengthBytes),
    write(name, bytes) {
      const isTooLarge = bytes.byteLength + HEADER_BYTES > options.bytesMax
      if (isTooLarge || pendingBytes + bytes.byteLength > LIMITS.cacheWritesPendingBytesMax) return
      pendingBytes += bytes.byteLength
      const write = disk.store(name, bytes).finally(() => {
        pendingBytes -= bytes.byteLength
        writes.delete(write)
      })
      writes.add(write)
    },
    get size() {
      return index.size
    },
    get bytes() {
      return index.bytes
    },
    get failures() {
      return disk.failures
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writes)
    },
  }
}

interface Disk {
  read(name: string, lengthBytes: number): Promise<Uint8Array | undefined>
  /** Never rejects. */
  store(name: string, bytes: Uint8Array): Promise<void>
  evict(): Promise<void>
  readonly failures: number
}

function createDisk(directory: string, index: Index, bytesMax: number): Disk {
  let failures = 0
  const memory = createMemoryEntries()
  const pathOf = (name: string): string => join(directory, name)
  const fail = (): void => {
    failures += 1
  }
  const drop = async (name: string): Promise<void> => {
    index.remove(name)
    memory.remove(name)
    await rm(pathOf(name), { force: true }).catch(fail)
  }
  const evict = async (): Promise<void> => {
    for (let oldest = index.oldest(); oldest !== undefined; oldest = index.oldest()) {
      if (index.bytes <= bytesMax) return
      await drop(oldest)
    }
  }
  return {
    async read(name, lengthBytes) {
      if (!index.touch(name)) return undefined
      const held = memory.get(name)
      if (held?.byteLength === lengthBytes) return held
      const entry = await readFile(pathOf(name)).catch(() => undefined)
      const content = entry && decodeEntry(name, entry, lengthBytes)
      if (content !== undefined) {
        memory.put(name, content)
        return content
      }
      // An entry that was evicted meanwhile is missing, not damaged.
      if (index.has(name)) {
        fail()
        await drop(name)
      }
      return undefined
    },
    async store(name, bytes) {
      const partPath = pathOf(`${name}.${randomUUID()}.part`)
      try {
        await writeFile(partPath, encodeEntry(name, bytes), { mode: 0o600, flag: 'wx' })
        await rename(partPath, pathOf(name))
        index.add(name, bytes.byteLength + HEADER_BYTES)
        memory.put(name, bytes)
        await evict()
      } catch {
        fail()
        await rm(partPath, { force: true }).catch(fail)
      }
    },
    evict,
    get failures() {
      return failures
    },
  }
}

interface Index {
  readonly size: number
  readonly bytes: number
  has(name: string): boolean
  /** Marks as most recently used; false when there is no such entry. */
  touch(name: string): boolean
  add(name: string, sizeBytes: number): void
  remove(name: string): void
  oldest(): string | undefined
}

/** Recency is the order of a Map; between runs it is the order of modification times. */
async function loadIndex(directory: string): Promise<Index> {
  const found: { name: string; sizeBytes: number; modifiedMs: number }[] = []
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    if (name.endsWith('.part')) await rm(path, { force: true })
    if (!ENTRY_NAME.test(name)) continue
    const info = await stat(path)
    found.push({ name, sizeBytes: info.size, modifiedMs: info.mtimeMs })
  }
  found.sort((a, b) => a.modifiedMs - b.modifiedMs)
  const sizes = new Map(found.map(({ name, sizeBytes }) => [name, sizeBytes]))
  let bytes = found.reduce((total, entry) => total + entry.sizeBytes, 0)
  const remove = (name: string): void => {
    bytes -= sizes.get(name) ?? 0
    sizes.delete(name)
  }
  return {
    get size() {
      return sizes.size
    },
    get bytes() {
      return bytes
    },
    has: (name) => sizes.has(name),
    touch(name) {
      const sizeBytes = sizes.get(name)
      if (sizeBytes === undefined) return false
      sizes.delete(name)
      sizes.set(name, sizeBytes)
      return true
    },
    add(name, sizeBytes) {
      remove(name)
      sizes.set(name, sizeBytes)
      bytes += sizeBytes
    },
    remove,
    oldest: () => sizes.keys().next().value,
  }
}

function encodeEntry(name: string, bytes: Uint8Array): Uint8Array {
  const entry = Buffer.allocUnsafe(HEADER_BYTES + bytes.byteLength)
  entry.write(name, 0, 'hex')
  entry.writeUInt32LE(crc32(bytes), HEADER_BYTES - 4)
  entry.set(bytes, HEADER_BYTES)
  return entry
}

/** undefined when the entry is not the one asked for, or not as it was written. */
function decodeEntry(name: string, entry: Buffer, lengthBytes: number): Uint8Array | undefined {
  if (entry.byteLength !== HEADER_BYTES + lengthBytes) return undefined
  if (entry.toString('hex', 0, HEADER_BYTES - 4) !== name) return undefined
  const content = new Uint8Array(entry.buffer, entry.byteOffset + HEADER_BYTES, lengthBytes)
  return crc32(content) === entry.readUInt32LE(HEADER_BYTES - 4) ? content : undefined
}
