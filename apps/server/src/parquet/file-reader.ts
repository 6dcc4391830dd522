// Reads parts of one data file: from the chunk cache where it has them, else from object storage with near ranges joined.
// Counts what was read. Memory is bounded by the ranges in flight, not by the size of a column chunk.
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import { joinRanges, sliceRange } from '../storage/byte-ranges.ts'
import type { RangeCache } from '../storage/column-chunk-cache.ts'
import type { ByteRange, ObjectStore } from '../storage/object-store.ts'

export interface FileSource {
  readonly store: Pick<ObjectStore, 'readRange' | 'statObject'>
  /** Canonical. */
  readonly uri: string
  readonly fileSizeBytes: number
  readonly cache?: RangeCache | undefined
}

/** Can stand for the store of its one file. */
export interface FileReader extends Pick<ObjectStore, 'readRange' | 'statObject'> {
  /**
   * Reads ranges in any order, split into parts of at most `LIMITS.rangeJoinedBytesMax`, and hands over each part with
   * its position in the file. Every byte of every range is handed over exactly once per range.
   */
  readRanges(
    ranges: readonly ByteRange[],
    take: (rangeIndex: number, position: number, bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
  /** Bytes wanted and had, from storage or the cache; gaps that were read on the way are left out. */
  readonly bytesRead: number
  /** Requests that went to object storage. */
  readonly requests: number
}

interface Part {
  readonly rangeIndex: number
  readonly range: ByteRange
}

export function createFileReader({ store, uri, fileSizeBytes, cache }: FileSource): FileReader {
  let bytesRead = 0
  let requests = 0
  const keyOf = (range: ByteRange) => ({ uri, sizeBytes: fileSizeBytes, range })
  const fetchRange = async (range: ByteRange, signal: AbortSignal): Promise<Uint8Array> => {
    requests += 1
    return await store.readRange(uri, range, signal)
  }
  const readRange = async (range: ByteRange, signal: AbortSignal): Promise<Uint8Array> => {
    const bytes = cache
      ? await cache.read(keyOf(range), (inner) => fetchRange(range, inner), signal)
      : await fetchRange(range, signal)
    bytesRead += bytes.byteLength
    return bytes
  }

  return {
    readRange: async (_uri, range, signal) => await readRange(range, signal),
    async statObject(_uri, signal) {
      requests += 1
      return await store.statObject(uri, signal)
    },
    async readRanges(ranges, take, signal) {
      const parts = ranges.flatMap(splitRange)
      const isCached = (part: Part): boolean => cache?.has(keyOf(part.range)) ?? false
      const cached = parts.filter(isCached)
      const missing = parts.filter((part) => !cached.includes(part))
      const joined = joinRanges(
        missing.map((part) => part.range),
        { gapBytesMax: LIMITS.rangeGapBytesMax, joinedBytesMax: LIMITS.rangeJoinedBytesMax },
      )
      const jobs = [
        ...cached.map((part) => ({ range: part.range, members: [part] })),
        ...joined.map(({ range, members }) => ({
          range,
          members: members.flatMap((index) => missing[index] ?? []),
        })),
      ]
      await mapConcurrently(
        jobs,
        LIMITS.excerptRangesAtOnceMax,
        async ({ range, members }, inner) => {
          // Fetched once for all members, and only if the cache lacks one of them after all.
          let fetched: Promise<Uint8Array> | undefined
          const fetchMember = async (part: Part, memberSignal: AbortSignal): Promise<Uint8Array> => {
            fetched ??= fetchRange(range, memberSignal)
            return sliceRange(await fetched, range, part.range)
          }
          for (const part of members) {
            const bytes = cache
              ? await cache.read(keyOf(part.range), (signal) => fetchMember(part, signal), inner)
              : await fetchMember(part, inner)
            bytesRead += bytes.byteLength
            await take(part.rangeIndex, part.range.start, bytes)
          }
        },
        signal,
      )
    },
    get bytesRead() {
      return bytesRead
    },
    get requests() {
      return requests
    },
  }
}

function splitRange(range: ByteRange, rangeIndex: number): Part[] {
  const parts: Part[] = []
  for (let start = range.start; start < range.end; start += LIMITS.rangeJoinedBytesMax) {
    const end = Math.min(start + LIMITS.rangeJoinedBytesMax, range.end)
    parts.push({ rangeIndex, range: { start, end } })
  }
  return parts
}
