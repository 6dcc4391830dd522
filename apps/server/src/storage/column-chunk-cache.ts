// Keeps byte ranges of immutable data files on local disk. A hit is exact: the key holds the scope, the file's path and
// size, the range and the format version, and entries are checksummed. Never a credential, which rotates on every load;
// neither paths nor scopes can be read off the folder. One flight per key, which belongs to all who wait for it.
import { createHash } from 'node:crypto'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { throwIfAborted } from '../concurrency/deadline.ts'
import type { Config, IcebergConfig } from '../config.ts'
import { openCacheEntries } from './cache-entries.ts'
import type { ByteRange } from './object-store.ts'

/** Raise it when keys or entries change their form: entries of other versions are never found. */
const CACHE_FORMAT_VERSION = 1

interface RangeCacheKey {
  /** Canonical. */
  readonly uri: string
  readonly sizeBytes: number
  readonly range: ByteRange
}

export type RangeCacheOutcome = 'hit' | 'miss' | 'shared'

interface RangeCacheCounts {
  readonly hits: number
  readonly misses: number
  /** Reads that waited for another one of the same range. */
  readonly shared: number
  /** Damaged entries and disk errors. */
  readonly failures: number
  readonly entries: number
  readonly bytes: number
}

export interface RangeCache extends AsyncDisposable {
  /** The bytes of the range, from disk or by `fetch`, whose failures pass through. */
  read(
    key: RangeCacheKey,
    fetch: (signal: AbortSignal) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array>
  /** Whether a read would probably not fetch. A hint only: the entry may be gone or damaged by then. */
  has(key: RangeCacheKey): boolean
  readonly counts: RangeCacheCounts
}

/**
 * Opens the cache in a folder of its own, which it creates. Dispose it to wait for what is still being written.
 * @param options.scope isolates deployments that share the folder: a fingerprint of the configuration as written
 */
export async function openColumnChunkCache(options: {
  directory: string
  bytesMax: number
  scope: string
  onOutcome?: (outcome: RangeCacheOutcome) => void
}): Promise<RangeCache> {
  const entries = await openCacheEntries(options)
  const flights = createSingleFlight<Uint8Array>()
  const counts = { hits: 0, misses: 0, shared: 0 }
  const nameOf = ({ uri, sizeBytes, range }: RangeCacheKey): string => {
    const parts = [CACHE_FORMAT_VERSION, options.scope, uri, sizeBytes, range.start, range.end]
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  }
  return {
    async read(key, fetch, signal) {
      const name = nameOf(key)
      let isLeader = false
      const load = async (flightSignal: AbortSignal): Promise<Uint8Array> => {
        isLeader = true
        const cached = await entries.read(name, key.range.end - key.range.start)
        throwIfAborted(flightSignal)
        counts[cached ? 'hits' : 'misses'] += 1
        options.onOutcome?.(cached ? 'hit' : 'miss')
        if (cached !== undefined) return cached
        const bytes = await fetch(flightSignal)
        entries.write(name, bytes)
        return bytes
      }
      try {
        const bytes = await flights.run(name, load, signal)
        if (!isLeader) {
          counts.shared += 1
          options.onOutcome?.('shared')
        }
        return bytes
      } catch (error) {
        // Another statement's failure, perhaps of its credentials or its cancellation, is not this one's.
        if (isLeader || signal.aborted) throw error
        return await fetch(signal)
      }
    },
    has(key) {
      const name = nameOf(key)
      return entries.has(name) || flights.isRunning(name)
    },
    get counts() {
      const { failures, size, bytes } = entries
      return { ...counts, failures, entries: size, bytes }
    },
    async [Symbol.asyncDispose]() {
      await entries[Symbol.asyncDispose]()
    },
  }
}

/** The cache that a deployment configures, owned by `stack`; undefined where it configures none. */
export async function openChunkCache(
  config: Pick<Config, 'cacheDirectory' | 'cacheBytesMax' | 'iceberg'>,
  metrics: { chunkCache(outcome: RangeCacheOutcome): void },
  stack: AsyncDisposableStack,
): Promise<RangeCache | undefined> {
  const { cacheDirectory: directory, cacheBytesMax: bytesMax, iceberg } = config
  if (directory === undefined || bytesMax === 0 || iceberg === undefined) return undefined
  const scope = cacheScope(iceberg)
  const onOutcome = (outcome: RangeCacheOutcome): void => {
    metrics.chunkCache(outcome)
  }
  return stack.use(await openColumnChunkCache({ directory, bytesMax, scope, onOutcome }))
}

/**
 * Fingerprint of whose reads these are: of the settings as written, references and not what they resolve to, so that it
 * outlives rotations. Inline secrets print as redacted.
 */
export function cacheScope(config: IcebergConfig): string {
  const { endpoint, warehouse, auth, storageAccess, s3, gcsEndpoint, adlsEndpoint } = config
  return JSON.stringify([endpoint, warehouse, auth, storageAccess, s3, gcsEndpoint, adlsEndpoint])
}
